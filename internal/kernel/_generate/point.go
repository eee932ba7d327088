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

// lookup8: AVX2 looks up 16 bytes at most, so that a table of 256 takes 16 look-ups of which all but one give 0 and are
// added. Rows hold the difference to the row before: index v less 16k, kept negative by saturation, selects all rows up to
// the one of v, and their differences add up to it. Three channels of 32 pixels are looked up at a time.
func lookup8() {
	TEXT("lookupAVX2", NOSPLIT, "func(dst, src *byte, n int, t *Table)")
	Pragma("noescape")
	Doc("lookupAVX2 is lookupScalar for n bytes, a multiple of 128.")
	dst, src, n, t := load64("dst"), load64("src"), load64("n"), load64("t")
	rows := AllocLocal(768)
	x, y := YMM(), YMM()
	for half := 0; half < 768; half += 128 {
		VMOVDQU(Mem{Base: t, Disp: half}, y.AsX())
		VMOVDQU(y.AsX(), rows.Offset(half))
		for at := half + 16; at < half+96; at += 32 {
			VMOVDQU(Mem{Base: t, Disp: at}, y)
			VPXOR(Mem{Base: t, Disp: at - 16}, y, y)
			VMOVDQU(y, rows.Offset(at))
		}
		VMOVDQU(Mem{Base: t, Disp: half + 112}, y.AsX())
		VPXOR(Mem{Base: t, Disp: half + 96}, y.AsX(), y.AsX())
		VMOVDQU(y.AsX(), rows.Offset(half+112))
	}
	turn := byteTable("turn4", func(i int) int { return i%4*4 + i%16/4 }) // the four channels of four pixels together
	upper, sixteen := lane32(0x80808080), YMM()
	VMOVDQU(lane32(0x10101010), sixteen)
	i := GP64()
	XORQ(i, i)
	loop("lookup8", i, n, 128, func() {
		var p [4]reg.VecVirtual
		for k := range p {
			p[k] = YMM()
			VMOVDQU(Mem{Base: src, Index: i, Scale: 1, Disp: 32 * k}, p[k])
			VPSHUFB(turn, p[k], p[k])
		}
		p = transpose4(p)
		for c := range 3 {
			out := YMM()
			for half := range 2 {
				if half == 0 {
					VMOVDQA(p[c], x)
				} else {
					VPXOR(upper, p[c], x)
				}
				for k := range 8 {
					VBROADCASTI128(rows.Offset(256*c+128*half+16*k), y)
					if half+k == 0 {
						VPSHUFB(x, y, out)
					} else {
						VPSHUFB(x, y, y)
						VPXOR(y, out, out)
					}
					if k < 7 {
						VPSUBSB(sixteen, x, x)
					}
				}
			}
			p[c] = out
		}
		for k, v := range transpose4(p) {
			VPSHUFB(turn, v, v)
			VMOVDQU(v, Mem{Base: dst, Index: i, Scale: 1, Disp: 32 * k})
		}
	})
	VZEROUPPER()
	RET()
}

// transpose4 transposes the 4 by 4 matrices of 32-bit lanes in the halves of four registers.
func transpose4(d [4]reg.VecVirtual) (o [4]reg.VecVirtual) {
	var t [4]reg.VecVirtual
	for i := range t {
		t[i], o[i] = YMM(), YMM()
	}
	VPUNPCKLDQ(d[1], d[0], t[0])
	VPUNPCKHDQ(d[1], d[0], t[1])
	VPUNPCKLDQ(d[3], d[2], t[2])
	VPUNPCKHDQ(d[3], d[2], t[3])
	VPUNPCKLQDQ(t[2], t[0], o[0])
	VPUNPCKHQDQ(t[2], t[0], o[1])
	VPUNPCKLQDQ(t[3], t[1], o[2])
	VPUNPCKHQDQ(t[3], t[1], o[3])
	return o
}

func (s single) minMax() {
	s.text("minMax", "func(src *byte, n int, lo, hi *[64]uint8)",
		"is the loop of MinMax for n bytes, a multiple of {bytes}: byte i of lo and hi covers the bytes i modulo {bytes}.")
	src, n, lo, hi := load64("src"), load64("n"), load64("lo"), load64("hi")
	vlo, vhi, x := s.load(lane32(0xffffffff)), s.zero(), s.vec()
	i := GP64()
	XORQ(i, i)
	loop("minmax", i, n, s.bytes(), func() {
		s.mov(Mem{Base: src, Index: i, Scale: 1}, x)
		VPMINUB(x, vlo, vlo)
		VPMAXUB(x, vhi, vhi)
	})
	s.mov(vlo, Mem{Base: lo})
	s.mov(vhi, Mem{Base: hi})
	VZEROUPPER()
	RET()
}

func (s single) andMask() {
	s.text("and", "func(dst, src *byte, n int, mask uint32)",
		"is the loop of And for n bytes, a multiple of {bytes}; mask holds the bits to keep of a whole pixel.")
	dst, src, n, m := load64("dst"), load64("src"), load64("n"), s.fill("mask")
	i, x := GP64(), s.vec()
	XORQ(i, i)
	loop("and", i, n, s.bytes(), func() {
		s.and(Mem{Base: src, Index: i, Scale: 1}, m, x)
		s.mov(x, Mem{Base: dst, Index: i, Scale: 1})
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

func invertFrom8() {
	TEXT("invertFromAVX2", NOSPLIT, "func(dst, src *byte, n int, threshold uint8)")
	Pragma("noescape")
	Doc("invertFromAVX2 is the loop of InvertFrom for n bytes, a multiple of 32.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	g := GP32()
	Load(Param("threshold"), g)
	t, colors, x, from := YMM(), YMM(), YMM(), YMM()
	VMOVD(g, t.AsX())
	VPBROADCASTB(t.AsX(), t)
	VMOVDQU(lane32(0x00ffffff), colors)
	i := GP64()
	XORQ(i, i)
	loop("invert8", i, n, 32, func() {
		VMOVDQU(Mem{Base: src, Index: i, Scale: 1}, x)
		VPMAXUB(t, x, from)
		VPCMPEQB(x, from, from) // x >= t
		VPAND(colors, from, from)
		VPXOR(from, x, x)
		VMOVDQU(x, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}
