package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func impulses() {
	TEXT("impulsesAVX2", NOSPLIT, "func(dst *byte, words *uint64, n int, cut int32)")
	Pragma("noescape")
	Doc("impulsesAVX2 is Impulses for n bytes, a multiple of 8.")
	dst, words, n := load64("dst"), load64("words"), load64("n")
	cut := singles[1].fill("cut")
	low := byteTable("lowBytes", func(i int) int { return i % 4 * 4 }) // of four numbers, four times
	i := GP64()
	XORQ(i, i)
	loop("impulses", i, n, 8, func() {
		v, hit, hi := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: words, Index: i, Scale: 4}, v)
		VPSRLD(U8(1), v, hit)
		VPCMPGTD(hit, cut, hit)
		VPAND(lane32(1), v, v)
		VPADDD(lane32(1), v, v)
		VPAND(hit, v, v)
		VPSHUFB(low, v, v)
		VEXTRACTI128(U8(1), v, hi.AsX())
		VPUNPCKLDQ(hi.AsX(), v.AsX(), v.AsX())
		VMOVQ(v.AsX(), Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

func addImpulses() {
	TEXT("addImpulsesAVX2", NOSPLIT, "func(dst, src, impulses *byte, n int)")
	Pragma("noescape")
	Doc("addImpulsesAVX2 is AddImpulses for n pixels, a multiple of 4; it reads four impulses more.")
	dst, src, impulses, n := load64("dst"), load64("src"), load64("impulses"), load64("n")
	spread, alpha, one, zero := XMM(), XMM(), XMM(), XMM()
	VMOVDQU(constant("spread8", func(i int) uint32 { return 0x80020100 + uint32(3*i)*0x010101 }), spread)
	VMOVDQU(lane32(0xff000000), alpha)
	VMOVDQU(lane32(0x01010101), one)
	VPXOR(zero, zero, zero)
	i := GP64()
	XORQ(i, i)
	loop("addimpulses", i, n, 4, func() {
		v, white := XMM(), XMM()
		VMOVDQU(Mem{Base: impulses}, v)
		VPSHUFB(spread, v, v)
		VPCMPEQB(one, v, white)
		VPCMPEQB(zero, v, v)
		VPAND(Mem{Base: src, Index: i, Scale: 4}, v, v)
		VPOR(white, v, v)
		VPOR(alpha, v, v)
		VMOVDQU(v, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U8(12), impulses)
	})
	VZEROUPPER()
	RET()
}
