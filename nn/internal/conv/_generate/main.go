// Command generate writes the assembly of package conv. It is a module of its own so that the assembler library never
// reaches users of the project. Run it from the project's root:
//
//	go run . -out nn/internal/conv/kernels_amd64.s -stubs nn/internal/conv/kernels_amd64.go -pkg conv
//
// Functions named AVX512 need AVX-512 F and DQ; those named AVX2 need AVX2 and FMA.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	Package("github.com/augmix-go/augmix/nn/internal/conv")
	ConstraintExpr("!noasm")
	for _, s := range isas {
		for v := range s.tileRows {
			s.tile(v + 1)
		}
		for v := range s.outerRows {
			s.outer(v + 1)
		}
		s.fours()
		s.strip()
	}
	peak()
	Generate()
}

// isa is an instruction set: its vectors, and the most rows of sums that stay in registers for 1, 2, 3 vectors a row.
// A tile's rows each need a pointer, which general registers limit to eight.
type isa struct {
	suffix    string
	lanes     int
	vec       func() reg.VecVirtual
	tileRows  []int
	outerRows []int
	pixels    int // that a turn of an outer's loop does
}

var isas = []isa{
	{"AVX512", 16, ZMM, []int{8, 8, 8}, []int{16, 12, 8}, 1},
	{"AVX2", 8, YMM, []int{8, 6}, []int{12, 6}, 2},
}

func (s isa) wide() bool { return s.lanes == 16 }

func (s isa) bytes() int { return 4 * s.lanes }

func (s isa) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}

// clear zeroes registers with the form of exclusive or that the assembler library knows not to read its operands.
func clear(vs []reg.VecVirtual) {
	for _, v := range vs {
		VXORPS(v, v, v)
	}
}

// mask is which lanes of a row's last vector count; the zero value: all.
type mask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

func (m mask) none() bool { return m == mask{} }

func (s isa) loadMask(args fields) mask {
	if s.wide() {
		m := mask{k: K()}
		KMOVW(args.at("mask"), m.k)
		return m
	}
	m := mask{v: YMM()}
	VMOVUPS(args.array("lanes"), m.v)
	return m
}

func (s isa) loadMasked(m mask, from Mem, to reg.VecVirtual) {
	switch {
	case m.none():
		VMOVUPS(from, to)
	case s.wide():
		VMOVUPS_Z(from, m.k, to)
	default:
		VMASKMOVPS(from, m.v, to)
	}
}

func (s isa) storeMasked(m mask, from reg.VecVirtual, to Mem) {
	switch {
	case m.none():
		VMOVUPS(from, to)
	case s.wide():
		VMOVUPS(from, m.k, to)
	default:
		VMASKMOVPS(from, m.v, to)
	}
}

// fields is the argument of a function, a pointer to a struct.
type fields struct{ base gotypes.Component }

func arguments(name string) fields { return fields{Dereference(Param(name))} }

func (f fields) at(name string) Mem { return address(f.base.Field(name)) }

func (f fields) array(name string) Mem { return address(f.base.Field(name).Index(0)) }

func (f fields) load(name string) reg.GPVirtual {
	r := GP64()
	MOVQ(f.at(name), r)
	return r
}

func address(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// align makes a function begin with a line of the cache: elsewhere the loops of AVX2 take up to a tenth longer, and where
// the linker puts them changes with every change elsewhere.
func align() { Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{U8(64)}}) }

// products adds to the rows of sums what rows of a, at the addresses given, make with a row of b in registers.
func (s isa) products(acc, b []reg.VecVirtual, a []Mem) {
	v := len(b)
	for i, m := range a {
		if v == 1 && s.wide() {
			VFMADD231PS_BCST(m, b[0], acc[i])
			continue
		}
		x := s.vec()
		VBROADCASTSS(m, x)
		for j := range b {
			VFMADD231PS(b[j], x, acc[i*v+j])
		}
	}
}

// tile is the loop of tilePlain for panels of v vectors: as many pixels at once as the registers hold, then the rest.
func (s isa) tile(v int) {
	name := fmt.Sprintf("tile%d%s", v, s.suffix)
	doc := fmt.Sprintf("is tilePlain for panels of %d vectors.", v)
	s.tiles(name, doc, v, s.tileRows[v-1], s.terms)
}

// fours is the loop of tilePlain for groups of four channels, without the weights between merged ones, which are zero: a vector has
// the channels of two or four groups at a pixel, and each of the four in turn goes to all lanes of its group.
func (s isa) fours() {
	s.tiles("fours"+s.suffix, "is tilePlain for as many groups of four channels as a vector holds.", 1, 8,
		func(args fields, acc []reg.VecVirtual, a []reg.GPVirtual, b, k, ahead reg.GPVirtual) {
			SHRQ(U8(1), b) // a tap's four rows are counted as eight
			ADDQ(args.at("b"), b)
			for c := range 4 {
				w := s.vec()
				VMOVUPS(Mem{Base: b, Disp: c * s.bytes()}, w)
				for i := range acc {
					x := s.vec()
					VPERMILPS(U8(0x55*c), Mem{Base: a[i], Index: k, Scale: 1}, x)
					VFMADD231PS(w, x, acc[i])
				}
			}
			for range 2 {
				fetch(args, ahead)
			}
		})
}

// strip is the loop of strips: four vectors of pixels by three channels, twelve sums that are fed by one number of the weights a channel.
func (s isa) strip() {
	const vectors, channels = 4, 3
	name := "strip" + s.suffix
	TEXT(name, NOSPLIT, "func(s *stripArgs)")
	align()
	Pragma("noescape")
	Doc(name + " makes the sums of a strip.")
	args := arguments("s")
	acc := s.vectors(vectors * channels)
	clear(acc)
	base := args.load("a")
	var a [vectors]reg.GPVirtual
	for v := range a {
		a[v] = GP64()
		MOVQ(address(args.base.Field("off").Index(v)), a[v])
		LEAQ(Mem{Base: base, Index: a[v], Scale: 4}, a[v])
	}
	run, pitch := args.load("runs"), args.load("pitch")
	k, b, left := GP64(), GP64(), GP64()
	Label("run")
	MOVQ(Mem{Base: run}, k)
	SHLQ(U8(2), k)
	MOVQ(Mem{Base: run, Disp: 8}, b)
	SHLQ(U8(5), b) // rows of eight floats
	ADDQ(args.at("b"), b)
	MOVQ(Mem{Base: run, Disp: 16}, left)
	Label("term")
	w := s.vectors(channels)
	for j, x := range w {
		VBROADCASTSS(Mem{Base: b, Disp: 4 * j}, x)
	}
	for v := range a {
		x := s.vec()
		VMOVUPS(Mem{Base: a[v], Index: k, Scale: 1}, x)
		for j := range w {
			VFMADD231PS(w[j], x, acc[j*vectors+v])
		}
	}
	ADDQ(pitch, k)
	ADDQ(U8(32), b)
	DECQ(left)
	JNZ(LabelRef("term"))
	CMPQ(run, args.at("last"))
	LEAQ(Mem{Base: run, Disp: 24}, run)
	JNE(LabelRef("run"))
	c := args.load("c")
	for i, x := range acc {
		VMOVUPS(x, Mem{Base: c, Disp: i * s.bytes()})
	}
	VZEROUPPER()
	RET()
}

// body adds the terms of a tap to sums: of the pixels at a, k bytes further, by the rows of weights b bytes into the panel.
type body func(args fields, acc []reg.VecVirtual, a []reg.GPVirtual, b, k, ahead reg.GPVirtual)

// tiles writes a function that does as many pixels at once as the registers hold, then the rest.
func (s isa) tiles(name, doc string, v, most int, tap body) {
	TEXT(name, NOSPLIT, "func(t *tileArgs)")
	align()
	Pragma("noescape")
	Doc(name + " " + doc)
	args := arguments("t")
	n := GP64()
	Label(fmt.Sprintf("rows%d", most))
	MOVQ(args.at("n"), n)
	CMPQ(n, U8(most))
	JLT(LabelRef(fmt.Sprintf("rows%d", most-1)))
	s.tileBody(args, v, most, tap)
	SUBQ(U8(most), args.at("n"))
	ADDQ(U8(4*most), args.at("aOff"))
	ADDQ(U8(4*most), args.at("cOff"))
	JMP(LabelRef(fmt.Sprintf("rows%d", most)))
	for r := most - 1; r > 0; r-- {
		Label(fmt.Sprintf("rows%d", r))
		CMPQ(n, U8(r))
		JLT(LabelRef(fmt.Sprintf("rows%d", r-1)))
		s.tileBody(args, v, r, tap)
		JMP(LabelRef("rows0"))
	}
	Label("rows0")
	VZEROUPPER()
	RET()
}

// unroll is how many terms of the sums a turn of a tile's loop does.
const unroll = 4

// termsAhead is how many terms ahead a tile asks for its weights, which come from the second-level cache or from beyond. The last
// ones ask for what lies behind the panel: the next one, or nothing, which does no harm.
const termsAhead = 12

func (s isa) tileBody(args fields, v, rows int, body body) {
	label := func(what string) string { return fmt.Sprintf("%s_%d", what, rows) }
	acc := s.vectors(rows * v)
	clear(acc)
	off := args.load("aOff")
	a := make([]reg.GPVirtual, rows)
	base := args.load("a")
	for i := range a {
		a[i] = GP64()
		MOVLQSX(Mem{Base: off, Disp: 4 * i}, a[i])
		LEAQ(Mem{Base: base, Index: a[i], Scale: 4}, a[i])
	}
	s.prefetchSums(args, v, rows)
	b, tap, ahead := GP64(), args.load("taps"), args.load("ahead")
	k := GP64()
	Label(label("tap"))
	MOVQ(Mem{Base: tap}, k)
	SHLQ(U8(2), k)
	IMUL3Q(U32(v*s.bytes()), Mem{Base: tap, Disp: 8}, b)
	body(args, acc, a, b, k, ahead)
	CMPQ(tap, args.at("last"))
	LEAQ(Mem{Base: tap, Disp: 16}, tap)
	JNE(LabelRef(label("tap")))

	MOVQ(ahead, args.at("ahead"))
	m := s.loadMask(args)
	bias := args.load("bias")
	TESTQ(bias, bias)
	JZ(LabelRef(label("nobias")))
	for j := range v {
		x := s.vec()
		s.loadLast(m, j == v-1, Mem{Base: bias, Disp: j * s.bytes()}, x)
		for i := range rows {
			VADDPS(x, acc[i*v+j], acc[i*v+j])
		}
	}
	Label(label("nobias"))
	off, base = args.load("cOff"), args.load("c")
	for i := range a {
		MOVLQSX(Mem{Base: off, Disp: 4 * i}, a[i])
		LEAQ(Mem{Base: base, Index: a[i], Scale: 4}, a[i])
	}
	CMPQ(args.at("add"), U8(0))
	JEQ(LabelRef(label("store")))
	for i := range rows {
		s.addTo(m, a[i], acc[i*v:(i+1)*v])
	}
	Label(label("store"))
	s.maybeWhole(args, m, label("stored"), func(m mask) {
		for i := range rows {
			s.store(m, a[i], acc[i*v:(i+1)*v])
		}
	})
}

// fetch asks for memory ahead, as every four terms do.
func fetch(args fields, ahead reg.GPVirtual) {
	PREFETCHT1(Mem{Base: ahead})
	PREFETCHT1(Mem{Base: ahead, Disp: 64})
	ADDQ(args.at("aheadStep"), ahead)
}

// terms is the body of tile.
func (s isa) terms(args fields, acc []reg.VecVirtual, a []reg.GPVirtual, b, k, ahead reg.GPVirtual) {
	label := func(what string) string { return fmt.Sprintf("%s_%d", what, len(a)) }
	v, left := len(acc)/len(a), GP64()
	step := func(disp int) {
		bs := s.vectors(v)
		for j, x := range bs {
			VMOVUPS(Mem{Base: b, Disp: (disp*v + j) * s.bytes()}, x)
			if (disp*v+j)*s.bytes()%64 == 0 {
				PREFETCHT0(Mem{Base: b, Disp: ((disp+termsAhead)*v + j) * s.bytes()})
			}
		}
		at := make([]Mem, len(a))
		for i := range at {
			at[i] = Mem{Base: a[i], Index: k, Scale: 1, Disp: 4 * disp}
		}
		s.products(acc, bs, at)
	}
	ADDQ(args.at("b"), b)
	MOVQ(args.at("kc"), left)
	SUBQ(U8(unroll), left)
	JLT(LabelRef(label("few")))
	Label(label("four"))
	for u := range unroll {
		step(u)
	}
	fetch(args, ahead)
	ADDQ(U8(4*unroll), k)
	ADDQ(U32(unroll*v*s.bytes()), b)
	SUBQ(U8(unroll), left)
	JGE(LabelRef(label("four")))
	Label(label("few"))
	ADDQ(U8(unroll), left)
	JZ(LabelRef(label("next")))
	Label(label("one"))
	step(0)
	ADDQ(U8(4), k)
	ADDQ(U8(v*s.bytes()), b)
	DECQ(left)
	JNZ(LabelRef(label("one")))
	Label(label("next"))
}

// maybeWhole writes body for a mask, and, as masked stores take long, once more for when all lanes count.
func (s isa) maybeWhole(args fields, m mask, label string, body func(mask)) {
	CMPQ(args.at("mask"), U32(1<<s.lanes-1))
	JNE(LabelRef(label + "_masked"))
	body(mask{})
	JMP(LabelRef(label))
	Label(label + "_masked")
	body(m)
	Label(label)
}

// prefetchSums asks for the memory a tile will write, well before it does.
func (s isa) prefetchSums(args fields, v, rows int) {
	off, base, p := args.load("cOff"), args.load("c"), GP64()
	for i := range rows {
		MOVLQSX(Mem{Base: off, Disp: 4 * i}, p)
		LEAQ(Mem{Base: base, Index: p, Scale: 4}, p)
		for j := 0; j < v*s.bytes(); j += 64 {
			PREFETCHT0(Mem{Base: p, Disp: j})
		}
	}
}

func (s isa) loadLast(m mask, last bool, from Mem, to reg.VecVirtual) {
	if last {
		s.loadMasked(m, from, to)
	} else {
		VMOVUPS(from, to)
	}
}

// addTo adds a row of numbers in memory to a row of sums.
func (s isa) addTo(m mask, p reg.GPVirtual, acc []reg.VecVirtual) {
	for j, v := range acc {
		x := s.vec()
		s.loadLast(m, j == len(acc)-1, Mem{Base: p, Disp: j * s.bytes()}, x)
		VADDPS(x, v, v)
	}
}

func (s isa) store(m mask, p reg.GPVirtual, acc []reg.VecVirtual) {
	for j, v := range acc {
		to := Mem{Base: p, Disp: j * s.bytes()}
		if j == len(acc)-1 {
			s.storeMasked(m, v, to)
		} else {
			VMOVUPS(v, to)
		}
	}
}

// outer is the loop of outerPlain for v vectors of columns: as many rows at once as the registers hold, then the
// rest.
func (s isa) outer(v int) {
	name := fmt.Sprintf("outer%d%s", v, s.suffix)
	TEXT(name, NOSPLIT, "func(o *outerArgs)")
	align()
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is outerPlain for %d vectors of columns.", name, v))
	args := arguments("o")
	m := s.loadMask(args)
	n, t := GP64(), GP64()
	most := s.outerRows[v-1]
	Label(fmt.Sprintf("rows%d", most))
	MOVQ(args.at("m"), n)
	CMPQ(n, U8(most))
	JLT(LabelRef(fmt.Sprintf("rows%d", most-1)))
	s.outerBody(args, m, v, most)
	SUBQ(U8(most), args.at("m"))
	ADDQ(U8(4*most), args.at("a"))
	MOVQ(args.at("ldc"), t)
	IMUL3Q(U8(most), t, t)
	ADDQ(t, args.at("c"))
	JMP(LabelRef(fmt.Sprintf("rows%d", most)))
	for r := most - 1; r > 0; r-- {
		Label(fmt.Sprintf("rows%d", r))
		CMPQ(n, U8(r))
		JLT(LabelRef(fmt.Sprintf("rows%d", r-1)))
		s.outerBody(args, m, v, r)
		JMP(LabelRef("rows0"))
	}
	Label("rows0")
	VZEROUPPER()
	RET()
}

func (s isa) outerBody(args fields, m mask, v, rows int) {
	label := func(what string) string { return fmt.Sprintf("%s_%d", what, rows) }
	acc := s.vectors(rows * v)
	clear(acc)
	a, b := args.load("a"), args.load("b")
	aStep, bStep := args.load("aStep"), args.load("bStep")
	pic, y, x := args.load("images"), GP64(), GP64()
	// The sums' rows are wanted at the end.
	c, ldc := args.load("c"), args.load("ldc")
	for range rows {
		for j := range v {
			PREFETCHT0(Mem{Base: c, Disp: j * s.bytes()})
		}
		ADDQ(ldc, c)
	}
	ahead, ahead2 := args.load("aheadA"), args.load("aheadB")
	fetchAhead := func() {
		PREFETCHT1(Mem{Base: ahead})
		PREFETCHT1(Mem{Base: ahead2})
		ADDQ(args.at("aheadStepA"), ahead)
		ADDQ(args.at("aheadStepB"), ahead2)
	}
	Label(label("image"))
	MOVQ(args.at("rows"), y)
	Label(label("row"))
	MOVQ(args.at("n"), x)
	if s.pixels > 1 {
		SUBQ(U8(s.pixels), x)
		JLT(LabelRef(label("few")))
		Label(label("some"))
		for range s.pixels {
			s.pixel(m, a, b, aStep, bStep, acc, v)
		}
		fetchAhead()
		SUBQ(U8(s.pixels), x)
		JGE(LabelRef(label("some")))
		Label(label("few"))
		ADDQ(U8(s.pixels), x)
		JZ(LabelRef(label("rowend")))
	}
	Label(label("pixel"))
	s.pixel(m, a, b, aStep, bStep, acc, v)
	fetchAhead()
	DECQ(x)
	JNZ(LabelRef(label("pixel")))
	Label(label("rowend"))
	ADDQ(args.at("aRow"), a)
	ADDQ(args.at("bRow"), b)
	DECQ(y)
	JNZ(LabelRef(label("row")))
	ADDQ(args.at("aPic"), a)
	ADDQ(args.at("bPic"), b)
	DECQ(pic)
	JNZ(LabelRef(label("image")))

	MOVQ(ahead, args.at("aheadA"))
	MOVQ(ahead2, args.at("aheadB"))
	MOVQ(args.at("c"), c)
	s.maybeWhole(args, m, label("stored"), func(m mask) {
		for i := range rows {
			row := acc[i*v : (i+1)*v]
			s.addTo(m, c, row)
			s.store(m, c, row)
			ADDQ(ldc, c)
		}
	})
}

// pixel adds the outer product of a pixel to rows of sums and goes on to the next pixel.
func (s isa) pixel(m mask, a, b, aStep, bStep reg.GPVirtual, acc []reg.VecVirtual, v int) {
	bs := s.vectors(v)
	for j, r := range bs {
		s.loadLast(m, j == v-1, Mem{Base: b, Disp: j * s.bytes()}, r)
	}
	PREFETCHT0(Mem{Base: a, Index: aStep, Scale: 8}) // lines of pixels far apart, which the processor does not foresee
	at := make([]Mem, len(acc)/v)
	for i := range at {
		at[i] = Mem{Base: a, Disp: 4 * i}
	}
	s.products(acc, bs, at)
	ADDQ(aStep, a)
	ADDQ(bStep, b)
}

// peak writes loops of nothing but multiply-adds in registers, enough chains of them to hide their latency: the speed
// that benchmarks compare with.
func peak() {
	for _, s := range isas {
		name := "peak" + s.suffix
		TEXT(name, NOSPLIT, "func(n int)")
		Doc(fmt.Sprintf("%s does n times %d multiply-adds of whole vectors.", name, peakChains))
		n := Load(Param("n"), GP64())
		acc, x := s.vectors(peakChains), s.vec()
		clear(append(acc, x))
		Label("loop")
		for range 2 {
			for _, a := range acc[:peakChains] {
				VFMADD231PS(x, x, a)
			}
		}
		SUBQ(U8(2), n)
		JGT(LabelRef("loop"))
		VZEROUPPER()
		RET()
	}
}

const peakChains = 12
