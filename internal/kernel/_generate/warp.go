package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// warp: the general affine map, sixteen pixels at a time. Coordinates are fixed point, interpolation is float32 with fused
// multiply-add; the result is an estimate whose error is bounded, see warpArgs. Pixels at the border of the source, whose
// neighbors come from eight-lane gathers of pixel pairs, are done apart from those inside (inside).
func warp() {
	TEXT("warpAVX512", NOSPLIT, "func(a *warpArgs, in *warpInner)")
	Pragma("noescape")
	Doc("warpAVX512 estimates the pixels of some rows and sets in the masks the lanes that the estimate does not decide; see",
		"warpArgs. rows, x0 and y0 of a are then those of the rows that are left.")
	l := singles[0].newWarpLoop()
	l.t0, l.t1, l.kall, l.undecided = ZMM(), ZMM(), K(), K()
	dst, masks := l.arg("dst"), l.arg("mask")
	l.offX, l.offY, l.halves = l.load(array(l.args, "offX")), l.load(array(l.args, "offY")), ZMM()
	VMOVDQU64(constant("halves", func(i int) uint32 { // qwords 0 2 4 6 1 3 5 7
		return []uint32{0, 0, 2, 0, 4, 0, 6, 0, 1, 0, 3, 0, 5, 0, 7, 0}[i]
	}), l.halves)
	l.pitch = l.broadcast(l.args, "pitch")

	Label("rows")
	MOVQ(field(l.args, "x0"), l.cx)
	MOVQ(field(l.args, "y0"), l.cy)
	MOVQ(field(l.args, "w"), l.n)
	KXNORW(l.kall, l.kall, l.kall)

	Label("sixteen")
	CMPQ(l.n, U8(16))
	JGE(LabelRef("full"))
	m := GP32()
	MOVL(U32(0xffff), m)
	BZHIL(l.n.As32(), m, m)
	KMOVW(m, l.kall)
	JMP(LabelRef("border"))
	Label("full")
	sums, decided := l.inside("border"), l.broadcast(l.in, "decided")
	KXORW(l.kall, l.kall, l.undecided)
	l.jumpIfDecided(sums, decided, nil, "store")
	l.doubtful(sums, decided)
	JMP(LabelRef("store"))
	Label("border")
	l.border()
	Label("store")
	VMOVDQU32(l.out, l.kall, Mem{Base: dst})
	KMOVW(l.undecided, Mem{Base: masks})
	ADDQ(U8(2), masks)
	ADDQ(field(l.args, "xStep"), l.cx)
	ADDQ(field(l.args, "yStep"), l.cy)
	CMPQ(l.n, U8(16))
	JLE(LabelRef("rowdone"))
	ADDQ(U8(64), dst)
	SUBQ(U8(16), l.n)
	JMP(LabelRef("sixteen"))

	Label("rowdone")
	LEAQ(Mem{Base: dst, Index: l.n, Scale: 4}, dst)
	MOVQ(field(l.args, "xRow"), l.g)
	ADDQ(l.g, field(l.args, "x0"))
	MOVQ(field(l.args, "yRow"), l.g)
	ADDQ(l.g, field(l.args, "y0"))
	DECQ(field(l.args, "rows"))
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// warpLoop is what the steps of warpAVX512 and warpAVX2 share.
type warpLoop struct {
	single
	args, in                 gotypes.Component
	cx, cy, n                reg.GPVirtual // source of the first pixel, pixels left of the row
	stride, p, g             reg.GPVirtual // bytes of a row; for any use
	offX, offY               Op
	pack                     packer
	shift                    reg.VecVirtual // s of warpArgs, which is in CL too
	x, y, a, b, c, d, t, out reg.VecVirtual
	halves, pitch, t0, t1    reg.VecVirtual    // of AVX-512
	kall, undecided          reg.OpmaskVirtual // of AVX-512
	bad                      reg.VecVirtual    // of AVX2
}

func (s single) newWarpLoop() *warpLoop {
	l := &warpLoop{single: s, args: Dereference(Param("a")), in: Dereference(Param("in")), shift: XMM(), pack: s.newPacker()}
	for _, v := range []*reg.GPVirtual{&l.cx, &l.cy, &l.n, &l.g, &l.p, &l.stride} {
		*v = GP64()
	}
	for _, v := range []*reg.VecVirtual{&l.x, &l.y, &l.a, &l.b, &l.c, &l.d, &l.t, &l.out} {
		*v = s.vec()
	}
	MOVQ(field(l.args, "shift"), reg.RCX)
	VMOVQ(reg.RCX, l.shift)
	MOVQ(field(l.args, "w"), l.stride)
	SHLQ(U8(2), l.stride)
	return l
}

func (l *warpLoop) arg(name string) reg.GPVirtual {
	return Load(l.args.Field(name), GP64()).(reg.GPVirtual)
}

func (l *warpLoop) broadcast(args gotypes.Component, name string) reg.VecVirtual {
	v := l.vec()
	VPBROADCASTD(field(args, name), v)
	return v
}

// field is where a field of a struct is.
func field(args gotypes.Component, name string) Mem {
	c := args.Field(name)
	if b, err := c.Resolve(); err == nil {
		return b.Addr
	}
	return array(args, name) // constants of AVX2 are arrays of equal lanes
}

// array is where an array in a struct begins.
func array(args gotypes.Component, name string) Mem {
	b, err := args.Field(name).Index(0).Resolve()
	if err != nil {
		LogErr(err)
	}
	return b.Addr
}

// pairs gathers from base and the row below the pixels at index t of the lanes into a and c, and their right neighbors into b
// and d. t is lost.
func (l *warpLoop) pairs(base, below reg.GPVirtual) {
	kg, u := K(), ZMM()
	VPERMQ(l.t, l.halves, l.t) // even pairs of pixels low, odd pairs high
	VEXTRACTI64X4(U8(1), l.t, u.AsY())
	gather := func(base reg.GPVirtual, p, q reg.VecVirtual) {
		KXNORW(l.kall, l.kall, kg)
		VPXORD(l.t0, l.t0, l.t0)
		VPGATHERDQ(Mem{Base: base, Index: l.t.AsY(), Scale: 4}, kg, l.t0)
		KXNORW(l.kall, l.kall, kg)
		VPXORD(l.t1, l.t1, l.t1)
		VPGATHERDQ(Mem{Base: base, Index: u.AsY(), Scale: 4}, kg, l.t1)
		VSHUFPS(U8(0x88), l.t1, l.t0, p)
		VSHUFPS(U8(0xdd), l.t1, l.t0, q)
	}
	gather(base, l.a, l.b)
	gather(below, l.c, l.d)
}

// differ leaves in flat the bits in which the four neighbors are not all equal.
func (l *warpLoop) differ(flat reg.VecVirtual) {
	VPXORD(l.a, l.b, flat)
	VPTERNLOGD(U8(0xf6), l.c, l.a, flat) // flat | (a^c)
	VPTERNLOGD(U8(0xf6), l.d, l.a, flat)
}

// near leaves in l.undecided the lanes whose coordinate is within the slack of a whole or half pixel.
func (l *warpLoop) near() {
	k, slack, nearMask := K(), l.broadcast(l.args, "slack"), l.broadcast(l.args, "nearMask")
	VPADDD(slack, l.x, l.t)
	VPANDD(nearMask, l.t, l.t)
	VPCMPD_BCST(U8(2), field(l.args, "nearX"), l.t, l.kall, l.undecided)
	VPADDD(slack, l.y, l.t)
	VPANDD(nearMask, l.t, l.t)
	VPCMPD_BCST(U8(2), field(l.args, "nearY"), l.t, l.kall, k)
	KORW(k, l.undecided, l.undecided)
}

// border does any sixteen pixels. Its constants are loaded when they are needed: few pixels are at a border.
func (l *warpLoop) border() {
	bc := func(name string) reg.VecVirtual { return l.broadcast(l.args, name) }
	zero, one, scale := ZMM(), bc("one"), bc("scale")
	VPXORD(zero, zero, zero)
	position := func(c reg.GPVirtual, off Op, v reg.VecVirtual) {
		MOVQ(c, l.g)
		SARQ(U8(32), l.g)
		VPBROADCASTD(l.g.As32(), v)
		VPADDD(off, v, v)
	}
	position(l.cx, l.offX, l.x)
	position(l.cy, l.offY, l.y)
	l.near() // left to the exact code

	kin, kc, half := K(), K(), bc("half")
	VPADDD(half, l.x, l.t)
	VPCMPUD_BCST(U8(1), field(l.args, "wEnd"), l.t, l.kall, kin)
	VPADDD(half, l.y, l.t)
	VPCMPUD_BCST(U8(1), field(l.args, "hEnd"), l.t, kin, kin)

	// Left and upper neighbor, moved inside; the fraction follows, so that beyond the border it becomes 0 or 1.
	fraction := func(v, max, i, f reg.VecVirtual) {
		VPSRAD(l.shift, v, i)
		VPMINSD(max, i, i)
		VPMAXSD(zero, i, i)
		VPSLLD(l.shift, i, l.t)
		VPSUBD(l.t, v, l.t)
		VPMINSD(one, l.t, l.t)
		VPMAXSD(zero, l.t, l.t)
		VCVTDQ2PS(l.t, f)
		VMULPS(scale, f, f)
	}
	ix, iy, dx, dy := ZMM(), ZMM(), ZMM(), ZMM()
	fraction(l.x, bc("wMax"), ix, dx)
	fraction(l.y, bc("hMax"), iy, dy)
	VPMADDWD(l.pitch, iy, l.t)
	VPADDD(ix, l.t, l.t)
	MOVQ(field(l.args, "src"), l.p)
	MOVQ(field(l.args, "below"), l.g)
	l.pairs(l.p, l.g)

	// Where all four are equal the value is exact whatever the fraction.
	flat, fa, fb := ZMM(), ZMM(), ZMM()
	l.differ(flat)
	ctl, margin, margin2 := channelShuffles(), bc("margin"), bc("margin2")
	for ch := range 3 {
		lerp := func(p, q, r, s reg.VecVirtual) {
			VPSHUFB(ctl[ch], p, r)
			VCVTDQ2PS(r, r)
			VPSHUFB(ctl[ch], q, s)
			VCVTDQ2PS(s, s)
			VSUBPS(r, s, s)
			VFMADD231PS(dx, s, r)
		}
		lerp(l.a, l.b, fa, l.t0)
		lerp(l.c, l.d, fb, l.t0)
		VSUBPS(fa, fb, fb)
		VADDPS(margin, fa, fa)
		VFMADD231PS(dy, fb, fa)
		VPTESTMD_BCST(constantMask(ch), flat, kin, kc)
		VREDUCEPS(U8(1), fa, l.t0)
		VCMPPS(U8(1), margin2, l.t0, kc, kc)
		KORW(kc, l.undecided, l.undecided)
		VCVTTPS2DQ(fa, fa)
		switch ch {
		case 0:
			VPORD_BCST(constantMask(3), fa, l.out)
		default:
			VPSLLD(U8(8*ch), fa, fa)
			VPORD(fa, l.out, l.out)
		}
	}
	VPBROADCASTD(field(l.args, "fill"), l.t0)
	VMOVDQA32(l.out, kin, l.t0)
	VMOVDQA64(l.t0, l.out)
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
