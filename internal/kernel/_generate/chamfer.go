package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func (s single) chamfer() {
	s.text("chamfer", "func(dst, near, far *int32, n int, side, corner, knight int32)", "is Chamfer for n numbers, a multiple of {lanes}.")
	dst, near, far, n := load64("dst"), load64("near"), load64("far"), load64("n")
	side, corner, knight := s.fill("side"), s.fill("corner"), s.fill("knight")
	i := GP64()
	XORQ(i, i)
	loop("chamfer", i, n, uint64(s.lanes), func() {
		one := func(j int) Mem { return Mem{Base: near, Index: i, Scale: 4, Disp: 4 * j} }
		two := func(j int) Mem { return Mem{Base: far, Index: i, Scale: 4, Disp: 4 * j} }
		d := s.load(one(0))
		VPMINSD(one(4), d, d)
		VPMINSD(two(1), d, d)
		VPMINSD(two(3), d, d)
		VPADDD(knight, d, d)
		c := s.load(one(1))
		VPMINSD(one(3), c, c)
		VPADDD(corner, c, c)
		VPMINSD(c, d, d)
		VPADDD(one(2), side, c)
		VPMINSD(c, d, d)
		s.mov(d, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
