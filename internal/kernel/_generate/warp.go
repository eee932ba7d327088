package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shearRow: with one fraction f for a whole row, A + (B-A)*f truncated is A plus a number that depends on B-A alone, so a
// table of floor(d*f) for d = 0..255 turns the row into byte look-ups.
func shearRow() {
	TEXT("shearRowAVX512", NOSPLIT, "func(dst, src *byte, n int, q uint32) uint32")
	Pragma("noescape")
	Doc("shearRowAVX512 interpolates n pixels between src and its right neighbor at the fraction q/2^24: n+1 pixels of src",
		"are read. It does nothing and returns a number other than 0 when, for some difference d of two values, d*q is so",
		"close to a whole number that the exact fraction would have to decide.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	q := Load(Param("q"), GP32())
	zq, v, t, near := ZMM(), ZMM(), ZMM(), ZMM()
	VPBROADCASTD(q, zq)
	lanes := constant("lanes", func(i int) uint32 { return uint32(i) })
	VMOVDQU64(lanes, t)
	VPMULLD(t, zq, v) // d*q for d = 0..15
	VPSLLD(U8(4), zq, zq)
	slack, frac, width := broadcast(160), broadcast(0xffffff), broadcast(320)
	VPXORD(near, near, near)
	table := AllocLocal(256)
	kn, kAll := K(), K()
	KXORW(kAll, kAll, kAll)
	first := GP32()
	MOVL(U32(0xfffe), first)
	kFirst := K()
	KMOVW(first, kFirst)
	for d := range 16 {
		VPADDD(slack, v, t)
		VPANDD(frac, t, t)
		if d == 0 {
			VPCMPUD(U8(1), width, t, kFirst, kn)
		} else {
			VPCMPUD(U8(1), width, t, kn)
		}
		KORW(kn, kAll, kAll)
		VPSRLD(U8(24), v, t)
		VPMOVDB(t, table.Offset(16*d))
		if d < 15 {
			VPADDD(zq, v, v)
		}
	}
	ret := GP32()
	KMOVW(kAll, ret)
	TESTL(ret, ret)
	JNZ(LabelRef("undecided"))

	var tab [4]reg.VecVirtual
	for i := range tab {
		tab[i] = ZMM()
		VMOVDQU64(table.Offset(64*i), tab[i])
	}
	ones := ZMM()
	VPTERNLOGD(U8(0xff), ones, ones, ones)
	a, b, down, up, lo, hi := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	kneg, khi := K(), K()
	lerp := func() {
		VPSUBUSB(b, a, down) // a-b where a > b
		VPSUBUSB(a, b, up)
		VPTESTMB(down, down, kneg)
		VPORD(down, up, up)
		VPMOVB2M(up, khi)
		VMOVDQA64(up, lo)
		VPERMI2B(tab[1], tab[0], lo)
		VMOVDQA64(up, hi)
		VPERMI2B(tab[3], tab[2], hi)
		VMOVDQU8(hi, khi, lo)
		VPSUBB(lo, ones, kneg, lo) // -floor(d*f)-1 is the floor for negative differences
		VPADDB(lo, a, a)
	}
	Label("sixteen")
	CMPQ(n, U8(16))
	JLT(LabelRef("tail"))
	VMOVDQU64(Mem{Base: src}, a)
	VMOVDQU64(Mem{Base: src, Disp: 4}, b)
	lerp()
	VMOVDQU64(a, Mem{Base: dst})
	ADDQ(U8(64), src)
	ADDQ(U8(64), dst)
	SUBQ(U8(16), n)
	JMP(LabelRef("sixteen"))

	Label("tail")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	kt := tailMask(n)
	VMOVDQU32_Z(Mem{Base: src}, kt, a)
	VMOVDQU32_Z(Mem{Base: src, Disp: 4}, kt, b)
	lerp()
	VMOVDQU32(a, kt, Mem{Base: dst})

	Label("done")
	XORL(ret, ret)
	Label("undecided")
	Store(ret, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// tailMask returns the mask of the low n lanes, 0 <= n < 16.
func tailMask(n reg.GPVirtual) reg.OpmaskVirtual {
	g, k := GP32(), K()
	MOVL(U32(0xffff), g)
	BZHIL(n.As32(), g, g)
	KMOVW(g, k)
	return k
}

// shearColumns: sixteen columns at a time, each with its own fraction and its own row offset of 0, 1 or 2 relative to the
// strip's; rows stream downwards through four registers.
func shearColumns() {
	TEXT("shearColumnsAVX512", NOSPLIT, "func(a *shearArgs)")
	Pragma("noescape")
	Doc("shearColumnsAVX512 interpolates a strip of up to sixteen columns vertically; see shearArgs. Lanes whose truncation",
		"the exact fraction would have to decide are set in the masks.")
	args := Dereference(Param("a"))
	ld := func(name string) reg.GPVirtual { return Load(args.Field(name), GP64()).(reg.GPVirtual) }
	dst, src, masks := ld("dst"), ld("src"), ld("mask")
	stride, y, yEnd, row, last := ld("stride"), ld("y"), ld("yEnd"), ld("row"), ld("last")
	vec := func(name string) reg.VecVirtual {
		m, err := args.Field(name).Index(0).Resolve()
		if err != nil {
			LogErr(err)
		}
		z := ZMM()
		VMOVDQU64(m.Addr, z)
		return z
	}
	q, yMin, yMax := vec("q"), vec("yMin"), vec("yMax")
	k1, k2, kt := K(), K(), K()
	g := GP32()
	Load(args.Field("k1"), g)
	KMOVW(g, k1)
	Load(args.Field("k2"), g)
	KMOVW(g, k2)
	Load(args.Field("kt"), g)
	KMOVW(g, kt)
	Load(args.Field("fill"), g)
	fill := ZMM()
	VPBROADCASTD(g, fill)

	ctl := channelShuffles()
	margin, frac, width, alpha := broadcast(256), broadcast(1<<22-1), broadcast(512), broadcast(0xff000000)
	var rows [4]reg.VecVirtual
	p, zero := GP64(), GP64()
	XORQ(zero, zero)
	loadRow := func(z reg.VecVirtual) { // row is clamped to the image: the border repeats
		MOVQ(row, p)
		CMPQ(p, last)
		CMOVQGT(last, p)
		TESTQ(p, p)
		CMOVQLT(zero, p)
		IMULQ(stride, p)
		VMOVDQU32_Z(Mem{Base: src, Index: p, Scale: 1}, kt, z)
		INCQ(row)
	}
	for i := range rows {
		rows[i] = ZMM()
		if i < 3 {
			loadRow(rows[i])
		}
	}
	zy, one := ZMM(), broadcast(1)
	VPBROADCASTD(y.As32(), zy)
	a, b, ac, bc, v, out, res := ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	kin, kc, kamb := K(), K(), K()
	Label("row")
	CMPQ(y, yEnd)
	JGE(LabelRef("done"))
	loadRow(rows[3])
	VMOVDQA64(rows[0], a)
	VMOVDQA32(rows[1], k1, a)
	VMOVDQA32(rows[2], k2, a)
	VMOVDQA64(rows[1], b)
	VMOVDQA32(rows[2], k1, b)
	VMOVDQA32(rows[3], k2, b)
	VPCMPD(U8(5), yMin, zy, kt, kin) // y >= yMin
	VPCMPD(U8(1), yMax, zy, kin, kin)
	KXORW(kamb, kamb, kamb)
	for c := range 3 {
		VPSHUFB(ctl[c], a, ac)
		VPSHUFB(ctl[c], b, bc)
		VPSUBD(ac, bc, bc)
		VPTESTMD(bc, bc, kin, kc)
		VPMULLD(q, bc, v)
		VPSLLD(U8(22), ac, ac)
		VPADDD(margin, v, v)
		VPADDD(ac, v, v)
		VPANDD(frac, v, bc)
		VPCMPUD(U8(1), width, bc, kc, kc)
		KORW(kc, kamb, kamb)
		VPSRLD(U8(22), v, v)
		if c == 0 {
			VPORD(alpha, v, res)
		} else {
			VPSLLD(U8(8*c), v, v)
			VPORD(v, res, res)
		}
	}
	VMOVDQA64(fill, out)
	VMOVDQA32(res, kin, out)
	VMOVDQU32(out, kt, Mem{Base: dst})
	KMOVW(kamb, Mem{Base: masks})
	ADDQ(U8(2), masks)
	ADDQ(stride, dst)
	VPADDD(one, zy, zy)
	VMOVDQA64(rows[1], rows[0])
	VMOVDQA64(rows[2], rows[1])
	VMOVDQA64(rows[3], rows[2])
	INCQ(y)
	JMP(LabelRef("row"))
	Label("done")
	VZEROUPPER()
	RET()
}

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
