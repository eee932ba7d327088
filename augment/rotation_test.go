package augment

import (
	"math"
	"math/big"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// bigSinCos sums the Taylor series with 300 bits.
func bigSinCos(x float64) (sin, cos float64) {
	f := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	bx := f(x)
	term, s, c := f(1), f(0), f(1)
	for n := 1; n < 80; n++ {
		term.Mul(term, bx)
		term.Quo(term, f(float64(n)))
		switch n % 4 {
		case 0:
			c.Add(c, term)
		case 1:
			s.Add(s, term)
		case 2:
			c.Sub(c, term)
		case 3:
			s.Sub(s, term)
		}
	}
	sin, _ = s.Float64()
	cos, _ = c.Float64()
	return sin, cos
}

func TestSinCosIsCorrectlyRounded(t *testing.T) {
	check := func(x float64) {
		s, c := sinCos(x)
		ws, wc := bigSinCos(x)
		if s != ws || c != wc {
			t.Errorf("sinCos(%v) = %v, %v, want %v, %v", x, s, c, ws, wc)
		}
	}
	for d := range 361 {
		check(-float64(d) * (math.Pi / 180))
	}
	r := rng.New(3)
	for range 5000 {
		check(r.Uniform(-6.99, 6.99))
	}
}

// Values of Python's round(v, 15).
func TestRound15(t *testing.T) {
	for _, c := range []struct{ v, want float64 }{
		{0.99862953475457383, 0.998629534754574},
		{0.052335956242943835, 0.052335956242944},
		{1, 1},
		{-0.5, -0.5},
		{6.123233995736766e-17, 0},
		{1e-15, 1e-15},
		{0.0000000000000005, 1e-15},
		{2.5e-15, 2e-15},
	} {
		if got := round15(c.v); got != c.want {
			t.Errorf("round15(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}
