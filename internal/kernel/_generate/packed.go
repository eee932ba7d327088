package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func (s isa) runs() {
	TEXT("runs"+s.suffix, NOSPLIT, "func(dst, sums *uint64, from, to *int, count, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("runs%s is Runs for n numbers, a multiple of %d, and at least one run.", s.suffix, s.lanes))
	dst, sums, from, to := load64("dst"), load64("sums"), load64("from"), load64("to")
	count, n := load64("count"), load64("n")
	i, k, a, b, p := GP64(), GP64(), GP64(), GP64(), GP64()
	s.blocks("runs", i, n, func(label string, vectors int) {
		acc := s.vectors(vectors)
		for _, v := range acc {
			s.zero(v)
		}
		LEAQ(Mem{Base: sums, Index: i, Scale: 8}, p)
		XORQ(k, k)
		Label(label + "_run")
		MOVQ(Mem{Base: to, Index: k, Scale: 8}, a)
		MOVQ(Mem{Base: from, Index: k, Scale: 8}, b)
		for j, v := range acc {
			VPADDQ(s.at(p, a, j), v, v)
			VPSUBQ(s.at(p, b, j), v, v)
		}
		INCQ(k)
		CMPQ(k, count)
		JLT(LabelRef(label + "_run"))
		for j, v := range acc {
			s.mov(v, s.at(dst, i, j))
		}
	})
	VZEROUPPER()
	RET()
}

// addBits: a number below 2^52 in the low bits of a float64 of 2^52 is that much above it.
func (s isa) addBits() {
	s.text("addBits", "func(dst *float64, src *uint64, n int, shift, mask uint64, weight float64)", "is AddBits")
	dst, src, n, shift := load64("dst"), load64("src"), load64("n"), load64("shift")
	count := XMM()
	VMOVQ(shift, count)
	mask, weight := s.fill("mask"), s.fill("weight")
	i := GP64()
	XORQ(i, i)
	loop("addbits", i, n, uint64(s.lanes), func() {
		v := s.vec()
		s.mov(s.at(src, i, 0), v)
		VPSRLQ(count, v, v)
		s.bits64("and", mask, v, v)
		s.bits64("or", s.word64(0x4330000000000000), v, v)
		VSUBPD(double(1<<52), v, v)
		VMULPD(weight, v, v)
		VADDPD(s.at(dst, i, 0), v, v)
		VMOVUPD(v, s.at(dst, i, 0))
	})
	VZEROUPPER()
	RET()
}
