package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of package kernel's EscapeMap and orbitState.
const (
	escapeRadius2 = 1 << 14
	orbitClose    = 1e-6
	orbitLanes    = 32
	orbitBlock    = 8
	trapCross     = 2
	orbitsAtOnce  = 4096
)

// The fields of Orbits, each of orbitsAtOnce numbers.
const (
	orbitsX      = 0 // then Y, CX and CY
	orbitsSquare = 4 // then Near, Steps and Index
)

// The fields of orbitState.
const (
	orbitX = iota
	orbitY
	orbitCX
	orbitCY
	orbitBackX
	orbitBackY
	orbitNear
	orbitN
	orbitFields
)

// escapeMap is an EscapeMap: in memory where there are sixteen registers only.
type escapeMap struct {
	andX, andY, flipY, andU Op
	x, y, r2, sin, cos      Op
	limit                   Mem
	extra                   reg.GPVirtual // degree - 2
	other                   reg.GPVirtual // 0 for z²+c
	trap                    reg.GPVirtual
	pace                    reg.GPVirtual // steps from one test for escape to the next
}

// stepping is a register of orbits on their way. With AVX-512 those at their end stay as they are; with AVX2 they go on, and memory
// keeps what they were.
type stepping struct {
	isa
	name       string
	x, y, near reg.VecVirtual    // near is the least distance on the way
	running    reg.VecVirtual    // AVX2
	mask       reg.OpmaskVirtual // AVX-512
	memory     [orbitFields]Mem
	cx, cy     Op             // in memory with AVX2
	n          reg.VecVirtual // AVX-512: steps made, in paces
	index      Mem            // AVX-512: numbers of the orbits
}

// logic is a bitwise operation on float64.
func (s isa) logic(op func(...Op), a Op, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	op(a, b, v)
	return v
}

func (s isa) absolute(v reg.VecVirtual) reg.VecVirtual {
	return s.logic(VANDPD, s.word64(1<<63-1), v)
}

// number is a float64 in all lanes.
func (s isa) number(v float64) Op { return s.word64(math.Float64bits(v)) }

func (o *stepping) label(name string) string { return fmt.Sprintf("escape_%s_%s", name, o.name) }

// fetch is a field in a register.
func (o *stepping) fetch(f int) reg.VecVirtual {
	v := o.vec()
	VMOVUPD(o.memory[f], v)
	return v
}

// load takes the orbits from memory, and from the lowest bits which of them run. It is for AVX2, as store is.
func (o *stepping) load(bits reg.GPVirtual) {
	o.x, o.y, o.near = o.fetch(orbitX), o.fetch(orbitY), o.fetch(orbitNear)
	o.cx, o.cy = o.memory[orbitCX], o.memory[orbitCY]
	o.running = o.vec()
	lane := constant("laneBits", func(i int) uint32 { return uint32(1-i%2) << (i / 2 % 4) })
	VMOVQ(bits, o.running.AsX())
	VPBROADCASTQ(o.running.AsX(), o.running)
	VPAND(lane, o.running, o.running)
	VPCMPEQQ(lane, o.running, o.running)
}

// store moves the bits of those that run in from above. The orbits are in memory.
func (o *stepping) store(bits reg.GPVirtual) {
	run := GP64()
	VMOVMSKPD(o.running, run.As32())
	SHLQ(U8(orbitLanes-o.lanes), run)
	SHRQ(U8(o.lanes), bits)
	ORQ(run, bits)
}

// begin is for AVX-512, as refill and hand are: no orbit runs.
func (o *stepping) begin() {
	zero := func() reg.VecVirtual {
		v := o.vec()
		o.zero(v)
		return v
	}
	o.x, o.y, o.near, o.n = zero(), zero(), zero(), zero()
	o.cx, o.cy = zero(), zero()
	o.memory[orbitBackX], o.memory[orbitBackY], o.index = AllocLocal(64), AllocLocal(64), AllocLocal(64)
	o.mask = K()
	KXORB(o.mask, o.mask, o.mask)
}

// refill gives lanes without an orbit the next ones of n.
func (o *stepping) refill(orbits, next, n reg.GPVirtual) {
	idle, rest, most, lanes := K(), GP64(), GP64(), GP64()
	KNOTB(o.mask, idle)
	KMOVB(idle, lanes.As32())
	MOVQ(n, rest)
	SUBQ(next, rest)
	JZ(LabelRef(o.label("full")))
	TESTL(lanes.As32(), lanes.As32())
	JZ(LabelRef(o.label("full")))
	MOVQ(U32(8), most)
	CMPQ(rest, most)
	CMOVQGT(most, rest)
	MOVQ(I32(-1), most)
	BZHIQ(rest, most, most)
	PDEPQ(lanes, most, lanes) // as many of the lanes as there are orbits left
	KMOVB(lanes.As32(), idle)
	for i, v := range []Op{o.x, o.y, o.cx, o.cy} {
		VEXPANDPD(inOrbits(orbits, next, orbitsX+i), idle, v)
	}
	VMOVUPD(o.x, idle, o.memory[orbitBackX])
	VMOVUPD(o.y, idle, o.memory[orbitBackY])
	VMOVUPD(double(math.MaxFloat64), idle, o.near)
	VPXORQ(o.n, o.n, idle, o.n)
	index := o.vec()
	VPBROADCASTQ(next, index)
	VPADDQ(constant("lanes64", func(i int) uint32 { return uint32(1-i%2) * uint32(i/2) }), index, index)
	VPEXPANDQ(index, idle, index)
	VMOVDQU64(index, idle, o.index)
	POPCNTQ(lanes, lanes)
	ADDQ(lanes, next)
	KORB(idle, o.mask, o.mask)
	Label(o.label("full"))
}

// inOrbits is where number i of a field of Orbits is.
func inOrbits(orbits, i reg.GPVirtual, field int) Mem {
	return Mem{Base: orbits, Index: i, Scale: 8, Disp: 8 * orbitsAtOnce * field}
}

// hand appends the orbits that have ended, those of before that do not run, to the results.
func (o *stepping) hand(before, orbits, done reg.GPVirtual, pace Mem) {
	lanes, n, ended, first := GP64(), GP64(), K(), K()
	KMOVB(o.mask, lanes.As32())
	NOTQ(lanes)
	ANDQ(before, lanes)
	JZ(LabelRef(o.label("none")))
	KMOVB(lanes.As32(), ended)
	POPCNTQ(lanes, n)
	MOVQ(I32(-1), lanes)
	BZHIQ(n, lanes, lanes)
	KMOVB(lanes.As32(), first)
	steps, index := o.vec(), o.vec()
	VCVTQQ2PD(o.n, steps)
	VMULPD(pace, steps, steps)
	VMOVDQU64(o.index, index)
	for i, v := range []reg.VecVirtual{o.square(), o.near, steps, index} {
		t := o.vec()
		VCOMPRESSPD_Z(v, ended, t)
		VMOVUPD(t, first, inOrbits(orbits, done, orbitsSquare+i))
	}
	ADDQ(n, done)
	Label(o.label("none"))
}

// step iterates once and measures the distance from the trap.
func (o *stepping) step(m *escapeMap) {
	TESTQ(m.other, m.other)
	JNZ(LabelRef(o.label("other")))
	u := o.minus(o.mul(o.x, o.x), o.mul(o.y, o.y))
	// Twice a product is exact unless it is subnormal, where adding c rounds it away.
	if o.lanes == 8 {
		VMULPD(o.x, o.y, o.mask, o.y)
		VADDPD(o.cx, u, o.mask, o.x)
		VFMADD132PD(o.number(2), o.cy, o.mask, o.y)
	} else {
		v := o.mul(o.x, o.y)
		VADDPD(o.cx, u, o.x)
		VADDPD(v, v, v)
		VADDPD(o.cy, v, o.y)
	}
	JMP(LabelRef(o.label("made")))
	Label(o.label("other"))
	o.raise(m)
	Label(o.label("made"))

	TESTQ(m.trap, m.trap)
	JZ(LabelRef(o.label("done")))
	CMPQ(m.trap, U8(trapCross))
	JEQ(LabelRef(o.label("cross")))
	dx, dy := o.minus(o.x, m.x), o.minus(o.y, m.y)
	VMULPD(dx, dx, dx)
	VMULPD(dy, dy, dy)
	VADDPD(dy, dx, dx)
	VSUBPD(m.r2, dx, dx)
	o.approach(dx)
	JMP(LabelRef(o.label("done")))
	Label(o.label("cross"))
	dx, dy = o.minus(o.x, m.x), o.minus(o.y, m.y)
	a, b := o.plus(o.mul(m.sin, dy), o.mul(m.cos, dx)), o.minus(o.mul(m.cos, dy), o.mul(m.sin, dx))
	o.approach(a)
	o.approach(b)
	Label(o.label("done"))
}

// raise is the step of a map that is not z²+c.
func (o *stepping) raise(m *escapeMap) {
	px, py := o.logic(VANDPD, m.andX, o.x), o.logic(VXORPD, m.flipY, o.logic(VANDPD, m.andY, o.y))
	u, v := o.minus(o.mul(px, px), o.mul(py, py)), o.mul(py, o.plus(px, px))
	VANDPD(m.andU, u, u)
	k := GP64()
	MOVQ(m.extra, k)
	TESTQ(k, k)
	JZ(LabelRef(o.label("raised")))
	CMPQ(k, U8(2))
	JNE(LabelRef(o.label("power")))
	t := o.minus(o.mul(u, u), o.mul(v, v))
	VADDPD(u, u, u)
	VMULPD(u, v, v)
	VMOVAPD(t, u)
	JMP(LabelRef(o.label("raised")))
	Label(o.label("power"))
	t = o.minus(o.mul(u, px), o.mul(v, py))
	w := o.plus(o.mul(v, px), o.mul(u, py))
	VMOVAPD(t, u)
	VMOVAPD(w, v)
	DECQ(k)
	JNZ(LabelRef(o.label("power")))
	Label(o.label("raised"))
	if o.lanes == 8 {
		VADDPD(o.cx, u, o.mask, o.x)
		VADDPD(o.cy, v, o.mask, o.y)
		return
	}
	VADDPD(o.cx, u, o.x)
	VADDPD(o.cy, v, o.y)
}

// approach lowers the distance from the trap to |d|.
func (o *stepping) approach(d reg.VecVirtual) {
	if o.lanes == 8 {
		VRANGEPD(U8(10), d, o.near, o.mask, o.near) // the least absolute value
		return
	}
	VMINPD(o.near, o.absolute(d), o.near)
}

// square is the square of the distance from 0.
func (o *stepping) square() reg.VecVirtual {
	return o.plus(o.mul(o.y, o.y), o.mul(o.x, o.x))
}

// end counts, and stops the orbits that have escaped.
func (o *stepping) end() {
	r2 := o.square()
	if o.lanes == 8 {
		VPADDQ(o.word64(1), o.n, o.mask, o.n)
		VCMPPD(U8(2), o.number(escapeRadius2), r2, o.mask, o.mask) // at most
		return
	}
	o.keepEnd(orbitX, o.x)
	o.keepEnd(orbitY, o.y)
	o.keepEnd(orbitNear, o.near)
	n := o.fetch(orbitN)
	VPSUBQ(o.running, n, n)
	VMOVUPD(n, o.memory[orbitN])
	VCMPPD(U8(2), o.number(escapeRadius2), r2, r2)
	VANDPD(r2, o.running, o.running)
}

// keepEnd makes a field what v is where orbits run.
func (o *stepping) keepEnd(f int, v reg.VecVirtual) {
	t := o.fetch(f)
	VBLENDVPD(o.running, v, t, t)
	VMOVUPD(t, o.memory[f])
}

// back stops the orbits that have come back.
func (o *stepping) back() {
	gap := o.plus(o.absolute(o.minus(o.y, o.memory[orbitBackY])), o.absolute(o.minus(o.x, o.memory[orbitBackX])))
	if o.lanes == 8 {
		VCMPPD(U8(13), o.number(orbitClose), gap, o.mask, o.mask) // at least
		return
	}
	VCMPPD(U8(13), o.number(orbitClose), gap, gap)
	VANDPD(gap, o.running, o.running)
}

// stop stops the orbits that have made all their steps.
func (o *stepping) stop(limit Mem) {
	all := o.vec()
	VPBROADCASTQ(limit, all)
	if o.lanes == 8 {
		VPCMPQ(U8(4), all, o.n, o.mask, o.mask) // other
		return
	}
	VPCMPEQQ(o.memory[orbitN], all, all)
	VPANDN(o.running, all, o.running)
}

// remember makes where orbits are what they may come back to, if their number of steps is a power of two.
func (o *stepping) remember() {
	less := o.vec()
	if o.lanes == 8 {
		power := K()
		VPADDQ(word64(1<<64-1), o.n, less)
		VPTESTNMQ(less, o.n, power)
		VMOVUPD(o.x, power, o.memory[orbitBackX])
		VMOVUPD(o.y, power, o.memory[orbitBackY])
		return
	}
	n, x, y := o.fetch(orbitN), o.fetch(orbitBackX), o.fetch(orbitBackY)
	VPADDQ(word64(1<<64-1), n, less)
	VPAND(less, n, n)
	o.zero(less)
	VPCMPEQQ(less, n, n)
	VBLENDVPD(n, o.x, x, x)
	VBLENDVPD(n, o.y, y, y)
	VMOVUPD(x, o.memory[orbitBackX])
	VMOVUPD(y, o.memory[orbitBackY])
}

// escapeMap loads an EscapeMap.
func (s isa) escapeMap() *escapeMap {
	param := Dereference(Param("m"))
	at := func(name string) Mem {
		addr, err := param.Field(name).Resolve()
		if err != nil {
			panic(err)
		}
		return addr.Addr
	}
	all := func(name string, register bool) Op {
		v := s.vec()
		VBROADCASTSD(at(name), v)
		if register && s.lanes == 8 {
			return v
		}
		local := AllocLocal(8 * s.lanes)
		VMOVUPD(v, local)
		return local
	}
	m := &escapeMap{
		all("AndX", false), all("AndY", false), all("FlipY", false), all("AndU", false),
		all("X", true), all("Y", true), all("R2", true), all("Sin", true), all("Cos", true),
		at("Limit"), GP64(), GP64(), GP64(), GP64(),
	}
	MOVQ(at("Trap"), m.trap)
	MOVQ(at("Degree"), m.extra)
	SUBQ(U8(2), m.extra)
	MOVQ(at("AndX"), m.other)
	ANDQ(at("AndY"), m.other)
	ANDQ(at("AndU"), m.other)
	NOTQ(m.other)
	ORQ(at("FlipY"), m.other)
	ORQ(m.extra, m.other)
	four := GP64()
	MOVQ(U32(2), m.pace)
	MOVQ(U32(4), four)
	TESTQ(m.extra, m.extra)
	CMOVQEQ(four, m.pace)
	return m
}

// block makes orbitBlock steps. Two registers of orbits take turns, so that one's results are there when they are needed.
func block(m *escapeMap, pair [2]*stepping) {
	n, left := GP64(), GP64()
	MOVQ(U32(orbitBlock), left)
	Label("escape_pace")
	MOVQ(m.pace, n)
	SUBQ(n, left)
	Label("escape_step")
	for _, o := range pair {
		o.step(m)
	}
	DECQ(n)
	JNZ(LabelRef("escape_step"))
	for _, o := range pair {
		o.end()
	}
	TESTQ(left, left)
	JNZ(LabelRef("escape_pace"))
	for _, o := range pair {
		o.back()
		o.stop(m.limit)
		o.remember()
	}
}

// escape8 is for AVX-512, which gives lanes that have become idle their orbits by itself.
func escape8() {
	s := isas[0]
	TEXT("escapeAVX512", NOSPLIT, "func(m *EscapeMap, o *Orbits, n int)")
	Pragma("noescape")
	Doc("escapeAVX512 runs n orbits as EscapeMap.Iterate does, Limit being counted in paces.")
	m, orbits, all := s.escapeMap(), load64("o"), load64("n")
	s = s.keep(1, 1<<63-1, math.Float64bits(2), math.Float64bits(escapeRadius2), math.Float64bits(orbitClose))
	pace, v := AllocLocal(64), s.vec()
	VPBROADCASTQ(m.pace, v)
	VCVTQQ2PD(v, v)
	VMOVUPD(v, pace)
	pair := [2]*stepping{{isa: s, name: "a"}, {isa: s, name: "b"}}
	for _, o := range pair {
		o.begin()
	}
	next, done := GP64(), GP64()
	XORQ(next, next)
	XORQ(done, done)
	Label("escape_refill")
	var before [2]reg.GPVirtual
	for i, o := range pair {
		o.refill(orbits, next, all)
		before[i] = GP64()
		KMOVB(o.mask, before[i].As32())
	}
	KORTESTB(pair[0].mask, pair[1].mask)
	JZ(LabelRef("escape_done"))
	block(m, pair)
	for i, o := range pair {
		o.hand(before[i], orbits, done, pace)
	}
	JMP(LabelRef("escape_refill"))
	Label("escape_done")
	VZEROUPPER()
	RET()
}

// escape4 is for AVX2.
func escape4() {
	s := isas[1]
	TEXT("escapeAVX2", NOSPLIT, "func(m *EscapeMap, o *orbitState, running uint32, blocks int) uint32")
	Pragma("noescape")
	Doc("escapeAVX2 makes 8 steps, blocks times, of the orbits of o whose bits are set in running, and returns the bits of those that",
		"go on. See EscapeMap.Iterate; Limit is counted in paces.")
	m, p, running, blocks := s.escapeMap(), load64("o"), load64("running"), load64("blocks")
	pairs := GP64()
	MOVQ(U32(orbitLanes/(2*s.lanes)), pairs)
	Label("escape_pair")
	TESTL(U32(1<<(2*s.lanes)-1), running.As32())
	JNZ(LabelRef("escape_some"))
	SHRQ(U8(2*s.lanes), running)
	JMP(LabelRef("escape_next"))
	Label("escape_some")
	pair := [2]*stepping{{isa: s, name: "a"}, {isa: s, name: "b"}}
	for i, o := range pair {
		for f := range o.memory {
			o.memory[f] = Mem{Base: p, Disp: 8 * (orbitLanes*f + s.lanes*i)}
		}
		bits := GP64()
		MOVQ(running, bits)
		SHRQ(U8(s.lanes*i), bits)
		o.load(bits)
	}
	left := GP64()
	MOVQ(blocks, left)
	Label("escape_block")
	block(m, pair)
	DECQ(left)
	JNZ(LabelRef("escape_block"))
	for _, o := range pair {
		o.store(running)
	}
	Label("escape_next")
	ADDQ(U32(2*8*s.lanes), p)
	DECQ(pairs)
	JNZ(LabelRef("escape_pair"))
	Store(running.As32(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
