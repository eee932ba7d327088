package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pair is the real and the imaginary parts of some complex numbers.
type pair struct{ re, im reg.VecVirtual }

func (s isa) add(a, b pair) pair { return pair{s.plus(b.re, a.re), s.plus(b.im, a.im)} }
func (s isa) sub(a, b pair) pair { return pair{s.minus(a.re, b.re), s.minus(a.im, b.im)} }

// turned is v times the root of unity at m, in memory.
func (s isa) turned(v pair, m Mem) pair {
	re, im := s.vec(), s.vec()
	VBROADCASTSD(m, re)
	VBROADCASTSD(m.Offset(8), im)
	return pair{s.minus(s.mul(re, v.re), s.mul(im, v.im)), s.plus(s.mul(im, v.re), s.mul(re, v.im))}
}

// parts are complex numbers in memory: real parts at re, imaginary ones im bytes behind.
type parts struct{ re, im reg.GPVirtual }

func (s isa) get(p parts, at func(reg.GPVirtual) Mem) pair {
	v := pair{s.vec(), s.vec()}
	VMOVUPD(at(p.re), v.re)
	VMOVUPD(at(p.im), v.im)
	return v
}

func (s isa) put(v pair, p parts, at func(reg.GPVirtual) Mem) {
	VMOVUPD(v.re, at(p.re))
	VMOVUPD(v.im, at(p.im))
}

func (s isa) fft4() {
	TEXT("fft4"+s.suffix, NOSPLIT, "func(yr, yi, xr, xi *float64, dy, dx, n int, t *[6]float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("fft4%s is FFT4 for n numbers, a multiple of %d; distances are in bytes.", s.suffix, s.lanes))
	y, x := parts{load64("yr"), load64("yi")}, parts{load64("xr"), load64("xi")}
	dy, dx, n, t := load64("dy"), load64("dx"), load64("n"), load64("t")
	dy3, dx3 := GP64(), GP64()
	LEAQ(Mem{Base: dy, Index: dy, Scale: 2}, dy3)
	LEAQ(Mem{Base: dx, Index: dx, Scale: 2}, dx3)
	place := func(k int, d, d3 reg.GPVirtual) func(reg.GPVirtual) Mem {
		return func(base reg.GPVirtual) Mem {
			return [4]Mem{{Base: base}, {Base: base, Index: d, Scale: 1}, {Base: base, Index: d, Scale: 2}, {Base: base, Index: d3, Scale: 1}}[k]
		}
	}
	i := GP64()
	XORQ(i, i)
	loop("fft4", i, n, uint64(s.lanes), func() {
		var v [4]pair
		for k := range v {
			v[k] = s.get(x, place(k, dx, dx3))
		}
		a, b := s.add(v[0], v[2]), s.sub(v[0], v[2])
		c, d := s.add(v[1], v[3]), s.sub(v[1], v[3])
		s.put(s.add(a, c), y, place(0, dy, dy3))
		up, down := pair{s.minus(b.re, d.im), s.plus(d.re, b.im)}, pair{s.plus(d.im, b.re), s.minus(b.im, d.re)}
		for k, v := range []pair{up, s.sub(a, c), down} {
			s.put(s.turned(v, Mem{Base: t, Disp: 16 * k}), y, place(k+1, dy, dy3))
		}
		for _, p := range []reg.GPVirtual{y.re, y.im, x.re, x.im} {
			ADDQ(U8(8*s.lanes), p)
		}
	})
	VZEROUPPER()
	RET()
}

func (s isa) fftOdd() {
	TEXT("fftOdd"+s.suffix, NOSPLIT, "func(yr, yi, xr, xi *float64, dy, dx, n, half int, turn, last, work *float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("fftOdd%s is FFTOdd.Pass for n numbers, a multiple of %d; distances are in bytes.", s.suffix, s.lanes))
	// Imaginary parts are addressed by their distance from the real ones.
	xr, yr, xi, yi := load64("xr"), load64("yr"), load64("xi"), load64("yi")
	SUBQ(xr, xi)
	SUBQ(yr, yi)
	at := func(p, im reg.GPVirtual) [2]Mem { return [2]Mem{{Base: p}, {Base: p, Index: im, Scale: 1}} }
	get := func(m [2]Mem) pair {
		v := pair{s.vec(), s.vec()}
		VMOVUPD(m[0], v.re)
		VMOVUPD(m[1], v.im)
		return v
	}
	put := func(v pair, m [2]Mem) {
		VMOVUPD(v.re, m[0])
		VMOVUPD(v.im, m[1])
	}
	d, k, a, b, w, n := GP64(), GP64(), GP64(), GP64(), GP64(), GP64()
	Load(Param("n"), n)
	// ends sets a to the place 1 and b to the place p-1 of what begins at base, the places being d apart.
	ends := func(base reg.GPVirtual, distance string) {
		Load(Param(distance), d)
		LEAQ(Mem{Base: base, Index: d, Scale: 1}, a)
		Load(Param("half"), b)
		IMULQ(d, b)
		LEAQ(Mem{Base: base, Index: b, Scale: 2}, b)
	}
	size := 8 * s.lanes
	Label("odd")
	first := get(at(xr, xi))
	all := pair{s.vec(), s.vec()}
	VMOVAPD(first.re, all.re)
	VMOVAPD(first.im, all.im)
	ends(xr, "dx")
	Load(Param("work"), w)
	Load(Param("half"), k)
	Label("odd_sums")
	u, v := get(at(a, xi)), get(at(b, xi))
	sum, diff := s.add(u, v), s.sub(u, v)
	for i, part := range []reg.VecVirtual{sum.re, sum.im, diff.re, diff.im} {
		VMOVUPD(part, Mem{Base: w, Disp: size * i})
	}
	VADDPD(sum.re, all.re, all.re)
	VADDPD(sum.im, all.im, all.im)
	ADDQ(d, a)
	SUBQ(d, b)
	ADDQ(U32(uint32(4*size)), w)
	DECQ(k)
	JNZ(LabelRef("odd_sums"))
	put(all, at(yr, yi))

	ends(yr, "dy")
	turn, last, r := GP64(), GP64(), GP64()
	Load(Param("turn"), turn)
	Load(Param("last"), last)
	Load(Param("half"), r)
	Label("odd_output")
	even, odd := pair{s.vec(), s.vec()}, pair{s.vec(), s.vec()}
	VMOVAPD(first.re, even.re)
	VMOVAPD(first.im, even.im)
	s.zero(odd.re)
	s.zero(odd.im)
	Load(Param("work"), w)
	Load(Param("half"), k)
	Label("odd_term")
	re, im, t := s.vec(), s.vec(), s.vec()
	VBROADCASTSD(Mem{Base: turn}, re)
	VBROADCASTSD(Mem{Base: turn, Disp: 8}, im)
	VMULPD(Mem{Base: w}, re, t)
	VADDPD(t, even.re, even.re)
	VMULPD(Mem{Base: w, Disp: size}, re, t)
	VADDPD(t, even.im, even.im)
	VMULPD(Mem{Base: w, Disp: 3 * size}, im, t)
	VSUBPD(t, odd.re, odd.re)
	VMULPD(Mem{Base: w, Disp: 2 * size}, im, t)
	VADDPD(t, odd.im, odd.im)
	ADDQ(U8(16), turn)
	ADDQ(U32(uint32(4*size)), w)
	DECQ(k)
	JNZ(LabelRef("odd_term"))
	put(s.turned(s.add(even, odd), Mem{Base: last}), at(a, yi))
	put(s.turned(s.sub(even, odd), Mem{Base: last, Disp: 16}), at(b, yi))
	ADDQ(d, a)
	SUBQ(d, b)
	ADDQ(U8(32), last)
	DECQ(r)
	JNZ(LabelRef("odd_output"))

	ADDQ(U8(size), xr)
	ADDQ(U8(size), yr)
	SUBQ(U8(s.lanes), n)
	JNZ(LabelRef("odd"))
	VZEROUPPER()
	RET()
}
