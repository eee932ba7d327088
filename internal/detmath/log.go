package detmath

import "math"

// Log returns the natural logarithm of x: -Inf for zero, NaN for negative x.
func Log(x float64) float64 {
	switch {
	case !(x <= math.MaxFloat64): // NaN, +Inf
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	l := log(x)
	return l.hi + l.lo
}

// logEntry belongs to arguments near 1 + i/128: inv is near the reciprocal and a multiple of 2^-9, so that its products
// with half a fraction are exact; hi + lo is -log(inv), hi a multiple of 2^-40.
type logEntry struct{ inv, hi, lo float64 }

// log returns the logarithm of a positive finite x with a relative error below 2^-65.
//
// x = 2^k m and m*inv = 1 + r with |r| < 2^-7, so that log x = k log 2 - log inv + log(1+r). r is held exactly as rh +
// rl, and rh has so few bits that k log 2 - log inv + rh (all multiples of 2^-40) and rh*rh are exact too. What is
// left is small: its rounding does not matter.
func log(x float64) pair {
	k := -bias
	b := math.Float64bits(x)
	if b <= mantissa { // subnormal
		b = math.Float64bits(x * 0x1p54)
		k -= 54
	}
	k += int(b >> 52)
	i := (b>>44&0xff + 1) >> 1
	m := math.Float64frombits(b&mantissa | bias<<52)
	if i == 128 { // just below a power of two: seen from above, for log to be precise on both sides of 1
		i, k, m = 0, k+1, m/2
	}
	c := &logTable[i]

	var rh, rl float64
	if i == 0 && k == 0 { // the result has no other large part: r must be precise by itself
		r := m - 1
		rh = cut(r, 27)
		rl = r - rh
	} else {
		mh := cut(m, 28)
		rh = float64(mh*c.inv) - 1
		rl = float64((m - mh) * c.inv)
	}
	n := float64(k)
	top := (float64(n*ln2Hi) + c.hi) + rh
	q := float64(-0.5 * float64(rh*rh))
	s := top + q
	h := s + rl

	r := rh + rl
	r2 := float64(r * r)
	p := float64(r2*(1./9-float64(r*(1./10)))) + (1./7 - float64(r*(1./8)))
	p = float64(r2*p) + (1./5 - float64(r*(1./6)))
	p = float64(r2*p) + (1./3 - float64(r*(1./4)))
	low := float64(float64(r*r2)*p) - float64(rl*(rh+float64(0.5*rl)))
	low += float64(n*ln2Lo) + c.lo
	return pair{h, ((rl - (h - s)) + (q - (s - top))) + low}
}
