package detmath

import "math"

// Atan2 returns the angle of the point (x, y) in [-pi, pi], with the signs and special cases of [math.Atan2].
func Atan2(y, x float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	ax, ay := math.Abs(x), math.Abs(y)
	a := atanRatio(min(ax, ay), max(ax, ay))
	if ay > ax {
		a = from(halfPi, a)
	}
	if math.Signbit(x) {
		a = from(pair{2 * halfPi.hi, 2 * halfPi.lo}, a)
	}
	return math.Copysign(a.hi+a.lo, y)
}

func from(whole, part pair) pair {
	s := add(whole.hi, -part.hi)
	return pair{s.hi, s.lo + (whole.lo - part.lo)}
}

// atanRatio returns the arc tangent of y/x for 0 <= y <= x. With c = i/64 near y/x it is atan(c) from the table and the
// series of the arc tangent of t = (y/x - c) / (1 + c*y/x), |t| <= 1/128; small ratios need no table.
func atanRatio(y, x float64) pair {
	switch {
	case y == x && (x == 0 || x > math.MaxFloat64):
		// The directions of a zero and of an infinite point, by convention as if the ratio were 0 and 1.
		if x == 0 {
			return pair{}
		}
		return atanTable[64]
	case x > math.MaxFloat64:
		return pair{}
	case x > 0x1p1000:
		x, y = float64(x*0x1p-100), float64(y*0x1p-100)
	case x < 0x1p-900:
		x, y = float64(x*0x1p200), float64(y*0x1p200)
	}
	q := y / x
	if q < 1./16 {
		r := 0.0 // what the division left
		if y > 0x1p-900 {
			p := mul(q, x)
			r = ((y - p.hi) - p.lo) / x
		}
		z := float64(q * q)
		p := float64(z*(1./13)) - 1./11
		p = float64(z*p) + 1./9
		p = float64(z*p) - 1./7
		p = float64(z*p) + 1./5
		p = float64(z*p) - 1./3
		return pair{q, r + float64(float64(q*z)*p)}
	}
	i := int(float64(q*64) + 0.5)
	c := float64(i) / 64
	xh := cut(x, 27)
	t := ((y - float64(c*xh)) - float64(c*(x-xh))) / (x + float64(c*y))
	z := float64(t * t)
	p := float64(z*(-1./7)) + 1./5
	p = float64(z*p) - 1./3
	e := &atanTable[i]
	return pair{e.hi, e.lo + (t + float64(float64(t*z)*p))}
}
