package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lightNet begins a loop over places: the second coordinates are width numbers behind the first ones.
func (s isa) lightNet(name, first string, body func(first, second reg.GPVirtual, i reg.GPVirtual, re, im, row, column reg.VecVirtual, sin, cos [2]Mem)) {
	dst, sin, cos, px := load64(first), load64("sin"), load64("cos"), load64("px")
	n, width := load64("n"), load64("width")
	row, re, im := s.fill("row"), s.fill("re"), s.fill("im")
	behind := func(p reg.GPVirtual) reg.GPVirtual {
		q := GP64()
		LEAQ(Mem{Base: p, Index: width, Scale: 8}, q)
		return q
	}
	sin2, cos2, dst2, i := behind(sin), behind(cos), behind(dst), GP64()
	XORQ(i, i)
	loop(name, i, n, uint64(s.lanes), func() {
		column := s.vec()
		VMOVUPD(s.at(px, i, 0), column)
		body(dst, dst2, i, re, im, row, column, [2]Mem{s.at(sin, i, 0), s.at(sin2, i, 0)}, [2]Mem{s.at(cos, i, 0), s.at(cos2, i, 0)})
	})
	VZEROUPPER()
	RET()
}

func (s isa) move() {
	s.text("move", "func(moved, sin, cos, px *float64, n, width int, row, re, im float64)", "is LightNet.Move")
	s.lightNet("move"+s.suffix, "moved", func(first, second, i reg.GPVirtual, re, im, row, column reg.VecVirtual, sin, cos [2]Mem) {
		a, b, c, d := s.mul(cos[0], re), s.mul(sin[0], im), s.mul(cos[1], im), s.mul(sin[1], re)
		VMOVUPD(s.plus(s.plus(d, c), s.plus(s.plus(b, a), row)), s.at(first, i, 0))
		VMOVUPD(s.plus(s.minus(a, b), s.plus(s.minus(c, d), column)), s.at(second, i, 0))
	})
}

func (s isa) gather() {
	s.text("gather", "func(light, sin, cos, px *float64, n, width int, row, re, im, focus float64)", "is LightNet.Gather")
	focus := s.fill("focus")
	s.lightNet("gather", "light", func(light, _, i reg.GPVirtual, re, im, row, column reg.VecVirtual, sin, cos [2]Mem) {
		a, b := s.plus(s.mul(cos[0], im), s.mul(sin[0], re)), s.minus(s.mul(cos[1], re), s.mul(sin[1], im))
		u, v := s.mul(row, b), s.mul(column, a)
		VMULPD(u, u, u)
		VMULPD(v, v, v)
		VADDPD(v, u, u)
		VADDPD(double(1e-300), u, u)
		VSQRTPD(u, u)
		VMULPD(focus, u, u)
		VMULPD(b, a, a)
		VANDPD(double(math.Float64frombits(1<<63-1)), a, a)
		VDIVPD(u, a, a)
		VADDPD(s.at(light, i, 0), a, a)
		VMOVUPD(a, s.at(light, i, 0))
	})
}
