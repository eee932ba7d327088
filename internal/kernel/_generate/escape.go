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
	orbitClose    = 1e-10
	orbitLanes    = 32
	orbitBlock    = 8
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
	cross, circle           reg.GPVirtual // not 0: a cross, a circle that is no point
}

// stepping is a register of orbits on their way. Those at their end stay as they are.
type stepping struct {
	isa
	name         string
	x, y, xx, yy reg.VecVirtual
	running      reg.VecVirtual    // AVX2
	mask         reg.OpmaskVirtual // AVX-512
	memory       [orbitFields]Mem
	inside       [orbitFields]reg.VecVirtual // of memory, with AVX-512
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

// field is a field to read, in a register or in memory.
func (o *stepping) field(f int) Op {
	if o.inside[f] != nil {
		return o.inside[f]
	}
	return o.memory[f]
}

// fetch is a field in a register.
func (o *stepping) fetch(f int) reg.VecVirtual {
	if o.inside[f] != nil {
		return o.inside[f]
	}
	v := o.vec()
	VMOVUPD(o.memory[f], v)
	return v
}

// into makes v what dst is where orbits run.
func (o *stepping) into(dst, v reg.VecVirtual) {
	if o.lanes == 8 {
		VMOVAPD(v, o.mask, dst)
	} else {
		VBLENDVPD(o.running, v, dst, dst)
	}
}

// load takes the orbits from memory, and from the lowest bits which of them run.
func (o *stepping) load(bits reg.GPVirtual) {
	o.x, o.y, o.xx, o.yy = o.vec(), o.vec(), o.vec(), o.vec()
	VMOVUPD(o.memory[orbitX], o.x)
	VMOVUPD(o.memory[orbitY], o.y)
	VMULPD(o.x, o.x, o.xx)
	VMULPD(o.y, o.y, o.yy)
	if o.lanes == 8 {
		for _, f := range []int{orbitCX, orbitCY, orbitBackX, orbitNear, orbitN} {
			o.inside[f] = o.fetch(f)
		}
		o.mask = K()
		KMOVB(bits.As32(), o.mask)
	} else {
		o.running = o.vec()
		lane := constant("laneBits", func(i int) uint32 { return uint32(1-i%2) << (i / 2 % 4) })
		VMOVQ(bits, o.running.AsX())
		VPBROADCASTQ(o.running.AsX(), o.running)
		VPAND(lane, o.running, o.running)
		VPCMPEQQ(lane, o.running, o.running)
	}
}

// store is the way back: the bits come in from above.
func (o *stepping) store(bits reg.GPVirtual) {
	VMOVUPD(o.x, o.memory[orbitX])
	VMOVUPD(o.y, o.memory[orbitY])
	for f, v := range o.inside {
		if v != nil && f != orbitCX && f != orbitCY {
			VMOVUPD(v, o.memory[f])
		}
	}
	run := GP64()
	if o.lanes == 8 {
		KMOVB(o.mask, run.As32())
	} else {
		VMOVMSKPD(o.running, run.As32())
	}
	SHLQ(U8(orbitLanes-o.lanes), run)
	SHRQ(U8(o.lanes), bits)
	ORQ(run, bits)
}

// step iterates once and measures the distance from the trap.
func (o *stepping) step(m *escapeMap) {
	u := o.minus(o.xx, o.yy)
	TESTQ(m.other, m.other)
	JNZ(LabelRef(o.label("other")))
	if o.lanes == 8 {
		VMULPD(o.x, o.y, o.mask, o.y)
		VADDPD(o.inside[orbitCX], u, o.mask, o.x)
		VFMADD132PD(o.number(2), o.inside[orbitCY], o.mask, o.y) // twice a product is exact unless it is subnormal, where adding c rounds it away
	} else {
		v := o.mul(o.x, o.y)
		VFMADD132PD(o.number(2), o.fetch(orbitCY), v)
		VADDPD(o.field(orbitCX), u, u)
		o.into(o.x, u)
		o.into(o.y, v)
	}
	JMP(LabelRef(o.label("made")))
	Label(o.label("other"))
	o.raise(m, u)
	Label(o.label("made"))
	VMULPD(o.x, o.x, o.xx)
	VMULPD(o.y, o.y, o.yy)

	dx, dy, d := o.minus(o.x, m.x), o.minus(o.y, m.y), o.vec()
	TESTQ(m.cross, m.cross)
	JNZ(LabelRef(o.label("cross")))
	VMULPD(dx, dx, dx)
	VMULPD(dy, dy, dy)
	VADDPD(dy, dx, d)
	TESTQ(m.circle, m.circle)
	JZ(LabelRef(o.label("near")))
	VSUBPD(m.r2, d, d)
	JMP(LabelRef(o.label("near")))
	Label(o.label("cross"))
	VMOVAPD(o.minus(o.mul(m.cos, dy), o.mul(m.sin, dx)), d)
	a := o.plus(o.mul(m.sin, dy), o.mul(m.cos, dx))
	o.approach(a)
	Label(o.label("near"))
	o.approach(d)
}

// raise is the step of a map that is not z²+c; u is x²-y².
func (o *stepping) raise(m *escapeMap, u reg.VecVirtual) {
	px, py := o.logic(VANDPD, m.andX, o.x), o.logic(VXORPD, m.flipY, o.logic(VANDPD, m.andY, o.y))
	v := o.mul(py, o.plus(px, px))
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
	VADDPD(o.field(orbitCX), u, u)
	VADDPD(o.field(orbitCY), v, v)
	o.into(o.x, u)
	o.into(o.y, v)
}

// approach lowers the distance from the trap to |d|.
func (o *stepping) approach(d reg.VecVirtual) {
	near := o.fetch(orbitNear)
	if o.lanes == 8 {
		VRANGEPD(U8(10), d, near, o.mask, near) // the least absolute value
		return
	}
	o.into(near, o.logic(VMINPD, near, o.absolute(d)))
	VMOVUPD(near, o.memory[orbitNear])
}

// end stops the orbits that have escaped, and counts. What it returns is not 0 where one may be back.
func (o *stepping) end() (again reg.VecVirtual, mask reg.OpmaskVirtual) {
	n := o.fetch(orbitN)
	if o.lanes == 8 {
		VPADDQ(o.word64(1), n, o.mask, n)
	} else {
		VPSUBQ(o.running, n, n)
		VMOVUPD(n, o.memory[orbitN])
	}
	r2 := o.plus(o.yy, o.xx)
	gap := o.absolute(o.minus(o.x, o.field(orbitBackX)))
	if o.lanes == 8 {
		mask = K()
		VCMPPD(U8(2), o.number(escapeRadius2), r2, o.mask, o.mask) // at most
		VCMPPD(U8(1), o.number(orbitClose), gap, o.mask, mask)     // below
		return nil, mask
	}
	VCMPPD(U8(2), o.number(escapeRadius2), r2, r2)
	VCMPPD(U8(1), o.number(orbitClose), gap, gap)
	VANDPD(r2, o.running, o.running)
	VANDPD(gap, o.running, gap)
	return gap, nil
}

// back stops the orbits that have come back.
func (o *stepping) back() {
	gap := o.plus(o.absolute(o.minus(o.y, o.memory[orbitBackY])), o.absolute(o.minus(o.x, o.field(orbitBackX))))
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
		VPCMPQ(U8(4), all, o.inside[orbitN], o.mask, o.mask) // other
		return
	}
	VPCMPEQQ(o.memory[orbitN], all, all)
	VPANDN(o.running, all, o.running)
}

// remember makes where orbits are what they may come back to, if their number of steps is a power of two.
func (o *stepping) remember() {
	n := o.fetch(orbitN)
	y, less := o.fetch(orbitBackY), o.vec()
	VPADDQ(word64(1<<64-1), n, less)
	if o.lanes == 8 {
		power := K()
		VPTESTNMQ(less, n, power)
		VMOVAPD(o.x, power, o.inside[orbitBackX])
		VMOVAPD(o.y, power, y)
	} else {
		x := o.fetch(orbitBackX)
		VPAND(less, n, n)
		o.zero(less)
		VPCMPEQQ(less, n, n)
		VBLENDVPD(n, o.x, x, x)
		VBLENDVPD(n, o.y, y, y)
		VMOVUPD(x, o.memory[orbitBackX])
	}
	VMOVUPD(y, o.memory[orbitBackY])
}

// escape: two registers of orbits at a time take turns, so that one's results are there when they are needed.
func (s isa) escape() {
	TEXT("escape"+s.suffix, NOSPLIT, "func(m *EscapeMap, o *orbitState, running uint32, blocks int) uint32")
	Pragma("noescape")
	Doc("escape"+s.suffix+" makes 8 steps, blocks times, of the orbits of o whose bits are set in running, and returns the bits of",
		"those that go on. See EscapeMap.Iterate.")
	param, p, running, blocks := Dereference(Param("m")), load64("o"), load64("running"), load64("blocks")
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
	MOVQ(at("Cross"), m.cross)
	MOVQ(at("R2"), m.circle)
	MOVQ(at("Degree"), m.extra)
	SUBQ(U8(2), m.extra)
	MOVQ(at("AndX"), m.other)
	ANDQ(at("AndY"), m.other)
	ANDQ(at("AndU"), m.other)
	NOTQ(m.other)
	ORQ(at("FlipY"), m.other)
	ORQ(m.extra, m.other)

	s = s.keep(1, 1<<63-1, math.Float64bits(2), math.Float64bits(escapeRadius2), math.Float64bits(orbitClose))
	left := GP64()
	MOVQ(U32(orbitLanes/(2*s.lanes)), left)
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
	block, n := GP64(), GP64()
	MOVQ(blocks, block)
	Label("escape_block")
	XORQ(n, n)
	Label("escape_step")
	INCQ(n)
	var gap [2]reg.VecVirtual
	var mask [2]reg.OpmaskVirtual
	for i, o := range pair {
		o.step(m)
		gap[i], mask[i] = o.end()
	}
	if s.lanes == 8 {
		KORTESTB(mask[0], mask[1])
	} else {
		VORPD(gap[0], gap[1], gap[1])
		VPTEST(gap[1], gap[1])
	}
	JNZ(LabelRef("escape_back"))
	Label("escape_on")
	phase := GP64()
	MOVQ(n, phase)
	XORQ(m.limit, phase)
	TESTB(U8(orbitBlock-1), phase.As8())
	JZ(LabelRef("escape_stop"))
	Label("escape_more")
	TESTB(U8(orbitBlock-1), n.As8())
	JNZ(LabelRef("escape_step"))
	JMP(LabelRef("escape_made"))
	Label("escape_stop")
	for _, o := range pair {
		o.stop(m.limit)
	}
	JMP(LabelRef("escape_more"))
	Label("escape_back")
	for _, o := range pair {
		o.back()
	}
	JMP(LabelRef("escape_on"))
	Label("escape_made")
	for _, o := range pair {
		o.remember()
	}
	DECQ(block)
	JNZ(LabelRef("escape_block"))
	for _, o := range pair {
		o.store(running)
	}
	Label("escape_next")
	ADDQ(U32(2*8*s.lanes), p)
	DECQ(left)
	JNZ(LabelRef("escape_pair"))
	Store(running.As32(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
