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
