package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// GaussianBlur smooths the image with a Gaussian cut off at four standard deviations, border nearest, in float64.
// Least side 1.
type GaussianBlur struct {
	Sigma float64 // standard deviation in pixels
}

var gaussianBlurTable = table{
	Kinds: []kind{length},
	Clean: []float64{0},
	Sets: [4]set{
		{{.4}, {.6}, {.7}, {.8}, {1}},
		{{.5}, {.75}, {1}, {1.25}, {1.5}},
		{{1}, {2}, {3}, {4}, {6}},
		{{1.5}, {2.5}, {3.5}, {4.5}, {6.5}},
	},
}

func runGaussianBlur(j job) error {
	GaussianBlur{j.v[0]}.Apply(j.dst, j.src, j.s)
	return nil
}

// Apply makes dst the blurred src.
func (c GaussianBlur) Apply(dst, src *raster.Image, s *Scratch) {
	prepare(dst, src)
	blurBytes(dst, src, c.Sigma, s)
}

// blurBytes makes dst src smoothed with standard deviation sigma, clipped and truncated.
func blurBytes(dst, src *raster.Image, sigma float64, s *Scratch) {
	s.gauss.Set(sigma, gaussTruncate)
	s.gauss.Image(dst, src, filter.Nearest)
}

// gaussTruncate is the number of standard deviations after which scikit-image cuts its Gaussian off.
const gaussTruncate = 4
