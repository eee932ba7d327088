// Package fourier adds single frequencies to images: the sensitivity map of Yin et al., A Fourier Perspective on Model
// Robustness in Computer Vision (NeurIPS 2019), that AugMix's appendix B draws. A map holds the error on images to which
// one Fourier basis function each was added, low frequencies in the middle.
package fourier

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// Lengths of the added function, in units of the pixel range: those of Yin et al. AugMix does not state its own.
const (
	LengthCIFAR    = 4.0
	LengthImageNet = 15.7
)

// Length returns the length for images of the given side: the published ones at 32 and 224, in proportion to the side
// otherwise, which keeps the change of a pixel.
func Length(side int) float64 {
	if side == 224 {
		return LengthImageNet
	}
	return LengthCIFAR * float64(side) / 32
}

// Frequency is a place of the map, rows and columns from its middle: -H/2 <= Row < H - H/2 and likewise for Col.
type Frequency struct{ Row, Col int }

// Half lists the frequencies of a map of h x w that have to be measured, row by row: of each pair f, -f, which give the
// same basis function, the first.
func Half(h, w int) []Frequency {
	var list []Frequency
	seen := map[Frequency]bool{}
	for r := -(h / 2); r < h-h/2; r++ {
		for c := -(w / 2); c < w-w/2; c++ {
			f := Frequency{r, c}
			if !seen[Mirror(f, h, w)] {
				list = append(list, f)
				seen[f] = true
			}
		}
	}
	return list
}

// Mirror returns the frequency that has the basis function of f.
func Mirror(f Frequency, h, w int) Frequency {
	fold := func(v, n int) int { // into -n/2 <= v < n-n/2
		v = -v
		if v >= n-n/2 {
			v -= n
		}
		return v
	}
	return Frequency{fold(f.Row, h), fold(f.Col, w)}
}

// Basis writes the basis function of f on h x w pixels to dst: the real part of the inverse transform of ones at f and
// its mirror, scaled to Euclidean length 1. Parity class: within 1e-7 of that transform (test).
func Basis(dst []float32, f Frequency, h, w int) {
	if h < 1 || w < 1 || len(dst) != h*w {
		panic(fmt.Sprintf("fourier: a basis function of %dx%d in %d values", h, w, len(dst)))
	}
	// The phase of a pixel is (Row*y/h + Col*x/w) of a turn. Whole numbers keep it exact.
	turn := h * w
	values := make([]float64, len(dst))
	sum := 0.0
	for y := range h {
		for x := range w {
			at := (f.Row*y*w + f.Col*x*h) % turn
			v := detmath.Cos(2 * math.Pi * float64(at) / float64(turn))
			values[y*w+x] = v
			sum += float64(v * v)
		}
	}
	f1 := 1 / math.Sqrt(sum)
	for i, v := range values {
		dst[i] = float32(v * f1)
	}
}

// Add adds the basis function times length to each plane of the image x, [C, H, W] in [0, 1], with a sign of its own for
// each plane drawn from r, and cuts the result to [0, 1].
func Add(x, basis []float32, length float64, r *rng.Rand) {
	if len(basis) == 0 || len(x)%len(basis) != 0 {
		panic(fmt.Sprintf("fourier: a basis function of %d values for %d", len(basis), len(x)))
	}
	for c := 0; c < len(x); c += len(basis) {
		scale := float32(length * r.Sign())
		plane := x[c:][:len(basis)]
		for i, b := range basis {
			plane[i] = min(max(plane[i]+float32(scale*b), 0), 1)
		}
	}
}
