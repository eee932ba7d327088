package perturb

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, the standard deviation of frame 0 and its growth, in pixels, and the number of standard
// deviations after which the Gaussian is cut off.
var gaussianBlurTable = table{
	Kinds: []kind{count, length, length, level},
	Sets:  [4]set{{{31, .3, .015, 7}}, {{31, .35, .014, 7}}, {{31, .25, .035, 6}}, {{31, .35, .035, 6}}},
}

func beginGaussianBlur(q *Sequence) { q.s.field.FromImage(q.src) }

// frameGaussianBlur smooths the image in float64, border nearest.
func frameGaussianBlur(q *Sequence, dst *raster.Image, i int) {
	q.s.gauss.Set(q.v[1]+float64(q.v[2]*float64(i)), q.v[3])
	q.s.gauss.Blur(&q.s.other, &q.s.field, filter.Nearest)
	q.s.other.ToImage(dst)
}
