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

// warp8 is warp for eight pixels at a time with AVX2 and FMA. Masks are whole lanes, so constants live in memory.
func warp8() {
	TEXT("warpAVX2", NOSPLIT, "func(a *warpArgs8)")
	Pragma("noescape")
	Doc("warpAVX2 estimates the pixels of some rows and sets in the masks, a byte for eight pixels, the lanes that the",
		"estimate does not decide; see warpArgs.")
	args := Dereference(Param("a"))
	ld := func(name string) reg.GPVirtual { return Load(args.Field(name), GP64()).(reg.GPVirtual) }
	addr := func(name string) Mem {
		b, err := args.Field(name).Resolve()
		if err != nil {
			panic(err)
		}
		return b.Addr
	}
	array := func(name string) Mem {
		b, err := args.Field(name).Index(0).Resolve()
		if err != nil {
			panic(err)
		}
		return b.Addr
	}
	dst, src, below, masks := ld("dst"), ld("src"), ld("below"), ld("mask")
	rows, x0, y0, w := ld("rows"), ld("x0"), ld("y0"), ld("w")
	shift, zero := XMM(), YMM()
	VMOVQ(addr("shift"), shift)
	VPXOR(zero, zero, zero)

	cx, cy, n, g := GP64(), GP64(), GP64(), GP64()
	x, y, t, ix := YMM(), YMM(), YMM(), YMM()
	in, bad, keep := YMM(), YMM(), YMM()
	position := func(c reg.GPVirtual, off Mem, v reg.VecVirtual) {
		MOVQ(c, g)
		SARQ(U8(32), g)
		VMOVD(g.As32(), v.AsX())
		VPBROADCASTD(v.AsX(), v)
		VPADDD(off, v, v)
	}

	Label("rows8")
	TESTQ(rows, rows)
	JZ(LabelRef("done8"))
	MOVQ(x0, cx)
	MOVQ(y0, cy)
	MOVQ(w, n)

	Label("eight")
	// Lanes in use: those whose number is below n.
	VMOVD(n.As32(), t.AsX())
	VPBROADCASTD(t.AsX(), t)
	VPCMPGTD(constant("lanes", func(i int) uint32 { return uint32(i) }), t, keep)

	position(cx, array("offX"), x)
	position(cy, array("offY"), y)
	near := func(v reg.VecVirtual, width string) {
		VPADDD(array("slack"), v, t)
		VPAND(array("nearMask"), t, t)
		VPCMPGTD(array(width), t, t) // not near
	}
	near(x, "nearX")
	VMOVDQA(t, bad)
	near(y, "nearY")
	VPAND(t, bad, bad)
	VPCMPEQD(zero, bad, bad)

	inside := func(v reg.VecVirtual, end Mem) {
		VPADDD(array("half"), v, t)
		VMOVDQU(end, ix)
		VPCMPGTD(t, ix, ix) // t < end
		VPSRAD(U8(31), t, t)
		VPANDN(ix, t, t) // and not negative
	}
	inside(x, array("wEnd"))
	VPAND(keep, t, in)
	inside(y, array("hEnd"))
	VPAND(t, in, in)

	dx, dy := YMM(), YMM()
	fraction := func(v, i reg.VecVirtual, max Mem, f reg.VecVirtual) {
		VPSRAD(shift, v, i)
		VPMINSD(max, i, i)
		VPMAXSD(zero, i, i)
		VPSLLD(shift, i, t)
		VPSUBD(t, v, t)
		VPMINSD(array("one"), t, t)
		VPMAXSD(zero, t, t)
		VCVTDQ2PS(t, f)
		VMULPS(array("scale"), f, f)
	}
	fraction(x, ix, array("wMax"), dx)
	iy := YMM()
	fraction(y, iy, array("hMax"), dy)
	VPMADDWD(array("pitch"), iy, iy)
	VPADDD(iy, ix, ix)
	VPERMQ(U8(0xd8), ix, ix) // pixels 0 1 4 5 low, 2 3 6 7 high
	hi := YMM()
	VEXTRACTI128(U8(1), ix, hi.AsX())
	a, b, c, d := YMM(), YMM(), YMM(), YMM()
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
	gather(src, a, b)
	gather(below, c, d)
	flat, s := YMM(), YMM()
	VPXOR(a, b, flat)
	VPXOR(a, c, s)
	VPOR(s, flat, flat)
	VPXOR(a, d, s)
	VPOR(s, flat, flat)

	out := YMM()
	VMOVDQU(array("alpha"), out)
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
		lerp(a, b, fa)
		lerp(c, d, fb)
		VSUBPS(fa, fb, fb)
		VADDPS(array("margin"), fa, fa)
		VFMADD231PS(dy, fb, fa)
		VROUNDPS(U8(1), fa, fb)
		VSUBPS(fb, fa, s)
		VCMPPS(U8(1), array("margin2"), s, s) // close to a whole number
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
	VMOVDQU(array("fill"), t)
	VPBLENDVB(in, out, t, t)
	VPMASKMOVD(t, keep, Mem{Base: dst})
	VPAND(keep, bad, bad)
	VMOVMSKPS(bad, g.As32())
	MOVB(g.As8(), Mem{Base: masks})
	INCQ(masks)
	ADDQ(addr("xStep"), cx)
	ADDQ(addr("yStep"), cy)
	CMPQ(n, U8(8))
	JLE(LabelRef("rowdone8"))
	ADDQ(U8(32), dst)
	SUBQ(U8(8), n)
	JMP(LabelRef("eight"))

	Label("rowdone8")
	LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
	ADDQ(addr("xRow"), x0)
	ADDQ(addr("yRow"), y0)
	DECQ(rows)
	JMP(LabelRef("rows8"))
	Label("done8")
	VZEROUPPER()
	RET()
}
