package rng

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// TestZiggurat solves the equations of the layers by bisection and demands the constants, and that no layer accepts
// without comparison where the density is lower.
func TestZiggurat(t *testing.T) {
	tests := []struct {
		name          string
		r, v          float64
		unit          float64
		atOnce        float64
		z             *ziggurat
		f, inv, above func(float64) float64
	}{
		{
			"normal", normalR, normalV, normalUnit, 0.985, normalZig,
			func(x float64) float64 { return math.Exp(-x * x / 2) },
			func(y float64) float64 { return math.Sqrt(-2 * math.Log(y)) },
			func(x float64) float64 { return math.Sqrt(math.Pi/2) * math.Erfc(x/math.Sqrt2) },
		},
		{
			"exponential", expR, expV, expUnit, 0.977, expZig,
			func(x float64) float64 { return math.Exp(-x) },
			func(y float64) float64 { return -math.Log(y) },
			func(x float64) float64 { return math.Exp(-x) },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			top := func(r float64) float64 { // where the 256th layer ends
				v := r*tt.f(r) + tt.above(r)
				x := r
				for range 254 {
					y := tt.f(x) + v/x
					if y >= 1 {
						return 2
					}
					x = tt.inv(y)
				}
				return tt.f(x) + v/x
			}
			lo, hi := 2., 10.
			for range 100 {
				if mid := (lo + hi) / 2; top(mid) > 1 {
					lo = mid
				} else {
					hi = mid
				}
			}
			v := lo*tt.f(lo) + tt.above(lo)
			if math.Abs(lo-tt.r) > 1e-13 || math.Abs(v-tt.v) > 1e-16 {
				t.Errorf("edge and area %.17g and %.17g, the constants are %.17g and %.17g", lo, v, tt.r, tt.v)
			}

			z, accepted := tt.z, 0.0
			for i := range 256 {
				edge := z.width[i] * tt.unit
				inner := float64(z.accept[i]) * z.width[i]
				accepted += inner / edge / 256
				if i > 0 && (tt.f(inner) < z.y[i+1]*(1-1e-14) || math.Abs(tt.f(edge)-z.y[i]) > 1e-14) {
					t.Errorf("layer %d: inner edge %v, outer edge %v, heights %v to %v", i, inner, edge, z.y[i], z.y[i+1])
				}
				if i > 0 && i < 255 && math.Abs(edge*(z.y[i+1]-z.y[i])/tt.v-1) > 1e-11 {
					t.Errorf("layer %d has the area %v, want %v", i, edge*(z.y[i+1]-z.y[i]), tt.v)
				}
			}
			if accepted < tt.atOnce {
				t.Errorf("accepted at once: %.4f", accepted)
			}
		})
	}
}

// TestHat shows the premises of the rejection methods for a dense grid of parameters: the hat is above the probability
// everywhere, and the short cut agrees with the full comparison. The numbers U that give the candidate k are the
// interval between the solutions of G(U) = k and G(U) = k+1; the hat is lowest at the end away from 0.
func TestHat(t *testing.T) {
	solve := func(h hat, y float64) float64 {
		w := math.Abs(y - h.c)
		m := 2*h.a + h.b/2 + w
		return math.Copysign(w/(m+math.Sqrt(m*m-2*h.b*w)), y-h.c)
	}
	// measure returns the largest quotient of the probability and the hat, and the least V that is refused where the short
	// cut is allowed.
	measure := func(h hat, n float64, prob func(k float64) float64) (quotient, sure float64) {
		sure = math.Inf(1)
		sd := h.b / 2.53
		var step float64
		for k := math.Floor(max(h.c-40*sd, 0)); k <= min(h.c+40*sd, n); k += step {
			step = math.Ceil(sd / 100)
			if math.Abs(k-h.c) > 10*sd { // the probability is less than 1e-6 of the hat
				step = math.Ceil(sd / 10)
			}
			f := prob(k) / h.scale
			for _, u := range []float64{solve(h, k), solve(h, k+1)} {
				s := 0.5 - math.Abs(u)
				quotient = max(quotient, f*(h.a/(s*s)+h.b))
			}
			near := min(math.Abs(solve(h, k)), math.Abs(solve(h, k+1)))
			if h.c >= k && h.c < k+1 {
				near = 0
			}
			if s := 0.5 - near; s >= quickFrom {
				sure = min(sure, f*(h.a/(s*s)+h.b))
			}
		}
		return quotient, sure
	}
	check := func(what string, h hat, n float64, prob func(k float64) float64) {
		t.Helper()
		quotient, sure := measure(h, n, prob)
		if quotient > 1 || sure < h.quick {
			t.Errorf("%s: probability up to %v of the hat, V <= %v accepted where V <= %v would be right",
				what, quotient, h.quick, sure)
		}
	}
	poisson := func(l float64) func(k float64) float64 {
		return func(k float64) float64 { return math.Exp(logPoisson(k, l)) }
	}
	for l := float64(small); l <= MaxCount; l *= 1.02 {
		check(fmt.Sprintf("Poisson with mean %v", l), poissonHat(l), math.Inf(1), poisson(l))
	}
	for _, p := range []float64{0.5, 0.49, 0.4, 0.3, 0.2, 0.1, 0.03, 0.01, 1e-3, 1e-5} {
		for n := math.Ceil(small / p); n <= MaxCount; n = math.Ceil(n * 1.1) {
			top := logBinomial(math.Floor((n+1)*p), n, p)
			check(fmt.Sprintf("binomial with n = %v, p = %v", n, p), binomialHat(n, p), n, func(k float64) float64 {
				return math.Exp(logBinomial(k, n, p) - top)
			})
		}
	}
	// That the grid sees what it should: the hat as published is refused.
	h := poissonHat(small)
	h.scale /= 1.01
	if quotient, _ := measure(h, math.Inf(1), poisson(small)); quotient < 1.004 {
		t.Errorf("the published hat passes with quotient %v, known to be 1.005", quotient)
	}
}

// TestLogProbabilities compares with the direct form by package math's log-gamma, where that is precise.
func TestLogProbabilities(t *testing.T) {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	for _, l := range []float64{0.1, 1, 9, 10, 33.3, 100, 1000} {
		for k := 0.; k < 3*l+20; k++ {
			want := k*math.Log(l) - l - lg(k)
			if got := logPoisson(k, l); math.Abs(got-want) > 1e-13*(10+lg(k)) {
				t.Errorf("logPoisson(%v, %v) = %v, want %v", k, l, got, want)
			}
		}
	}
	for _, n := range []float64{1, 2, 10, 15, 16, 40, 1000} {
		for _, p := range []float64{0.5, 0.3, 0.01, 1e-6} {
			for k := 0.; k <= n; k++ {
				want := lg(n) - lg(k) - lg(n-k) + k*math.Log(p) + (n-k)*math.Log1p(-p)
				if got := logBinomial(k, n, p); math.Abs(got-want) > 1e-13*(10+lg(n)+math.Abs(want)) {
					t.Errorf("logBinomial(%v, %v, %v) = %v, want %v", k, n, p, got, want)
				}
			}
		}
	}
	for _, x := range []float64{-0.5, -0.1, -1e-5, -1e-10, -1e-16, -1e-20, -1e-300} {
		if got, want := log1p(x), math.Log1p(x); math.Abs(got/want-1) > 1e-15 {
			t.Errorf("log1p(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestGammaLog compares both forms with the first one in multi-precision arithmetic, log(1+z) by its own series.
func TestGammaLog(t *testing.T) {
	f := func(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).Mul(a, b) }
	for _, shape := range []float64{1, 1.5, 3, 40, 500, 1e5, 1e9, 1e15, 1e25} {
		d := shape - 1./3
		for x := -4.; x <= 4; x += 0.125 {
			z := x / math.Sqrt(9*d)
			if z < -0.9 {
				continue
			}
			// d*(9*z*z/2 + 1 - (1+z)^3 + 3*log(1+z)); log(1+z) = 2 atanh(z/(2+z))
			q := new(big.Float).Quo(f(z), new(big.Float).Add(f(2), f(z)))
			log, pow := f(0), new(big.Float).Copy(q)
			for n := 1.; n < 1500; n += 2 {
				term := new(big.Float).Quo(pow, f(n))
				if log.Add(log, term); term.MantExp(nil) < log.MantExp(nil)-400 {
					break // the rest is below the last bit
				}
				pow = mul(mul(pow, q), q)
			}
			u := new(big.Float).Add(f(1), f(z))
			sum := mul(f(6), log)
			sum.Add(sum, f(1)).Sub(sum, mul(mul(u, u), u)).Add(sum, mul(f(4.5), mul(f(z), f(z))))
			want, _ := mul(f(d), sum).Float64()
			got := gammaLog(d, x*x, z)
			if math.Abs(got-want) > 1e-10*math.Abs(want)+1e-12 {
				t.Errorf("shape %v, x = %v: %v, want %v", shape, x, got, want)
			}
		}
	}
}

// TestWedge: of heights thrown into a layer, the part below a height is in proportion.
func TestWedge(t *testing.T) {
	r := New(15)
	const n = 100000
	for _, z := range []*ziggurat{normalZig, expZig} {
		for _, i := range []uint64{1, 2, 50, 128, 200, 254, 255} {
			for _, part := range []float64{0.1, 0.5, 0.9} {
				below := 0
				for range n {
					if z.under(r, i, z.y[i]+part*(z.y[i+1]-z.y[i])) {
						below++
					}
				}
				if math.Abs(float64(below)-n*part) > 5*math.Sqrt(n*part*(1-part)) {
					t.Errorf("layer %d: %d of %d heights in the lowest %v", i, below, n, part)
				}
			}
		}
	}
}
