package detmath

import (
	"math"
	"math/bits"
)

// Sin returns the sine of x radians, of any size.
func Sin(x float64) float64 {
	if x == 0 {
		return x // keeps the sign
	}
	n, r := reduce(x)
	y := sinCos(r, n&1 == 1)
	if n&2 != 0 {
		return -y
	}
	return y
}

// Cos returns the cosine of x radians, of any size.
func Cos(x float64) float64 {
	n, r := reduce(x)
	y := sinCos(r, n&1 == 0)
	if (n+1)&2 != 0 {
		return -y
	}
	return y
}

// sinCos returns the sine, or the cosine, of r.hi + r.lo in [-pi/4, pi/4] and a little beyond.
func sinCos(r pair, cos bool) float64 {
	x := r.hi
	z := float64(x * x)
	if cos {
		p := float64(z*(-1./6402373705728000)) + 1./20922789888000
		p = float64(z*p) - 1./87178291200
		p = float64(z*p) + 1./479001600
		p = float64(z*p) - 1./3628800
		p = float64(z*p) + 1./40320
		p = float64(z*p) - 1./720
		p = float64(z*p) + 1./24
		h := float64(0.5 * z)
		w := 1 - h
		return w + (((1 - w) - h) + (float64(float64(z*z)*p) - float64(x*r.lo)))
	}
	p := float64(z*(1./355687428096000)) - 1./1307674368000
	p = float64(z*p) + 1./6227020800
	p = float64(z*p) - 1./39916800
	p = float64(z*p) + 1./362880
	p = float64(z*p) - 1./5040
	p = float64(z*p) + 1./120
	p = float64(z*p) - 1./6
	return x + (float64(float64(z*x)*p) + float64(r.lo*(1-float64(0.5*z))))
}

// reduce returns n and r with x = n*pi/2 + r, |r| at most about pi/4; n counts modulo 4. The error of r is below 2^-53
// of r.lo's scale even for the doubles closest to a multiple of pi/2.
func reduce(x float64) (n int, r pair) {
	a := math.Abs(x)
	switch {
	case a <= math.Pi/4:
		return 0, pair{x, 0}
	case a < 0x1p20:
		// pi/2 in three parts of 33 bits, whose products with n are exact, and a rest.
		const magic = 0x1.8p52
		f := float64(x*(2/math.Pi)) + magic
		f -= magic
		s := add(x-float64(f*halfPi1), -float64(f*halfPi2))
		t := add(s.hi, -float64(f*halfPi3))
		rest := (s.lo + t.lo) - float64(f*halfPi4)
		return int(f), add(t.hi, rest)
	case a <= math.MaxFloat64:
		n, r = reduceHuge(a)
		if x < 0 {
			return -n, pair{-r.hi, -r.lo}
		}
		return n, r
	}
	return 0, pair{math.NaN(), 0}
}

// reduceHuge does the same for 2^20 <= x with as many bits of 2/pi as matter (Payne and Hanek): those that make
// multiples of 4 when multiplied by x are skipped, the next 192 are kept.
func reduceHuge(x float64) (n int, r pair) {
	b := math.Float64bits(x)
	m := b&mantissa | 1<<52
	first := uint(int(b>>52)-bias-52) + 64 - 2 // twoOverPi starts with 64 zero bits
	w, sh := twoOverPi[first/64:], first%64
	word := func(i int) uint64 { return w[i]<<sh | w[i+1]>>(64-sh) } // a shift by 64 gives 0

	// The product modulo 2^192, its top two bits being the integer part.
	h2, p2 := bits.Mul64(m, word(2))
	h1, p1 := bits.Mul64(m, word(1))
	p1, c := bits.Add64(p1, h2, 0)
	p0 := m*word(0) + h1 + c

	n = int(p0 >> 62)
	p0, p1, p2 = p0<<2|p1>>62, p1<<2|p2>>62, p2<<2
	neg := p0>>63 != 0
	if neg { // nearer to the next integer
		n++
		p2, c = bits.Sub64(0, p2, 0)
		p1, c = bits.Sub64(0, p1, c)
		p0, _ = bits.Sub64(0, p0, c)
	}
	e := 0
	if p0 == 0 {
		p0, p1, p2, e = p1, p2, 0, 64
	}
	lz := uint(bits.LeadingZeros64(p0))
	p0, p1 = p0<<lz|p1>>(64-lz), p1<<lz|p2>>(64-lz)
	e += int(lz)

	hi := float64(p0 >> 11)
	lo := float64(float64(p0<<53>>11|p1>>22) * 0x1p-53)
	f := mul(hi, halfPi.hi)
	f.lo += float64(hi*halfPi.lo) + float64(lo*halfPi.hi)
	f = add(f.hi, f.lo)
	unit := math.Ldexp(1, -53-e)
	if neg {
		unit = -unit
	}
	return n, pair{float64(f.hi * unit), float64(f.lo * unit)}
}
