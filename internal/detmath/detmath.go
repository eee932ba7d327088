// Package detmath holds elementary functions whose results are the same bits on every architecture.
//
// Package math does not promise that: on some processors it calls assembly with its own rounding (exp on amd64, arm64
// and s390x, log on s390x), and elsewhere the compiler may fuse a product and a sum of its Go code into one
// instruction with a single rounding (arm64, ppc64le, riscv64, s390x, and amd64 at level v3). One unit in the last
// place is enough to turn a rejection step of a sampler or a rounding to a gray level, and with it every byte that
// follows. Here each product that feeds a sum stands inside an explicit float64 conversion, which the language defines
// as a rounding that must not be fused away, and nothing is called but exactly defined operations: addition,
// multiplication, division, square root and changes of the bit pattern.
//
// The functions take any argument; NaN, infinities and signed zeros give what package math gives. The errors, against
// multi-precision arithmetic and in units in the last place of the true value (0.5 is perfect rounding), stay below
// 0.51 for Log, 0.52 for Exp and Pow, 0.8 for Sin and Cos and 0.65 for Atan2; TestAccuracy shows it. Results that are
// subnormal may be off by one unit. Erf is for results in float32 and less exact. FMA32 is exact: a fused multiply-add of
// float32, which Go does not promise on any processor.
//
// All polynomials are Taylor polynomials, cut where the next term is below 2^-56 of the result: the tables make the
// arguments small, so that nothing better is needed.
package detmath

import "math"

//go:generate go test -run TestTables -update .

const (
	mantissa = 1<<52 - 1 // the fraction bits of a float64
	bias     = 1023
)

// pair is an unevaluated sum hi + lo with |lo| far below |hi|.
type pair struct{ hi, lo float64 }

// cut clears the low n bits of the fraction of x, towards zero. With n = 27 both parts, cut(x, 27) and x - cut(x, 27),
// are short enough for their products to be exact or nearly so.
func cut(x float64, n uint) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<n - 1))
}

// mul returns x*y with an error of about 2^-105 of it, as Dekker's product does.
func mul(x, y float64) pair {
	xh, yh := cut(x, 27), cut(y, 27)
	xl, yl := x-xh, y-yh
	p := float64(x * y)
	e := float64(xh*yh) - p
	e += float64(xh * yl)
	e += float64(xl * yh)
	e += float64(xl * yl)
	return pair{p, e}
}

// add returns x+y exactly (Knuth's two-sum), whichever is larger.
func add(x, y float64) pair {
	s := x + y
	t := s - x
	return pair{s, (x - (s - t)) + (y - t)}
}
