package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// blend puts a into the lanes of v in which x is at least the number least.
func (s isa) blend(x reg.VecVirtual, least float64, a, v reg.VecVirtual) {
	if s.lanes == 4 {
		m := s.vec()
		VCMPPD(U8(13), double(least), x, m)
		VBLENDVPD(m, a, v, v)
		return
	}
	k := K()
	VCMPPD(U8(13), double(least), x, k)
	VMOVAPD(a, k, v)
}

// floor returns the largest whole number that is not above v.
func (s isa) floor(v reg.VecVirtual) reg.VecVirtual {
	f := s.vec()
	if s.lanes == 4 {
		VROUNDPD(U8(9), v, f)
	} else {
		VRNDSCALEPD(U8(9), v, f)
	}
	return f
}

// tone takes channel c of pixels to float64 and divides by 255: a product with 1/255 that one step of refinement rounds as
// the division does.
func (s isa) tone(c int, pixels reg.Register, half reg.Register) reg.VecVirtual {
	VPSHUFB(channelShuffle8(c), pixels, half)
	v, q := s.vec(), s.vec()
	VCVTDQ2PD(half, v)
	VMULPD(double(1./255), v, q)
	VFNMADD231PD(double(255), q, v) // what is left
	VFMADD231PD(double(1./255), v, q)
	return q
}

// scaleHSV: the sextants of the hue select with comparisons, as all numbers of a pixel are there.
func (s isa) scaleHSV() {
	s.text("scaleHSV", "func(dst, src *byte, n int, multiply, add, raise float64)", "is ScaleHSV")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	zero := s.vec()
	VXORPD(zero, zero, zero)
	i := GP64()
	XORQ(i, i)
	narrow := func() reg.VecVirtual {
		if s.lanes == 4 {
			return XMM()
		}
		return YMM()
	}
	param := func(name string) reg.VecVirtual { return s.fill(name) }
	loop("hsv", i, n, uint64(s.lanes), func() {
		pixels, half := narrow(), narrow()
		VMOVDQU(Mem{Base: src, Index: i, Scale: 4}, pixels)
		r, g, b := s.tone(0, pixels, half), s.tone(1, pixels, half), s.tone(2, pixels, half)
		v, d := s.vec(), s.vec()
		VMAXPD(g, r, v)
		VMAXPD(b, v, v)
		VMINPD(g, r, d)
		VMINPD(b, d, d)
		d = s.minus(v, d)
		isG, isB := s.compare(0, v, g), s.compare(0, v, b)
		h := s.choose(isB, s.minus(r, g), s.choose(isG, s.minus(b, r), s.minus(g, b)))
		VDIVPD(d, h, h)
		base := s.vec()
		VANDPD(double(2), isG, base)
		four := s.vec()
		VMOVUPD(double(4), four)
		VADDPD(s.choose(isB, four, base), h, h)
		VDIVPD(double(6), h, h)
		h = s.minus(h, s.floor(h))
		colored := s.compare(4, d, zero)
		VANDPD(colored, h, h)
		VDIVPD(v, d, d)
		VANDPD(colored, d, d) // the saturation

		limit := func(x reg.VecVirtual) {
			VMAXPD(zero, x, x)
			VMINPD(double(1), x, x)
		}
		VMULPD(param("multiply"), d, d)
		VADDPD(param("add"), d, d)
		limit(d)
		VADDPD(param("raise"), v, v)
		limit(v)

		VMULPD(double(6), h, h)
		sextant := s.floor(h)
		VSUBPD(sextant, h, h)
		one := s.vec()
		VMOVUPD(double(1), one)
		p := s.mul(v, s.minus(one, d))
		q := s.mul(v, s.minus(one, s.mul(h, d)))
		t := s.mul(v, s.minus(one, s.mul(s.minus(one, h), d)))
		s.blend(sextant, 6, zero, sextant)
		copied := func(of reg.VecVirtual) reg.VecVirtual {
			c := s.vec()
			VMOVAPD(of, c)
			return c
		}
		red, green, blue := copied(v), copied(t), copied(p)
		s.blend(sextant, 1, q, red)
		s.blend(sextant, 1, v, green)
		s.blend(sextant, 2, p, red)
		s.blend(sextant, 2, t, blue)
		s.blend(sextant, 3, q, green)
		s.blend(sextant, 3, v, blue)
		s.blend(sextant, 4, t, red)
		s.blend(sextant, 4, p, green)
		s.blend(sextant, 5, v, red)
		s.blend(sextant, 5, q, blue)
		out := narrow()
		VMOVDQU(lane32(0xff000000), out)
		for c, x := range []reg.VecVirtual{red, green, blue} {
			VMULPD(double(255), x, x)
			if s.lanes == 4 {
				VCVTTPD2DQY(x, half)
			} else {
				VCVTTPD2DQ(x, half)
			}
			if c > 0 {
				VPSLLD(U8(8*c), half, half)
			}
			VPOR(half, out, out)
		}
		VMOVDQU(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
