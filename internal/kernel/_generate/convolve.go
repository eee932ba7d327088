package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set for float64 loops: its registers and how many numbers one holds.
type isa struct {
	suffix string
	lanes  int
	vec    func() reg.VecVirtual
	kept   map[uint64]reg.VecVirtual // constants in registers
}

var isas = []isa{{suffix: "AVX512", lanes: 8, vec: ZMM}, {suffix: "AVX2", lanes: 4, vec: YMM}}

const unroll = 4

func (s isa) zero(v reg.VecVirtual) {
	if s.lanes == 8 {
		VPXORQ(v, v, v)
	} else {
		VXORPD(v, v, v)
	}
}

// blocks calls body for blocks of 4 vectors from element 0 on, then for single ones, while they fit n elements; i counts
// elements.
func (s isa) blocks(name string, i, n reg.GPVirtual, body func(label string, vectors int)) {
	XORQ(i, i)
	left := GP64()
	for _, v := range []int{unroll, 1} {
		label := name + []string{"", "_one", "", "", "_four"}[v]
		Label(label)
		MOVQ(n, left)
		SUBQ(i, left)
		CMPQ(left, U8(v*s.lanes))
		JLT(LabelRef(label + "_done"))
		body(label, v)
		ADDQ(U8(v*s.lanes), i)
		JMP(LabelRef(label))
		Label(label + "_done")
	}
}

func (s isa) at(p, index reg.GPVirtual, j int) Mem {
	return Mem{Base: p, Index: index, Scale: 8, Disp: 8 * j * s.lanes}
}

func (s isa) vectors(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vec()
	}
	return v
}

func (s isa) sumPairs() {
	TEXT("sumPairs"+s.suffix, NOSPLIT, "func(dst, src *float64, lo, hi *int, w *float64, taps, n int)")
	Pragma("noescape")
	Doc("sumPairs" + s.suffix + " is SumPairs for n numbers, as many as fill whole vectors.")
	dst, src, lo, hi, w := load64("dst"), load64("src"), load64("lo"), load64("hi"), load64("w")
	taps, n := load64("taps"), load64("n")
	i, k, a, b, p := GP64(), GP64(), GP64(), GP64(), GP64()
	f := s.vec()
	s.blocks("pairs", i, n, func(label string, count int) {
		acc, t := s.vectors(count), s.vectors(count)
		LEAQ(Mem{Base: src, Index: i, Scale: 8}, p)
		MOVQ(Mem{Base: lo}, a)
		VBROADCASTSD(Mem{Base: w}, f)
		for j, v := range acc {
			VMULPD(s.at(p, a, j), f, v)
		}
		MOVQ(taps, k)
		Label(label + "_tap")
		DECQ(k)
		JZ(LabelRef(label + "_store"))
		MOVQ(Mem{Base: lo, Index: k, Scale: 8}, a)
		MOVQ(Mem{Base: hi, Index: k, Scale: 8}, b)
		VBROADCASTSD(Mem{Base: w, Index: k, Scale: 8}, f)
		for j := range acc {
			VMOVUPD(s.at(p, a, j), t[j])
			VADDPD(s.at(p, b, j), t[j], t[j])
			VMULPD(f, t[j], t[j])
			VADDPD(t[j], acc[j], acc[j])
		}
		JMP(LabelRef(label + "_tap"))
		Label(label + "_store")
		for j, v := range acc {
			VMOVUPD(v, s.at(dst, i, j))
		}
	})
	VZEROUPPER()
	RET()
}

func (s isa) sumTaps() {
	TEXT("sumTaps"+s.suffix, NOSPLIT, "func(dst, src *float64, off *int, w *float64, taps, n int)")
	Pragma("noescape")
	Doc("sumTaps" + s.suffix + " is SumTaps for n numbers, as many as fill whole vectors, and at least one tap.")
	dst, src, off, w := load64("dst"), load64("src"), load64("off"), load64("w")
	taps, n := load64("taps"), load64("n")
	i, k, a, p := GP64(), GP64(), GP64(), GP64()
	f := s.vec()
	s.blocks("taps", i, n, func(label string, count int) {
		acc, t := s.vectors(count), s.vectors(count)
		LEAQ(Mem{Base: src, Index: i, Scale: 8}, p)
		for _, v := range acc {
			s.zero(v)
		}
		XORQ(k, k)
		Label(label + "_tap")
		MOVQ(Mem{Base: off, Index: k, Scale: 8}, a)
		VBROADCASTSD(Mem{Base: w, Index: k, Scale: 8}, f)
		for j, v := range acc {
			VMULPD(s.at(p, a, j), f, t[j])
			VADDPD(t[j], v, v)
		}
		INCQ(k)
		CMPQ(k, taps)
		JLT(LabelRef(label + "_tap"))
		for j, v := range acc {
			VMOVUPD(v, s.at(dst, i, j))
		}
	})
	VZEROUPPER()
	RET()
}

func (s isa) matMul() {
	TEXT("matMul"+s.suffix, NOSPLIT, "func(dst, p, q *float64, m, w, cols int)")
	Pragma("noescape")
	Doc("matMul" + s.suffix + " is MatMul for the first cols columns, as many as fill whole vectors.")
	dst, p, q := load64("dst"), load64("p"), load64("q")
	m, w, cols := load64("m"), load64("w"), load64("cols")
	pitch := GP64()
	MOVQ(w, pitch)
	SHLQ(U8(3), pitch)
	i, row, k, pp, qp, dp := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	f := s.vec()
	s.blocks("matmul", i, cols, func(label string, count int) {
		acc, t := s.vectors(count), s.vectors(count)
		MOVQ(m, row)
		MOVQ(p, pp)
		LEAQ(Mem{Base: dst, Index: i, Scale: 8}, dp)
		Label(label + "_row")
		for _, v := range acc {
			s.zero(v)
		}
		LEAQ(Mem{Base: q, Index: i, Scale: 8}, qp)
		MOVQ(m, k)
		Label(label + "_k")
		VBROADCASTSD(Mem{Base: pp}, f)
		for j, v := range acc {
			VMULPD(Mem{Base: qp, Disp: 8 * j * s.lanes}, f, t[j])
			VADDPD(t[j], v, v)
		}
		ADDQ(U8(8), pp)
		ADDQ(pitch, qp)
		DECQ(k)
		JNZ(LabelRef(label + "_k"))
		for j, v := range acc {
			VMOVUPD(v, Mem{Base: dp, Disp: 8 * j * s.lanes})
		}
		ADDQ(pitch, dp)
		DECQ(row)
		JNZ(LabelRef(label + "_row"))
	})
	VZEROUPPER()
	RET()
}

func (s isa) lerpRows() {
	TEXT("lerpRows"+s.suffix, NOSPLIT, "func(dst, a, b *float64, weights *[2]float64, n int)")
	Pragma("noescape")
	Doc("lerpRows" + s.suffix + " sets dst = a*weights[0] + b*weights[1] for n numbers, as many as fill whole vectors.")
	dst, a, b, wp, n := load64("dst"), load64("a"), load64("b"), load64("weights"), load64("n")
	e, f := s.vec(), s.vec()
	VBROADCASTSD(Mem{Base: wp}, e)
	VBROADCASTSD(Mem{Base: wp, Disp: 8}, f)
	i := GP64()
	s.blocks("lerp", i, n, func(_ string, count int) {
		t, u := s.vectors(count), s.vectors(count)
		for j := range t {
			VMULPD(s.at(a, i, j), e, t[j])
			VMULPD(s.at(b, i, j), f, u[j])
			VADDPD(u[j], t[j], t[j])
			VMOVUPD(t[j], s.at(dst, i, j))
		}
	})
	VZEROUPPER()
	RET()
}

// addStretched: the sources of eight neighboring sums lie within nine neighboring numbers, so two permutes of sixteen
// loaded numbers find them.
func addStretched() {
	TEXT("addStretchedAVX512", NOSPLIT, "func(sums *float32, line *float64, index *int32, frac *float64, n int)")
	Pragma("noescape")
	Doc("addStretchedAVX512 is AddStretched for n sums, a multiple of 8; sixteen numbers of line can be read from every index.")
	sums, line, index, frac, n := load64("sums"), load64("line"), load64("index"), load64("frac"), load64("n")
	one, oneF := ZMM(), ZMM()
	g := GP64()
	MOVQ(U64(1), g)
	VPBROADCASTQ(g, one)
	MOVQ(U64(0x3ff0000000000000), g)
	VPBROADCASTQ(g, oneF)
	at, base, lo, hi, p, q, u, t := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	i, first := GP64(), GP64()
	XORQ(i, i)
	loop("stretch", i, n, 8, func() {
		MOVLQSX(Mem{Base: index, Index: i, Scale: 4}, first)
		VPBROADCASTQ(first, base)
		VPMOVSXDQ(Mem{Base: index, Index: i, Scale: 4}, at)
		VPSUBQ(base, at, at)
		VMOVUPD(Mem{Base: line, Index: first, Scale: 8}, lo)
		VMOVUPD(Mem{Base: line, Index: first, Scale: 8, Disp: 64}, hi)
		VMOVDQA64(at, p)
		VPERMI2PD(hi, lo, p)
		VPADDQ(one, at, q)
		VPERMI2PD(hi, lo, q)
		VMOVUPD(Mem{Base: frac, Index: i, Scale: 8}, u)
		VSUBPD(u, oneF, t)
		VMULPD(t, p, p)
		VMULPD(u, q, q)
		VADDPD(q, p, p)
		VCVTPD2PS(p, t.AsY())
		VADDPS(Mem{Base: sums, Index: i, Scale: 4}, t.AsY(), t.AsY())
		VMOVUPS(t.AsY(), Mem{Base: sums, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// addStretched8: a sum's two numbers lie next to each other and are loaded together.
func addStretched8() {
	TEXT("addStretchedAVX2", NOSPLIT, "func(sums *float32, line *float64, index *int32, frac *float64, n int)")
	Pragma("noescape")
	Doc("addStretchedAVX2 is AddStretched for n sums, a multiple of 4.")
	sums, line, index, frac, n := load64("sums"), load64("line"), load64("index"), load64("frac"), load64("n")
	one, g := YMM(), GP64()
	MOVQ(U64(0x3ff0000000000000), g)
	VMOVQ(g, one.AsX())
	VPBROADCASTQ(one.AsX(), one)
	even, odd, p, q, u, t := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	at := [4]reg.GPVirtual{GP64(), GP64(), GP64(), GP64()}
	i := GP64()
	XORQ(i, i)
	loop("stretch8", i, n, 4, func() {
		for j, a := range at {
			MOVLQSX(Mem{Base: index, Index: i, Scale: 4, Disp: 4 * j}, a)
		}
		pair := func(j int) Mem { return Mem{Base: line, Index: at[j], Scale: 8} }
		VMOVUPD(pair(0), even.AsX())
		VINSERTF128(U8(1), pair(2), even, even)
		VMOVUPD(pair(1), odd.AsX())
		VINSERTF128(U8(1), pair(3), odd, odd)
		VUNPCKLPD(odd, even, p)
		VUNPCKHPD(odd, even, q)
		VMOVUPD(Mem{Base: frac, Index: i, Scale: 8}, u)
		VSUBPD(u, one, t)
		VMULPD(t, p, p)
		VMULPD(u, q, q)
		VADDPD(q, p, p)
		VCVTPD2PSY(p, t.AsX())
		VADDPS(Mem{Base: sums, Index: i, Scale: 4}, t.AsX(), t.AsX())
		VMOVUPS(t.AsX(), Mem{Base: sums, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
