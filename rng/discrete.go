package rng

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// MaxCount is the largest mean of [Rand.Poisson] and the largest number of trials of [Rand.Binomial]: their results fit
// an int of 32 bits.
const MaxCount = 1 << 30

// small is the mean up to which inversion is used: walking up from 0 costs about as many steps as the mean. The
// rejection methods are made for means of 10 and more. last is a count that no distribution with such a mean exceeds
// with a probability that a number of 53 bits could notice (P(K > 70) = 10^-35 for a mean of 10).
const (
	small = 10
	last  = 70
)

// reciprocal[k] is 1/(k+1).
var reciprocal = func() (t [last + 1]float64) {
	for k := range t {
		t[k] = 1 / float64(k+1)
	}
	return t
}()

// Poisson returns a number of the Poisson distribution. It panics unless lambda, the mean, is in [0, MaxCount].
func (r *Rand) Poisson(lambda float64) int {
	if !(lambda >= 0 && lambda <= MaxCount) {
		panic("rng: mean of Poisson outside [0, 2^30]")
	}
	if lambda >= small {
		return r.poissonReject(lambda)
	}
	first := detmath.Exp(-lambda)
	for {
		u, p := r.Float64(), first
		for k := range last {
			if u < p {
				return k
			}
			u -= p
			p = float64(float64(p*lambda) * reciprocal[k])
		}
	}
}

// Binomial returns how many of n trials succeed when each does with probability p. It panics unless n is in [0,
// MaxCount] and p in [0, 1].
func (r *Rand) Binomial(n int, p float64) int {
	if n < 0 || n > MaxCount {
		panic("rng: number of trials of Binomial outside [0, 2^30]")
	}
	if !(p >= 0 && p <= 1) {
		panic("rng: probability of Binomial outside [0, 1]")
	}
	if p > 0.5 {
		return n - r.binomial(n, 1-p) // 1-p is exact
	}
	return r.binomial(n, p)
}

// binomial serves p <= 1/2.
func (r *Rand) binomial(n int, p float64) int {
	if float64(float64(n)*p) >= small {
		return r.binomialReject(float64(n), p)
	}
	first := detmath.Exp(float64(float64(n) * log1p(-p)))
	odds := p / (1 - p)
	for {
		u, q := r.Float64(), first
		for k := range min(n, last) + 1 {
			if u < q {
				return k
			}
			u -= q
			q = float64(float64(float64(q*odds)*float64(n-k)) * reciprocal[k])
		}
	}
}

// hat is the transformed rejection of Hörmann (Poisson: Insurance: Mathematics and Economics 12, 1993, PTRS; binomial:
// J. Statistical Computation and Simulation 46, 1993, BTRS). With U uniform in (-1/2, 1/2) and s = 1/2 - |U| the
// candidate is the floor of G(U) = (2a/s + b) U + c, accepted when V*scale/G'(U) is below the probability of the
// candidate, in the unit that scale is made for; V is uniform too, G'(U) = a/(s*s) + b. What comes out has exactly the
// wanted distribution whatever the constants are, as long as scale/G'(U) is nowhere below the probability and as the
// short cut, to accept when s >= 0.07 and V <= quick, takes nothing that the full comparison refuses. TestHat shows
// both. Two things differ from the papers because they fail there: the Poisson hat is too low by up to 0.5 % for means
// below 1000, so that it is raised here, and the quick rejection of small s refuses too much for binomial means near
// 10, so that there is none.
type hat struct{ a, b, c, quick, scale float64 }

const quickFrom = 0.07

// draw returns a candidate that is not negative and either that it is accepted or the height that must be below its
// probability.
func (t *hat) draw(r *Rand) (k, height float64, sure bool) {
	for {
		u := r.Float64() - 0.5
		v := 1 - r.Float64()
		s := 0.5 - math.Abs(u)
		k = math.Floor(float64((2*t.a/s+t.b)*u) + t.c)
		if s >= quickFrom && v <= t.quick {
			return k, 0, true
		}
		if k >= 0 {
			return k, v * t.scale / (t.a/float64(s*s) + t.b), false
		}
	}
}

func poissonHat(lambda float64) hat {
	const raise = 1.01
	b := 0.931 + float64(2.53*math.Sqrt(lambda))
	return hat{
		a:     float64(0.02483*b) - 0.059,
		b:     b,
		c:     lambda + 0.43,
		quick: 0.9127 - 3.6224/(b-2), // the paper's 0.9277, lowered with the hat raised
		scale: raise * (1.1239 + 1.1328/(b-3.4)),
	}
}

func (r *Rand) poissonReject(lambda float64) int {
	t := poissonHat(lambda)
	for {
		k, height, sure := t.draw(r)
		if sure || height <= detmath.Exp(logPoisson(k, lambda)) {
			return int(k)
		}
	}
}

// binomialHat measures probabilities in that of the mode.
func binomialHat(n, p float64) hat {
	sd := math.Sqrt(float64(float64(n*p) * (1 - p)))
	b := 1.15 + float64(2.53*sd)
	return hat{
		a:     float64(0.0248*b) + float64(0.01*p) - 0.0873,
		b:     b,
		c:     float64(n*p) + 0.5,
		quick: 0.92 - 4.2/b,
		scale: float64((2.83 + 5.1/b) * sd),
	}
}

func (r *Rand) binomialReject(n, p float64) int {
	t := binomialHat(n, p)
	mode := math.Floor(float64((n + 1) * p))
	top := math.NaN() // computed when first needed
	for {
		k, height, sure := t.draw(r)
		if sure {
			return int(k)
		}
		if k > n {
			continue
		}
		if math.IsNaN(top) {
			top = logBinomial(mode, n, p)
		}
		if height <= detmath.Exp(logBinomial(k, n, p)-top) {
			return int(k)
		}
	}
}

// The logarithms of probabilities by Loader's saddle-point form (Fast and accurate computation of binomial
// probabilities, 2000), whose terms do not cancel: the error is a few units of 10^-16 of the larger of 1 and the
// result.

// logPoisson returns the logarithm of the probability of k.
func logPoisson(k, lambda float64) float64 {
	if k == 0 {
		return -lambda
	}
	return -stirling(k) - deviance(k, lambda) - float64(0.5*detmath.Log(2*math.Pi*k))
}

// logBinomial returns the logarithm of the probability of k of n for 0 < p <= 1/2.
func logBinomial(k, n, p float64) float64 {
	switch k {
	case 0:
		return float64(n * log1p(-p))
	case n:
		return float64(n * detmath.Log(p))
	}
	s := stirling(n) - stirling(k) - stirling(n-k)
	d := deviance(k, float64(n*p)) + deviance(n-k, float64(n*(1-p)))
	return s - d + float64(0.5*detmath.Log(n/float64(float64(2*math.Pi*k)*(n-k))))
}

// stirling returns log(n!) - log(sqrt(2*pi*n) * (n/e)^n) for an integer n > 0.
func stirling(n float64) float64 {
	if n < float64(len(stirlingSmall)) {
		return stirlingSmall[int(n)]
	}
	z := 1 / float64(n*n)
	s := 1./1260 - float64(z*(1./1680))
	s = 1./360 - float64(z*s)
	return (1./12 - float64(z*s)) / n
}

var stirlingSmall = func() (t [16]float64) {
	f := 1.0
	for n := 1.0; n < float64(len(t)); n++ {
		f *= n
		t[int(n)] = detmath.Log(f) - (float64((n+0.5)*detmath.Log(n)) - n + float64(0.5*detmath.Log(2*math.Pi)))
	}
	return t
}()

// deviance returns x*log(x/m) + m - x for positive x and m.
func deviance(x, m float64) float64 {
	d := x - m
	if math.Abs(d) >= 0.1*(x+m) {
		return float64(x*detmath.Log(x/m)) - d
	}
	// log(x/m) = log((1+v)/(1-v)) by its series in v = d/(x+m); its first term and -d give d*v.
	v := d / (x + m)
	z := float64(v * v)
	p := float64(z*(1./17)) + 1./15
	p = float64(z*p) + 1./13
	p = float64(z*p) + 1./11
	p = float64(z*p) + 1./9
	p = float64(z*p) + 1./7
	p = float64(z*p) + 1./5
	p = float64(z*p) + 1./3
	return float64(d*v) + float64(2*float64(x*v)*float64(z*p))
}

// log1p returns log(1+x) for -1/2 <= x <= 0, precise for small x (Kahan: the rounding of 1+x cancels in the quotient).
func log1p(x float64) float64 {
	u := 1 + x
	if u == 1 {
		return x
	}
	return float64(detmath.Log(u)*x) / (u - 1)
}
