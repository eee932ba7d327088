package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// winograd is the frame of the four loops: for each of n tiles, for each vector of channels, body at the channel's
// offset. Images are addressed by four row pointers, transformed tiles by sixteen distances from one pointer: a
// pointer a row of four values, each pos bytes after the other.
type winograd struct {
	s         *isa
	pixel     reg.GPVirtual    // bytes of a pixel
	rows      []reg.GPVirtual  // of the image, at the tile's first pixel and the channel
	quarter   [4]reg.GPVirtual // values 0, 4, 8 and 12 of the tile
	pos, pos3 reg.GPVirtual
	pixel3    reg.GPVirtual
}

// image is pixel x of row y of a tile.
func (w *winograd) image(y, x int) Mem {
	switch x {
	case 0:
		return Mem{Base: w.rows[y]}
	case 1:
		return Mem{Base: w.rows[y], Index: w.pixel, Scale: 1}
	case 2:
		return Mem{Base: w.rows[y], Index: w.pixel, Scale: 2}
	}
	return Mem{Base: w.rows[y], Index: w.pixel3, Scale: 1}
}

// value is value x of row y of a transformed tile.
func (w *winograd) value(y, x int) Mem {
	switch x {
	case 0:
		return Mem{Base: w.quarter[y]}
	case 1:
		return Mem{Base: w.quarter[y], Index: w.pos, Scale: 1}
	case 2:
		return Mem{Base: w.quarter[y], Index: w.pos, Scale: 2}
	}
	return Mem{Base: w.quarter[y], Index: w.pos3, Scale: 1}
}

// loop writes the frame. The counters live on the stack, as there are not enough registers; n counts tiles and c bytes
// of channels, a positive multiple of the vector's.
func (s *isa) winograd(image, tiles string, rows int, body func(w *winograd, offset reg.GPVirtual)) {
	w := &winograd{s: s}
	w.pixel = load64("c")
	w.pixel3 = GP64()
	LEAQ(Mem{Base: w.pixel, Index: w.pixel, Scale: 2}, w.pixel3)
	row := load64("row")
	p := load64(image)
	for range rows {
		r := GP64()
		MOVQ(p, r)
		ADDQ(row, p)
		w.rows = append(w.rows, r)
	}
	w.tiles(tiles)
	left := AllocLocal(8)
	n := load64("n")
	MOVQ(n, left)
	Label("tile")
	c := GP64()
	XORQ(c, c)
	Label("channel")
	body(w, c)
	w.advance()
	ADDQ(U8(uint8(4*s.lanes)), c)
	CMPQ(c, w.pixel)
	JL(LabelRef("channel"))
	for _, r := range w.rows { // one pixel on was the channels, one more is two pixels a tile
		ADDQ(w.pixel, r)
	}
	DECQ(left)
	JNZ(LabelRef("tile"))
	s.end()
}

// tiles makes the pointers to transformed tiles.
func (w *winograd) tiles(name string) {
	w.pos, w.pos3 = load64("pos"), GP64()
	LEAQ(Mem{Base: w.pos, Index: w.pos, Scale: 2}, w.pos3)
	q := load64(name)
	for y := range w.quarter {
		w.quarter[y] = GP64()
		MOVQ(q, w.quarter[y])
		LEAQ(Mem{Base: q, Index: w.pos, Scale: 4}, q)
	}
}

// advance goes on by a vector.
func (w *winograd) advance() {
	for _, r := range append(w.quarter[:], w.rows...) {
		ADDQ(U8(uint8(4*w.s.lanes)), r)
	}
}

// kernels is the frame of the transforms of kernels: the nine values of n kernels lie in planes, and image(y, x) is value x of row y.
func (s *isa) kernels(name, doc string, body func(w *winograd, half reg.VecVirtual)) {
	s.masked = false
	TEXT(name+s.name, NOSPLIT, "func(tiles *float32, pos int, planes *float32, plane, n int)")
	Pragma("noescape")
	Doc(name + s.name + " " + doc + " for n kernels, a positive multiple of the vector's; pos and plane are in bytes.")
	w := &winograd{s: s, pixel: load64("plane")}
	p := load64("planes")
	for range 3 {
		r := GP64()
		MOVQ(p, r)
		LEAQ(Mem{Base: p, Index: w.pixel, Scale: 2}, p)
		ADDQ(w.pixel, p)
		w.rows = append(w.rows, r)
	}
	w.tiles("tiles")
	half, n := s.broadcast(0.5), load64("n")
	Label("kernel")
	body(w, half)
	w.advance()
	SUBQ(U8(uint8(s.lanes)), n)
	JNZ(LabelRef("kernel"))
	s.end()
}

// spread makes a, (a+b+c)/2, (a-b+c)/2 and c of three numbers.
func (s *isa) spread(v [3]reg.VecVirtual, half reg.VecVirtual) [4]reg.VecVirtual {
	sum, diff := s.reg(), s.reg()
	VADDPS(v[1], v[0], sum)
	VADDPS(v[2], sum, sum)
	VMULPS(half, sum, sum)
	VSUBPS(v[1], v[0], diff)
	VADDPS(v[2], diff, diff)
	VMULPS(half, diff, diff)
	return [4]reg.VecVirtual{v[0], sum, diff, v[2]}
}

func (s *isa) winogradKernel() {
	s.kernels("winogradKernel", "is WinogradKernel", func(w *winograd, half reg.VecVirtual) {
		var rows [4][3]reg.VecVirtual
		for x := range 3 {
			var column [3]reg.VecVirtual
			for y := range column {
				column[y] = s.reg()
				VMOVUPS(w.image(y, x), column[y])
			}
			for y, v := range s.spread(column, half) {
				rows[y][x] = v
			}
		}
		for y, row := range rows {
			for x, v := range s.spread(row, half) {
				VMOVUPS(v, w.value(y, x))
			}
		}
	})
}

// gather makes a+(b+c)/2, (b-c)/2 and (b+c)/2+d of four numbers.
func (s *isa) gather(v [4]reg.VecVirtual, half reg.VecVirtual) [3]reg.VecVirtual {
	first, diff, last := s.reg(), s.reg(), s.reg()
	VADDPS(v[2], v[1], last)
	VMULPS(half, last, last)
	VSUBPS(v[2], v[1], diff)
	VMULPS(half, diff, diff)
	VADDPS(last, v[0], first)
	VADDPS(v[3], last, last)
	return [3]reg.VecVirtual{first, diff, last}
}

func (s *isa) winogradKernelGrad() {
	s.kernels("winogradKernelGrad", "is WinogradKernelGrad", func(w *winograd, half reg.VecVirtual) {
		var rows [3][4]reg.VecVirtual
		for x := range 4 {
			var column [4]reg.VecVirtual
			for y := range column {
				column[y] = s.reg()
				VMOVUPS(w.value(y, x), column[y])
			}
			for y, v := range s.gather(column, half) {
				rows[y][x] = v
			}
		}
		for y, row := range rows {
			for x, v := range s.gather(row, half) {
				VMOVUPS(v, w.image(y, x))
			}
		}
	})
}

func (s *isa) declare(name, params, doc string) {
	s.masked = false
	TEXT(name+s.name, NOSPLIT, "func("+params+")")
	Pragma("noescape")
	Doc(name + s.name + " " + doc + " for whole vectors of channels; row, pos and c are in bytes.")
}

func (s *isa) winogradInput() {
	s.declare("winogradInput", "dst *float32, pos int, src *float32, row, n, c int", "is WinogradInput")
	s.winograd("src", "dst", 4, func(w *winograd, _ reg.GPVirtual) {
		for y := range 4 {
			t, v := s.regs(4), s.reg()
			for x := range 4 { // row y of B' d
				a, b, plus := [4]int{0, 1, 2, 1}[y], [4]int{2, 2, 1, 3}[y], y == 1
				VMOVUPS(w.image(a, x), t[x])
				if plus {
					VADDPS(w.image(b, x), t[x], t[x])
				} else {
					VSUBPS(w.image(b, x), t[x], t[x])
				}
			}
			VSUBPS(t[2], t[0], v)
			VMOVUPS(v, w.value(y, 0))
			VADDPS(t[2], t[1], v)
			VMOVUPS(v, w.value(y, 1))
			VSUBPS(t[1], t[2], v)
			VMOVUPS(v, w.value(y, 2))
			VSUBPS(t[3], t[1], v)
			VMOVUPS(v, w.value(y, 3))
		}
	})
}

func (s *isa) winogradOutput(add bool) {
	name := "winogradOutput"
	if add {
		name += "Add"
	}
	s.declare(name, "dst *float32, row int, src *float32, pos, n, c int, bias *float32", "is WinogradOutput")
	bias := load64("bias")
	s.winograd("dst", "src", 2, func(w *winograd, c reg.GPVirtual) {
		top, low := s.regs(4), s.regs(4)
		for x := range 4 {
			m1, m2 := s.reg(), s.reg()
			VMOVUPS(w.value(1, x), m1)
			VMOVUPS(w.value(2, x), m2)
			VADDPS(m2, m1, top[x])
			VADDPS(w.value(0, x), top[x], top[x])
			VSUBPS(m2, m1, low[x])
			VSUBPS(w.value(3, x), low[x], low[x])
		}
		for y, t := range [2][]reg.VecVirtual{top, low} {
			VADDPS(t[1], t[0], t[0])
			VADDPS(t[2], t[0], t[0])
			VSUBPS(t[2], t[1], t[1])
			VSUBPS(t[3], t[1], t[1])
			for x := range 2 {
				VADDPS(Mem{Base: bias, Index: c, Scale: 1}, t[x], t[x])
				if add {
					VADDPS(w.image(y, x), t[x], t[x])
				}
				VMOVUPS(t[x], w.image(y, x))
			}
		}
	})
}

func (s *isa) winogradOutputGrad() {
	s.declare("winogradOutputGrad", "dst *float32, pos int, src *float32, row, n, c int", "is WinogradOutputGrad")
	zero := s.reg()
	s.zero(zero)
	s.winograd("src", "dst", 2, func(w *winograd, _ reg.GPVirtual) {
		var in [2][2]reg.VecVirtual
		for y := range 2 {
			for x := range 2 {
				in[y][x] = s.reg()
				VMOVUPS(w.image(y, x), in[y][x])
			}
		}
		for y := range 4 {
			var r [2]reg.VecVirtual
			for x := range 2 {
				r[x] = s.reg()
				switch y {
				case 0:
					r[x] = in[0][x]
				case 1:
					VADDPS(in[1][x], in[0][x], r[x])
				case 2:
					VSUBPS(in[1][x], in[0][x], r[x])
				default:
					VSUBPS(in[1][x], zero, r[x])
				}
			}
			v := s.reg()
			VMOVUPS(r[0], w.value(y, 0))
			VADDPS(r[1], r[0], v)
			VMOVUPS(v, w.value(y, 1))
			VSUBPS(r[1], r[0], v)
			VMOVUPS(v, w.value(y, 2))
			VSUBPS(r[1], zero, v)
			VMOVUPS(v, w.value(y, 3))
		}
	})
}

func (s *isa) winogradInputGrad() {
	s.declare("winogradInputGrad", "dst *float32, row int, src *float32, pos, n, c int", "is WinogradInputGrad")
	s.winograd("dst", "src", 4, func(w *winograd, _ reg.GPVirtual) {
		for y := range 4 {
			t, e := s.regs(4), s.reg()
			for x := range 4 { // row y of B v, but for the sign of row 3
				switch y {
				case 0:
					VMOVUPS(w.value(0, x), t[x])
				case 1:
					VMOVUPS(w.value(1, x), t[x])
					VSUBPS(w.value(2, x), t[x], t[x])
					VADDPS(w.value(3, x), t[x], t[x])
				case 2:
					VMOVUPS(w.value(1, x), t[x])
					VADDPS(w.value(2, x), t[x], t[x])
					VSUBPS(w.value(0, x), t[x], t[x])
				default:
					VMOVUPS(w.value(3, x), t[x])
				}
			}
			store := func(x int, positive bool, v reg.VecVirtual) {
				d := s.reg()
				VMOVUPS(w.image(y, x), d)
				if positive == (y != 3) {
					VADDPS(v, d, d)
				} else {
					VSUBPS(v, d, d)
				}
				VMOVUPS(d, w.image(y, x))
			}
			store(0, true, t[0])
			VSUBPS(t[2], t[1], e)
			VADDPS(t[3], e, e)
			store(1, true, e)
			VADDPS(t[2], t[1], e)
			VSUBPS(t[0], e, e)
			store(2, true, e)
			store(3, false, t[3])
		}
	})
}
