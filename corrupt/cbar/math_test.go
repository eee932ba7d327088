package cbar

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/rng"
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
		sinRow(r[:], []float64{x}, a, b)
		if want := math.Sin(a*x + b); math.Abs(r[0]-want) > 1e-12 {
			t.Fatalf("sin(%v·%v+%v) is %v, want %v", a, x, b, r[0], want)
		}
		sinCosRow(s[:], c[:], []float64{x}, a)
		if ws, wc := math.Sincos(a * x); math.Abs(s[0]-ws) > 1e-12 || math.Abs(c[0]-wc) > 1e-12 {
			t.Fatalf("sine and cosine of %v·%v are %v, %v, want %v, %v", a, x, s[0], c[0], ws, wc)
		}
		if b == 0 {
			b = 0 // angleRow takes a negative zero, which no coordinate is, for zero
		}
		angleRow(r[:], []float64{x}, b)
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
		if angleRow(r[:], []float64{tt.v}, tt.u); math.Abs(r[0]-tt.want) > 1e-12 {
			t.Errorf("atan2(%v, %v) is %v, want %v", tt.v, tt.u, r[0], tt.want)
		}
	}
}

func TestPow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := math.Exp2(rapid.Float64Range(-400, 400).Draw(t, "log2 x"))
		e := rapid.Float64Range(-2, 2).Draw(t, "e")
		want := math.Pow(x, e)
		if got := pow(x, e); math.Abs(got/want-1) > 1e-12*(1+math.Abs(e*math.Log2(x))) {
			t.Fatalf("%v^%v is %v, want %v", x, e, got, want)
		}
	})
	if a, b := pow(0x1p-1000, 3), pow(0x1p1000, 3); a != 0 || b != 0x1p1000 {
		t.Errorf("powers beyond the range: %v, %v", a, b)
	}
}

// definition returns the noise of the published construction, element by element: the full array, both rolls, and the
// real part of the two-dimensional inverse transform.
func definition(u Uniforms, w, h int, l law) []float64 {
	left, s := w/2, side(w, h)
	center := make([]float64, h)
	for y := range h / 2 {
		center[y] = u[h*left+y*(w%2)]
		center[h-1-y] = center[y]
	}
	phase := func(y, x int) float64 {
		switch {
		case x < left:
			return u[y*left+x]
		case x >= w-left:
			return u[(h-1-y)*left+w-1-x]
		}
		return center[y]
	}
	rolled := make([][]complex128, h)
	for i := range rolled {
		rolled[i] = make([]complex128, w)
	}
	for y := range h {
		for x := range w {
			dy := (float64(y) - float64(h)/2) * s / float64(h)
			dx := (float64(x) - float64(w)/2) * s / float64(w)
			a := 1 / (dy*dy + dx*dx + 1)
			if l == blueLaw {
				a = math.Hypot(dy, dx)
			}
			rolled[(y+h/2)%h][(x+w/2)%w] = cmplx.Rect(a, 2*math.Pi*phase(y, x))
		}
	}
	for _, row := range rolled {
		fourier.NewCmplxFFT(w).Sequence(row, row)
	}
	out := make([]float64, w*h)
	column := make([]complex128, h)
	for x := range w {
		for y := range h {
			column[y] = rolled[y][x]
		}
		fourier.NewCmplxFFT(h).Sequence(column, column)
		for y, v := range column {
			out[y*w+x] = real(v)
		}
	}
	return out
}

func TestSpectrum(t *testing.T) {
	var p spectrum
	r := rng.New(2)
	sizes := [][2]int{{2, 2}, {3, 3}, {4, 4}, {5, 5}, {8, 8}, {7, 4}, {4, 7}, {12, 10}, {15, 9}, {2, 9}, {9, 2}}
	for _, size := range sizes {
		w, h := size[0], size[1]
		for _, l := range []law{blueLaw, brownLaw} {
			var u Uniforms
			n := phases(w, h)
			u = buffer.Resize(u, n)
			u.draw(n, r)
			if w%2 == 0 {
				u = append(u, 0) // definition reads one past the end, times 0
			}
			got := make([]float64, w*h)
			p.set(w, h, l)
			deviation := p.field(got, u[:n])
			want := definition(u, w, h, l)
			top := 0.0
			for _, v := range want {
				top = max(top, math.Abs(v))
			}
			for i := range want {
				// The transform is of twice the Hermitian part.
				if math.Abs(got[i]-2*want[i]) > 1e-11*top {
					t.Fatalf("%dx%d, law %d: sample %d is %v, want %v", w, h, l, i, got[i], 2*want[i])
				}
			}
			if d := standardDeviation(got); d != deviation {
				t.Errorf("deviation %v, want %v", deviation, d)
			}
		}
	}
}

// Worked by hand: mean 5, squares 9 1 1 1 0 0 4 16.
func TestStandardDeviation(t *testing.T) {
	if got := standardDeviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}); got != 2 {
		t.Errorf("standard deviation %v, want 2", got)
	}
}

// The spline goes through its samples, and its weights are those of the B-spline.
func TestSpline(t *testing.T) {
	for y, want := range map[float64][4]float64{
		0:  {1. / 6, 4. / 6, 1. / 6, 0},
		.5: {1. / 48, 23. / 48, 23. / 48, 1. / 48},
	} {
		for i, w := range splineWeights(y) {
			if math.Abs(w-want[i]) > 1e-15 {
				t.Errorf("weight %d at %v is %v, want %v", i, y, w, want[i])
			}
		}
	}
	var p spline
	for _, size := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {3, 2}, {9, 7}, {40, 33}} {
		m := testImage(size[0], size[1])
		p.set(m)
		for y := range m.H {
			for x := range m.W {
				if m.W == 1 || m.H == 1 {
					continue // SciPy's filter leaves a single sample as it is, its interpolation takes it from there
				}
				r, g, b := p.at(float64(y), float64(x))
				c := m.At(x, y)
				for k, d := range []float64{r*255 - float64(c.R), g*255 - float64(c.G), b*255 - float64(c.B)} {
					if math.Abs(d) > 1e-4 {
						t.Fatalf("%v: channel %d of (%d,%d) is off by %v", size, k, x, y, d)
					}
				}
			}
		}
	}
}
