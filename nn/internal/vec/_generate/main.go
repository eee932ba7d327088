// Command generate writes the assembly of package vec. It is a module of its own so that the assembler library never
// reaches users of the project. Run it from the root by "make generate".
//
// Every function names in its comment the plain Go loop it is a twin of. Those named AVX512 need AVX-512 F, those named
// AVX2 need AVX2 and FMA.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	for _, s := range []*isa{
		{name: "AVX512", lanes: 16, blocks: []int{4, 2, 1}},
		{name: "AVX2", lanes: 8, blocks: []int{2, 1}},
	} {
		for _, k := range s.blocks {
			s.affine(k)
			s.affineAdd(k)
			s.moments(k)
			s.normSums(k, false)
			s.normSums(k, true)
			s.normGrad(k, false)
			s.normGrad(k, true)
		}
		s.add()
		s.addScaled()
		s.relu()
		s.reluGrad()
		s.max()
		s.sgd()
		s.gelu()
		s.geluGrad()
		s.winogradInput()
		s.winogradOutput(false)
		s.winogradOutput(true)
		s.winogradOutputGrad()
		s.winogradInputGrad()
		s.winogradKernel()
		s.winogradKernelGrad()
	}
	transpose()
	maxIndex()
	Generate()
}

// isa is an instruction set. Loops over pixels come in blocks of several vectors of channels; the block of one vector
// works under a mask, which makes the last channels of any number.
type isa struct {
	name   string
	lanes  int
	blocks []int
	mask   reg.Register // of the block of one
	masked bool
}

func (s *isa) reg() reg.VecVirtual {
	if s.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

func (s *isa) regs(n int) []reg.VecVirtual {
	r := make([]reg.VecVirtual, n)
	for i := range r {
		r[i] = s.reg()
	}
	return r
}

// begin starts a function over blocks of k vectors. Its parameters end with the mask.
func (s *isa) begin(name string, k int, params, doc string) {
	s.masked = k == 1
	TEXT(fmt.Sprintf("%s%d%s", name, k, s.name), NOSPLIT, "func("+params+", mask *[16]int32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%d%s %s", name, k, s.name, doc))
	if !s.masked {
		return
	}
	p := load64("mask")
	if s.lanes == 16 {
		z := ZMM()
		VMOVDQU32(Mem{Base: p}, z)
		m := K()
		VPMOVD2M(z, m)
		s.mask = m
		return
	}
	m := YMM()
	VMOVDQU(Mem{Base: p}, m)
	s.mask = m
}

// load reads vector v of a block.
func (s *isa) load(base reg.GPVirtual, v int, to reg.VecVirtual) {
	m := Mem{Base: base, Disp: 4 * s.lanes * v}
	switch {
	case !s.masked:
		VMOVUPS(m, to)
	case s.lanes == 16:
		VMOVUPS_Z(m, s.mask, to)
	default:
		VMASKMOVPS(m, s.mask, to)
	}
}

func (s *isa) store(from reg.VecVirtual, base reg.GPVirtual, v int) {
	m := Mem{Base: base, Disp: 4 * s.lanes * v}
	switch {
	case !s.masked:
		VMOVUPS(from, m)
	case s.lanes == 16:
		VMOVUPS(from, s.mask, m)
	default:
		VMASKMOVPS(from, s.mask, m)
	}
}

func (s *isa) zero(r reg.VecVirtual) {
	if s.lanes == 16 {
		VPXORD(r, r, r)
	} else {
		VXORPS(r, r, r)
	}
}

// broadcast fills a register with a constant.
func (s *isa) broadcast(v float32) reg.VecVirtual {
	g, x, r := GP32(), XMM(), s.reg()
	MOVL(U32(math.Float32bits(v)), g)
	MOVD(g, x)
	VBROADCASTSS(x, r)
	return r
}

// param fills a register with a float32 parameter.
func (s *isa) param(name string) reg.VecVirtual {
	r := s.reg()
	a, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(a.Addr, r)
	return r
}

func load64(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// vectors loads k vectors.
func (s *isa) vectors(name string, k int) []reg.VecVirtual {
	p, r := load64(name), s.regs(k)
	for v := range r {
		s.load(p, v, r[v])
	}
	return r
}

// pixels runs body n > 0 times, and moves each pointer by its stride in bytes.
func pixels(n reg.GPVirtual, move map[reg.GPVirtual]reg.GPVirtual, order []reg.GPVirtual, body func()) {
	Label("pixel")
	body()
	for _, p := range order {
		ADDQ(move[p], p)
	}
	DECQ(n)
	JNZ(LabelRef("pixel"))
}

func (s *isa) end() {
	VZEROUPPER()
	RET()
}

func (s *isa) affine(k int) {
	s.begin("affine", k, "dst *float32, ds int, x *float32, xs, n int, scale, shift *float32, floor float32",
		"is Affine for a block of channels of n pixels; strides are in bytes, floor is 0 or -Inf.")
	scale, shift := s.vectors("scale", k), s.vectors("shift", k)
	floor := s.param("floor")
	dst, ds, x, xs, n := load64("dst"), load64("ds"), load64("x"), load64("xs"), load64("n")
	t := s.regs(k)
	pixels(n, map[reg.GPVirtual]reg.GPVirtual{dst: ds, x: xs}, []reg.GPVirtual{dst, x}, func() {
		for v := range k {
			s.load(x, v, t[v])
			VFMADD213PS(shift[v], scale[v], t[v])
			VMAXPS(t[v], floor, t[v])
			s.store(t[v], dst, v)
		}
	})
	s.end()
}

func (s *isa) affineAdd(k int) {
	s.begin("affineAdd", k,
		"dst *float32, ds int, x *float32, xs int, y *float32, ys, n int, scale, shift *float32, floor float32",
		"is AffineAdd for a block of channels of n pixels; strides are in bytes, floor is 0 or -Inf.")
	scale, shift := s.vectors("scale", k), s.vectors("shift", k)
	floor := s.param("floor")
	dst, ds, x, xs := load64("dst"), load64("ds"), load64("x"), load64("xs")
	y, ys, n := load64("y"), load64("ys"), load64("n")
	t, u := s.reg(), s.reg()
	pixels(n, map[reg.GPVirtual]reg.GPVirtual{dst: ds, x: xs, y: ys}, []reg.GPVirtual{dst, x, y}, func() {
		for v := range k {
			s.load(x, v, t)
			VFMADD213PS(shift[v], scale[v], t)
			s.load(y, v, u)
			VADDPS(u, t, t)
			VMAXPS(t, floor, t)
			s.store(t, dst, v)
		}
	})
	s.end()
}

func (s *isa) moments(k int) {
	s.begin("moments", k, "sum, sq, first, x *float32, xs, n int",
		"is Moments for a block of channels, added to what sum and sq hold; first is the first pixel.")
	first, a, b, t := s.vectors("first", k), s.vectors("sum", k), s.vectors("sq", k), s.regs(k)
	x, xs, n := load64("x"), load64("xs"), load64("n")
	pixels(n, map[reg.GPVirtual]reg.GPVirtual{x: xs}, []reg.GPVirtual{x}, func() {
		for v := range k {
			s.load(x, v, t[v])
			VSUBPS(first[v], t[v], t[v])
			VADDPS(t[v], a[v], a[v])
			VFMADD231PS(t[v], t[v], b[v])
		}
	})
	sum, sq := load64("sum"), load64("sq")
	for v := range k {
		s.store(a[v], sum, v)
		s.store(b[v], sq, v)
	}
	s.end()
}

func (s *isa) normSums(k int, relu bool) {
	name := "normSums"
	if relu {
		name = "normSumsReLU"
	}
	s.begin(name, k, "sum, dot, dz *float32, zs int, x *float32, xs, n int, scale, shift, mean *float32",
		"is NormSums for a block of channels, added to what sum and dot hold; zs and xs are in bytes.")
	mean := s.vectors("mean", k)
	var scale, shift []reg.VecVirtual
	if relu {
		scale, shift = s.vectors("scale", k), s.vectors("shift", k)
	}
	a, b := s.vectors("sum", k), s.vectors("dot", k)
	zero, g, t, u := s.reg(), s.reg(), s.reg(), s.reg()
	s.zero(zero)
	dz, zs, x, xs, n := load64("dz"), load64("zs"), load64("x"), load64("xs"), load64("n")
	pixels(n, map[reg.GPVirtual]reg.GPVirtual{x: xs, dz: zs}, []reg.GPVirtual{x, dz}, func() {
		for v := range k {
			s.load(x, v, t)
			s.load(dz, v, g)
			if relu {
				VMOVAPS(t, u)
				VFMADD213PS(shift[v], scale[v], u)
				s.keep(u, zero, g)
				s.store(g, dz, v)
			}
			VADDPS(g, a[v], a[v])
			VSUBPS(mean[v], t, t)
			VFMADD231PS(t, g, b[v])
		}
	})
	sum, dot := load64("sum"), load64("dot")
	for v := range k {
		s.store(a[v], sum, v)
		s.store(b[v], dot, v)
	}
	s.end()
}

// keep clears the elements of g where u is not positive.
func (s *isa) keep(u, zero, g reg.VecVirtual) {
	const greater = 0x1e // ordered, quiet
	if s.lanes == 16 {
		m := K()
		VCMPPS(U8(greater), zero, u, m)
		VMOVAPS_Z(g, m, g)
		return
	}
	VCMPPS(U8(greater), zero, u, u)
	VANDPS(u, g, g)
}

func (s *isa) normGrad(k int, add bool) {
	name := "normGrad"
	if add {
		name = "normGradAdd"
	}
	s.begin(name, k, "dst *float32, ds int, dz *float32, zs int, x *float32, xs, n int, a, b, k *float32",
		"is NormGrad for a block of channels; strides are in bytes.")
	a, b, c := s.vectors("a", k), s.vectors("b", k), s.vectors("k", k)
	dst, ds, dz, zs := load64("dst"), load64("ds"), load64("dz"), load64("zs")
	x, xs, n := load64("x"), load64("xs"), load64("n")
	g, t := s.reg(), s.reg()
	pixels(n, map[reg.GPVirtual]reg.GPVirtual{dst: ds, x: xs, dz: zs}, []reg.GPVirtual{dst, x, dz}, func() {
		for v := range k {
			s.load(x, v, t)
			VFMADD213PS(c[v], b[v], t)
			s.load(dz, v, g)
			VFMADD231PS(g, a[v], t)
			if add {
				s.load(dst, v, g)
				VADDPS(g, t, t)
			}
			s.store(t, dst, v)
		}
	})
	s.end()
}

// flat starts a function over n elements, a positive multiple of the lanes, that runs body for each vector, whose
// pointers lie in step at the same byte offset.
func (s *isa) flat(name, params, doc string, pointers []string, prepare func(), body func(p []Mem)) {
	s.masked = false
	TEXT(name+s.name, NOSPLIT, "func("+params+", n int)")
	Pragma("noescape")
	Doc(name + s.name + " " + doc + " for n elements, a positive multiple of the vector's.")
	if prepare != nil {
		prepare()
	}
	n, i := load64("n"), GP64()
	mems := make([]Mem, len(pointers))
	for k, name := range pointers {
		p := load64(name)
		mems[k] = Mem{Base: p, Index: i, Scale: 4}
	}
	XORQ(i, i)
	Label("element")
	body(mems)
	ADDQ(U8(uint8(s.lanes)), i)
	CMPQ(i, n)
	JL(LabelRef("element"))
	s.end()
}

func (s *isa) add() {
	s.flat("add", "dst, src *float32", "is Add", []string{"dst", "src"}, nil, func(p []Mem) {
		t := s.reg()
		VMOVUPS(p[0], t)
		VADDPS(p[1], t, t)
		VMOVUPS(t, p[0])
	})
}

func (s *isa) addScaled() {
	var f reg.VecVirtual
	s.flat("addScaled", "dst, src *float32, f float32", "is AddScaled", []string{"dst", "src"},
		func() { f = s.param("f") }, func(p []Mem) {
			t := s.reg()
			VMOVUPS(p[0], t)
			VFMADD231PS(p[1], f, t)
			VMOVUPS(t, p[0])
		})
}

func (s *isa) relu() {
	var zero reg.VecVirtual
	s.flat("relu", "x *float32", "is ReLU", []string{"x"},
		func() { zero = s.reg(); s.zero(zero) }, func(p []Mem) {
			t := s.reg()
			VMOVUPS(p[0], t)
			VMAXPS(t, zero, t)
			VMOVUPS(t, p[0])
		})
}

func (s *isa) reluGrad() {
	var zero reg.VecVirtual
	s.flat("reluGrad", "dst, grad, y *float32", "is ReLUGrad", []string{"dst", "grad", "y"},
		func() { zero = s.reg(); s.zero(zero) }, func(p []Mem) {
			g, y := s.reg(), s.reg()
			VMOVUPS(p[2], y)
			VMOVUPS(p[1], g)
			s.keep(y, zero, g)
			VMOVUPS(g, p[0])
		})
}

func (s *isa) max() {
	s.flat("max", "dst, src *float32", "is Max", []string{"dst", "src"}, nil, func(p []Mem) {
		d, t := s.reg(), s.reg()
		VMOVUPS(p[0], d)
		VMOVUPS(p[1], t)
		VMAXPS(t, d, d)
		VMOVUPS(d, p[0])
	})
}

func (s *isa) sgd() {
	var lr, keep, decay, look, plain reg.VecVirtual
	s.flat("sgd", "w, grad, m *float32, lr, keep, decay, look, plain float32",
		"is SGD with momentum: the step is lr*(plain*d + look*m)", []string{"w", "grad", "m"},
		func() {
			lr, keep, decay = s.param("lr"), s.param("keep"), s.param("decay")
			look, plain = s.param("look"), s.param("plain")
		}, func(p []Mem) {
			w, d, m, t := s.reg(), s.reg(), s.reg(), s.reg()
			VMOVUPS(p[0], w)
			VMOVUPS(p[1], d)
			VFMADD231PS(decay, w, d)
			VMOVAPS(d, m)
			VMOVUPS(p[2], t)
			VFMADD231PS(keep, t, m)
			VMOVUPS(m, p[2])
			VMULPS(plain, d, d)
			VFMADD231PS(look, m, d)
			VFNMADD231PS(lr, d, w)
			VMOVUPS(w, p[0])
		})
}

// transpose is AVX2 at every level: eight columns are what fits its registers.
func transpose() {
	TEXT("transposeAVX2", NOSPLIT, "func(dst *float32, ds int, src *float32, ss, n int)")
	Pragma("noescape")
	Doc("transposeAVX2 is Transpose of eight rows and n blocks of eight columns; strides are in bytes.")
	rows := func(name, stride string) (at func(i int) Mem, low, high, step reg.GPVirtual) {
		low, high, step = load64(name), GP64(), load64(stride)
		three := GP64()
		LEAQ(Mem{Base: low, Index: step, Scale: 4}, high)
		LEAQ(Mem{Base: step, Index: step, Scale: 2}, three)
		return func(i int) Mem {
			base := [2]reg.GPVirtual{low, high}[i/4]
			switch i % 4 {
			case 0:
				return Mem{Base: base}
			case 3:
				return Mem{Base: base, Index: three, Scale: 1}
			}
			return Mem{Base: base, Index: step, Scale: uint8(i % 4)}
		}, low, high, step
	}
	from, low, high, _ := rows("src", "ss")
	to, first, fifth, step := rows("dst", "ds")
	n := load64("n")
	Label("block")
	var pairs, fours [8]reg.VecVirtual
	for i := 0; i < 8; i += 2 {
		a, b := YMM(), YMM()
		VMOVUPS(from(i), a)
		VMOVUPS(from(i+1), b)
		pairs[i], pairs[i+1] = YMM(), YMM()
		VUNPCKLPS(b, a, pairs[i])
		VUNPCKHPS(b, a, pairs[i+1])
	}
	for i := range fours { // columns i%4 and i%4+4 of rows 0 to 3, then of rows 4 to 7
		a := i/4*4 + i%4/2
		fours[i] = YMM()
		VSHUFPS(U8(0x44+0xaa*(i%2)), pairs[a+2], pairs[a], fours[i])
	}
	for i := range 8 {
		VPERM2F128(U8(0x20+0x11*(i/4)), fours[i%4+4], fours[i%4], pairs[i])
		VMOVUPS(pairs[i], to(i))
	}
	for _, p := range []reg.GPVirtual{low, high} {
		ADDQ(U8(32), p)
	}
	for _, p := range []reg.GPVirtual{first, fifth} {
		LEAQ(Mem{Base: p, Index: step, Scale: 8}, p)
	}
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// maxIndex is AVX2 at every level, as rows of pixels are short.
func maxIndex() {
	TEXT("maxIndexAVX2", NOSPLIT, "func(dst *float32, index *uint16, src *float32, k uint16, n int)")
	Pragma("noescape")
	Doc("maxIndexAVX2 is MaxIndex for n elements, a positive multiple of 16.")
	k, dst, index, src, n := YMM(), load64("dst"), load64("index"), load64("src"), load64("n")
	a, err := Param("k").Resolve()
	if err != nil {
		panic(err)
	}
	VPBROADCASTW(a.Addr, k)
	Label("element")
	var larger [2]reg.VecVirtual
	for h := range larger {
		const notAtMost = 0x16 // or unordered, quiet
		d, v := YMM(), YMM()
		larger[h] = YMM()
		VMOVUPS(Mem{Base: dst, Disp: 32 * h}, d)
		VMOVUPS(Mem{Base: src, Disp: 32 * h}, v)
		VCMPPS(U8(notAtMost), d, v, larger[h])
		VBLENDVPS(larger[h], v, d, d)
		VMOVUPS(d, Mem{Base: dst, Disp: 32 * h})
	}
	VPACKSSDW(larger[1], larger[0], larger[0])
	VPERMQ(U8(0xd8), larger[0], larger[0])
	i := YMM()
	VMOVDQU(Mem{Base: index}, i)
	VPBLENDVB(larger[0], k, i, i)
	VMOVDQU(i, Mem{Base: index})
	ADDQ(U8(64), dst)
	ADDQ(U8(64), src)
	ADDQ(U8(32), index)
	SUBQ(U8(16), n)
	JNZ(LabelRef("element"))
	VZEROUPPER()
	RET()
}

// sigmoid computes 1/(1 + 2^(scale*x)) of the sigmoid form of GELU, where scale is -1.702/ln 2.
type sigmoid struct {
	s                     *isa
	scale, low, high, one reg.VecVirtual
	coef                  []reg.VecVirtual
}

func (s *isa) newSigmoid() *sigmoid {
	g := &sigmoid{s: s, scale: s.broadcast(float32(-1.702 / math.Ln2)), low: s.broadcast(-125), high: s.broadcast(125)}
	// 2^f on [-1/2, 1/2] by its Taylor series: the next term is at most (ln 2/2)^7/7! = 1.2e-7.
	c := 1.0
	for k := range 7 {
		if k > 0 {
			c *= math.Ln2 / float64(k)
		}
		g.coef = append(g.coef, s.broadcast(float32(c)))
	}
	g.one = g.coef[0]
	return g
}

func (g *sigmoid) of(x, out reg.VecVirtual) {
	s := g.s
	i, f := s.reg(), s.reg()
	VMULPS(g.scale, x, f)
	VMAXPS(f, g.low, f)
	VMINPS(f, g.high, f)
	VCVTPS2DQ(f, i)
	r := s.reg()
	VCVTDQ2PS(i, r)
	VSUBPS(r, f, f)
	VMOVAPS(g.coef[6], out)
	for k := 5; k >= 0; k-- {
		VFMADD213PS(g.coef[k], f, out)
	}
	VPSLLD(U8(23), i, i)
	VPADDD(i, out, out)
	VADDPS(g.one, out, out)
	VDIVPS(out, g.one, out)
}

func (s *isa) gelu() {
	var g *sigmoid
	s.flat("gelu", "x *float32", "is GELU in the sigmoid form", []string{"x"},
		func() { g = s.newSigmoid() }, func(p []Mem) {
			x, t := s.reg(), s.reg()
			VMOVUPS(p[0], x)
			g.of(x, t)
			VMULPS(x, t, t)
			VMOVUPS(t, p[0])
		})
}

func (s *isa) geluGrad() {
	var g *sigmoid
	var slope reg.VecVirtual
	s.flat("geluGrad", "grad, u *float32", "is GELUGrad in the sigmoid form", []string{"grad", "u"},
		func() { g, slope = s.newSigmoid(), s.broadcast(1.702) }, func(p []Mem) {
			u, t, d := s.reg(), s.reg(), s.reg()
			VMOVUPS(p[1], u)
			g.of(u, t)
			VMULPS(slope, u, u)
			VSUBPS(t, g.one, d)
			VFMADD213PS(g.one, u, d) // 1 + 1.702 u (1-s)
			VMULPS(t, d, d)
			VMULPS(p[0], d, d)
			VMOVUPS(d, p[0])
		})
}
