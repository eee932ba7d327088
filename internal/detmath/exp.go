package detmath

import "math"

// Exp returns e to the power x.
func Exp(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	return exp(pair{x, 0})
}

// exp returns e to the power x.hi + x.lo for |x.hi| < 750 and a small x.lo: 2^(k/128) from the table times e^r,
// |r| <= log(2)/256.
func exp(x pair) float64 {
	const magic = 0x1.8p52 // adding it rounds to an integer
	n := float64(x.hi*(128/math.Ln2)) + magic
	n -= magic
	r := x.hi - float64(n*ln2Over128Hi) // exact: n has 18 bits, the constant 34
	r = (r - float64(n*ln2Over128Lo)) + x.lo
	k := int(n)

	r2 := float64(r * r)
	p := float64(r2*(1./24+float64(r*(1./120)))) + (1./2 + float64(r*(1./6)))
	p = r + float64(r2*p)
	t := &expTable[k&127]
	return scale(t.hi+(t.lo+float64(t.hi*p)), k>>7)
}

// scale returns y*2^k for y in [1/2, 4).
func scale(y float64, k int) float64 {
	if k > -bias+1 && k < bias {
		return y * math.Float64frombits(uint64(k+bias)<<52)
	}
	return math.Ldexp(y, k)
}

// Pow returns x to the power y. Like package math it returns NaN for a negative x and a y that is not an integer, and 1
// for y = 0 or x = 1 even when the other one is NaN.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	case y == 1:
		return x
	}
	sign := 1.0
	if math.Signbit(x) {
		whole, odd := parity(y)
		if x < 0 && !whole && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return math.NaN()
		}
		if odd {
			sign = -1
		}
		x = -x
	}
	switch {
	case x == 1:
		return sign // (-1)^y, also for an infinite y
	case x == 0 || x > math.MaxFloat64 || math.Abs(y) >= 0x1p65: // |log x| >= 2^-53: beyond every finite result
		if (x < 1) == (y < 0) {
			return math.Copysign(math.Inf(1), sign)
		}
		return math.Copysign(0, sign)
	case math.Abs(y) < 0x1p-65:
		return sign
	}
	l := log(x)
	e := mul(l.hi, y)
	e.lo += float64(l.lo * y)
	switch {
	case e.hi > 710:
		return math.Copysign(math.Inf(1), sign)
	case e.hi < -746:
		return math.Copysign(0, sign)
	}
	return sign * exp(e)
}

// parity tells whether y is an integer, and whether an odd one. Infinities count as even integers.
func parity(y float64) (whole, odd bool) {
	y = math.Abs(y)
	if y >= 0x1p53 {
		return true, false
	}
	n := uint64(y)
	return float64(n) == y, float64(n) == y && n&1 == 1
}
