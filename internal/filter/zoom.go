package filter

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
)

// ZoomAxis is one axis of a clipped zoom: for each of n outputs the first of two neighboring samples and the weight of
// the second. See [ZoomAxis.Set]. The zero ZoomAxis is ready for Set.
type ZoomAxis struct {
	Index []int32   // the first sample, at most n-2
	Frac  []float64 // weight of sample Index+1, 0…1
}

// Set computes the axis for n >= 2 samples enlarged by z >= 1 about the middle and cut back to n: the published zoom
// takes the middle c = ceil(n/z) samples, stretches them corner to corner onto o = round(c·z) outputs (halves to even),
// and keeps n of those from (o-n) div 2 on. The position of output k among the c samples is k·((c-1)/(o-1)).
//
// Where c = 1 (z >= n) all outputs are the one sample. A position that rounding pushes past the last sample is put on
// it, where SciPy would give 0; no published size and factor gets there.
func (a *ZoomAxis) Set(n int, z float64) {
	a.Index, a.Frac = buffer.Resize(a.Index, n), buffer.Resize(a.Frac, n)
	c := int(math.Ceil(float64(n) / z))
	first := (n - c) / 2
	o := int(math.RoundToEven(float64(c) * z))
	step := 0.0
	if o > 1 {
		step = float64(c-1) / float64(o-1)
	}
	trim := (o - n) / 2
	for k := range n {
		p := min(float64(k+trim)*step, float64(c-1))
		i := int(p)
		f := p - float64(i)
		if i += first; i > n-2 {
			i, f = n-2, 1
		}
		a.Index[k], a.Frac[k] = int32(i), f
	}
}

// Zoom enlarges a one-channel field by z >= 1 about its middle, bilinearly, and cuts it back to its size, each axis by
// [ZoomAxis.Set]. Each output is the sum of its four neighbors, upper left, upper right, lower left, lower right, each
// times its row weight and then its column weight. dst takes the size of src, which must be at least 2x2, and must not
// share its memory; ax and ay are scratch space.
func Zoom(dst, src *Field, z float64, ax, ay *ZoomAxis) {
	dst.Reset(src.W, src.H, 1)
	ax.Set(src.W, z)
	ay.Set(src.H, z)
	for y := range src.H {
		top := src.row(int(ay.Index[y]))
		bottom := src.row(int(ay.Index[y]) + 1)
		f := ay.Frac[y]
		e := 1 - f
		out := dst.row(y)
		for x := range out {
			i, u := ax.Index[x], ax.Frac[x]
			v := 1 - u
			s := float64(top[i]*e*v) + float64(top[i+1]*e*u)
			s += float64(bottom[i] * f * v)
			s += float64(bottom[i+1] * f * u)
			out[x] = s
		}
	}
}
