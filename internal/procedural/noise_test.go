package procedural

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/rng"
)

func randomField(n int, seed uint64) *field {
	r, p := rng.New(seed), newField(n)
	for i := range p.re {
		p.re[i], p.im[i] = r.Normal(), r.Normal()
	}
	return p
}

// TestSpectrumSlope fits the power of many planes along both axes: it must fall as f^-2a and f^-2b.
func TestSpectrumSlope(t *testing.T) {
	const n, a, b = 128, 1.2, 1.9
	k := &spectrum{n: n, fft: fft.NewSquare(n), weights: [2][]float64{make([]float64, n/2), make([]float64, n/2)}}
	var px, py [n / 2]float64
	p := newField(n)
	for seed := range uint64(60) {
		k.noise(p, a, b, seed)
		for f := 1; f < n/2; f++ {
			px[f] += p.re[f]*p.re[f] + p.im[f]*p.im[f]
			py[f] += p.re[f*n]*p.re[f*n] + p.im[f*n]*p.im[f*n]
		}
	}
	for axis, v := range [][n / 2]float64{px, py} {
		if got, want := slope(v[:]), [2]float64{-2 * a, -2 * b}[axis]; math.Abs(got-want) > 0.1 {
			t.Errorf("axis %d: the power falls as f^%.2f, want f^%.2f", axis, got, want)
		}
	}
}

// slope is that of the line through the logarithms.
func slope(v []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for f := 1; f < len(v); f++ {
		x, y := math.Log(float64(f)), math.Log(v[f])
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// TestFilters: in the frequencies that bands overlap the squares of the filters add up to 1, and nowhere to more.
func TestFilters(t *testing.T) {
	const n = 128
	var b bands
	b.reset(n)
	sum := make([]float64, n*n)
	for s := range b.scales {
		for d := range directions {
			for i, w := range b.filter[s][d] {
				sum[b.index(i, b.part[s].n)] += w * w
			}
		}
	}
	for i, v := range sum {
		x, y := signed(i%n, n), signed(i/n, n)
		r := math.Hypot(float64(x), float64(y))
		if v > 1+1e-9 || r >= leastBand/4 && r <= n/4 && v < 1-1e-9 {
			t.Fatalf("frequency %d,%d: squares add up to %v", x, y, v)
		}
	}
}

// TestApart: bands that are left as they are change nothing.
func TestApart(t *testing.T) {
	const n = 64
	var b bands
	b.reset(n)
	p := randomField(n, 5)
	copy(b.sum.re, p.re)
	copy(b.sum.im, p.im)
	for s := range b.scales {
		for d := range directions {
			b.take(b.part[s], p, b.filter[s][d])
			b.ffts[s].Backward(b.part[s].re, b.part[s].im)
			b.ffts[s].Forward(b.part[s].re, b.part[s].im)
			b.give(b.part[s], p, b.filter[s][d])
		}
	}
	for i := range p.re {
		if math.Abs(p.re[i]-b.sum.re[i]) > 1e-10 || math.Abs(p.im[i]-b.sum.im[i]) > 1e-10 {
			t.Fatalf("coefficient %d changed", i)
		}
	}
}

// TestQuantile compares the table with the two members of the family whose distribution functions are elementary: p = 1
// is Laplace's distribution; for p = 1/2 the root of |x| is Gamma(2) distributed, times sqrt(120) for variance 1.
func TestQuantile(t *testing.T) {
	var q quantile
	for p, cdf := range map[float64]func(x float64) float64{
		1:   func(x float64) float64 { return 1 - math.Exp(-math.Sqrt2*x) },
		0.5: func(x float64) float64 { s := math.Sqrt(x * math.Sqrt(120)); return 1 - (1+s)*math.Exp(-s) },
	} {
		q.set(p)
		for u := 0.02; u < 0.985; u += 0.02 {
			x := q.at(u)
			if got := 0.5 + math.Copysign(cdf(math.Abs(x)), x)/2; math.Abs(got-u) > 0.003 {
				t.Errorf("p = %v: %.4f has share %.4f below it, want %.2f", p, x, got, u)
			}
		}
	}
}

// TestMarginal: a band gets the kurtosis of its distribution (25.2 for p = 1/2, 6 for p = 1), and keeps its deviation.
func TestMarginal(t *testing.T) {
	var b bands
	b.peaked[0].set(1)
	r := rng.New(6)
	v := make([]float64, 1<<16)
	for i := range v {
		v[i] = 3 * r.Normal()
	}
	b.marginal(v, 0)
	mean, sd := moments(v)
	fourth := 0.0
	for _, x := range v {
		fourth += math.Pow((x-mean)/sd, 4) / float64(len(v))
	}
	if math.Abs(mean) > 0.05 || math.Abs(sd-3) > 0.1 || fourth < 5 || fourth > 6.5 {
		t.Errorf("mean %v, deviation %v, kurtosis %v; want 0, 3, 6", mean, sd, fourth)
	}
}
