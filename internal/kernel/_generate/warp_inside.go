package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inside estimates a register of pixels all of whose neighbors are in the source, or jumps to outside. Coordinates are taken
// from the upper left of these neighbors on, so that whole pixels are small numbers. Channels are summed as in mixBytes.
func (l *warpLoop) inside(outside string) (sums [3]reg.VecVirtual) {
	gx, gy := l.p, l.g
	inner := func(c, g reg.GPVirtual, name string) {
		t, end := GP64(), field(l.in, "end"+name)
		MOVQ(c, g)
		SARQ(U8(32), g)
		LEAQ(Mem{Base: g, Disp: -2}, t)
		CMPQ(t, end)
		JCC(LabelRef(outside))
		ADDQ(field(l.in, "last"+name), t)
		CMPQ(t, end)
		JCC(LabelRef(outside))
	}
	inner(l.cx, gx, "X")
	inner(l.cy, gy, "Y")
	relative := func(g reg.GPVirtual, off Op, v reg.VecVirtual, low Mem) (whole reg.GPVirtual) {
		whole, t := GP64(), GP64()
		MOVQ(low, whole)
		ADDQ(g, whole)
		SARQ(reg.CL, whole)
		MOVQ(whole, t)
		SHLQ(reg.CL, t)
		SUBQ(t, g)
		if l.wide() {
			VPBROADCASTD(g.As32(), v)
		} else {
			VMOVD(g.As32(), v.AsX())
			VPBROADCASTD(v.AsX(), v)
		}
		VPADDD(off, v, v)
		return whole
	}
	column := relative(gx, l.offX, l.x, field(l.in, "lowX"))
	row := relative(gy, l.offY, l.y, field(l.in, "lowY"))
	IMULQ(l.stride, row)
	LEAQ(Mem{Base: row, Index: column, Scale: 4}, l.p)

	columns, rows := l.vec(), l.vec()
	VPSRAD(l.shift, l.x, columns)
	VPSRAD(l.shift, l.y, rows)
	MOVQ(l.p, l.g)
	ADDQ(field(l.args, "src"), l.p)
	CMPQ(l.g, field(l.in, "windows"))
	if !l.wide() {
		JGT(LabelRef(outside))
		l.windows(columns, rows)
	} else {
		JGT(LabelRef("gather"))
		l.windows(columns, rows)
		JMP(LabelRef("fetched"))
		Label("gather")
		VPMADDWD(l.pitch, rows, l.t)
		VPADDD(columns, l.t, l.t)
		LEAQ(Mem{Base: l.p, Index: l.stride, Scale: 1}, l.g)
		l.pairs(l.p, l.g)
	}
	Label("fetched")
	return l.interpolate()
}

// maxRows is windowRows of package kernel.
const maxRows = 9

// windows takes the neighbors from windows of three to ten rows from p on.
func (l *warpLoop) windows(columns, rows reg.VecVirtual) {
	left, right, t := l.vec(), l.vec(), l.vec()
	window := func() {
		l.mov(Mem{Base: l.p}, left)
		l.mov(Mem{Base: l.p, Disp: 4}, right)
		ADDQ(l.stride, l.p)
	}
	window()
	VPERMD(left, columns, l.a)
	VPERMD(right, columns, l.b)
	window()
	VPERMD(left, columns, l.c)
	VPERMD(right, columns, l.d)
	for i := 1; i < maxRows; i++ {
		if i > 1 {
			CMPQ(field(l.in, "rows"), U8(i))
			JLE(LabelRef("fetched"))
		}
		var pick func(from, to reg.VecVirtual)
		if l.wide() {
			k := K()
			VPCMPEQD(lane32(uint32(i)), rows, k)
			pick = func(from, to reg.VecVirtual) { VPERMD(from, columns, k, to) }
		} else {
			k := l.vec()
			VPCMPEQD(lane32(uint32(i)), rows, k)
			pick = func(from, to reg.VecVirtual) {
				VPERMD(from, columns, t)
				VPBLENDVB(k, t, to, to)
			}
		}
		pick(left, l.a)
		pick(right, l.b)
		window()
		pick(left, l.c)
		pick(right, l.d)
	}
}

// interpolate leaves the estimate in out and its sums.
func (l *warpLoop) interpolate() (sums [3]reg.VecVirtual) {
	scale, mask := l.broadcast(l.args, "scale"), l.broadcast(l.in, "fraction")
	fraction := func(v reg.VecVirtual) (f reg.VecVirtual) {
		f = l.vec()
		l.and(mask, v, f)
		VCVTDQ2PS(f, f)
		VMULPS(scale, f, f)
		return f
	}
	dx, dy := fraction(l.x), fraction(l.y)
	wa, wb, wc, wd := l.single.load(float(1)), l.vec(), l.vec(), l.vec()
	VMULPS(dx, dy, wd)
	VSUBPS(wd, dy, wc)
	VSUBPS(wd, dx, wb)
	VSUBPS(dx, wa, wa)
	VSUBPS(wc, wa, wa)
	for ch := range sums {
		sums[ch] = l.vec()
		VBROADCASTSS(array(l.in, "start").Offset(4*ch), sums[ch])
		for _, p := range []struct{ pixel, weight reg.VecVirtual }{{l.a, wa}, {l.b, wb}, {l.c, wc}, {l.d, wd}} {
			l.and(lane32(0xff<<(8*ch)), p.pixel, l.t)
			VCVTDQ2PS(l.t, l.t)
			VFMADD231PS(p.weight, l.t, sums[ch])
		}
	}
	l.pack.mantissas(sums, l.out)
	return sums
}

// doubtful leaves in l.undecided the lanes whose sums are not decided. Where all four neighbors are equal the value is exact
// whatever the fraction, if they are the right ones.
func (l *warpLoop) doubtful(sums [3]reg.VecVirtual, decided reg.VecVirtual) {
	flat, k := ZMM(), K()
	l.differ(flat)
	l.near()
	for ch, sum := range sums {
		VPTESTNMD(decided, sum, k)
		VPTESTMD_BCST(constantMask(ch), flat, k, k)
		KORW(k, l.undecided, l.undecided)
	}
}

// doubtful8 is doubtful for AVX2, with whole lanes in l.bad.
func (l *warpLoop) doubtful8(sums [3]reg.VecVirtual, decided, zero reg.VecVirtual) {
	flat, t := YMM(), YMM()
	l.differ8(flat)
	l.near8(zero)
	for ch, sum := range sums {
		VPAND(decided, sum, sum)
		VPCMPEQD(zero, sum, sum)
		VPAND(lane32(0xff<<(8*ch)), flat, t)
		VPCMPEQD(zero, t, t)
		VPANDN(sum, t, t)
		VPOR(t, l.bad, l.bad)
	}
}
