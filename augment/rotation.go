package augment

import (
	"math"
	"strconv"
	"sync"
)

// rotation is the matrix of Pillow's Image.rotate for 0 < deg < 360: sine and cosine of minus the angle in radians,
// each rounded to 15 decimals, about the image's center.
func rotation(deg float64, w, h int) Matrix {
	var t turnBy
	if i := int(deg); float64(i) == deg {
		t = wholeDegrees()[i]
	} else {
		t = newTurn(deg)
	}
	cx, cy := float64(0.5*float64(w)), float64(0.5*float64(h)) // exact, so that fusing could change nothing
	return Matrix{
		A: t.cos, B: t.sin, C: float64(t.cos*-cx) + float64(t.sin*-cy) + cx,
		D: -t.sin, E: t.cos, F: float64(-t.sin*-cx) + float64(t.cos*-cy) + cy,
	}
}

// turnBy is the cosine and sine of minus an angle, to 15 decimals.
type turnBy struct{ cos, sin float64 }

func newTurn(deg float64) turnBy {
	sin, cos := sinCos(-float64(deg * (math.Pi / 180)))
	return turnBy{round15(cos), round15(sin)}
}

// wholeDegrees is newTurn of 0 to 359: AugMix turns by whole degrees only.
var wholeDegrees = sync.OnceValue(func() *[360]turnBy {
	var t [360]turnBy
	for i := range t {
		t[i] = newTurn(float64(i))
	}
	return &t
})

// round15 rounds to 15 decimals as Python's round does: to the nearest decimal of the exact binary value, then back to
// the nearest float64. Decimal text is exact.
func round15(v float64) float64 {
	var buf [32]byte
	r, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], v, 'f', 15, 64)), 64)
	if err != nil {
		panic("augment: " + err.Error())
	}
	return r
}

// sinCos returns the correctly rounded sine and cosine of x, |x| < 7, in all but about one in 2^40 cases. The standard
// library's are off by a unit in the last place now and then, differently on each architecture, and one unit can move
// the 15th decimal that Pillow keeps. It computes in double-double arithmetic: reduction by multiples of pi/2 and
// Taylor series.
func sinCos(x float64) (sin, cos float64) {
	k := math.Round(x / (math.Pi / 2))
	// pi/2 to 160 bits in three parts.
	const p1, p2, p3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33
	r := ddAdd(ddMul1(dd{-p1, 0}, k), dd{x, 0})
	r = ddAdd(r, ddMul1(dd{-p2, -p3}, k))
	s, c := ddSin(r), ddCos(r)
	switch int(k) & 3 {
	case 1:
		s, c = c, dd{-s.hi, -s.lo}
	case 2:
		s, c = dd{-s.hi, -s.lo}, dd{-c.hi, -c.lo}
	case 3:
		s, c = dd{-c.hi, -c.lo}, s
	}
	return s.hi, c.hi
}

// dd is an unevaluated sum of two float64, about 106 bits.
type dd struct{ hi, lo float64 }

func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

func ddAdd(a, b dd) dd {
	s := twoSum(a.hi, b.hi)
	return twoSum(s.hi, s.lo+(a.lo+b.lo))
}

func ddMul(a, b dd) dd {
	p := float64(a.hi * b.hi)
	e := math.FMA(a.hi, b.hi, -p)
	return twoSum(p, e+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func ddMul1(a dd, b float64) dd {
	p := float64(a.hi * b)
	e := math.FMA(a.hi, b, -p)
	return twoSum(p, e+float64(a.lo*b))
}

func ddDiv1(a dd, b float64) dd {
	q := a.hi / b
	r := ddAdd(a, ddMul1(dd{-q, 0}, b))
	return twoSum(q, r.hi/b)
}

// ddSin and ddCos sum Taylor series for |x| <= pi/4; the first left-out term is below 2^-110.
func ddSin(x dd) dd {
	x2 := ddMul(x, x)
	term, sum := x, x
	for n := 2.0; n <= 28; n += 2 {
		term = ddDiv1(ddMul(term, x2), -n*(n+1))
		sum = ddAdd(sum, term)
	}
	return sum
}

func ddCos(x dd) dd {
	x2 := ddMul(x, x)
	term, sum := dd{1, 0}, dd{1, 0}
	for n := 1.0; n <= 27; n += 2 {
		term = ddDiv1(ddMul(term, x2), -n*(n+1))
		sum = ddAdd(sum, term)
	}
	return sum
}
