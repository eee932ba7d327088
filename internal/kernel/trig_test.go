package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// powers writes the Chebyshev series Σ c[n]·T_n(x/a) in powers of x.
func powers(c []float64, a float64) []float64 {
	out := make([]float64, len(c))
	before, here := []float64{1}, []float64{0, 1}
	for n, v := range c {
		for i, t := range before {
			out[i] += v * t / math.Pow(a, float64(i))
		}
		if n+1 < len(c) {
			next := make([]float64, len(here)+1)
			for i, t := range here {
				next[i+1] += 2 * t
			}
			for i, t := range before {
				next[i] -= t
			}
			before, here = here, next
		}
	}
	return out
}

func TestCoefficients(t *testing.T) {
	var sin, cos, atan [16]float64
	for n := range 16 {
		sign := 1 - 2*float64(n/2%2)
		switch {
		case n == 0:
			cos[n] = math.Jn(n, math.Pi/2)
		case n%2 == 0:
			cos[n] = 2 * sign * math.Jn(n, math.Pi/2)
		default:
			if n < 15 {
				sin[n] = 2 * sign * math.Jn(n, math.Pi/2)
			}
			atan[n] = 2 * sign * math.Pow(math.Tan(math.Pi/16), float64(n)) / float64(n)
		}
	}
	tests := []struct {
		name         string
		series, want []float64
		reach        float64
	}{
		{
			"sine", sin[:],
			[]float64{0, sin1, 0, sin3, 0, sin5, 0, sin7, 0, sin9, 0, sin11, 0, sin13, 0, 0},
			math.Pi / 2,
		},
		{
			"cosine", cos[:],
			[]float64{cos0, 0, cos2, 0, cos4, 0, cos6, 0, cos8, 0, cos10, 0, cos12, 0, cos14, 0},
			math.Pi / 2,
		},
		{
			"arc tangent", atan[:],
			[]float64{0, atan1, 0, atan3, 0, atan5, 0, atan7, 0, atan9, 0, atan11, 0, atan13, 0, atan15},
			math.Tan(math.Pi / 8),
		},
	}
	for _, tt := range tests {
		for i, got := range powers(tt.series, tt.reach) {
			if term := math.Abs(got-tt.want[i]) * math.Pow(tt.reach, float64(i)); term > 1e-13 {
				t.Errorf("%s: coefficient %d is %v, want %v", tt.name, i, tt.want[i], got)
			}
		}
	}
}

func TestTrigonometry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1000, 1000).Draw(t, "x")
		a := rapid.Float64Range(-2, 2).Draw(t, "a")
		b := rapid.Float64Range(-7, 7).Draw(t, "b")
		var s, c, r [1]float64
		Sin(r[:], []float64{x}, a, b)
		if want := math.Sin(a*x + b); math.Abs(r[0]-want) > 1e-12 {
			t.Fatalf("sin(%v·%v+%v) is %v, want %v", a, x, b, r[0], want)
		}
		SinCos(s[:], c[:], []float64{x}, a)
		if ws, wc := math.Sincos(a * x); math.Abs(s[0]-ws) > 1e-12 || math.Abs(c[0]-wc) > 1e-12 {
			t.Fatalf("sine and cosine of %v·%v are %v, %v, want %v, %v", a, x, s[0], c[0], ws, wc)
		}
		if b == 0 {
			b = 0 // Angle takes a negative zero, which no coordinate is, for zero
		}
		Angle(r[:], []float64{x}, b)
		if want := math.Atan2(x, b); math.Abs(r[0]-want) > 1e-12 {
			t.Fatalf("atan2(%v, %v) is %v, want %v", x, b, r[0], want)
		}
	})
	angles := []struct{ v, u, want float64 }{
		{0, 0, 0},
		{0, 2, 0},
		{0, -2, math.Pi},
		{3, 0, math.Pi / 2},
		{-3, 0, -math.Pi / 2},
		{1, 1, math.Pi / 4},
		{1, -1, 3 * math.Pi / 4},
		{-1, -1, -3 * math.Pi / 4},
	}
	for _, tt := range angles {
		var r [1]float64
		if Angle(r[:], []float64{tt.v}, tt.u); math.Abs(r[0]-tt.want) > 1e-12 {
			t.Errorf("atan2(%v, %v) is %v, want %v", tt.v, tt.u, r[0], tt.want)
		}
	}
}

// FuzzTrigonometryTwins proves that assembly and plain Go give the same bits.
func FuzzTrigonometryTwins(f *testing.F) {
	for n := range uint8(101) {
		f.Add(uint64(n), n, float64(n)/7-4, float64(n%5)-2)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, a, b float64) {
		if !(math.Abs(a) < 1000 && math.Abs(b) < 1000) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 12))
		src := make([]float64, n)
		for i := range src {
			src[i] = []float64{0, b, -b, b * (math.Sqrt2 - 1), b * (math.Sqrt2 + 1), 900 * r.NormFloat64(), r.NormFloat64()}[r.IntN(7)]
			src[i] = min(max(src[i], -1000), 1000)
		}
		var want []float64
		EachLevel(func(level string) {
			got := make([]float64, 4*len(src))
			part := func(i int) []float64 { return got[i*len(src):][:n] }
			Sin(part(0), src, a, b)
			SinCos(part(1), part(2), src, a)
			Angle(part(3), src, b)
			if want == nil {
				want = got
			}
			for i, v := range got {
				if math.Float64bits(v) != math.Float64bits(want[i]) {
					t.Fatalf("function %d of %v with %v and %v is %v with %s, want %v", i/len(src), src[i%len(src)], a, b, v, level, want[i])
				}
			}
		})
	})
}
