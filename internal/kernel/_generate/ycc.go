package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (s single) yccToRGB() {
	s.text("yccToRGB", "func(dst, y, cb, cr *byte, n int)", "is YCCToRGB for n pixels, a multiple of {lanes}.")
	dst, yp, cbp, crp, n := load64("dst"), load64("y"), load64("cb"), load64("cr"), load64("n")
	zero := s.zero()
	i := GP64()
	XORQ(i, i)
	loop("yccrgb", i, n, uint64(s.lanes), func() {
		y, cb, cr := s.vec(), s.vec(), s.vec()
		VPMOVZXBD(Mem{Base: yp, Index: i, Scale: 1}, y)
		VPMOVZXBD(Mem{Base: cbp, Index: i, Scale: 1}, cb)
		VPMOVZXBD(Mem{Base: crp, Index: i, Scale: 1}, cr)
		cb, cr = plus(cb, -128), plus(cr, -128)
		r := plus(times(cr, 91881), 1<<15)
		g := plus(add(times(cr, -46802), times(cb, -22554)), 1<<15)
		b := plus(times(cb, 116130), 1<<15)
		out := s.load(lane32(0xff000000))
		for c, v := range []vec{r, g, b} {
			shiftRight(v, 16)
			VPADDD(y, v, v)
			VPMAXSD(zero, v, v)
			VPMINSD(lane32(255), v, v)
			if c > 0 {
				VPSLLD(U8(8*c), v, v)
			}
			s.or(v, out, out)
		}
		s.mov(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (s single) rgbToYCC() {
	s.text("rgbToYCC", "func(y, cb, cr, pix *byte, n int)", "is RGBToYCC for n pixels, a multiple of {lanes}.")
	yp, cbp, crp, pix, n := load64("y"), load64("cb"), load64("cr"), load64("pix"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("rgbycc", i, n, uint64(s.lanes), func() {
		x := s.load(Mem{Base: pix, Index: i, Scale: 4})
		var ch [3]vec
		for c := range ch {
			ch[c] = s.vec()
			VPSHUFB(channelShuffle8(c), x, ch[c])
		}
		out := func(p reg.GPVirtual, wr, wg, wb, round int32) {
			v := plus(add(add(times(ch[0], wr), times(ch[1], wg)), times(ch[2], wb)), round)
			VPSRLD(U8(16), v, v)
			s.storeLow(v, Mem{Base: p, Index: i, Scale: 1})
		}
		out(yp, 19595, 38470, 7471, 1<<15)
		out(cbp, -11059, -21709, 32768, 128<<16+1<<15-1)
		out(crp, 32768, -27439, -5329, 128<<16+1<<15-1)
	})
	VZEROUPPER()
	RET()
}

func (s single) halveRows() {
	s.text("halveRows", "func(dst, a, b *byte, n int)", "is HalveRows for n results, a multiple of {words}.")
	dst, a, b, n := load64("dst"), load64("a"), load64("b"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("halve", i, n, s.bytes()/2, func() {
		p, q := s.load(Mem{Base: a, Index: i, Scale: 2}), s.load(Mem{Base: b, Index: i, Scale: 2})
		VPMADDUBSW(lane32(0x01010101), p, p)
		VPMADDUBSW(lane32(0x01010101), q, q)
		VPADDW(q, p, p)
		VPADDW(lane32(2<<16|1), p, p)
		VPSRLW(U8(2), p, p)
		if s.wide() {
			VPMOVWB(p, Mem{Base: dst, Index: i, Scale: 1})
		} else {
			VPACKUSWB(p, p, p)
			VPERMQ(U8(8), p, p)
			VMOVDQU(p.AsX(), Mem{Base: dst, Index: i, Scale: 1})
		}
	})
	VZEROUPPER()
	RET()
}

func (s single) triangle() {
	s.text("triangle", "func(dst, near, far *byte, n int)", "is Triangle for n samples, a multiple of {words}.")
	dst, near, far, n := load64("dst"), load64("near"), load64("far"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("triangle", i, n, s.bytes()/2, func() {
		column := func(disp int) vec {
			v, t := s.vec(), s.load(Mem{Base: near, Index: i, Scale: 2, Disp: disp})
			VPADDW(t, t, v)
			VPADDW(t, v, v)
			VPADDW(Mem{Base: far, Index: i, Scale: 2, Disp: disp}, v, v)
			return v
		}
		left, mid, right, t := column(-2), column(0), column(2), s.vec()
		VPADDW(mid, mid, t)
		VPADDW(mid, t, t)
		VPADDW(t, left, left)
		VPADDW(lane32(8<<16|8), left, left)
		VPSRLW(U8(4), left, left)
		VPADDW(t, right, right)
		VPADDW(lane32(7<<16|7), right, right)
		VPSRLW(U8(4), right, right)
		VPSLLW(U8(8), right, right)
		s.or(right, left, left)
		s.mov(left, Mem{Base: dst, Index: i, Scale: 2})
	})
	VZEROUPPER()
	RET()
}

// inverseBlock transforms one block whose coefficients stand in pairs: pair lo + hi<<32, so that a negative lo has borrowed
// from the upper half. AVX-512 has nothing to add.
func inverseBlock() {
	TEXT("inverseBlockAVX2", NOSPLIT, "func(dst *byte, stride int, w *[32]int64) uint32")
	Pragma("noescape")
	Doc("inverseBlockAVX2 is InverseBlock. It returns a number other than 0, with dst untouched, when a result of the first pass",
		"exceeds the range that 16-bit arithmetic holds.")
	lane = YMM
	defer func() { lane = ZMM }()
	dst, stride, w := load64("dst"), load64("stride"), load64("w")
	spill := AllocLocal(256)
	store := func(d [8]vec) {
		for r, v := range d {
			VMOVDQU(v, spill.Offset(32*r))
		}
	}
	var d [8]vec
	for r := range d {
		d[r] = YMM()
		t := YMM()
		VMOVDQU(Mem{Base: w, Disp: 32 * r}, d[r])
		VPADDQ(constant("borrow", func(i int) uint32 { return uint32(1-i%2) << 31 }), d[r], t)
		VPBLENDD(U8(0xaa), t, d[r], d[r])
	}
	d = idct1D(d, 1<<10)
	far := YMM()
	VPXOR(far, far, far)
	for _, o := range d {
		shiftRight(o, 11)
		VPMAXUD(plus(o, 1<<14), far, far)
	}
	ret := GP32()
	VPMAXUD(lane32(2<<14), far, far)
	VPCMPEQD(lane32(2<<14), far, far)
	VPMOVMSKB(far, ret)
	NOTL(ret)
	TESTL(ret, ret)
	JNZ(LabelRef("done"))
	store(transpose8(d))
	for r := range d {
		d[r] = YMM()
		VMOVDQU(spill.Offset(32*r), d[r])
	}
	lo, hi := joinBytes(idct1D(d, 1<<17))
	upperLo, upperHi := XMM(), XMM()
	VEXTRACTI128(U8(1), lo, upperLo)
	VEXTRACTI128(U8(1), hi, upperHi)
	for p, x := range []Op{lo.AsX(), hi.AsX(), upperLo, upperHi} {
		VMOVQ(x, Mem{Base: dst})
		VPEXTRQ(U8(1), x, Mem{Base: dst, Index: stride, Scale: 1})
		if p < 3 {
			LEAQ(Mem{Base: dst, Index: stride, Scale: 2}, dst)
		}
	}
	Label("done")
	Store(ret, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// transpose8 transposes eight registers of eight 32-bit lanes.
func transpose8(d [8]vec) (o [8]vec) {
	y := func(f func(a, b, z Op), a, b vec) vec { z := YMM(); f(b, a, z); return z }
	lo := func(a, b, z Op) { VPUNPCKLDQ(a, b, z) }
	hi := func(a, b, z Op) { VPUNPCKHDQ(a, b, z) }
	loq := func(a, b, z Op) { VPUNPCKLQDQ(a, b, z) }
	hiq := func(a, b, z Op) { VPUNPCKHQDQ(a, b, z) }
	var t, u [8]vec
	for i := range 4 {
		t[2*i], t[2*i+1] = y(lo, d[2*i], d[2*i+1]), y(hi, d[2*i], d[2*i+1])
	}
	for i := range 2 {
		a := t[4*i : 4*i+4]
		u[4*i], u[4*i+1] = y(loq, a[0], a[2]), y(hiq, a[0], a[2])
		u[4*i+2], u[4*i+3] = y(loq, a[1], a[3]), y(hiq, a[1], a[3])
	}
	for i := range 4 {
		o[i] = y(func(a, b, z Op) { VPERM2I128(U8(0x20), a, b, z) }, u[i], u[i+4])
		o[i+4] = y(func(a, b, z Op) { VPERM2I128(U8(0x31), a, b, z) }, u[i], u[i+4])
	}
	return o
}
