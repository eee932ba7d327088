package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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

// unitToBytes8: twelve numbers become four pixels. Packing cuts to 0..255.
func unitToBytes8() {
	TEXT("unitToBytesAVX2", NOSPLIT, "func(dst *byte, src *float64, n int)")
	Pragma("noescape")
	Doc("unitToBytesAVX2 is UnitToBytes for n pixels, a multiple of 4.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale, g := YMM(), GP64()
	MOVQ(U64(0x406fe00000000000), g) // 255
	VMOVQ(g, scale.AsX())
	VPBROADCASTQ(scale.AsX(), scale)
	spread, alpha := XMM(), XMM()
	VMOVDQU(constant("spread8", func(i int) uint32 { return 0x80020100 + uint32(3*i)*0x010101 }), spread)
	VMOVDQU(lane32(0xff000000), alpha)
	v := [3]reg.VecVirtual{YMM(), YMM(), YMM()}
	i := GP64()
	XORQ(i, i)
	loop("unit8", i, n, 4, func() {
		for k := range v {
			VMULPD(Mem{Base: src, Disp: 32 * k}, scale, v[k])
			VCVTTPD2DQY(v[k], v[k].AsX())
		}
		x := v[0].AsX()
		VPACKSSDW(v[1].AsX(), x, x)
		VPACKSSDW(v[2].AsX(), v[2].AsX(), v[2].AsX())
		VPACKUSWB(v[2].AsX(), x, x)
		VPSHUFB(spread, x, x)
		VPOR(alpha, x, x)
		VMOVDQU(x, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U8(96), src)
	})
	VZEROUPPER()
	RET()
}

func (s single) addFour() {
	TEXT("addFour"+s.suffix, NOSPLIT, "func(dst, a, b, c, d *uint64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addFour%s is AddFour for n numbers, a multiple of %d.", s.suffix, s.lanes/2))
	dst, a, b, c, d, n := load64("dst"), load64("a"), load64("b"), load64("c"), load64("d"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("four", i, n, uint64(s.lanes/2), func() {
		sum := s.load(Mem{Base: dst, Index: i, Scale: 8})
		for _, p := range []reg.GPVirtual{a, b, c, d} {
			VPADDQ(Mem{Base: p, Index: i, Scale: 8}, sum, sum)
		}
		s.mov(sum, Mem{Base: dst, Index: i, Scale: 8})
	})
	VZEROUPPER()
	RET()
}
