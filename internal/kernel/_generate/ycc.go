package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func yccToRGB() {
	TEXT("yccToRGBAVX512", NOSPLIT, "func(dst, y, cb, cr *byte, n int)")
	Pragma("noescape")
	Doc("yccToRGBAVX512 is YCCToRGB for n pixels, a multiple of 16.")
	dst, yp, cbp, crp, n := load64("dst"), load64("y"), load64("cb"), load64("cr"), load64("n")
	zero, top, alpha := ZMM(), broadcast(255), broadcast(0xff000000)
	VPXORD(zero, zero, zero)
	i := GP64()
	XORQ(i, i)
	loop("yccrgb", i, n, 16, func() {
		y, cb, cr := ZMM(), ZMM(), ZMM()
		VPMOVZXBD(Mem{Base: yp, Index: i, Scale: 1}, y)
		VPMOVZXBD(Mem{Base: cbp, Index: i, Scale: 1}, cb)
		VPMOVZXBD(Mem{Base: crp, Index: i, Scale: 1}, cr)
		cb, cr = plus(cb, -128), plus(cr, -128)
		r := plus(times(cr, 91881), 1<<15)
		g := plus(add(times(cr, -46802), times(cb, -22554)), 1<<15)
		b := plus(times(cb, 116130), 1<<15)
		out := ZMM()
		VMOVDQA64(alpha, out)
		for c, v := range []vec{r, g, b} {
			shiftRight(v, 16)
			VPADDD(y, v, v)
			VPMAXSD(zero, v, v)
			VPMINSD(top, v, v)
			if c > 0 {
				VPSLLD(U8(8*c), v, v)
			}
			VPORD(v, out, out)
		}
		VMOVDQU64(out, Mem{Base: dst})
		ADDQ(U8(64), dst)
	})
	VZEROUPPER()
	RET()
}

func rgbToYCC() {
	TEXT("rgbToYCCAVX512", NOSPLIT, "func(y, cb, cr, pix *byte, n int)")
	Pragma("noescape")
	Doc("rgbToYCCAVX512 is RGBToYCC for n pixels, a multiple of 16.")
	yp, cbp, crp, pix, n := load64("y"), load64("cb"), load64("cr"), load64("pix"), load64("n")
	ctl := channelShuffles()
	i := GP64()
	XORQ(i, i)
	loop("rgbycc", i, n, 16, func() {
		x, r, g, b := ZMM(), ZMM(), ZMM(), ZMM()
		VMOVDQU64(Mem{Base: pix}, x)
		VPSHUFB(ctl[0], x, r)
		VPSHUFB(ctl[1], x, g)
		VPSHUFB(ctl[2], x, b)
		out := func(p reg.GPVirtual, wr, wg, wb, round int32) {
			v := plus(add(add(times(r, wr), times(g, wg)), times(b, wb)), round)
			VPSRLD(U8(16), v, v)
			VPMOVDB(v, Mem{Base: p, Index: i, Scale: 1})
		}
		out(yp, 19595, 38470, 7471, 1<<15)
		out(cbp, -11059, -21709, 32768, 128<<16+1<<15-1)
		out(crp, 32768, -27439, -5329, 128<<16+1<<15-1)
		ADDQ(U8(64), pix)
	})
	VZEROUPPER()
	RET()
}

func halveRows() {
	TEXT("halveRowsAVX512", NOSPLIT, "func(dst, a, b *byte, n int)")
	Pragma("noescape")
	Doc("halveRowsAVX512 is HalveRows for n results, a multiple of 32.")
	dst, a, b, n := load64("dst"), load64("a"), load64("b"), load64("n")
	ones, round := broadcast(0x01010101), broadcast(2<<16|1)
	i := GP64()
	XORQ(i, i)
	p, q := ZMM(), ZMM()
	loop("halve", i, n, 32, func() {
		VMOVDQU64(Mem{Base: a, Index: i, Scale: 2}, p)
		VMOVDQU64(Mem{Base: b, Index: i, Scale: 2}, q)
		VPMADDUBSW(ones, p, p)
		VPMADDUBSW(ones, q, q)
		VPADDW(q, p, p)
		VPADDW(round, p, p)
		VPSRLW(U8(2), p, p)
		VPMOVWB(p, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

func triangle() {
	TEXT("triangleAVX512", NOSPLIT, "func(dst, near, far *byte, n int)")
	Pragma("noescape")
	Doc("triangleAVX512 is Triangle for n samples, a multiple of 32.")
	dst, near, far, n := load64("dst"), load64("near"), load64("far"), load64("n")
	even, odd := broadcast(8<<16|8), broadcast(7<<16|7)
	i := GP64()
	XORQ(i, i)
	loop("triangle", i, n, 32, func() {
		column := func(disp int) vec {
			v, t := ZMM(), ZMM()
			VMOVDQU64(Mem{Base: near, Index: i, Scale: 2, Disp: disp}, t)
			VPADDW(t, t, v)
			VPADDW(t, v, v)
			VPADDW(Mem{Base: far, Index: i, Scale: 2, Disp: disp}, v, v)
			return v
		}
		left, mid, right, t := column(-2), column(0), column(2), ZMM()
		VPADDW(mid, mid, t)
		VPADDW(mid, t, t)
		VPADDW(t, left, left)
		VPADDW(even, left, left)
		VPSRLW(U8(4), left, left)
		VPADDW(t, right, right)
		VPADDW(odd, right, right)
		VPSRLW(U8(4), right, right)
		VPSLLW(U8(8), right, right)
		VPORD(right, left, left)
		VMOVDQU64(left, Mem{Base: dst, Index: i, Scale: 2})
	})
	VZEROUPPER()
	RET()
}

// inverseBlock transforms one block whose coefficients stand in pairs: pair lo + hi<<32, so that a negative lo has
// borrowed from the upper half.
func inverseBlock() {
	TEXT("inverseBlockAVX512", NOSPLIT, "func(dst *byte, stride int, w *[32]int64) uint32")
	Pragma("noescape")
	Doc("inverseBlockAVX512 is InverseBlock. It returns a number other than 0, with dst untouched, when a result of the first",
		"pass exceeds the range that 16-bit arithmetic holds.")
	lane = YMM
	defer func() { lane = ZMM }()
	dst, stride, w := load64("dst"), load64("stride"), load64("w")
	g := GP64()
	MOVQ(U64(1<<31), g)
	borrow := YMM()
	VPBROADCASTQ(g, borrow)
	upper := K()
	m := GP32()
	MOVL(U32(0xaa), m)
	KMOVW(m, upper)
	var d [8]vec
	for r := range d {
		d[r] = YMM()
		t := YMM()
		VMOVDQU64(Mem{Base: w, Disp: 32 * r}, d[r])
		VPADDQ(borrow, d[r], t)
		VMOVDQA32(t, upper, d[r])
	}
	d = idct1D(d, 1<<10)
	far, kf := K(), K()
	KXORW(far, far, far)
	for _, o := range d {
		shiftRight(o, 11)
		VPCMPUD(U8(6), lane32(2<<14), plus(o, 1<<14), kf)
		KORW(kf, far, far)
	}
	ret := GP32()
	KMOVW(far, ret)
	TESTL(ret, ret)
	JNZ(LabelRef("done"))
	d = idct1D(transpose8(d), 1<<17)
	zero := YMM()
	VPXORD(zero, zero, zero)
	var bytes [8]vec
	for c, o := range d {
		shiftRight(o, 18)
		o = plus(o, 128)
		VPMAXSD(zero, o, o)
		bytes[c] = XMM()
		VPMOVUSDB(o, bytes[c])
	}
	all := ZMM()
	for p := range 4 {
		x := XMM()
		VPUNPCKLQDQ(bytes[2*p+1], bytes[2*p], x)
		if p == 0 {
			VMOVDQA32(x, all.AsX())
		} else {
			VINSERTI32X4(U8(p), x, all, all)
		}
	}
	turn := ZMM()
	VMOVDQU64(byteTable("turn", func(i int) int { return i%8*8 + i/8 }), turn)
	VPERMB(all, turn, all)
	for p := range 4 {
		var x Op = all.AsX()
		if p > 0 {
			x = XMM()
			VEXTRACTI32X4(U8(p), all, x)
		}
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
		o[i] = y(func(a, b, z Op) { VSHUFI64X2(U8(0), a, b, z) }, u[i], u[i+4])
		o[i+4] = y(func(a, b, z Op) { VSHUFI64X2(U8(3), a, b, z) }, u[i], u[i+4])
	}
	return o
}
