package kernel

import "math"

// Elementary functions for every pixel. Those of internal/detmath are exact to the last place; these are exact to about
// 10^-13, which moves no gray level that rounding would not move anyway, take a small part of the time, and like them give the
// same bits everywhere: no product is fused with the sum that it feeds.
//
// The polynomials are Chebyshev series, cut off and written in powers: of sine and cosine on [-π/2, π/2], whose
// coefficients are Bessel functions at π/2, and of the arc tangent on [-tan π/8, tan π/8], whose coefficients are
// powers of tan π/16. TestCoefficients computes them again.
const (
	sin1  = 0.99999999999962398135
	sin3  = -0.16666666666097306439
	sin5  = 0.0083333333083874517807
	sin7  = -0.00019841265020251916062
	sin9  = 2.7556840618492375207e-6
	sin11 = -2.5026628058844521021e-8
	sin13 = 1.5365834187047705598e-10

	cos0  = 0.99999999999999806379
	cos2  = -0.49999999999989950201
	cos4  = 0.041666666665810738236
	cos6  = -0.0013888888861111687349
	cos8  = 0.000024801582873209910152
	cos10 = -2.7556935600186076455e-7
	cos12 = 2.0858322991862845666e-9
	cos14 = -1.1008014104749213239e-11

	atan1  = 0.99999999999399395503
	atan3  = -0.33333333163567071416
	atan5  = 0.19999985961478301155
	atan7  = -0.14285190667168293785
	atan9  = 0.11100677028988533962
	atan11 = -0.089714118031158883369
	atan13 = 0.068922776154370123567
	atan15 = -0.036384863453783100551
)

// π as a sum: products of piHigh, which has 33 bits, with integers below 2^20 are exact.
const (
	piHigh = 0x1.921fb544p+1
	piLow  = math.Pi - piHigh
)

// magic brings a number to an integer when it is added and subtracted again, halves to even, and leaves that integer in
// the low bits of the sum.
const magic = 0x1.8p52

// signOf returns the sign bit for half turns: set when n, an integer plus magic, is odd.
func signOf(n float64) uint64 { return math.Float64bits(n) << 63 }

func flip(v float64, sign uint64) float64 { return math.Float64frombits(math.Float64bits(v) ^ sign) }

// Sin sets dst[i] = sin(a·src[i] + b). The arguments of the sine must stay below 2^20 in magnitude. dst may be src.
func Sin(dst, src []float64, a, b float64) {
	dst = dst[:len(src)]
	for i := sinVector(dst, src, a, b); i < len(src); i++ {
		x := float64(a*src[i]) + b
		n := float64(x*(1/math.Pi)) + magic
		f := n - magic
		r := (x - float64(f*piHigh)) - float64(f*piLow)
		z := float64(r * r)
		p := float64(z*sin13) + sin11
		p = float64(z*p) + sin9
		p = float64(z*p) + sin7
		p = float64(z*p) + sin5
		p = float64(z*p) + sin3
		p = float64(z*p) + sin1
		dst[i] = flip(float64(r*p), signOf(n))
	}
}

// SinCos sets sin[i] and cos[i] to the sine and cosine of a·src[i], which must stay below 2^20 in magnitude. Either
// may be src.
func SinCos(sin, cos, src []float64, a float64) {
	sin, cos = sin[:len(src)], cos[:len(src)]
	for i := sinCosVector(sin, cos, src, a); i < len(src); i++ {
		x := float64(a * src[i])
		n := float64(x*(1/math.Pi)) + magic
		f := n - magic
		r := (x - float64(f*piHigh)) - float64(f*piLow)
		z := float64(r * r)
		p := float64(z*sin13) + sin11
		q := float64(z*cos14) + cos12
		p = float64(z*p) + sin9
		q = float64(z*q) + cos10
		p = float64(z*p) + sin7
		q = float64(z*q) + cos8
		p = float64(z*p) + sin5
		q = float64(z*q) + cos6
		p = float64(z*p) + sin3
		q = float64(z*q) + cos4
		p = float64(z*p) + sin1
		q = float64(z*q) + cos2
		q = float64(z*q) + cos0
		s := signOf(n)
		sin[i], cos[i] = flip(float64(r*p), s), flip(q, s)
	}
}

// Angle sets dst[i] = atan2(v[i], u), a negative zero u being taken for zero. dst may be v.
func Angle(dst, v []float64, u float64) {
	const (
		tan = math.Sqrt2 - 1 // of π/8
		cot = math.Sqrt2 + 1
	)
	b := math.Abs(u)
	low, high := float64(b*tan), float64(b*cot)
	inv := 1 / (b + 1e-300) // finite, so that atan2(0, 0) = 0
	dst = dst[:len(v)]
	for i := angleVector(dst, v, u, b, low, high, inv); i < len(v); i++ {
		y := v[i]
		a := math.Abs(y)
		var t, o float64
		switch {
		case a <= low:
			t = float64(a * inv)
		case a >= high:
			t, o = -b/a, math.Pi/2
		default:
			t, o = (a-b)/(a+b), math.Pi/4
		}
		z := float64(t * t)
		p := float64(z*atan15) + atan13
		p = float64(z*p) + atan11
		p = float64(z*p) + atan9
		p = float64(z*p) + atan7
		p = float64(z*p) + atan5
		p = float64(z*p) + atan3
		p = float64(z*p) + atan1
		p = o + float64(t*p)
		if u < 0 {
			p = math.Pi - p
		}
		dst[i] = math.Copysign(p, y)
	}
}
