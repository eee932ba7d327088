package perturb

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, radius, sigma, the frame that is smeared from the right, degrees between frames. The direction
// of frame i is (i-middle)·degrees.
var motionBlurTable = table{
	Kinds: []kind{count, length, length, count, level},
	Sets: [4]set{
		{{21, 6, 1.8, 20, 9}},
		{{31, 14, 3, 30, 5}},
		{{31, 10, 3, 30, 4}},
		{{31, 13, 3, 30, 4}},
	},
}

func frameMotionBlur(q *Sequence, dst *raster.Image, i int) {
	c := corrupt.MotionBlur{Radius: q.v[1], Sigma: q.v[2]}
	c.Apply(q.canvas(dst), q.src, centered(i, q.v[3], q.v[4]), &q.s.corrupt)
	q.show(dst)
}

// centered returns (i-middle)·step.
func centered(i int, middle, step float64) float64 { return float64((float64(i) - middle) * step) }
