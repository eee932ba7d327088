package fourier

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/augmix-go/augmix/rng"
)

// The definition, by gonum's transform: ones at f and -f, the real part, length 1.
func TestBasis(t *testing.T) {
	for _, size := range [][2]int{{8, 8}, {7, 5}, {6, 9}, {32, 32}} {
		h, w := size[0], size[1]
		got := make([]float32, h*w)
		for _, f := range Half(h, w) {
			Basis(got, f, h, w)
			for i, want := range byTransform(f, h, w) {
				if math.Abs(float64(got[i])-want) > 1e-7 {
					t.Fatalf("%dx%d %+v: value %d is %v, want %v", h, w, f, i, got[i], want)
				}
			}
		}
	}
}

func byTransform(f Frequency, h, w int) []float64 {
	spectrum := make([]complex128, h*w)
	wrap := func(v, n int) int { return ((v % n) + n) % n }
	spectrum[wrap(f.Row, h)*w+wrap(f.Col, w)] = 1
	spectrum[wrap(-f.Row, h)*w+wrap(-f.Col, w)] = 1
	rows, cols := fourier.NewCmplxFFT(w), fourier.NewCmplxFFT(h)
	for y := range h {
		copy(spectrum[y*w:][:w], rows.Sequence(nil, spectrum[y*w:][:w]))
	}
	column := make([]complex128, h)
	for x := range w {
		for y := range h {
			column[y] = spectrum[y*w+x]
		}
		for y, v := range cols.Sequence(nil, column) {
			spectrum[y*w+x] = v
		}
	}
	out, sum := make([]float64, h*w), 0.0
	for i, v := range spectrum {
		out[i] = real(v)
		sum += out[i] * out[i]
	}
	for i := range out {
		out[i] /= math.Sqrt(sum)
	}
	return out
}

// Every frequency of the map is in the list, or its mirror is, and none is there twice.
func TestHalf(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 2}, {8, 8}, {7, 5}, {6, 9}} {
		h, w := size[0], size[1]
		count := map[Frequency]int{}
		for _, f := range Half(h, w) {
			count[f]++
			if m := Mirror(f, h, w); m != f {
				count[m]++
			}
		}
		if len(count) != h*w {
			t.Errorf("%dx%d: %d frequencies", h, w, len(count))
		}
		for f, n := range count {
			if n != 1 {
				t.Errorf("%dx%d: %+v %d times", h, w, f, n)
			}
		}
	}
	if n := len(Half(32, 32)); n != 514 { // (1024 - 4 that mirror themselves)/2 + 4
		t.Errorf("%d frequencies of 32x32, want 514", n)
	}
}

// Before clipping a plane changes by exactly the length, in one of two directions.
func TestAdd(t *testing.T) {
	basis := make([]float32, 64)
	Basis(basis, Frequency{1, 2}, 8, 8)
	r := rng.New(1)
	up := 0
	for range 200 {
		x := make([]float32, 3*64)
		for i := range x {
			x[i] = 0.5
		}
		Add(x, basis, 1, r)
		for c := range 3 {
			sum, along := 0.0, 0.0
			for i, b := range basis {
				d := float64(x[c*64+i]) - 0.5
				sum += d * d
				along += d * float64(b)
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Fatalf("plane %d changed by %v", c, math.Sqrt(sum))
			}
			if along > 0 {
				up++
			}
		}
	}
	if up < 240 || up > 360 { // 600 coin flips: five deviations
		t.Errorf("%d of 600 signs are positive", up)
	}
	x := []float32{0, 1}
	Add(x, []float32{-5, 5}, 1, rng.New(2))
	for _, v := range x {
		if v < 0 || v > 1 {
			t.Errorf("not clipped: %v", x)
		}
	}
}

func ExampleHalf() {
	fmt.Println(Half(2, 3))
	// Output: [{-1 -1} {-1 0} {0 -1} {0 0}]
}
