package rng

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// positive panics unless x is a positive finite number.
func positive(x float64, what string) {
	if !(x > 0 && x <= math.MaxFloat64) {
		panic("rng: " + what + " is not a positive finite number")
	}
}

// open returns a uniform number strictly between 0 and 1, with 52 random bits.
func (r *Rand) open() float64 { return (float64(r.Uint64()>>12) + 0.5) * 0x1p-52 }

// Gamma returns a number of the gamma distribution with the given shape and scale 1, whose mean is shape. For tiny
// shapes most of the distribution lies below the smallest float64; the number is 0 then. It panics unless shape is
// positive and finite.
func (r *Rand) Gamma(shape float64) float64 {
	positive(shape, "shape of Gamma")
	switch {
	case shape == 1:
		return r.Exponential()
	case shape > 1:
		return r.gamma(shape)
	}
	// G(a) has the distribution of G(a+1) * U^(1/a), and -log U the exponential one.
	g := r.gamma(shape + 1)
	return float64(g * detmath.Exp(-r.Exponential()/shape))
}

// gamma serves shapes of 1 and more (Marsaglia and Tsang, ACM Trans. Math. Software 26(3), 2000): d*v with v = (1+z)^3,
// z = c*x, x normal, accepted with the probability of gammaLog. 0.0331 is the constant of their quick acceptance.
func (r *Rand) gamma(shape float64) float64 {
	d := shape - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.Normal()
		z := float64(c * x)
		t := 1 + z
		if t <= 0 {
			continue
		}
		v := float64(float64(t*t) * t)
		u := r.open()
		x2 := float64(x * x)
		if u < 1-float64(0.0331*float64(x2*x2)) {
			return float64(d * v)
		}
		if detmath.Log(u) < gammaLog(d, x2, z) {
			return float64(d * v)
		}
	}
}

// gammaLog returns the logarithm of the probability of acceptance, x*x/2 + d - d*v + d*log v. By the series of the
// logarithm it is -3*d*z^4 * (1/4 - z/5 + z^2/6 - ...), as d = 1/(9*c*c), which is what is computed for small z, where
// the terms of the first form cancel.
func gammaLog(d, x2, z float64) float64 {
	if math.Abs(z) < 0x1p-6 {
		s := 1./9 - float64(z*(1./10-float64(z*(1./11-float64(z*(1./12))))))
		s = 1./4 - float64(z*(1./5-float64(z*(1./6-float64(z*(1./7-float64(z*(1./8-float64(z*s)))))))))
		z2 := float64(z * z)
		return float64(-3 * float64(float64(d*z2)*float64(z2*s)))
	}
	t := 1 + z
	v := float64(float64(t*t) * t)
	return float64(0.5*x2) + float64(d*((1-v)+detmath.Log(v)))
}

// degenerate is the size of shape parameters below which every sum of two or more gamma variates is, but for a
// probability below 2^-890, one of the variates. Only the ratio of such parameters matters: they are multiplied by
// undegenerate, lest the logarithms of the variates overflow.
const (
	degenerate   = 0x1p-900
	undegenerate = 0x1p800
)

// Beta returns a number of the beta distribution on [0, 1] with parameters a and b, whose mean is a/(a+b). With tiny
// parameters nearly every number is so close to 0 or to 1 that it is 0 or 1. It panics unless both are positive and
// finite.
func (r *Rand) Beta(a, b float64) float64 {
	positive(a, "first parameter of Beta")
	positive(b, "second parameter of Beta")
	if a == 1 && b == 1 {
		return r.Float64()
	}
	if a > 1 || b > 1 { // at least one of the two gamma variates is far from 0
		x, y := r.Gamma(a), r.Gamma(b)
		if max(x, y) > 0x1p1000 { // lest the sum overflow
			x, y = x*0x1p-30, y*0x1p-30
		}
		return x / (x + y)
	}
	if max(a, b) < degenerate {
		a, b = a*undegenerate, b*undegenerate
	}
	// Jöhnk (Metrika 8, 1964): X/(X+Y) given X+Y <= 1, X = U^(1/a), Y = V^(1/b); here by their logarithms.
	for {
		x, y := -r.Exponential()/a, -r.Exponential()/b
		if detmath.Exp(x)+detmath.Exp(y) <= 1 {
			return 1 / (1 + detmath.Exp(y-x))
		}
	}
}

// Dirichlet fills dst with a point of the symmetric Dirichlet distribution: numbers that are not negative and sum to 1
// but for rounding. A large alpha makes them nearly equal, alpha = 1 gives all points the same density, a tiny alpha
// puts nearly everything on one element. It panics unless alpha is positive and finite.
func (r *Rand) Dirichlet(dst []float64, alpha float64) {
	positive(alpha, "alpha of Dirichlet")
	if len(dst) == 0 {
		return
	}
	scale := 1.0
	switch {
	case alpha < degenerate:
		alpha *= undegenerate
	case alpha > 0x1p900: // lest the sum overflow
		scale = 0x1p-100
	}
	sum := 0.0
	for sum == 0 { // all zero once in 2^53 draws of a single exponential variate
		if alpha < 1 {
			r.smallGammas(dst, alpha)
		} else {
			for i := range dst {
				dst[i] = float64(r.Gamma(alpha) * scale)
			}
		}
		for _, x := range dst {
			sum += x
		}
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// smallGammas fills dst with gamma variates of a shape below 1, divided by the largest of them.
func (r *Rand) smallGammas(dst []float64, shape float64) {
	top := math.Inf(-1)
	for i := range dst {
		l := detmath.Log(r.gamma(shape + 1))
		dst[i] = l - r.Exponential()/shape
		top = max(top, dst[i])
	}
	for i := range dst {
		dst[i] = detmath.Exp(dst[i] - top)
	}
}
