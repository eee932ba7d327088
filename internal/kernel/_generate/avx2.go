package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// channelShuffle8 is channelShuffles for eight pixels, in memory: there are only sixteen registers.
func channelShuffle8(c int) Mem {
	return constant([]string{"shuffleR", "shuffleG", "shuffleB", "shuffleA"}[c], func(j int) uint32 {
		return 0x80808000 | uint32(4*(j%4)+c)
	})
}

func broadcast8(v uint32) reg.VecVirtual {
	g, x, y := GP32(), XMM(), YMM()
	MOVL(U32(v), g)
	VMOVD(g, x)
	VPBROADCASTD(x, y)
	return y
}

// sum8 is sum16 for eight pixels.
func sum8(label string, srcs, weights, count, off reg.GPVirtual) [3]reg.VecVirtual {
	var acc [3]reg.VecVirtual
	x, t, w := YMM(), YMM(), YMM()
	p, hdr, wp, k := GP64(), GP64(), GP64(), GP64()
	for c := range acc {
		acc[c] = YMM()
		VPXOR(acc[c], acc[c], acc[c])
	}
	MOVQ(srcs, hdr)
	MOVQ(weights, wp)
	MOVQ(count, k)
	Label(label)
	MOVQ(Mem{Base: hdr}, p)
	VMOVDQU(Mem{Base: p, Index: off, Scale: 1}, x)
	VBROADCASTSS(Mem{Base: wp}, w)
	for c := range acc {
		VPSHUFB(channelShuffle8(c), x, t)
		VCVTDQ2PS(t, t)
		VMULPS(w, t, t)
		VADDPS(t, acc[c], acc[c])
	}
	ADDQ(U8(24), hdr)
	ADDQ(U8(4), wp)
	DECQ(k)
	JNZ(LabelRef(label))
	return acc
}

func mixPlanes8() {
	TEXT("mixPlanesAVX2", NOSPLIT,
		"func(dst *float32, n, plane int, srcs *[]uint8, weights *float32, count int, scale, bias *[3]float32)")
	Pragma("noescape")
	Doc("mixPlanesAVX2 is the loop of MixPlanes for the pixels of n bytes, a multiple of 32; planes are plane bytes apart.")
	dst, n, plane := load64("dst"), load64("n"), load64("plane")
	srcs, weights, count := load64("srcs"), load64("weights"), load64("count")
	var scale, bias [3]reg.VecVirtual
	sp, bp := load64("scale"), load64("bias")
	for c := range 3 {
		scale[c], bias[c] = YMM(), YMM()
		VBROADCASTSS(Mem{Base: sp, Disp: 4 * c}, scale[c])
		VBROADCASTSS(Mem{Base: bp, Disp: 4 * c}, bias[c])
	}
	i := GP64()
	XORQ(i, i)
	loop("mixplanes8", i, n, 32, func() {
		acc := sum8("mixplanes8_one", srcs, weights, count, i)
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
