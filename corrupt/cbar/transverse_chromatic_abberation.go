package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TransverseChromaticAbberation enlarges the channels of the image by different factors, 1, 1 + Scale/2 and 1 +
// Scale, about its middle. It takes the pixels for coefficients of a cubic spline, as published, which also smooths
// them; the factor 1 is no exception. Least side 1.
type TransverseChromaticAbberation struct {
	Scale float64 // published as level/20
}

func runChromatic(j job) {
	c, d := TransverseChromaticAbberation{j.scaled(0.5)}, &j.s.draws.factors
	c.Draw(d, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
}

// Order says which factor enlarges red, green and blue: 0 for 1, 1 for 1 + Scale/2, 2 for 1 + Scale.
type Order [3]int

// Draw makes d one of the six orders.
func (c TransverseChromaticAbberation) Draw(d *Order, r *rng.Rand) { r.Perm(d[:]) }

// Apply makes dst the src with enlarged channels. The sums are taken row by row of the 16 neighbors, as in SciPy, and
// rounded to the nearest, halves up.
func (c TransverseChromaticAbberation) Apply(dst, src *raster.Image, d Order, s *Scratch) {
	prepare(dst, src)
	for i := 3; i < len(dst.Pix); i += 4 {
		dst.Pix[i] = 255
	}
	for k, o := range d {
		factor := 1 + float64(c.Scale*float64(o)/2)
		s.zoomX.set(src.W, factor)
		s.zoomY.set(src.H, factor)
		zoom(dst.Pix[k:], src.Pix[k:], src.W, s)
	}
}

// zoomTap is one output place of an axis: the first of its four samples, counted with the margin, and their weights.
type zoomTap struct {
	first  int
	weight [4]float64
}

// zoomTaps is an axis of an image that is enlarged, corner to corner, and cut back to its size about the middle.
type zoomTaps []zoomTap

// set prepares an axis of n samples.
func (z *zoomTaps) set(n int, factor float64) {
	*z = buffer.Resize(*z, n)
	o := int(math.RoundToEven(float64(n) * factor))
	step := 1.0
	if o > 1 {
		step = float64(n-1) / float64(o-1)
	}
	first := (o - n) / 2
	for k := range *z {
		p := float64(float64(k+first) * step)
		i := math.Floor(p)
		(*z)[k] = zoomTap{int(i) - 1 + margin, splineWeights(p - i)}
	}
}

// zoom enlarges one channel, every fourth byte of dst and src, w samples a row. Samples beyond the edges are mirrored
// about the first and the last.
func zoom(dst, src []uint8, w int, s *Scratch) {
	n := w + 2*margin
	s.a = buffer.Resize(s.a, 4*n)
	a := s.a
	for y, t := range s.zoomY {
		for m, f := range t.weight {
			row := src[4*w*filter.Reflect101.At(t.first-margin+m, len(s.zoomY)):]
			for x := range n {
				a[4*x+m] = float64(float64(row[4*filter.Reflect101.At(x-margin, w)]) * f)
			}
		}
		out := dst[4*y*w:]
		for x := range s.zoomX {
			t := &s.zoomX[x]
			c := a[4*t.first:][:16:16]
			w0, w1, w2, w3 := t.weight[0], t.weight[1], t.weight[2], t.weight[3]
			sum := 0.0
			for m := range 4 {
				sum += float64(c[m] * w0)
				sum += float64(c[m+4] * w1)
				sum += float64(c[m+8] * w2)
				sum += float64(c[m+12] * w3)
			}
			out[4*x] = uint8(min(sum+0.5, 255))
		}
	}
}
