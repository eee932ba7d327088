package rng_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/rng"
)

// Goodness of fit. Every test below uses a fixed seed, so that it passes always or never. A fit is refused when a
// sampler that is right would give a statistic as large with a probability below level; about 200 fits are tested, so
// that even with random seeds all would pass 98 times of 100. How wrong a sampler must be to be noticed is what
// TestPower shows: with n = 200 000 draws a shift by 2 % of a standard deviation, or a scale or a shape wrong by a few
// per cent.
const (
	level = 1e-4
	draws = 200_000
)

// kolmogorov returns the p-value of the Kolmogorov-Smirnov test that x has the distribution function cdf, by the
// asymptotic series, precise at the sizes used here. It sorts x.
func kolmogorov(x []float64, cdf func(float64) float64) float64 {
	slices.Sort(x)
	n := float64(len(x))
	d := farthest(x, cdf)
	if math.IsNaN(d) {
		return 0
	}
	t := (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)) * d
	if t < 0.2 {
		return 1
	}
	p, sign := 0.0, 2.0
	for j := 1.0; j <= 100; j++ {
		p += sign * math.Exp(-2*j*j*t*t)
		sign = -sign
	}
	return p
}

// farthest returns the largest distance between cdf and the steps of the sorted x, NaN if there is a NaN. As cdf does not
// fall, its values at two numbers bound the distances between them: what cannot be the farthest is not computed.
func farthest(x []float64, cdf func(float64) float64) float64 {
	n := float64(len(x))
	if n == 0 || math.IsNaN(x[0]) { // NaN sorts first
		return math.NaN()
	}
	d := 0.0
	at := func(i int) float64 {
		f := cdf(x[i])
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
		return f
	}
	var between func(i, j int, fi, fj float64)
	between = func(i, j int, fi, fj float64) {
		if j-i < 2 || max(fj-float64(i+1)/n, float64(j)/n-fi) <= d {
			return
		}
		mid := (i + j) / 2
		f := at(mid)
		between(i, mid, fi, f)
		between(mid, j, f, fj)
	}
	last := len(x) - 1
	between(0, last, at(0), at(last))
	return d
}

// TestFarthest compares with the distances at all numbers.
func TestFarthest(t *testing.T) {
	r := rng.New(16)
	for _, n := range []int{1, 2, 3, 10, 1000, 20000} {
		for _, shift := range []float64{0, 0.05, -2, 5} {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Round(1e3*r.Normal())/1e3 + shift // with ties
			}
			slices.Sort(x)
			want := 0.0
			for i, v := range x {
				f := distuv.UnitNormal.CDF(v)
				want = max(want, f-float64(i)/float64(n), float64(i+1)/float64(n)-f)
			}
			if got := farthest(x, distuv.UnitNormal.CDF); got != want {
				t.Errorf("%d numbers shifted by %v: %v, want %v", n, shift, got, want)
			}
		}
	}
	for _, x := range [][]float64{{math.NaN(), 1, 2}, {0, 1, math.Inf(1)}} {
		f := func(v float64) float64 { return v - v } // NaN where infinite
		if got := farthest(x, f); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", x, got)
		}
	}
}

// chiSquare returns the p-value of the chi-square test that counts (how many draws were k, by k) has the probabilities
// prob. Neighboring numbers are pooled until 10 draws are expected; the last pool holds the last number and all that
// prob leaves to 1.
func chiSquare(counts []int, prob func(k int) float64) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	stat, freedom := 0.0, -1.0
	want, got, left := 0.0, 0, float64(n)
	for k, c := range counts {
		want += float64(n) * prob(k)
		got += c
		if want >= 10 && left-want >= 10 && k < len(counts)-1 {
			stat += (float64(got) - want) * (float64(got) - want) / want
			freedom++
			left -= want
			want, got = 0, 0
		}
	}
	stat += (float64(got) - left) * (float64(got) - left) / left
	freedom++
	if freedom == 0 {
		if n == got {
			return 1
		}
		return 0
	}
	return distuv.ChiSquared{K: freedom}.Survival(stat)
}

// moments returns the mean, the variance, and the standard errors of both.
func moments(x []float64) (mean, variance, meanErr, varErr float64) {
	n := float64(len(x))
	for _, v := range x {
		mean += v
	}
	mean /= n
	m4 := 0.0
	for _, v := range x {
		d := (v - mean) * (v - mean)
		variance += d
		m4 += d * d
	}
	variance /= n
	m4 /= n
	return mean, variance, math.Sqrt(variance / n), math.Sqrt(max(m4-variance*variance, 0) / n)
}

type continuous interface {
	CDF(float64) float64
	Mean() float64
	Variance() float64
}

// checkContinuous draws and tests the distribution function, the mean and the variance. The moments may be off by 5
// standard errors (probability 6e-7).
func checkContinuous(t *testing.T, draw func() float64, want continuous) {
	t.Helper()
	x := make([]float64, draws)
	for i := range x {
		x[i] = draw()
	}
	checkMoments(t, x, want.Mean(), want.Variance())
	if p := kolmogorov(x, want.CDF); p < level {
		t.Errorf("distribution refused: p = %.2g", p)
	}
}

func checkMoments(t *testing.T, x []float64, mean, variance float64) {
	t.Helper()
	m, v, me, ve := moments(x)
	me = max(me, math.Sqrt(variance/float64(len(x)))) // a rare event may not have happened at all
	ve = max(ve, variance/math.Sqrt(float64(len(x))))
	if !(math.Abs(m-mean) <= 5*me+1e-12*math.Abs(mean)) {
		t.Errorf("mean %v, want %v (standard error %.2g)", m, mean, me)
	}
	if !(math.Abs(v-variance) <= 5*ve+1.0/float64(len(x))) {
		t.Errorf("variance %v, want %v (standard error %.2g)", v, variance, ve)
	}
}

// checkDiscrete does the same for counts; prob gives probabilities.
func checkDiscrete(t *testing.T, draw func() int, prob func(k int) float64, mean, variance float64) {
	t.Helper()
	counts := []int{}
	x := make([]float64, draws)
	for i := range x {
		k := draw()
		if k < 0 {
			t.Fatalf("drew %d", k)
		}
		x[i] = float64(k)
		for len(counts) <= k {
			counts = append(counts, 0)
		}
		counts[k]++
	}
	checkMoments(t, x, mean, variance)
	if p := chiSquare(counts, prob); p < level {
		t.Errorf("distribution refused: p = %.2g", p)
	}
}

// upTo returns the values of x below c, and the distribution function given that.
func upTo(x []float64, c float64, cdf func(float64) float64) ([]float64, func(float64) float64) {
	var low []float64
	for _, v := range x {
		if v < c {
			low = append(low, v)
		}
	}
	fc := cdf(c)
	return low, func(v float64) float64 { return cdf(v) / fc }
}

func name(parts ...any) string { return fmt.Sprint(parts...) }
