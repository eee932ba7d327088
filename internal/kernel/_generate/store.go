package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// unitToBytes: 48 numbers become 48 bytes, three for each of sixteen pixels, which a permute spreads to four.
func unitToBytes() {
	TEXT("unitToBytesAVX512", NOSPLIT, "func(dst *byte, src *float64, n int)")
	Pragma("noescape")
	Doc("unitToBytesAVX512 is UnitToBytes for n pixels, a multiple of 16.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale, zero, alpha, spread := ZMM(), ZMM(), broadcast(0xff000000), ZMM()
	g := GP64()
	MOVQ(U64(0x406fe00000000000), g) // 255
	VPBROADCASTQ(g, scale)
	VPXORD(zero, zero, zero)
	VMOVDQU64(byteTable("spread", func(i int) int { return i/4*3 + i%4 }), spread)
	colors := mask64(colorBytes)
	i := GP64()
	XORQ(i, i)
	loop("unit", i, n, 16, func() {
		all := ZMM()
		for k := range 3 {
			lo, hi := ZMM(), ZMM()
			VMULPD(Mem{Base: src, Disp: 128 * k}, scale, lo)
			VMULPD(Mem{Base: src, Disp: 128*k + 64}, scale, hi)
			VCVTTPD2DQ(lo, lo.AsY())
			VCVTTPD2DQ(hi, hi.AsY())
			VINSERTI64X4(U8(1), hi.AsY(), lo, lo)
			VPMAXSD(zero, lo, lo)
			x := XMM()
			VPMOVUSDB(lo, x)
			if k == 0 {
				VMOVDQA32(x, all.AsX())
			} else {
				VINSERTI32X4(U8(k), x, all, all)
			}
		}
		out := ZMM()
		VMOVDQA64(alpha, out)
		VPERMB(all, spread, colors, out)
		VMOVDQU64(out, Mem{Base: dst})
		ADDQ(U32(384), src)
		ADDQ(U8(64), dst)
	})
	VZEROUPPER()
	RET()
}

func addFour() {
	TEXT("addFourAVX512", NOSPLIT, "func(dst, a, b, c, d *uint64, n int)")
	Pragma("noescape")
	Doc("addFourAVX512 is AddFour for n numbers, a multiple of 8.")
	dst, a, b, c, d, n := load64("dst"), load64("a"), load64("b"), load64("c"), load64("d"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("four", i, n, 8, func() {
		s := ZMM()
		VMOVDQU64(Mem{Base: dst, Index: i, Scale: 8}, s)
		VPADDQ(Mem{Base: a, Index: i, Scale: 8}, s, s)
		VPADDQ(Mem{Base: b, Index: i, Scale: 8}, s, s)
		VPADDQ(Mem{Base: c, Index: i, Scale: 8}, s, s)
		VPADDQ(Mem{Base: d, Index: i, Scale: 8}, s, s)
		VMOVDQU64(s, Mem{Base: dst, Index: i, Scale: 8})
	})
	VZEROUPPER()
	RET()
}
