package perturb

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, growth of the image from frame to frame.
var zoomBlurTable = table{
	Kinds: []kind{count, level},
	Sets:  [4]set{{{31, .004}}, {{31, .004}}, {{31, .004}}, {{31, .004}}},
}

// beginZoomBlur makes q.s.sums, the sum of the images so far, zero.
func beginZoomBlur(q *Sequence) {
	w, h := q.Size()
	q.s.sums = buffer.Resize(q.s.sums, 3*w*h)
	clear(q.s.sums)
}

// frameZoomBlur adds the image enlarged i times by a step to the sum; the frame is the mean. Everything is float32,
// the mean is truncated.
func frameZoomBlur(q *Sequence, dst *raster.Image, i int) {
	next := q.src
	if i > 0 {
		next = q.canvas(&q.s.frame)
		Affine{Scale: 1 + float64(q.v[1]*float64(i))}.Apply(next, q.src)
	}
	if q.crop != whole {
		q.finish(&q.s.frame, next)
		next = &q.s.frame
	}
	dst.Reset(q.Size())
	addMean(dst.Pix, next.Pix, q.s.sums, float32(i+1))
}

// addMean adds an image to sums and makes dst their n-th part.
func addMean(dst, src []uint8, sums []float32, n float32) {
	for len(dst) >= 4 && len(src) >= 4 && len(sums) >= 3 {
		for k := range 3 {
			sums[k] += kernel.Unit32[src[k]]
			dst[k] = filter.Byte32(sums[k] / n)
		}
		dst[3] = 255
		dst, src, sums = dst[4:], src[4:], sums[3:]
	}
}
