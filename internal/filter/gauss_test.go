package filter

import (
	"fmt"
	"math"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// drawField returns a field of random samples in 0…1.
func drawField(t *rapid.T, maxSide, c int) *Field {
	f := new(Field)
	f.Reset(rapid.IntRange(1, maxSide).Draw(t, "w"), rapid.IntRange(1, maxSide).Draw(t, "h"), c)
	seed := rapid.Uint64().Draw(t, "seed")
	for i := range f.Pix {
		seed = seed*6364136223846793005 + 1442695040888963407
		f.Pix[i] = float64(seed>>40) / (1 << 24)
	}
	return f
}

// naiveBlur is the definition: a full two-dimensional sum over the weights of every distance.
func naiveBlur(src *Field, sigma, truncate float64, border Border) *Field {
	r := int(truncate*sigma + 0.5)
	weight, sum := func(k int) float64 { return math.Exp(-float64(k*k) / (2 * sigma * sigma)) }, 0.0
	for k := -r; k <= r; k++ {
		sum += weight(k)
	}
	dst := new(Field)
	dst.Reset(src.W, src.H, src.C)
	for y := range src.H {
		for x := range src.W {
			for c := range src.C {
				total := 0.0
				for j := -r; j <= r; j++ {
					for i := -r; i <= r; i++ {
						at := border.At(y+j, src.H)*src.W + border.At(x+i, src.W)
						total += src.Pix[at*src.C+c] * weight(i) / sum * weight(j) / sum
					}
				}
				dst.Pix[(y*src.W+x)*src.C+c] = total
			}
		}
	}
	return dst
}

func TestGaussAgainstDefinition(t *testing.T) {
	var g Gauss // shared, so that a stale kernel would show
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]int{1, 3}).Draw(t, "channels")
		src := drawField(t, 13, c)
		sigma := rapid.Float64Range(0.05, 6).Draw(t, "sigma")
		truncate := rapid.SampledFrom([]float64{3, 4}).Draw(t, "truncate")
		border := rapid.SampledFrom([]Border{Nearest, Reflect}).Draw(t, "border")
		g.Set(sigma, truncate)
		var got Field
		g.Blur(&got, src, border)
		want := naiveBlur(src, sigma, truncate, border)
		for i, v := range want.Pix {
			if math.Abs(got.Pix[i]-v) > 1e-12 {
				t.Fatalf("sample %d is %v, want %v", i, got.Pix[i], v)
			}
		}
	})
}

func TestGaussIdentity(t *testing.T) {
	var g Gauss
	for _, sigma := range []float64{0, 1e-16, 0.05} { // radius trunc(4·0.05 + 0.5) = 0
		g.Set(sigma, 4)
		if g.Radius() != 0 {
			t.Errorf("sigma %v: radius %d, want 0", sigma, g.Radius())
		}
		src, dst := &Field{Pix: []float64{1, 2, 3}, W: 3, H: 1, C: 1}, new(Field)
		g.Blur(dst, src, Nearest)
		if fmt.Sprint(dst.Pix) != "[1 2 3]" {
			t.Errorf("sigma %v: %v", sigma, dst.Pix)
		}
	}
}

func TestGaussWeights(t *testing.T) {
	var g Gauss
	for _, sigma := range []float64{0.4, 1, 2.44, 6, 19.52, 170.8} {
		g.Set(sigma, 4)
		if want := int(4*sigma + 0.5); g.Radius() != want {
			t.Errorf("sigma %v: radius %d, want %d", sigma, g.Radius(), want)
		}
		sum := g.weights[0]
		for _, w := range g.weights[1:] {
			sum += 2 * w
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("sigma %v: sum of weights %v", sigma, sum)
		}
	}
}

// NumPy 1.24 gives these sums of 1/1 + 1/2 + ... to the last bit.
func TestPairwiseSum(t *testing.T) {
	tests := map[int]float64{
		0: 0, 1: 1, 7: 2.5928571428571425, 8: 2.7178571428571425, 9: 2.8289682539682537, 127: 5.425334592589172,
		128: 5.433147092589173, 129: 5.440899030573669, 1000: 7.485470860550345,
	}
	for n, want := range tests {
		a := make([]float64, n)
		for i := range a {
			a[i] = 1 / float64(i+1)
		}
		if got := pairwiseSum(a); got != want {
			t.Errorf("%d numbers: %v, want %v", n, got, want)
		}
	}
}

func BenchmarkGauss(b *testing.B) {
	for _, sigma := range []float64{1, 6} {
		b.Run(fmt.Sprintf("224x224x3/sigma%v", sigma), func(b *testing.B) {
			var src, dst Field
			src.Reset(224, 224, 3)
			clear(src.Pix)
			var g Gauss
			g.Set(sigma, 4)
			for b.Loop() {
				g.Blur(&dst, &src, Nearest)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
	b.Run("224x224x1/wide", func(b *testing.B) {
		var src, dst Field
		src.Reset(224, 224, 1)
		clear(src.Pix)
		var g Gauss
		g.Set(170.8, 3)
		for b.Loop() {
			g.Blur(&dst, &src, Reflect)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	})
}
