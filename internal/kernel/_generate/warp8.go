package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// warp8 is warp for eight pixels at a time with AVX2 and FMA. Masks are whole lanes, so constants live in memory.
func warp8() {
	TEXT("warpAVX2", NOSPLIT, "func(a *warpArgs8, in *warpInner)")
	Pragma("noescape")
	Doc("warpAVX2 estimates the pixels of some rows and sets in the masks, a byte for eight pixels, the lanes that the",
		"estimate does not decide; see warpArgs. rows, x0 and y0 of a are then those of the rows that are left.")
	l := singles[1].newWarpLoop()
	l.bad, l.offX, l.offY = YMM(), array(l.args, "offX"), array(l.args, "offY")
	dst, masks := l.arg("dst"), l.arg("mask")

	Label("rows8")
	MOVQ(field(l.args, "x0"), l.cx)
	MOVQ(field(l.args, "y0"), l.cy)
	MOVQ(field(l.args, "w"), l.n)

	Label("eight")
	CMPQ(l.n, U8(8))
	JLT(LabelRef("border"))
	sums, decided, zero := l.inside("border"), l.broadcast(l.in, "decided"), l.zero()
	VMOVDQU(l.out, Mem{Base: dst})
	MOVB(U8(0), Mem{Base: masks})
	l.jumpIfDecided(sums, decided, zero, "next")
	l.doubtful8(sums, decided, zero)
	VMOVMSKPS(l.bad, l.g.As32())
	MOVB(l.g.As8(), Mem{Base: masks})
	JMP(LabelRef("next"))
	Label("border")
	keep := l.border8()
	VPMASKMOVD(l.out, keep, Mem{Base: dst})
	VPAND(keep, l.bad, l.bad)
	VMOVMSKPS(l.bad, l.g.As32())
	MOVB(l.g.As8(), Mem{Base: masks})
	Label("next")
	INCQ(masks)
	ADDQ(field(l.args, "xStep"), l.cx)
	ADDQ(field(l.args, "yStep"), l.cy)
	CMPQ(l.n, U8(8))
	JLE(LabelRef("rowdone"))
	ADDQ(U8(32), dst)
	SUBQ(U8(8), l.n)
	JMP(LabelRef("eight"))

	Label("rowdone")
	LEAQ(Mem{Base: dst, Index: l.n, Scale: 4}, dst)
	MOVQ(field(l.args, "xRow"), l.g)
	ADDQ(l.g, field(l.args, "x0"))
	MOVQ(field(l.args, "yRow"), l.g)
	ADDQ(l.g, field(l.args, "y0"))
	DECQ(field(l.args, "rows"))
	JNZ(LabelRef("rows8"))
	VZEROUPPER()
	RET()
}

// near8 leaves in l.bad the lanes whose coordinate is within the slack of a whole or half pixel.
func (l *warpLoop) near8(zero reg.VecVirtual) {
	near := func(v reg.VecVirtual, width string) {
		VPADDD(array(l.args, "slack"), v, l.t)
		VPAND(array(l.args, "nearMask"), l.t, l.t)
		VPCMPGTD(array(l.args, width), l.t, l.t) // not near
	}
	near(l.x, "nearX")
	VMOVDQA(l.t, l.bad)
	near(l.y, "nearY")
	VPAND(l.t, l.bad, l.bad)
	VPCMPEQD(zero, l.bad, l.bad)
}

// differ8 leaves in flat the bits in which the four neighbors are not all equal.
func (l *warpLoop) differ8(flat reg.VecVirtual) {
	VPXOR(l.a, l.b, flat)
	VPXOR(l.a, l.c, l.t)
	VPOR(l.t, flat, flat)
	VPXOR(l.a, l.d, l.t)
	VPOR(l.t, flat, flat)
}

// border8 is border for AVX2. It returns the lanes in use.
func (l *warpLoop) border8() (keep reg.VecVirtual) {
	zero, in, x, y, t, bad := l.zero(), YMM(), l.x, l.y, l.t, l.bad
	keep = YMM()
	position := func(c reg.GPVirtual, off Op, v reg.VecVirtual) {
		MOVQ(c, l.g)
		SARQ(U8(32), l.g)
		VMOVD(l.g.As32(), v.AsX())
		VPBROADCASTD(v.AsX(), v)
		VPADDD(off, v, v)
	}
	ix := YMM()
	// Lanes in use: those whose number is below n.
	VMOVD(l.n.As32(), t.AsX())
	VPBROADCASTD(t.AsX(), t)
	VPCMPGTD(constant("lanes", func(i int) uint32 { return uint32(i) }), t, keep)

	position(l.cx, l.offX, x)
	position(l.cy, l.offY, y)
	l.near8(zero)
	inside := func(v reg.VecVirtual, end Mem) {
		VPADDD(array(l.args, "half"), v, t)
		VMOVDQU(end, ix)
		VPCMPGTD(t, ix, ix) // t < end
		VPSRAD(U8(31), t, t)
		VPANDN(ix, t, t) // and not negative
	}
	inside(x, array(l.args, "wEnd"))
	VPAND(keep, t, in)
	inside(y, array(l.args, "hEnd"))
	VPAND(t, in, in)

	dx, dy := YMM(), YMM()
	fraction := func(v, i reg.VecVirtual, max Mem, f reg.VecVirtual) {
		VPSRAD(l.shift, v, i)
		VPMINSD(max, i, i)
		VPMAXSD(zero, i, i)
		VPSLLD(l.shift, i, t)
		VPSUBD(t, v, t)
		VPMINSD(array(l.args, "one"), t, t)
		VPMAXSD(zero, t, t)
		VCVTDQ2PS(t, f)
		VMULPS(array(l.args, "scale"), f, f)
	}
	fraction(x, ix, array(l.args, "wMax"), dx)
	iy := YMM()
	fraction(y, iy, array(l.args, "hMax"), dy)
	VPMADDWD(array(l.args, "pitch"), iy, iy)
	VPADDD(iy, ix, ix)
	VPERMQ(U8(0xd8), ix, ix) // pixels 0 1 4 5 low, 2 3 6 7 high
	hi := YMM()
	VEXTRACTI128(U8(1), ix, hi.AsX())
	gather := func(base reg.GPVirtual, p, q reg.VecVirtual) {
		m, t1 := YMM(), YMM()
		VPCMPEQD(m, m, m)
		VPXOR(t, t, t)
		VPGATHERDQ(m, Mem{Base: base, Index: ix.AsX(), Scale: 4}, t)
		VPCMPEQD(m, m, m)
		VPXOR(t1, t1, t1)
		VPGATHERDQ(m, Mem{Base: base, Index: hi.AsX(), Scale: 4}, t1)
		VSHUFPS(U8(0x88), t1, t, p)
		VSHUFPS(U8(0xdd), t1, t, q)
	}
	MOVQ(field(l.args, "src"), l.p)
	gather(l.p, l.a, l.b)
	MOVQ(field(l.args, "below"), l.p)
	gather(l.p, l.c, l.d)
	flat, s := YMM(), YMM()
	l.differ8(flat)

	out := l.out
	VMOVDQU(array(l.args, "alpha"), out)
	fa, fb := YMM(), YMM()
	for ch := range 3 {
		lerp := func(p, q, r reg.VecVirtual) {
			VPSHUFB(channelShuffle8(ch), p, r)
			VCVTDQ2PS(r, r)
			VPSHUFB(channelShuffle8(ch), q, s)
			VCVTDQ2PS(s, s)
			VSUBPS(r, s, s)
			VFMADD231PS(dx, s, r)
		}
		lerp(l.a, l.b, fa)
		lerp(l.c, l.d, fb)
		VSUBPS(fa, fb, fb)
		VADDPS(array(l.args, "margin"), fa, fa)
		VFMADD231PS(dy, fb, fa)
		VROUNDPS(U8(1), fa, fb)
		VSUBPS(fb, fa, s)
		VCMPPS(U8(1), array(l.args, "margin2"), s, s) // close to a whole number
		VPSHUFB(channelShuffle8(ch), flat, t)
		VPCMPEQD(zero, t, t)
		VPANDN(s, t, t) // and the neighbors differ
		VPAND(in, t, t)
		VPOR(t, bad, bad)
		VCVTTPS2DQ(fb, fb)
		if ch > 0 {
			VPSLLD(U8(8*ch), fb, fb)
		}
		VPOR(fb, out, out)
	}
	VMOVDQU(array(l.args, "fill"), t)
	VPBLENDVB(in, out, t, out)
	return keep
}
