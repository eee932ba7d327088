package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of package kernel's Sin, SinCos and Angle, those of the polynomials from the lowest power up.
var (
	sinC = []float64{
		0.99999999999962398135, -0.16666666666097306439, 0.0083333333083874517807, -0.00019841265020251916062,
		2.7556840618492375207e-6, -2.5026628058844521021e-8, 1.5365834187047705598e-10,
	}
	cosC = []float64{
		0.99999999999999806379, -0.49999999999989950201, 0.041666666665810738236, -0.0013888888861111687349,
		0.000024801582873209910152, -2.7556935600186076455e-7, 2.0858322991862845666e-9, -1.1008014104749213239e-11,
	}
	atanC = []float64{
		0.99999999999399395503, -0.33333333163567071416, 0.19999985961478301155, -0.14285190667168293785,
		0.11100677028988533962, -0.089714118031158883369, 0.068922776154370123567, -0.036384863453783100551,
	}
)

const (
	piHigh = 0x1.921fb544p+1
	piLow  = math.Pi - piHigh
	magic  = 0x1.8p52
)

// double is a float64 constant for all lanes, in memory.
func double(v float64) Mem {
	b := math.Float64bits(v)
	return constant(fmt.Sprintf("double%016x", b), func(i int) uint32 { return uint32(b >> (i % 2 * 32)) })
}

func (s isa) mul(a Op, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	VMULPD(a, b, v)
	return v
}

func (s isa) plus(a Op, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	VADDPD(a, b, v)
	return v
}

// minus is a-b.
func (s isa) minus(a reg.VecVirtual, b Op) reg.VecVirtual {
	v := s.vec()
	VSUBPD(b, a, v)
	return v
}

// horner evaluates the polynomial with the coefficients c, unfused.
func (s isa) horner(z reg.VecVirtual, c []float64) reg.VecVirtual {
	p := s.mul(double(c[len(c)-1]), z)
	for i := len(c) - 2; i > 0; i-- {
		VADDPD(double(c[i]), p, p)
		VMULPD(z, p, p)
	}
	VADDPD(double(c[0]), p, p)
	return p
}

// fill loads a parameter into all lanes.
func (s isa) fill(name string) reg.VecVirtual {
	v := s.vec()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(addr.Addr, v)
	return v
}

func (s isa) text(name, signature, doc string) {
	TEXT(name+s.suffix, NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("%s%s %s for n numbers, a multiple of %d.", name, s.suffix, doc, s.lanes))
}

// reduce returns x less the nearest multiple of pi, and the sign bit of odd multiples.
func (s isa) reduce(x reg.VecVirtual) (r, sign reg.VecVirtual) {
	n := s.plus(double(magic), s.mul(double(1/math.Pi), x))
	f := s.minus(n, double(magic))
	r = s.minus(x, s.mul(double(piHigh), f))
	r = s.minus(r, s.mul(double(piLow), f))
	VPSLLQ(U8(63), n, n)
	return r, n
}

func (s isa) sin() {
	s.text("sin", "func(dst, src *float64, n int, a, b float64)", "is Sin")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	a, b := s.fill("a"), s.fill("b")
	i := GP64()
	XORQ(i, i)
	loop("sin", i, n, uint64(s.lanes), func() {
		r, sign := s.reduce(s.plus(b, s.mul(s.at(src, i, 0), a)))
		p := s.mul(s.horner(s.mul(r, r), sinC), r)
		VXORPD(sign, p, p)
		VMOVUPD(p, s.at(dst, i, 0))
	})
	VZEROUPPER()
	RET()
}

func (s isa) sinCos() {
	s.text("sinCos", "func(sin, cos, src *float64, n int, a float64)", "is SinCos")
	sin, cos, src, n := load64("sin"), load64("cos"), load64("src"), load64("n")
	a := s.fill("a")
	i := GP64()
	XORQ(i, i)
	loop("sincos", i, n, uint64(s.lanes), func() {
		r, sign := s.reduce(s.mul(s.at(src, i, 0), a))
		z := s.mul(r, r)
		p, q := s.mul(s.horner(z, sinC), r), s.horner(z, cosC)
		VXORPD(sign, p, p)
		VXORPD(sign, q, q)
		VMOVUPD(p, s.at(sin, i, 0))
		VMOVUPD(q, s.at(cos, i, 0))
	})
	VZEROUPPER()
	RET()
}

// compare returns all bits set in the lanes where a stands to b as the predicate says.
func (s isa) compare(predicate uint8, a, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	if s.lanes == 4 {
		VCMPPD(U8(predicate), b, a, v)
		return v
	}
	k := K()
	VCMPPD(U8(predicate), b, a, k)
	VPMOVM2Q(k, v)
	return v
}

// choose leaves a in the lanes of mask and b in the others. b is lost.
func (s isa) choose(mask reg.VecVirtual, a Op, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	VANDPD(a, mask, v)
	VANDNPD(b, mask, b)
	VORPD(v, b, b)
	return b
}

// angle computes all three ranges of Angle and chooses.
func (s isa) angle() {
	s.text("angle", "func(dst, v *float64, n int, b, low, high, inv, left float64)",
		"is Angle, with the variables there, left being all bits where u is negative, else none,")
	dst, src, n := load64("dst"), load64("v"), load64("n")
	b, low, high, inv, left := s.fill("b"), s.fill("low"), s.fill("high"), s.fill("inv"), s.fill("left")
	i := GP64()
	XORQ(i, i)
	loop("angle", i, n, uint64(s.lanes), func() {
		y, a := s.vec(), s.vec()
		VMOVUPD(s.at(src, i, 0), y)
		VANDPD(double(math.Float64frombits(1<<63-1)), y, a)
		VANDPD(double(math.Copysign(0, -1)), y, y)
		small, large := s.compare(2, a, low), s.compare(13, a, high) // at most, at least
		negative := s.vec()
		VXORPD(double(math.Copysign(0, -1)), b, negative)
		t := s.choose(large, negative, s.minus(a, b))
		VDIVPD(s.choose(large, a, s.plus(a, b)), t, t)
		t = s.choose(small, s.mul(a, inv), t)
		o := s.vec()
		VMOVUPD(double(math.Pi/4), o)
		o = s.choose(large, double(math.Pi/2), o)
		VANDNPD(o, small, o)
		p := s.plus(o, s.mul(s.horner(s.mul(t, t), atanC), t))
		turned := s.vec()
		VMOVUPD(double(math.Pi), turned)
		p = s.choose(left, s.minus(turned, p), p)
		VANDPD(double(math.Float64frombits(1<<63-1)), p, p)
		VORPD(y, p, p)
		VMOVUPD(p, s.at(dst, i, 0))
	})
	VZEROUPPER()
	RET()
}
