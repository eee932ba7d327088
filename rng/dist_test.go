package rng_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/rng"
)

func TestUniform(t *testing.T) {
	r := rng.New(1)
	checkContinuous(t, r.Float64, distuv.Uniform{Min: 0, Max: 1})
	checkContinuous(t, func() float64 { return r.Uniform(-3, 5) }, distuv.Uniform{Min: -3, Max: 5})
}

func TestIntN(t *testing.T) {
	r := rng.New(2)
	for _, n := range []int{1, 2, 3, 7, 10, 64, 1000} {
		t.Run(name(n), func(t *testing.T) {
			m := float64(n)
			checkDiscrete(t, func() int { return r.IntN(n) }, func(int) float64 { return 1 / m }, (m-1)/2, (m*m-1)/12)
		})
	}
	// With modulo reduction of 64-bit words, numbers below 2^62 would be 4/3 times too frequent for this n.
	if strconv.IntSize < 64 {
		return
	}
	quarter := 1 << (strconv.IntSize - 2)
	n, low := quarter+quarter/2, 0
	for range draws {
		if r.IntN(n) < quarter {
			low++
		}
	}
	if p := float64(low) / draws; math.Abs(p-2./3) > 5*math.Sqrt(2./9/draws) {
		t.Errorf("%v of the numbers below %d are below %d, want 2/3", p, n, quarter)
	}
}

func TestNormal(t *testing.T) {
	r := rng.New(3)
	checkContinuous(t, r.Normal, distuv.UnitNormal)
	checkFineNormal(t, r.Normal)
	// The tail beyond the base rectangle, which is drawn by other code.
	const edge0 = 3.6541528853610088
	for _, sign := range []float64{-1, 1} {
		tail := make([]float64, draws)
		for i := range tail {
			tail[i] = -sign * r.NormalTail(sign)
		}
		if p := kolmogorov(tail, func(x float64) float64 {
			return min(distuv.UnitNormal.CDF(x)/distuv.UnitNormal.CDF(-edge0), 1)
		}); p < level {
			t.Errorf("tail refused: p = %.2g", p)
		}
	}
}

// checkFineNormal draws 20 million numbers in 2000 cells, to see an error in a single layer of the ziggurat.
func checkFineNormal(t *testing.T, draw func() float64) {
	t.Helper()
	const cells, edge, n = 2000, 4.5, 20_000_000
	counts := make([]int, cells+2)
	for range n {
		x := (draw() + edge) * (cells / (2 * edge))
		counts[int(min(max(math.Floor(x), -1), cells))+1]++
	}
	cdf := func(k int) float64 { return distuv.UnitNormal.CDF(float64(k)*(2*edge/cells) - edge) }
	p := chiSquare(counts, func(k int) float64 {
		if k == 0 {
			return cdf(0)
		}
		return cdf(k) - cdf(k-1)
	})
	if p < level {
		t.Errorf("fine distribution refused: p = %.2g", p)
	}
}

func TestFillNormal32(t *testing.T) {
	r := rng.New(4)
	buf := make([]float32, 1001) // odd: the last word of a filling gives one number
	i := len(buf)
	draw := func() float64 {
		if i == len(buf) {
			r.FillNormal32(buf)
			i = 0
		}
		i++
		return float64(buf[i-1])
	}
	checkContinuous(t, draw, distuv.UnitNormal)
	checkFineNormal(t, draw)
	// The two numbers of a word are independent.
	var sum float64
	for range draws {
		r.FillNormal32(buf[:2])
		sum += float64(buf[0]) * float64(buf[1])
	}
	if z := sum / math.Sqrt(draws); math.Abs(z) > 4.5 {
		t.Errorf("the numbers of a word are correlated: z = %.1f", z)
	}
}

func TestExponential(t *testing.T) {
	r := rng.New(4)
	checkContinuous(t, r.Exponential, distuv.Exponential{Rate: 1})
	const cells, edge, n = 2000, 10., 20_000_000
	counts := make([]int, cells+1)
	for range n {
		counts[min(int(r.Exponential()*(cells/edge)), cells)]++
	}
	p := chiSquare(counts, func(k int) float64 {
		return math.Exp(-float64(k)*(edge/cells)) * -math.Expm1(-edge/cells)
	})
	if p < level {
		t.Errorf("fine distribution refused: p = %.2g", p)
	}
}

func TestGamma(t *testing.T) {
	r := rng.New(5)
	for _, a := range []float64{0.01, 0.1, 0.3, 0.5, 0.9, 0.999, 1, 1.001, 1.5, 2, 3, 10, 100, 1e4} {
		t.Run(name(a), func(t *testing.T) {
			checkContinuous(t, func() float64 { return r.Gamma(a) }, distuv.Gamma{Alpha: a, Beta: 1})
		})
	}
	// Huge shapes are normal; a quotient that canceled would spoil the acceptance.
	for _, a := range []float64{1e10, 1e14, 1e18, 1e22} {
		t.Run(name(a), func(t *testing.T) {
			checkContinuous(t, func() float64 { return (r.Gamma(a) - a) / math.Sqrt(a) }, distuv.UnitNormal)
		})
	}
	for _, a := range []float64{1e100, 1e308, math.MaxFloat64} {
		if g := r.Gamma(a); math.Abs(g/a-1) > 1e-15 {
			t.Errorf("Gamma(%g) = %g", a, g)
		}
	}
	// Shape 0.001: -log G is exponential with mean 1000 to within a per mille, so that 49 % of the variates are 0.
	zero := 0
	for range draws {
		if r.Gamma(0.001) == 0 {
			zero++
		}
	}
	if p := float64(zero) / draws; math.Abs(p-math.Exp(-0.7444)) > 0.01 {
		t.Errorf("Gamma(0.001) was 0 in %v of the draws, want %v", p, math.Exp(-0.7444))
	}
	if g := r.Gamma(0x1p-1074); g != 0 {
		t.Errorf("Gamma(2^-1074) = %g, want 0", g)
	}
}

func TestBeta(t *testing.T) {
	r := rng.New(6)
	pairs := [][2]float64{
		{1, 1},
		{0.5, 0.5},
		{0.1, 0.2},
		{0.05, 0.05},
		{0.01, 3},
		{3, 0.01},
		{1, 0.3},
		{0.7, 1},
		{5, 1},
		{2, 3},
		{0.2, 1.2},
		{1.5, 0.5},
		{100, 200},
		{1e4, 3},
	}
	for _, p := range pairs {
		t.Run(name(p), func(t *testing.T) {
			d := distuv.Beta{Alpha: p[0], Beta: p[1]}
			x := make([]float64, draws)
			for i := range x {
				x[i] = r.Beta(p[0], p[1])
			}
			checkMoments(t, x, d.Mean(), d.Variance())
			checkHalves(t, x, p[0], p[1])
		})
	}
	extremes := [][2]float64{
		{1e-5, 3e-5},
		{1e-300, 1e-300},
		{0x1p-1074, 0x3p-1074},
		{1e-200, 2e-201},
		{1e-310, 0.5},
		{1e300, 1e300},
		{math.MaxFloat64, 1e-320},
		{1e-320, math.MaxFloat64},
	}
	for _, p := range extremes {
		t.Run(name(p), func(t *testing.T) {
			x := make([]float64, 20000)
			for i := range x {
				x[i] = r.Beta(p[0], p[1])
				if !(x[i] >= 0 && x[i] <= 1) {
					t.Fatalf("drew %v", x[i])
				}
			}
			mean := 1 / (1 + p[1]/p[0])
			if m, _, e, _ := moments(x); math.Abs(m-mean) > 5*e+1e-12 {
				t.Errorf("mean %v, want %v", m, mean)
			}
		})
	}
}

// checkHalves tests x against Beta(a, b) by halves, each seen from its own end: next to 1, where small b puts much of
// the distribution, the float64 numbers are too coarse for a test on the whole.
func checkHalves(t *testing.T, x []float64, a, b float64) {
	t.Helper()
	low, f := upTo(x, 0.5, distuv.Beta{Alpha: a, Beta: b}.CDF)
	if p := kolmogorov(low, f); len(low) > 100 && p < level {
		t.Errorf("lower half refused: p = %.2g", p)
	}
	want := distuv.Beta{Alpha: a, Beta: b}.CDF(0.5)
	if got := float64(len(low)) / float64(len(x)); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(len(x)))+1e-9 {
		t.Errorf("%v of the numbers are below 1/2, want %v", got, want)
	}
	if b < 0.4 {
		return
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 1 - v
	}
	high, f := upTo(y, 0.5, distuv.Beta{Alpha: b, Beta: a}.CDF)
	if p := kolmogorov(high, f); len(high) > 100 && p < level {
		t.Errorf("upper half refused: p = %.2g", p)
	}
}

func TestDirichlet(t *testing.T) {
	r := rng.New(7)
	for _, k := range []int{2, 3, 10} {
		for _, a := range []float64{0.1, 0.5, 1, 1.5, 20} {
			t.Run(name(k, "_", a), func(t *testing.T) {
				p := make([]float64, k)
				first, product := make([]float64, draws/2), make([]float64, draws/2)
				for i := range first {
					r.Dirichlet(p, a)
					checkSimplex(t, p)
					first[i], product[i] = p[0], p[0]*p[k-1]
				}
				checkHalves(t, first, a, float64(k-1)*a)
				n := float64(k)
				want := a / (n * (n*a + 1)) // E[x_i x_j]
				if m, _, e, _ := moments(product); math.Abs(m-want) > 5*e {
					t.Errorf("mean product of two elements %v, want %v (standard error %.2g)", m, want, e)
				}
			})
		}
	}
	// With a tiny alpha one element is 1 and the others 0, each element as often as any other.
	for _, a := range []float64{1e-6, 1e-100, 1e-290, 1e-310, 0x1p-1074} {
		t.Run(name("tiny", a), func(t *testing.T) {
			p := make([]float64, 5)
			counts := make([]int, len(p))
			for range 20000 {
				r.Dirichlet(p, a)
				checkSimplex(t, p)
				i := slices.Index(p, slices.Max(p))
				if p[i] < 0.9 && a < 1e-50 {
					t.Fatalf("no element has nearly all: %v", p)
				}
				counts[i]++
			}
			if p := chiSquare(counts, func(int) float64 { return 0.2 }); p < level {
				t.Errorf("%v times the elements: p = %.2g", counts, p)
			}
		})
	}
	for _, a := range []float64{1e20, 1e305, math.MaxFloat64} {
		p := make([]float64, 4)
		r.Dirichlet(p, a)
		for _, x := range p {
			if math.Abs(x-0.25) > 1e-9 {
				t.Errorf("Dirichlet(%g) = %v", a, p)
			}
		}
	}
	one := []float64{7}
	r.Dirichlet(one, 0.3)
	if one[0] != 1 {
		t.Errorf("the only element is %v", one[0])
	}
	r.Dirichlet(nil, 1)
}

func checkSimplex(t *testing.T, p []float64) {
	t.Helper()
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) {
			t.Fatalf("element %v", x)
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-14 {
		t.Fatalf("sum %v of %v", sum, p)
	}
}

func TestPoisson(t *testing.T) {
	r := rng.New(8)
	for _, l := range []float64{0, 1e-9, 0.01, 0.5, 1, 3, 7.3, 9.999, 10, 10.5, 12, 17, 25, 60, 100, 500, 1e4, 1e5} {
		t.Run(name(l), func(t *testing.T) {
			prob := func(k int) float64 {
				if l == 0 {
					return [2]float64{1, 0}[min(k, 1)]
				}
				return distuv.Poisson{Lambda: l}.Prob(float64(k))
			}
			checkDiscrete(t, func() int { return r.Poisson(l) }, prob, l, l)
		})
	}
	for _, l := range []float64{1e8, rng.MaxCount} { // normal, after smoothing the steps
		t.Run(name(l), func(t *testing.T) {
			draw := func() float64 { return (float64(r.Poisson(l)) + r.Float64() - 0.5 - l) / math.Sqrt(l) }
			checkContinuous(t, draw, distuv.UnitNormal)
		})
	}
}

func TestBinomial(t *testing.T) {
	r := rng.New(9)
	cases := []struct {
		n int
		p float64
	}{
		{0, 0.3},
		{5, 0},
		{5, 1},
		{1, 0.5},
		{1, 0.01},
		{7, 0.3},
		{19, 0.5},
		{20, 0.5},
		{21, 0.5},
		{20, 0.75},
		{33, 0.31},
		{100, 0.05},
		{100, 0.1},
		{100, 0.101},
		{100, 0.4},
		{100, 0.95},
		{1000, 0.5},
		{1000, 0.011},
		{50000, 0.3},
		{1 << 30, 1e-9},
		{1 << 30, 2e-8},
	}
	for _, c := range cases {
		t.Run(name(c.n, "_", c.p), func(t *testing.T) {
			n := float64(c.n)
			prob := func(k int) float64 {
				switch {
				case k > c.n:
					return 0
				case c.n == 0 || c.p == 0:
					return [2]float64{1, 0}[min(k, 1)]
				case c.p == 1:
					return [2]float64{0, 1}[min(k/c.n, 1)]
				}
				return distuv.Binomial{N: n, P: c.p}.Prob(float64(k))
			}
			checkDiscrete(t, func() int { return r.Binomial(c.n, c.p) }, prob, n*c.p, n*c.p*(1-c.p))
		})
	}
	const n, p = rng.MaxCount, 0.37
	draw := func() float64 {
		return (float64(r.Binomial(n, p)) + r.Float64() - 0.5 - n*p) / math.Sqrt(n*p*(1-p))
	}
	checkContinuous(t, draw, distuv.UnitNormal)
}

func TestSignBool(t *testing.T) {
	r := rng.New(10)
	checkDiscrete(t, func() int { return int(r.Sign()+1) / 2 }, func(int) float64 { return 0.5 }, 0.5, 0.25)
	checkDiscrete(t, func() int {
		if r.Bool() {
			return 1
		}
		return 0
	}, func(int) float64 { return 0.5 }, 0.5, 0.25)
}

// TestPermutations counts all orders of four elements.
func TestPermutations(t *testing.T) {
	r := rng.New(11)
	code := func(p []int) int {
		c := 0
		for i, v := range p {
			rank := 0
			for _, w := range p[i+1:] {
				if w < v {
					rank++
				}
			}
			c = c*(len(p)-i) + rank
		}
		return c
	}
	uniform := func(int) float64 { return 1. / 24 }
	p := make([]int, 4)
	t.Run("Perm", func(t *testing.T) {
		checkDiscrete(t, func() int { r.Perm(p); return code(p) }, uniform, 11.5, 575./12)
	})
	t.Run("Shuffle", func(t *testing.T) {
		draw := func() int {
			p = append(p[:0], 0, 1, 2, 3)
			r.Shuffle(4, func(i, j int) { p[i], p[j] = p[j], p[i] })
			return code(p)
		}
		checkDiscrete(t, draw, uniform, 11.5, 575./12)
	})
	big := make([]int, 1000)
	r.Perm(big)
	slices.Sort(big)
	for i, v := range big {
		if i != v {
			t.Fatalf("Perm misses %d", i)
		}
	}
	r.Perm(nil)
	r.Shuffle(0, nil)
	r.Shuffle(1, nil)
}

// TestPower feeds the tests samplers that are slightly wrong: each must be refused.
func TestPower(t *testing.T) {
	r := rng.New(12)
	cont := []struct {
		name string
		draw func() float64
		cdf  func(float64) float64
	}{
		{"normal shifted by 0.02", func() float64 { return r.Normal() + 0.02 }, distuv.UnitNormal.CDF},
		{"normal scaled by 1.03", func() float64 { return r.Normal() * 1.03 }, distuv.UnitNormal.CDF},
		{"uniform with 6 bits", func() float64 { return math.Floor(r.Float64()*64) / 64 }, distuv.Uniform{Max: 1}.CDF},
		{"exponential scaled", func() float64 { return r.Exponential() * 1.02 }, distuv.Exponential{Rate: 1}.CDF},
		{"gamma of another shape", func() float64 { return r.Gamma(2.04) }, distuv.Gamma{Alpha: 2, Beta: 1}.CDF},
		{"gamma without boost", func() float64 { return r.Gamma(1.3) }, distuv.Gamma{Alpha: 0.3, Beta: 1}.CDF},
		{"beta swapped", func() float64 { return r.Beta(2.05, 2) }, distuv.Beta{Alpha: 2, Beta: 2.05}.CDF},
		{"NaN", math.NaN, distuv.UnitNormal.CDF},
	}
	for _, c := range cont {
		x := make([]float64, draws)
		for i := range x {
			x[i] = c.draw()
		}
		if p := kolmogorov(x, c.cdf); p > level {
			t.Errorf("%s: accepted, p = %.2g", c.name, p)
		}
	}
	disc := []struct {
		name string
		draw func() int
		prob func(float64) float64
	}{
		{"Poisson of another mean", func() int { return r.Poisson(5.05) }, distuv.Poisson{Lambda: 5}.Prob},
		{"Poisson of another mean", func() int { return r.Poisson(60.3) }, distuv.Poisson{Lambda: 60}.Prob},
		{"rounded normal", func() int { return int(math.Round(25 + 5*r.Normal())) }, distuv.Poisson{Lambda: 25}.Prob},
		{"binomial", func() int { return r.Binomial(100, 0.402) }, distuv.Binomial{N: 100, P: 0.4}.Prob},
		{"binomial for Poisson", func() int { return r.Binomial(200, 0.05) }, distuv.Poisson{Lambda: 10}.Prob},
	}
	for _, c := range disc {
		counts := make([]int, 300)
		for range draws {
			counts[max(c.draw(), 0)]++
		}
		if p := chiSquare(counts, func(k int) float64 { return c.prob(float64(k)) }); p > level {
			t.Errorf("%s: accepted, p = %.2g", c.name, p)
		}
	}
}

func TestPanics(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	r := rng.New(13)
	calls := map[string]func(){}
	for _, x := range []float64{0, -1, nan, inf, -inf} {
		calls[name("Gamma ", x)] = func() { r.Gamma(x) }
		calls[name("Beta first ", x)] = func() { r.Beta(x, 1) }
		calls[name("Beta second ", x)] = func() { r.Beta(1, x) }
		calls[name("Dirichlet ", x)] = func() { r.Dirichlet(make([]float64, 3), x) }
	}
	for _, x := range []float64{-0x1p-1074, nan, inf, rng.MaxCount + 1} {
		calls[name("Poisson ", x)] = func() { r.Poisson(x) }
		calls[name("Binomial p ", x)] = func() { r.Binomial(3, x) }
	}
	calls["Binomial n -1"] = func() { r.Binomial(-1, 0.5) }
	calls["Binomial n large"] = func() { r.Binomial(rng.MaxCount+1, 0.5) }
	calls["Binomial p 1.01"] = func() { r.Binomial(3, 1.01) }
	calls["IntN 0"] = func() { r.IntN(0) }
	calls["IntN -1"] = func() { r.IntN(-1) }
	calls["Shuffle -1"] = func() { r.Shuffle(-1, nil) }
	for what, f := range calls {
		func() {
			defer func() {
				if s := fmt.Sprint(recover()); len(s) < 5 || s[:5] != "rng: " {
					t.Errorf("%s: recovered %q, want a panic that starts with \"rng: \"", what, s)
				}
			}()
			f()
		}()
	}
}
