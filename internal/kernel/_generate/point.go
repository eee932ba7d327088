package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const colorBytes = 0x7777777777777777 // all bytes of sixteen pixels but the fourth ones

// lookup: three tables of 256 bytes in twelve registers, looked up by two-register byte permutes.
func lookup() {
	TEXT("lookupAVX512", NOSPLIT, "func(dst, src *byte, n int, t *Table)")
	Pragma("noescape")
	Doc("lookupAVX512 is lookupScalar for n bytes, a multiple of 64.")
	dst, src, n, t := load64("dst"), load64("src"), load64("n"), load64("t")
	var tab [12]reg.VecVirtual
	for i := range tab {
		tab[i] = ZMM()
		VMOVDQU64(Mem{Base: t, Disp: 64 * i}, tab[i])
	}
	var pick [3]reg.OpmaskVirtual
	for c := range pick {
		pick[c] = mask64(0x1111111111111111 << c)
	}
	i := GP64()
	XORQ(i, i)
	loop("lookup", i, n, 64, func() {
		x, out, a, b := ZMM(), ZMM(), ZMM(), ZMM()
		hi := K()
		VMOVDQU64(Mem{Base: src, Index: i, Scale: 1}, x)
		VPMOVB2M(x, hi)
		VMOVDQA64(x, out)
		for c := range 3 {
			VMOVDQA64(x, a)
			VPERMI2B(tab[4*c+1], tab[4*c], a)
			VMOVDQA64(x, b)
			VPERMI2B(tab[4*c+3], tab[4*c+2], b)
			VMOVDQU8(b, hi, a)
			VMOVDQU8(a, pick[c], out)
		}
		VMOVDQU64(out, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

func minMax() {
	TEXT("minMaxAVX512", NOSPLIT, "func(src *byte, n int, lo, hi *[64]uint8)")
	Pragma("noescape")
	Doc("minMaxAVX512 is the loop of MinMax for n bytes, a multiple of 64: byte i of lo and hi covers bytes i modulo 64.")
	src, n, lo, hi := load64("src"), load64("n"), load64("lo"), load64("hi")
	zlo, zhi, x := ZMM(), ZMM(), ZMM()
	VPTERNLOGD(U8(0xff), zlo, zlo, zlo)
	VPXORD(zhi, zhi, zhi)
	i := GP64()
	XORQ(i, i)
	loop("minmax", i, n, 64, func() {
		VMOVDQU64(Mem{Base: src, Index: i, Scale: 1}, x)
		VPMINUB(x, zlo, zlo)
		VPMAXUB(x, zhi, zhi)
	})
	VMOVDQU64(zlo, Mem{Base: lo})
	VMOVDQU64(zhi, Mem{Base: hi})
	VZEROUPPER()
	RET()
}

func and() {
	TEXT("andAVX512", NOSPLIT, "func(dst, src *byte, n int, mask uint32)")
	Pragma("noescape")
	Doc("andAVX512 is the loop of And for n bytes, a multiple of 64; mask holds the bits to keep of a whole pixel.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	g := Load(Param("mask"), GP32())
	m, x := ZMM(), ZMM()
	VPBROADCASTD(g, m)
	i := GP64()
	XORQ(i, i)
	loop("and", i, n, 64, func() {
		VPANDD(Mem{Base: src, Index: i, Scale: 1}, m, x)
		VMOVDQU64(x, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

func invertFrom() {
	TEXT("invertFromAVX512", NOSPLIT, "func(dst, src *byte, n int, threshold uint8)")
	Pragma("noescape")
	Doc("invertFromAVX512 is the loop of InvertFrom for n bytes, a multiple of 64.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	g := GP32()
	Load(Param("threshold"), g)
	t, ones, x := ZMM(), ZMM(), ZMM()
	VPBROADCASTB(g, t)
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	colors := mask64(colorBytes)
	k := K()
	i := GP64()
	XORQ(i, i)
	loop("invert", i, n, 64, func() {
		VMOVDQU64(Mem{Base: src, Index: i, Scale: 1}, x)
		VPCMPUB(U8(5), t, x, colors, k) // x >= t
		VPSUBB(x, ones, k, x)
		VMOVDQU64(x, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}
