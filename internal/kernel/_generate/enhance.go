package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// luma computes the gray values of sixteen pixels: 19595 R + 38470 G + 7471 B + 2^15, shifted by 16. The weight of green
// does not fit a signed word, so green is taken twice with half of it.
type luma struct{ redGreen, greenBlue, weightsRG, weightsGB, half reg.VecVirtual }

func newLuma() luma {
	rg := constant("redGreen", func(j int) uint32 {
		b := uint32(4 * (j % 4))
		return b | 0x80<<8 | (b+1)<<16 | 0x80<<24
	})
	gb := constant("greenBlue", func(j int) uint32 {
		b := uint32(4 * (j % 4))
		return (b + 1) | 0x80<<8 | (b+2)<<16 | 0x80<<24
	})
	l := luma{ZMM(), ZMM(), broadcast(19595 | 19235<<16), broadcast(19235 | 7471<<16), broadcast(0x8000)}
	VMOVDQU64(rg, l.redGreen)
	VMOVDQU64(gb, l.greenBlue)
	return l
}

func (l luma) of(x, out, tmp reg.VecVirtual) {
	VPSHUFB(l.redGreen, x, out)
	VPMADDWD(l.weightsRG, out, out)
	VPSHUFB(l.greenBlue, x, tmp)
	VPMADDWD(l.weightsGB, tmp, tmp)
	VPADDD(tmp, out, out)
	VPADDD(l.half, out, out)
	VPSRLD(U8(16), out, out)
}

func lumaSum() {
	TEXT("lumaSumAVX512", NOSPLIT, "func(src *byte, n int, sums *[16]uint32)")
	Pragma("noescape")
	Doc("lumaSumAVX512 is the loop of LumaSum for n bytes, a multiple of 64; every number of sums is the sum of a sixteenth",
		"of the pixels.")
	src, n, sums := load64("src"), load64("n"), load64("sums")
	l := newLuma()
	acc, x, v, t := ZMM(), ZMM(), ZMM(), ZMM()
	VPXORD(acc, acc, acc)
	i := GP64()
	XORQ(i, i)
	loop("lumasum", i, n, 64, func() {
		VMOVDQU64(Mem{Base: src, Index: i, Scale: 1}, x)
		l.of(x, v, t)
		VPADDD(v, acc, acc)
	})
	VMOVDQU64(acc, Mem{Base: sums})
	VZEROUPPER()
	RET()
}

// extrapolator is Extrapolate on float32 lanes.
type extrapolator struct{ zero, top, factor reg.VecVirtual }

// newExtrapolator reads the factor that fp points at.
func newExtrapolator(fp reg.GPVirtual) extrapolator {
	e := extrapolator{ZMM(), broadcast(math.Float32bits(255)), ZMM()}
	VPXORD(e.zero, e.zero, e.zero)
	VBROADCASTSS(Mem{Base: fp}, e.factor)
	return e
}

// of leaves a + f*(b-a) as an integer in d, which holds b-a as an integer; a is a float.
func (e extrapolator) of(a, d reg.VecVirtual) {
	VCVTDQ2PS(d, d)
	VMULPS(e.factor, d, d)
	VADDPS(a, d, d)
	VMAXPS(e.zero, d, d)
	VMINPS(e.top, d, d)
	VCVTTPS2DQ(d, d)
}

func colorBlend() {
	TEXT("colorBlendAVX512", NOSPLIT, "func(dst, src *byte, n int, factor *float32)")
	Pragma("noescape")
	Doc("colorBlendAVX512 is the loop of ColorBlend for n bytes, a multiple of 64.")
	dst, src, n, fp := load64("dst"), load64("src"), load64("n"), load64("factor")
	e := newExtrapolator(fp)
	l := newLuma()
	ctl := channelShuffles()
	alpha := broadcast(0xff000000)
	x, gray, grayF, d, out := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	i := GP64()
	XORQ(i, i)
	loop("colorblend", i, n, 64, func() {
		VMOVDQU64(Mem{Base: src, Index: i, Scale: 1}, x)
		l.of(x, gray, d)
		VCVTDQ2PS(gray, grayF)
		VMOVDQA64(alpha, out)
		for c := range 3 {
			VPSHUFB(ctl[c], x, d)
			VPSUBD(gray, d, d)
			e.of(grayF, d)
			if c > 0 {
				VPSLLD(U8(8*c), d, d)
			}
			VPORD(d, out, out)
		}
		VMOVDQU64(out, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

// sharpen: eight pixels at a time in 16-bit lanes; the division by 13 with rounding is a multiplication by 2^19/26.
func sharpen() {
	TEXT("sharpenAVX512", NOSPLIT, "func(dst, up, row, down *byte, n int, factor *float32)")
	Pragma("noescape")
	Doc("sharpenAVX512 is the inner loop of Sharpen for n bytes of a row; the pixels before and after them are read too.")
	dst, up, row, down := load64("dst"), load64("up"), load64("row"), load64("down")
	n, fp := load64("n"), load64("factor")
	e := newExtrapolator(fp)
	recip, thirteen := broadcast(20165<<16|20165), broadcast(13<<16|13)
	sum, center, t, d, s := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	k, khi := K(), K()
	bits := GP32()
	MOVL(I32(-1), bits)
	KMOVD(bits, k)
	i := GP64()
	XORQ(i, i)
	Label("eight")
	left := GP64()
	MOVQ(n, left)
	SUBQ(i, left)
	JLE(LabelRef("done"))
	CMPQ(left, U8(32))
	JGE(LabelRef("full"))
	MOVL(I32(-1), bits)
	BZHIL(left.As32(), bits, bits)
	KMOVD(bits, k)
	Label("full")
	at := func(base reg.GPVirtual, disp int) Mem { return Mem{Base: base, Index: i, Scale: 1, Disp: disp} }
	VPMOVZXBW_Z(at(row, 0), k, center)
	VPSLLW(U8(2), center, sum)
	VPADDW(center, sum, sum)
	for _, m := range []Mem{
		at(up, -4), at(up, 0), at(up, 4), at(row, -4), at(row, 4), at(down, -4), at(down, 0), at(down, 4),
	} {
		VPMOVZXBW_Z(m, k, t)
		VPADDW(t, sum, sum)
	}
	VPADDW(sum, sum, sum)
	VPADDW(thirteen, sum, sum)
	VPMULHUW(recip, sum, sum)
	VPSRLW(U8(3), sum, sum)
	VPSUBW(sum, center, center)
	half := func(from, diff reg.Register, disp int, mask reg.OpmaskVirtual) {
		VPMOVZXWD(from, s)
		VCVTDQ2PS(s, s)
		VPMOVSXWD(diff, d)
		e.of(s, d)
		VPMOVDB(d, mask, at(dst, disp))
	}
	half(sum.AsY(), center.AsY(), 0, k)
	KSHIFTRD(U8(16), k, khi)
	VEXTRACTI64X4(U8(1), sum, t.AsY())
	VEXTRACTI64X4(U8(1), center, center.AsY())
	half(t.AsY(), center.AsY(), 16, khi)
	ADDQ(U8(32), i)
	JMP(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}
