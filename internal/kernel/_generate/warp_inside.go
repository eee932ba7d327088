package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inside does sixteen pixels all of whose neighbors are in the source, or jumps to outside. Coordinates are taken from the
// upper left of these neighbors on, so that whole pixels are small numbers.
// Channels are summed as in mixBytes.
func (l *warpLoop) inside(outside string) {
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
	relative := func(g reg.GPVirtual, off, v reg.VecVirtual, low Mem) (whole reg.GPVirtual) {
		whole, t := GP64(), GP64()
		MOVQ(low, whole)
		ADDQ(g, whole)
		SARXQ(l.shifts, whole, whole)
		SHLXQ(l.shifts, whole, t)
		SUBQ(t, g)
		VPBROADCASTD(g.As32(), v)
		VPADDD(off, v, v)
		return whole
	}
	column := relative(gx, l.offX, l.x, field(l.in, "lowX"))
	row := relative(gy, l.offY, l.y, field(l.in, "lowY"))
	IMULQ(l.stride, row)
	LEAQ(Mem{Base: row, Index: column, Scale: 4}, l.p)

	columns, rows := ZMM(), ZMM()
	VPSRAD(l.shift, l.x, columns)
	VPSRAD(l.shift, l.y, rows)
	MOVQ(l.p, l.g)
	ADDQ(field(l.args, "src"), l.p)
	CMPQ(l.g, field(l.in, "windows"))
	JGT(LabelRef("gather"))
	l.windows(columns, rows)
	JMP(LabelRef("fetched"))
	Label("gather")
	VPMADDWD(l.pitch, rows, l.t)
	VPADDD(columns, l.t, l.t)
	LEAQ(Mem{Base: l.p, Index: l.stride, Scale: 1}, l.g)
	l.pairs(l.p, l.g)
	Label("fetched")
	l.interpolate()
}

// windows takes the neighbors from windows of sixteen pixels of up to five rows from p on.
func (l *warpLoop) windows(columns, rows reg.VecVirtual) {
	left, right, k := ZMM(), ZMM(), K()
	window := func(i int) {
		VMOVDQU32(Mem{Base: l.p}, left)
		VMOVDQU32(Mem{Base: l.p, Disp: 4}, right)
		if i < 4 {
			ADDQ(l.stride, l.p)
		}
	}
	window(0)
	VPERMD(left, columns, l.a)
	VPERMD(right, columns, l.b)
	window(1)
	VPERMD(left, columns, l.c)
	VPERMD(right, columns, l.d)
	for i := 1; i < 4; i++ {
		if i > 1 {
			CMPQ(field(l.in, "rows"), U8(i))
			JLE(LabelRef("fetched"))
		}
		VPCMPEQD(lane32(uint32(i)), rows, k)
		VPERMD(left, columns, k, l.a)
		VPERMD(right, columns, k, l.b)
		window(i + 1)
		VPERMD(left, columns, k, l.c)
		VPERMD(right, columns, k, l.d)
	}
}

func (l *warpLoop) interpolate() {
	one, scale := float(1), l.broadcast(l.args, "scale")
	fraction := func(v reg.VecVirtual) (f reg.VecVirtual) {
		f = ZMM()
		VPANDD_BCST(field(l.in, "fraction"), v, f)
		VCVTDQ2PS(f, f)
		VMULPS(scale, f, f)
		return f
	}
	dx, dy := fraction(l.x), fraction(l.y)
	wa, wb, wc, wd := ZMM(), ZMM(), ZMM(), ZMM()
	VMULPS(dx, dy, wd)
	VSUBPS(wd, dy, wc)
	VSUBPS(wd, dx, wb)
	VMOVUPS(one, wa)
	VSUBPS(dx, wa, wa)
	VSUBPS(wc, wa, wa)

	var sums [3]reg.VecVirtual
	for ch := range sums {
		sums[ch] = ZMM()
		VBROADCASTSS(array(l.in, "start").Offset(4*ch), sums[ch])
		for _, p := range []struct{ pixel, weight reg.VecVirtual }{{l.a, wa}, {l.b, wb}, {l.c, wc}, {l.d, wd}} {
			VPANDD(lane32(0xff<<(8*ch)), p.pixel, l.t)
			VCVTDQ2PS(l.t, l.t)
			VFMADD231PS(p.weight, l.t, sums[ch])
		}
	}
	l.pack.mantissas(sums, l.out)
	k, any := K(), K()
	for ch, sum := range sums {
		VPTESTNMD_BCST(field(l.in, "decided"), sum, k)
		if ch == 0 {
			KMOVW(k, any)
		} else {
			KORW(k, any, any)
		}
	}
	KMOVW(any, l.undecided)
	KORTESTW(any, any)
	JZ(LabelRef("store"))

	// Where all four are equal the value is exact whatever the fraction, if they are the right ones.
	flat := ZMM()
	l.differ(flat)
	l.near()
	KANDW(any, l.undecided, l.undecided)
	for ch, sum := range sums {
		VPTESTNMD_BCST(field(l.in, "decided"), sum, k)
		VPTESTMD_BCST(constantMask(ch), flat, k, k)
		KORW(k, l.undecided, l.undecided)
	}
}
