// Command generate writes the assembly of package softmax. It is a module of its own so that the assembler library
// never reaches users of the project. Build it here and run it from the root of the project, so that it sees the types
// of the package:
//
//	go build -C metrics/internal/softmax/_generate -o "$PWD/.generate" .
//	./.generate -out metrics/internal/softmax/softmax_amd64.s -stubs metrics/internal/softmax/softmax_amd64.go -pkg softmax
//
// Every function does n elements, a multiple of 8, and gives the bits of the plain Go loop that its comment names.
// Products and sums are fused exactly where plain Go says math.FMA.
package main

import (
	"fmt"
	"math"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 8
	steps = 8
)

// isa is an instruction set; bits is the size of a row's elements. A block of eight numbers is one register or two.
type isa struct {
	name  string
	parts int
	vec   func() reg.VecVirtual
	bits  int
}

func main() {
	Package("github.com/augmix-go/augmix/metrics/internal/softmax")
	ConstraintExpr("!noasm")
	for _, bits := range []int{32, 64} {
		for _, s := range []isa{{"AVX512", 1, ZMM, bits}, {"AVX2", 2, YMM, bits}} {
			s.scan()
			s.exp("exp", true)
			s.exp("near", false)
			if bits == 32 {
				s.peak()
			}
			if bits == 64 || s.parts > 1 {
				s.count()
				s.first()
			}
		}
	}
	Generate()
}

// begin starts a function; sig is what follows the pointer and n.
func (s isa) begin(name, rest, doc string) (src, n reg.GPVirtual) {
	full := fmt.Sprintf("%s%d%s", name, s.bits, s.name)
	TEXT(full, NOSPLIT, fmt.Sprintf("func(src *float%d, n int%s", s.bits, rest))
	Pragma("noescape")
	Doc(full + " " + doc)
	return Load(Param("src"), GP64()).(reg.GPVirtual), Load(Param("n"), GP64()).(reg.GPVirtual)
}

// blocks runs body for every eight elements from src on; body gets their index.
func (s isa) blocks(n reg.GPVirtual, body func(i reg.GPVirtual)) {
	i := GP64()
	XORQ(i, i)
	Label("block")
	body(i)
	ADDQ(U8(lanes), i)
	CMPQ(i, n)
	JLT(LabelRef("block"))
}

// several runs body for blocks of a size, as many at once as counts say, from the largest number on; body gets the index of the first.
func (s isa) several(n reg.GPVirtual, size int, counts []int, body func(i reg.GPVirtual, count int)) {
	i := GP64()
	XORQ(i, i)
	for _, count := range counts {
		end := GP64()
		Label(fmt.Sprint("blocks", count))
		LEAQ(Mem{Base: i, Disp: count * size}, end)
		CMPQ(end, n)
		JGT(LabelRef(fmt.Sprint("past", count)))
		body(i, count)
		MOVQ(end, i)
		JMP(LabelRef(fmt.Sprint("blocks", count)))
		Label(fmt.Sprint("past", count))
	}
}

func (s isa) register() reg.VecVirtual { return s.vec() }

// registers returns the registers of a block.
func (s isa) registers() []reg.VecVirtual {
	v := make([]reg.VecVirtual, s.parts)
	for i := range v {
		v[i] = s.register()
	}
	return v
}

// at is the address of a part of a block after the one at index i.
func (s isa) at(src, i reg.GPVirtual, block, part int) Mem {
	return Mem{Base: src, Index: i, Scale: uint8(s.bits / 8), Disp: (block*lanes + part*lanes/s.parts) * s.bits / 8}
}

// load reads a part of a block as float64.
func (s isa) load(m Mem) reg.VecVirtual {
	r := s.register()
	if s.bits == 32 {
		VCVTPS2PD(m, r)
	} else {
		VMOVUPD(m, r)
	}
	return r
}

// field reads or writes a field of eight numbers; k counts the fields.
func (s isa) field(acc reg.GPVirtual, k, part int) Mem {
	return Mem{Base: acc, Disp: 64*k + 64/s.parts*part}
}

func (s isa) loadFields(acc reg.GPVirtual, count int) [][]reg.VecVirtual {
	f := make([][]reg.VecVirtual, count)
	for k := range f {
		f[k] = s.registers()
		for p, r := range f[k] {
			VMOVUPD(s.field(acc, k, p), r)
		}
	}
	return f
}

func (s isa) storeFields(acc reg.GPVirtual, f [][]reg.VecVirtual) {
	for k := range f {
		for p, r := range f[k] {
			VMOVUPD(r, s.field(acc, k, p))
		}
	}
	VZEROUPPER()
	RET()
}

func (s isa) scan() {
	src, n := s.begin("scan", ", acc *scanned)", "is the loop of Scan.")
	acc := Load(Param("acc"), GP64()).(reg.GPVirtual)
	f := s.loadFields(acc, 4)
	s.blocks(n, func(i reg.GPVirtual) {
		for p := range s.parts {
			v := s.load(s.at(src, i, 0, p))
			VMAXPD(f[0][p], v, f[0][p]) // v if v > max, else max
			VMINPD(f[1][p], v, f[1][p])
			VADDPD(v, f[2][p], f[2][p])
			VMULPD(v, v, v)
			VADDPD(v, f[3][p], f[3][p])
		}
	})
	s.storeFields(acc, f)
}

// peak has registers for several blocks of sixteen numbers, so that none waits for the last one.
func (s isa) peak() {
	src, n := s.begin("peak", ", acc *peaked)", "is the loop of Peak for a multiple of 16 elements.")
	acc := Load(Param("acc"), GP64()).(reg.GPVirtual)
	blocks := 4 / s.parts
	var top, size [][]reg.VecVirtual
	for range blocks {
		top, size = append(top, s.registers()), append(size, s.registers())
	}
	sign := s.register()
	for b := range blocks {
		for p := range s.parts {
			VMOVUPS(s.field(acc, 0, p), top[b][p])
			VMOVUPS(s.field(acc, 1, p), size[b][p])
		}
	}
	VMOVUPS(words("sign", func(int) uint64 { return 1<<63 | 1<<31 }), sign)
	s.several(n, 2*lanes, []int{blocks, 1}, func(i reg.GPVirtual, count int) {
		for b := range count {
			for p, r := range top[b] {
				x := s.register()
				VMOVUPS(Mem{Base: src, Index: i, Scale: 4, Disp: b*64 + p*64/s.parts}, x)
				VMAXPS(r, x, r) // x if x > max, else max
				VANDNPS(x, sign, x)
				VPMAXUD(x, size[b][p], size[b][p])
			}
		}
	})
	for b := 1; b < blocks; b++ {
		for p := range s.parts {
			VMAXPS(top[0][p], top[b][p], top[0][p])
			VPMAXUD(size[0][p], size[b][p], size[0][p])
		}
	}
	s.storeFields(acc, [][]reg.VecVirtual{top[0], size[0]})
}

var globals = map[string]Mem{}

// words returns eight 64-bit constants.
func words(name string, f func(i int) uint64) Mem { return table(name, lanes, f) }

func table(name string, n int, f func(i int) uint64) Mem {
	if m, ok := globals[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(8*i, U64(f(i)))
	}
	globals[name] = m
	return m
}

// number returns a constant in every lane, in a register where there are many of them.
func (s isa) number(name string, v float64) Op {
	m := words(name, func(int) uint64 { return math.Float64bits(v) })
	if s.parts > 1 {
		return m
	}
	r := s.register()
	VMOVUPD(m, r)
	return r
}

// root returns the bits 2^(i/8) - i<<49 as in exp.go.
func root(i int) uint64 {
	values := [steps]float64{
		1, 0x1.172b83c7d517bp0, 0x1.306fe0a31b715p0, 0x1.4bfdad5362a27p0, 0x1.6a09e667f3bcdp0, 0x1.8ace5422aa0dbp0,
		0x1.ae89f995ad3adp0, 0x1.d5818dcfba487p0,
	}
	return math.Float64bits(values[i]) - uint64(i)<<49
}

// rootWords returns the words of all roots from a bit on.
func rootWords(name string, from int) Mem {
	return table(name, steps/2, func(i int) uint64 {
		return root(2*i)>>from&math.MaxUint32 | root(2*i+1)>>from<<32
	})
}

// exp writes a loop with a floor or without.
func (s isa) exp(name string, floored bool) {
	doc := "is the loop of expBlocks. It asks for the row after this one."
	if !floored {
		doc = "is the loop of expBlocks where no term lies below the floor. It asks for the row after this one."
	}
	src, n := s.begin(name, ", skip int, top float64, acc *summed)", doc)
	keep := s.but(Load(Param("skip"), GP64()).(reg.GPVirtual))
	acc := Load(Param("acc"), GP64()).(reg.GPVirtual)
	next := GP64()
	LEAQ(Mem{Base: src, Index: n, Scale: uint8(s.bits / 8)}, next)
	top := s.register()
	VBROADCASTSD(NewParamAddr("top", 24), top)
	var floor Op
	if floored {
		floor = s.number("floor", -345)
	}
	scale, round := s.number("scale", steps/math.Ln2), s.register()
	VMOVUPD(words("round", func(int) uint64 { return math.Float64bits(0x1.8p52) }), round)
	step, one := s.number("step", math.Ln2/steps), s.number("one", 1)
	poly := []Op{
		s.number("c1", 0x1.00000000000b9p+0), s.number("c2", 0x1.000000000002ep-1),
		s.number("c3", 0x1.55555547d35f6p-3), s.number("c4", 0x1.5555554e945dbp-5),
		s.number("c5", 0x1.1115c09afc4f5p-7), s.number("c6", 0x1.6c1b70f434f0fp-10),
	}
	power := s.powers()
	f := s.loadFields(acc, 3)
	together := func(terms []*term) {
		each := func(f func(*term)) {
			for _, t := range terms {
				f(t)
			}
		}
		each(func(t *term) { t.x, t.k, t.r, t.t = s.load(t.from), s.register(), s.register(), s.register() })
		each(func(t *term) { VADDPD(t.x, f[0][t.part], f[0][t.part]) })
		each(func(t *term) { VSUBPD(top, t.x, t.x) })
		each(func(t *term) { VMOVAPD(round, t.k) })
		each(func(t *term) { VFMADD231PD(scale, t.x, t.k) })
		each(func(t *term) { t.above = s.above(floor, t.x, t.kept) })
		each(func(t *term) { VSUBPD(t.k, round, t.r) }) // minus n
		each(func(t *term) { VFMADD132PD(step, t.x, t.r) })
		each(func(t *term) { s.copy(poly[5], t.t) })
		for c := 4; c >= 0; c-- {
			each(func(t *term) { VFMADD213PD(poly[c], t.r, t.t) })
		}
		each(func(t *term) { VFMADD213PD(one, t.r, t.t) })
		each(func(t *term) { power(t.k) })
		each(func(t *term) { t.above(t.k, t.t) })
		each(func(t *term) { VADDPD(t.t, f[1][t.part], f[1][t.part]) })
		each(func(t *term) { VFMADD231PD(t.t, t.t, f[2][t.part]) })
	}
	counts := []int{1}
	if s.parts == 1 { // 16 registers are too few for more
		counts = []int{4, 1}
	}
	s.several(n, lanes, counts, func(i reg.GPVirtual, count int) {
		var terms []*term
		for b := range count {
			PREFETCHT1(s.at(next, i, b, 0)) // into the second cache: the first can wait for fewer lines at once
			kept := keep(i, b)
			for p := range s.parts {
				terms = append(terms, &term{part: p, from: s.at(src, i, b, p), kept: kept[p]})
			}
		}
		for group := range slices.Chunk(terms, count) {
			together(group)
		}
	})
	s.storeFields(acc, f)
}

// term is the exponentials of a register. Those of several go through each step together, so that none waits for the last one.
type term struct {
	part       int
	from       Mem
	kept       Op
	x, k, r, t reg.VecVirtual
	above      func(k, t reg.VecVirtual)
}

// but returns what gives the masks of a block after the one at index i, all ones but for element skip.
func (s isa) but(skip reg.GPVirtual) func(i reg.GPVirtual, block int) []Op {
	without, lane := GP64(), GP64()
	MOVQ(skip, without)
	ANDQ(I8(-lanes), without)
	MOVQ(skip, lane)
	ANDQ(U8(lanes-1), lane)
	if s.parts == 1 {
		all, one := GP32(), GP32()
		MOVL(U32(0xff), all)
		MOVL(all, one)
		BTCL(lane.As32(), one)
		return func(i reg.GPVirtual, block int) []Op {
			bits, at, mask := GP32(), GP64(), K()
			MOVL(all, bits)
			LEAQ(Mem{Base: i, Disp: block * lanes}, at)
			CMPQ(at, without)
			CMOVLEQ(one, bits)
			KMOVB(bits, mask)
			return []Op{mask}
		}
	}
	// From all on there are ones, from one on too, but for the lane.
	const window = 2*lanes - 1
	masks := table("but", window+lanes, func(i int) uint64 {
		if i == window {
			return 0
		}
		return math.MaxUint64
	})
	all, one := GP64(), GP64()
	LEAQ(masks, all)
	LEAQ(masks.Offset(8*window), one)
	SHLQ(U8(3), lane)
	SUBQ(lane, one)
	return func(i reg.GPVirtual, block int) []Op {
		mask, at := GP64(), GP64()
		MOVQ(all, mask)
		LEAQ(Mem{Base: i, Disp: block * lanes}, at)
		CMPQ(at, without)
		CMOVQEQ(one, mask)
		return []Op{Mem{Base: mask}, Mem{Base: mask, Disp: 32}}
	}
}

// copy reads a constant.
func (s isa) copy(from Op, to reg.VecVirtual) { VMOVUPD(from, to) }

// above compares x with the floor, if there is one, and returns what multiplies t by k, or sets it to 0 where x lies below or is not
// kept.
func (s isa) above(floor Op, x reg.VecVirtual, kept Op) func(k, t reg.VecVirtual) {
	const atLeast = 0x1d // GE, ordered, quiet
	mask := kept
	if s.parts == 1 {
		if floor != nil {
			mask = K()
			VCMPPD(U8(atLeast), floor, x, kept, mask)
		}
		return func(k, t reg.VecVirtual) { VMULPD_Z(k, t, mask, t) }
	}
	if floor != nil {
		m := s.register()
		VCMPPD(U8(atLeast), floor, x, m)
		VANDPD(kept, m, m)
		mask = m
	}
	return func(k, t reg.VecVirtual) {
		VMULPD(k, t, t)
		VANDPD(mask, t, t)
	}
}

// powers returns what replaces k, which holds n in its low bits, by 2^(n/8).
func (s isa) powers() func(k reg.VecVirtual) {
	if s.parts == 1 {
		table := s.register()
		VMOVUPD(words("roots", root), table)
		return func(k reg.VecVirtual) {
			t := s.register()
			VPERMPD(table, k, t) // the lowest three bits of k select
			VPSLLQ(U8(49), k, k)
			VPADDQ(t, k, k)
		}
	}
	// Both words of a power are looked up in tables of eight: the low one with the low word of k, which holds n, the high one with a copy.
	low, high := rootWords("rootsLow", 0), rootWords("rootsHigh", 32)
	return func(k reg.VecVirtual) {
		a, b := s.register(), s.register()
		VPSHUFD(U8(0xa0), k, b)
		VPERMPS(low, k, a)
		VPERMPS(high, b, b)
		VBLENDPS(U8(0xaa), b, a, a)
		VPSLLQ(U8(49), k, k)
		VPADDQ(a, k, k)
	}
}

const atMost = 0x12 // LE, ordered, quiet

// compare returns a bit for each of the eight float64 of the block at index i: at least v.
func (s isa) compare(src, i reg.GPVirtual, v reg.VecVirtual) reg.GPVirtual {
	bits := GP32()
	at := s.at(src, i, 0, 0)
	switch x := s.register(); {
	case s.parts == 1:
		k := K()
		VCMPPD(U8(atMost), at, v, k)
		KMOVB(k, bits)
	default:
		high := GP32()
		VCMPPD(U8(atMost), at, v, x)
		VMOVMSKPD(x, bits)
		VCMPPD(U8(atMost), s.at(src, i, 0, 1), v, x)
		VMOVMSKPD(x, high)
		SHLL(U8(4), high)
		ORL(high, bits)
	}
	return bits
}

// bound reads v into every lane.
func (s isa) bound() reg.VecVirtual {
	v := s.register()
	if s.bits == 32 {
		VBROADCASTSS(NewParamAddr("v", 16), v)
	} else {
		VBROADCASTSD(NewParamAddr("v", 16), v)
	}
	return v
}

// words32 compares a block of eight float32: all ones where an element is at least v.
func (s isa) words32(src, i reg.GPVirtual, block int, v reg.VecVirtual) reg.VecVirtual {
	x := s.register()
	VCMPPS(U8(atMost), s.at(src, i, block, 0), v, x)
	return x
}

// count32 counts in each lane, so that nothing leaves the vector registers before the end.
func (s isa) count32(src, n reg.GPVirtual, v reg.VecVirtual) reg.Register {
	var lane [4]reg.VecVirtual
	for k := range lane {
		lane[k] = s.register()
		VPXOR(lane[k], lane[k], lane[k])
	}
	s.several(n, lanes, []int{len(lane), 1}, func(i reg.GPVirtual, count int) {
		for b := range count {
			VPSUBD(s.words32(src, i, b, v), lane[b], lane[b])
		}
	})
	VPADDD(lane[1], lane[0], lane[0])
	VPADDD(lane[3], lane[2], lane[2])
	VPADDD(lane[2], lane[0], lane[0])
	high := XMM()
	VEXTRACTI128(U8(1), lane[0], high)
	low := lane[0].AsX()
	VPADDD(high, low, low)
	VPHADDD(low, low, low)
	VPHADDD(low, low, low)
	total := GP32()
	VMOVD(low, total)
	return total.As64()
}

// first32 looks for a group of blocks in which there is one.
func (s isa) first32(src, n reg.GPVirtual, v reg.VecVirtual) {
	const blocks = 4
	s.several(n, lanes, []int{blocks, 1}, func(i reg.GPVirtual, count int) {
		x := s.words32(src, i, 0, v)
		for b := 1; b < count; b++ {
			VORPS(s.words32(src, i, b, v), x, x)
		}
		bits := GP32()
		VMOVMSKPS(x, bits)
		TESTL(bits, bits)
		if count == blocks {
			JNZ(LabelRef("past4")) // one by one from here
			return
		}
		leaveAt(bits, i)
	})
}

// leaveAt returns the index of the lowest bit, counted from i, unless a test of the bits just found none.
func leaveAt(bits, i reg.GPVirtual) {
	JZ(LabelRef("none"))
	BSFL(bits, bits)
	ADDQ(bits.As64(), i)
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
	Label("none")
}

func (s isa) count() {
	src, n := s.begin("count", fmt.Sprintf(", v float%d) int", s.bits), "is the loop of CountFrom.")
	v := s.bound()
	if s.bits == 32 {
		total := s.count32(src, n, v)
		VZEROUPPER()
		Store(total, ReturnIndex(0))
		RET()
		return
	}
	total := GP64()
	XORQ(total, total)
	s.blocks(n, func(i reg.GPVirtual) {
		bits := s.compare(src, i, v)
		POPCNTL(bits, bits)
		ADDQ(bits.As64(), total)
	})
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

func (s isa) first() {
	src, n := s.begin("first", fmt.Sprintf(", v float%d) int", s.bits), "is the loop of First; it returns n if there is none.")
	v := s.bound()
	if s.bits == 32 {
		s.first32(src, n, v)
		VZEROUPPER()
		Store(n, ReturnIndex(0))
		RET()
		return
	}
	s.blocks(n, func(i reg.GPVirtual) {
		bits := s.compare(src, i, v)
		TESTL(bits, bits)
		leaveAt(bits, i)
	})
	VZEROUPPER()
	Store(n, ReturnIndex(0))
	RET()
}
