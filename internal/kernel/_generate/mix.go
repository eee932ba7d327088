package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sum16 adds weights[k]*srcs[k] for sixteen pixels at byte offset off into one register a channel. srcs points at slice
// headers of 24 bytes.
func sum16(label string, srcs, weights, count, off reg.GPVirtual, ctl [3]reg.VecVirtual) [3]reg.VecVirtual {
	var acc [3]reg.VecVirtual
	x, t := ZMM(), ZMM()
	p, hdr, wp, k := GP64(), GP64(), GP64(), GP64()
	for c := range acc {
		acc[c] = ZMM()
		VPXORD(acc[c], acc[c], acc[c])
	}
	MOVQ(srcs, hdr)
	MOVQ(weights, wp)
	MOVQ(count, k)
	Label(label)
	MOVQ(Mem{Base: hdr}, p)
	VMOVDQU64(Mem{Base: p, Index: off, Scale: 1}, x)
	for c := range acc {
		VPSHUFB(ctl[c], x, t)
		VCVTDQ2PS(t, t)
		VMULPS_BCST(Mem{Base: wp}, t, t)
		VADDPS(t, acc[c], acc[c])
	}
	ADDQ(U8(24), hdr)
	ADDQ(U8(4), wp)
	DECQ(k)
	JNZ(LabelRef(label))
	return acc
}

func mixBytes() {
	TEXT("mixBytesAVX512", NOSPLIT, "func(dst *byte, n int, srcs *[]uint8, weights *float32, count int)")
	Pragma("noescape")
	Doc("mixBytesAVX512 is the loop of MixBytes for n bytes, a multiple of 64.")
	dst, n, srcs, weights, count := load64("dst"), load64("n"), load64("srcs"), load64("weights"), load64("count")
	ctl := channelShuffles()
	half, top, alpha, zero := broadcast(0x3f000000), broadcast(0x437f0000), broadcast(0xff000000), ZMM()
	VPXORD(zero, zero, zero)
	i := GP64()
	XORQ(i, i)
	loop("mixbytes", i, n, 64, func() {
		acc := sum16("mixbytes_one", srcs, weights, count, i, ctl)
		out := ZMM()
		VMOVDQA64(alpha, out)
		for c := range 3 {
			VADDPS(half, acc[c], acc[c])
			VMAXPS(zero, acc[c], acc[c])
			VMINPS(top, acc[c], acc[c])
			VCVTTPS2DQ(acc[c], acc[c])
			if c > 0 {
				VPSLLD(U8(8*c), acc[c], acc[c])
			}
			VPORD(acc[c], out, out)
		}
		VMOVDQU64(out, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

func mixPlanes() {
	TEXT("mixPlanesAVX512", NOSPLIT,
		"func(dst *float32, n, plane int, srcs *[]uint8, weights *float32, count int, scale, bias *[3]float32)")
	Pragma("noescape")
	Doc("mixPlanesAVX512 is the loop of MixPlanes for the pixels of n bytes, a multiple of 64; planes are plane bytes apart.")
	dst, n, plane := load64("dst"), load64("n"), load64("plane")
	srcs, weights, count := load64("srcs"), load64("weights"), load64("count")
	ctl := channelShuffles()
	var scale, bias [3]reg.VecVirtual
	sp, bp := load64("scale"), load64("bias")
	for c := range 3 {
		scale[c], bias[c] = ZMM(), ZMM()
		VBROADCASTSS(Mem{Base: sp, Disp: 4 * c}, scale[c])
		VBROADCASTSS(Mem{Base: bp, Disp: 4 * c}, bias[c])
	}
	i := GP64()
	XORQ(i, i)
	loop("mixplanes", i, n, 64, func() {
		acc := sum16("mixplanes_one", srcs, weights, count, i, ctl)
		out := GP64()
		MOVQ(dst, out)
		for c := range 3 {
			VMULPS(scale[c], acc[c], acc[c])
			VADDPS(bias[c], acc[c], acc[c])
			VMOVUPS(acc[c], Mem{Base: out, Index: i, Scale: 1})
			if c < 2 {
				ADDQ(plane, out)
			}
		}
	})
	VZEROUPPER()
	RET()
}
