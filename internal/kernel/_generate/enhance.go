package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// luma computes the gray values of pixels: 19595 R + 38470 G + 7471 B + 2^15, shifted by 16. The weight of green does not
// fit a signed word, so green is taken twice with half of it.
func (s single) luma(x, out, tmp reg.VecVirtual) {
	VPSHUFB(constant("redGreen", func(j int) uint32 {
		b := uint32(4 * (j % 4))
		return b | 0x80<<8 | (b+1)<<16 | 0x80<<24
	}), x, out)
	VPMADDWD(lane32(19595|19235<<16), out, out)
	VPSHUFB(constant("greenBlue", func(j int) uint32 {
		b := uint32(4 * (j % 4))
		return (b + 1) | 0x80<<8 | (b+2)<<16 | 0x80<<24
	}), x, tmp)
	VPMADDWD(lane32(19235|7471<<16), tmp, tmp)
	VPADDD(tmp, out, out)
	VPADDD(lane32(0x8000), out, out)
	VPSRLD(U8(16), out, out)
}

func (s single) lumaSum() {
	s.text("lumaSum", "func(src *byte, n int, sums *[16]uint32)",
		"is the loop of LumaSum for n bytes, a multiple of {bytes}; the sum is that of the numbers of sums.")
	src, n, sums := load64("src"), load64("n"), load64("sums")
	acc, v, t := s.zero(), s.vec(), s.vec()
	i := GP64()
	XORQ(i, i)
	loop("lumasum", i, n, s.bytes(), func() {
		s.luma(s.load(Mem{Base: src, Index: i, Scale: 1}), v, t)
		VPADDD(v, acc, acc)
	})
	s.mov(acc, Mem{Base: sums})
	VZEROUPPER()
	RET()
}

// gray writes gray values into three channels.
func (s single) gray() {
	s.text("gray", "func(dst, src *byte, n int)", "is the loop of Gray for n bytes, a multiple of {bytes}.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	v, t := s.vec(), s.vec()
	i := GP64()
	XORQ(i, i)
	loop("gray", i, n, s.bytes(), func() {
		s.luma(s.load(Mem{Base: src, Index: i, Scale: 1}), v, t)
		VPSHUFB(constant("spreadLow", func(j int) uint32 { return 0x80<<24 | uint32(j%4*4)*0x010101 }), v, v)
		s.or(lane32(0xff000000), v, v)
		s.mov(v, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

// extrapolator is Extrapolate on float32 lanes.
type extrapolator struct{ zero, factor reg.VecVirtual }

// newExtrapolator reads the parameter factor, a pointer.
func (s single) newExtrapolator() extrapolator {
	e := extrapolator{s.zero(), s.vec()}
	VBROADCASTSS(Mem{Base: load64("factor")}, e.factor)
	return e
}

// of leaves a + f*(b-a) as an integer in d, which holds b-a as an integer; a is a float.
func (e extrapolator) of(a, d reg.VecVirtual) {
	VCVTDQ2PS(d, d)
	VMULPS(e.factor, d, d)
	VADDPS(a, d, d)
	VMAXPS(e.zero, d, d)
	VMINPS(float(255), d, d)
	VCVTTPS2DQ(d, d)
}

func (s single) colorBlend() {
	s.text("colorBlend", "func(dst, src *byte, n int, factor *float32)",
		"is the loop of ColorBlend for n bytes, a multiple of {bytes}.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	e := s.newExtrapolator()
	gray, grayF, d := s.vec(), s.vec(), s.vec()
	i := GP64()
	XORQ(i, i)
	loop("colorblend", i, n, s.bytes(), func() {
		x, out := s.load(Mem{Base: src, Index: i, Scale: 1}), s.load(lane32(0xff000000))
		s.luma(x, gray, d)
		VCVTDQ2PS(gray, grayF)
		for c := range 3 {
			VPSHUFB(channelShuffle8(c), x, d)
			VPSUBD(gray, d, d)
			e.of(grayF, d)
			if c > 0 {
				VPSLLD(U8(8*c), d, d)
			}
			s.or(d, out, out)
		}
		s.mov(out, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

// sharpen: a register of 16-bit lanes at a time; the division by 13 with rounding is a multiplication by 2^19/26. The last
// step starts where it ends with the row and does some bytes again.
func (s single) sharpen() {
	s.text("sharpen", "func(dst, up, row, down *byte, n int, factor *float32)",
		"is the inner loop of Sharpen for n bytes of a row, at least {words}; the pixels before and after are read too.")
	dst, up, row, down, n := load64("dst"), load64("up"), load64("row"), load64("down"), load64("n")
	e := s.newExtrapolator()
	step := 2 * s.lanes
	last, i := GP64(), GP64()
	MOVQ(n, last)
	SUBQ(U8(step), last)
	XORQ(i, i)
	at := func(base reg.GPVirtual, disp int) Mem { return Mem{Base: base, Index: i, Scale: 1, Disp: disp} }
	sum, center, t, d := s.vec(), s.vec(), s.vec(), s.vec()
	Label("step")
	VPMOVZXBW(at(row, 0), center)
	VPSLLW(U8(2), center, sum)
	VPADDW(center, sum, sum)
	for _, m := range []Mem{
		at(up, -4), at(up, 0), at(up, 4), at(row, -4), at(row, 4), at(down, -4), at(down, 0), at(down, 4),
	} {
		VPMOVZXBW(m, t)
		VPADDW(t, sum, sum)
	}
	VPADDW(sum, sum, sum)
	VPADDW(lane32(13<<16|13), sum, sum)
	VPMULHUW(lane32(20165<<16|20165), sum, sum)
	VPSRLW(U8(3), sum, sum)
	VPSUBW(sum, center, center)
	for half := range 2 {
		from, diff := s.half(sum, half), s.half(center, half)
		VPMOVZXWD(from, t)
		VCVTDQ2PS(t, t)
		VPMOVSXWD(diff, d)
		e.of(t, d)
		s.storeLow(d, at(dst, half*s.lanes))
	}
	CMPQ(i, last)
	JGE(LabelRef("done"))
	ADDQ(U8(step), i)
	CMPQ(i, last)
	CMOVQGT(last, i)
	JMP(LabelRef("step"))
	Label("done")
	VZEROUPPER()
	RET()
}

// half returns the lower or upper half of a register.
func (s single) half(v reg.VecVirtual, upper int) reg.Register {
	switch {
	case s.wide() && upper == 0:
		return v.AsY()
	case upper == 0:
		return v.AsX()
	case s.wide():
		y := YMM()
		VEXTRACTI64X4(U8(1), v, y)
		return y
	}
	x := XMM()
	VEXTRACTI128(U8(1), v, x)
	return x
}

// storeLow stores the 32-bit lanes of v, 0 to 255, as bytes. v is lost.
func (s single) storeLow(v reg.VecVirtual, to Mem) {
	if s.wide() {
		VPMOVDB(v, to)
		return
	}
	x := s.half(v, 1)
	VPACKUSDW(x, v.AsX(), v.AsX())
	VPACKUSWB(v.AsX(), v.AsX(), v.AsX())
	VMOVQ(v.AsX(), to)
}
