package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// warp: the general affine map, sixteen pixels at a time. Coordinates are fixed point, the four neighbors come from
// eight-lane gathers of pixel pairs, interpolation is float32 with fused multiply-add; the result is an estimate whose
// error is bounded, see warpArgs.
func warp() {
	TEXT("warpAVX512", NOSPLIT, "func(a *warpArgs)")
	Pragma("noescape")
	Doc("warpAVX512 estimates the pixels of some rows and sets in the masks the lanes that the estimate does not decide; see",
		"warpArgs.")
	args := Dereference(Param("a"))
	ld := func(name string) reg.GPVirtual { return Load(args.Field(name), GP64()).(reg.GPVirtual) }
	addr := func(name string) Mem {
		c := args.Field(name)
		b, err := c.Resolve()
		if err != nil {
			LogErr(err)
		}
		return b.Addr
	}
	array := func(name string) Mem {
		b, err := args.Field(name).Index(0).Resolve()
		if err != nil {
			LogErr(err)
		}
		return b.Addr
	}
	bc := func(name string) reg.VecVirtual {
		z := ZMM()
		VPBROADCASTD(addr(name), z)
		return z
	}
	dst, src, below, masks := ld("dst"), ld("src"), ld("below"), ld("mask")
	rows, x0, y0 := ld("rows"), ld("x0"), ld("y0")
	w := ld("w")

	offX, offY := ZMM(), ZMM()
	VMOVDQU64(array("offX"), offX)
	VMOVDQU64(array("offY"), offY)
	slack, nearMask := bc("slack"), bc("nearMask")
	half := bc("half")
	wMax, hMax := bc("wMax"), bc("hMax")
	one, scale, margin, margin2, pitch := bc("one"), bc("scale"), bc("margin"), bc("margin2"), bc("pitch")
	shift := XMM()
	VMOVQ(addr("shift"), shift)
	ctl := channelShuffles()
	halves := ZMM()
	VMOVDQU64(constant("halves", func(i int) uint32 { // qwords 0 2 4 6 1 3 5 7
		return []uint32{0, 0, 2, 0, 4, 0, 6, 0, 1, 0, 3, 0, 5, 0, 7, 0}[i]
	}), halves)
	zero := ZMM()
	VPXORD(zero, zero, zero)

	cx, cy, n, g := GP64(), GP64(), GP64(), GP64()
	x, y, t, u := ZMM(), ZMM(), ZMM(), ZMM()
	ix, iy, dx, dy := ZMM(), ZMM(), ZMM(), ZMM()
	t0, t1, a, b, c, d := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	kin, kamb, kt, kc, kg := K(), K(), K(), K(), K()

	Label("rows")
	TESTQ(rows, rows)
	JZ(LabelRef("done"))
	MOVQ(x0, cx)
	MOVQ(y0, cy)
	MOVQ(w, n)
	KXNORW(kt, kt, kt)

	Label("sixteen")
	CMPQ(n, U8(16))
	JGE(LabelRef("full"))
	m := GP32()
	MOVL(U32(0xffff), m)
	BZHIL(n.As32(), m, m)
	KMOVW(m, kt)
	Label("full")
	MOVQ(cx, g)
	SARQ(U8(32), g)
	VPBROADCASTD(g.As32(), x)
	VPADDD(offX, x, x)
	MOVQ(cy, g)
	SARQ(U8(32), g)
	VPBROADCASTD(g.As32(), y)
	VPADDD(offY, y, y)

	// Coordinates within the slack of a whole or half pixel are left to the exact code.
	VPADDD(slack, x, t)
	VPANDD(nearMask, t, t)
	VPCMPD_BCST(U8(2), addr("nearX"), t, kt, kamb)
	VPADDD(slack, y, t)
	VPANDD(nearMask, t, t)
	VPCMPD_BCST(U8(2), addr("nearY"), t, kt, kc)
	KORW(kc, kamb, kamb)

	VPADDD(half, x, t)
	VPCMPUD_BCST(U8(1), addr("wEnd"), t, kt, kin)
	VPADDD(half, y, t)
	VPCMPUD_BCST(U8(1), addr("hEnd"), t, kin, kin)

	// Left and upper neighbor, moved inside; the fraction follows, so that beyond the border it becomes 0 or 1.
	fraction := func(v, max, i, f reg.VecVirtual) {
		VPSRAD(shift, v, i)
		VPMINSD(max, i, i)
		VPMAXSD(zero, i, i)
		VPSLLD(shift, i, t)
		VPSUBD(t, v, t)
		VPMINSD(one, t, t)
		VPMAXSD(zero, t, t)
		VCVTDQ2PS(t, f)
		VMULPS(scale, f, f)
	}
	fraction(x, wMax, ix, dx)
	fraction(y, hMax, iy, dy)
	VPMADDWD(pitch, iy, t)
	VPADDD(ix, t, t)
	VPERMQ(t, halves, t) // even pairs of pixels low, odd pairs high
	VEXTRACTI64X4(U8(1), t, u.AsY())
	gather := func(base reg.GPVirtual, p, q reg.VecVirtual) {
		KXNORW(kg, kg, kg)
		VPXORD(t0, t0, t0)
		VPGATHERDQ(Mem{Base: base, Index: t.AsY(), Scale: 4}, kg, t0)
		KXNORW(kg, kg, kg)
		VPXORD(t1, t1, t1)
		VPGATHERDQ(Mem{Base: base, Index: u.AsY(), Scale: 4}, kg, t1)
		VSHUFPS(U8(0x88), t1, t0, p)
		VSHUFPS(U8(0xdd), t1, t0, q)
	}
	gather(src, a, b)
	gather(below, c, d)

	// Where all four are equal the value is exact whatever the fraction.
	flat, out := ZMM(), ZMM()
	VPXORD(a, b, flat)
	VPTERNLOGD(U8(0xf6), c, a, flat) // flat | (a^c)
	VPTERNLOGD(U8(0xf6), d, a, flat)
	fa, fb := ZMM(), ZMM()
	for ch := range 3 {
		lerp := func(p, q, r, s reg.VecVirtual) {
			VPSHUFB(ctl[ch], p, r)
			VCVTDQ2PS(r, r)
			VPSHUFB(ctl[ch], q, s)
			VCVTDQ2PS(s, s)
			VSUBPS(r, s, s)
			VFMADD231PS(dx, s, r)
		}
		lerp(a, b, fa, t0)
		lerp(c, d, fb, t0)
		VSUBPS(fa, fb, fb)
		VADDPS(margin, fa, fa)
		VFMADD231PS(dy, fb, fa)
		VPTESTMD_BCST(constantMask(ch), flat, kin, kc)
		VREDUCEPS(U8(1), fa, t0)
		VCMPPS(U8(1), margin2, t0, kc, kc)
		KORW(kc, kamb, kamb)
		VCVTTPS2DQ(fa, fa)
		switch ch {
		case 0:
			VPORD_BCST(constantMask(3), fa, out)
		default:
			VPSLLD(U8(8*ch), fa, fa)
			VPORD(fa, out, out)
		}
	}
	VPBROADCASTD(addr("fill"), t0)
	VMOVDQA32(out, kin, t0)
	VMOVDQU32(t0, kt, Mem{Base: dst})
	KMOVW(kamb, Mem{Base: masks})
	ADDQ(U8(2), masks)
	ADDQ(addr("xStep"), cx)
	ADDQ(addr("yStep"), cy)
	CMPQ(n, U8(16))
	JLE(LabelRef("rowdone"))
	ADDQ(U8(64), dst)
	SUBQ(U8(16), n)
	JMP(LabelRef("sixteen"))

	Label("rowdone")
	LEAQ(Mem{Base: dst, Index: n, Scale: 4}, dst)
	ADDQ(addr("xRow"), x0)
	ADDQ(addr("yRow"), y0)
	DECQ(rows)
	JMP(LabelRef("rows"))
	Label("done")
	VZEROUPPER()
	RET()
}

// constantMask is a 32-bit word in memory: the byte of channel ch of a pixel.
func constantMask(ch int) Mem {
	name := []string{"maskR", "maskG", "maskB", "maskX"}[ch]
	if m, ok := globals[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, U32(0xff<<(8*ch)))
	globals[name] = m
	return m
}
