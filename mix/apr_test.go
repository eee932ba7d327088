package mix

import (
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// transformed returns the transform of h rows of w in two dimensions, by gonum.
func transformed(v []complex128, w, h int) []complex128 {
	rows, columns, out := fourier.NewCmplxFFT(w), fourier.NewCmplxFFT(h), make([]complex128, w*h)
	for y := range h {
		rows.Coefficients(out[y*w:][:w], v[y*w:][:w])
	}
	column := make([]complex128, h)
	for x := range w {
		for y := range h {
			column[y] = out[y*w+x]
		}
		for y, c := range columns.Coefficients(nil, column) {
			out[y*w+x] = c
		}
	}
	return out
}

// The definition, by gonum's transform.
func TestRecombine(t *testing.T) {
	var s spectra
	for _, size := range [][2]int{{1, 1}, {8, 8}, {7, 5}, {6, 15}, {32, 32}} {
		w, h := size[0], size[1]
		n := w * h
		images := [2]*raster.Image{raster.New(w, h), raster.New(w, h)}
		r := rng.New(4)
		for _, m := range images {
			for i := range n {
				m.Set(i%w, i/w, raster.RGB{R: uint8(90 + r.IntN(80)), G: uint8(r.IntN(256)), B: uint8(i)})
			}
		}
		got := make([]float32, 3*n)
		s.recombine(got, images[0], images[1])
		for c := range 3 {
			var spectrum [2][]complex128
			for k, m := range images {
				v := make([]complex128, n)
				for i := range v {
					v[i] = complex(float64(m.Pix[4*i+c])/255, 0)
				}
				spectrum[k] = transformed(v, w, h)
			}
			for i, a := range spectrum[0] { // conjugates, and back by the same transform
				spectrum[0][i] = cmplx.Rect(cmplx.Abs(a), -cmplx.Phase(spectrum[1][i]))
			}
			for i, v := range transformed(spectrum[0], w, h) {
				want := min(max(real(v)/float64(n), 0), 1)
				if math.Abs(float64(got[c*n+i])-want) > 1e-5 {
					t.Fatalf("%dx%d, channel %d: value %d is %v, want %v", w, h, c, i, got[c*n+i], want)
				}
			}
		}
	}
}

// Coefficients that are 0 but for rounding have no phase: what the amplitudes are of comes back, its mirror image aside.
func TestRecombineWithoutPhases(t *testing.T) {
	var s spectra
	const side = 15
	point, flat := raster.New(side, side), raster.New(side, side)
	point.Set(0, 0, raster.RGB{R: 255, G: 255, B: 255})
	flat.Fill(raster.RGB{R: 77, G: 77, B: 77})
	got := make([]float32, 3*side*side)
	s.recombine(got, point, flat)
	for i, v := range got {
		want := 0.0
		if i%(side*side) == 0 {
			want = 1
		}
		if math.Abs(float64(v)-want) > 1e-6 {
			t.Fatalf("value %d is %v, want %v", i, v, want)
		}
	}
}

// Without operations both copies are the image.
func TestRecombineItself(t *testing.T) {
	var s spectra
	for _, side := range []int{7, 32} {
		src := benchImages(1, side)[0]
		planes := make([]float32, 3*side*side)
		s.recombine(planes, src, src)
		mustRound(t, src, planes)
	}
}

func TestAPRApplyAndPlanesAgree(t *testing.T) {
	m := &APR{Prob: 0.5, Severity: 3}
	for _, side := range []int{3, 33} {
		src := benchImages(1, side)[0]
		var s Scratch
		for seed := range uint64(40) {
			dst, planes := new(raster.Image), make([]float32, 3*side*side)
			m.Apply(dst, src, rng.New(seed), &s)
			m.ApplyPlanes(planes, src, &Unit, rng.New(seed), &s)
			mustRound(t, dst, planes)
		}
	}
}
