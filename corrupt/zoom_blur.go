package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// ZoomBlur averages the image with enlargements of itself, by the factors 1, 1+Step, ... 1+Reach; factor 1 is in the
// list, so that the image counts twice. Each axis zooms about its own middle. Least side 2.
type ZoomBlur struct {
	Step  float64 // between factors
	Reach float64 // of the last factor beyond 1; Reach/Step is rounded to an integer
}

var zoomBlurTable = table{
	Kinds: []kind{level, level},
	Clean: []float64{stay, 0},
	Sets:  [4]set{zoomSmall, zoomSmall, zoomLarge, zoomLarge},
}

var (
	zoomSmall = set{{.01, .06}, {.01, .11}, {.01, .15}, {.01, .20}, {.01, .25}}
	zoomLarge = set{{.01, .11}, {.01, .15}, {.02, .20}, {.02, .24}, {.03, .30}}
)

func runZoomBlur(j job) error {
	ZoomBlur{j.v[0], j.v[1]}.Apply(j.dst, j.src, j.s)
	return nil
}

// factors returns the number of factors and the distance between them. The distance is (1+Step)-1 in float64, as
// NumPy's arange computes it; the difference to Step decides which way the size of an enlargement is rounded.
func (c ZoomBlur) factors() (n int, step float64) {
	step = (1 + c.Step) - 1
	return int(c.Reach/c.Step+0.5) + 1, step
}

// Apply makes dst the blurred src. Enlargements are bilinear in float64, rounded to float32 and added in float32.
func (c ZoomBlur) Apply(dst, src *raster.Image, s *Scratch) {
	prepare(dst, src)
	w, h := src.W, src.H
	s.planes = buffer.Resize(s.planes, 3*w*h)
	kernel.TonePlanes(s.planes, src.Pix)
	s.sums = buffer.Resize(s.sums, 3*w*h)
	clear(s.sums)
	s.other.Reset(w+stretchSlack, 1, 1)
	n, step := c.factors()
	s.axesX, s.axesY = axes(s.axesX, w, n, step), axes(s.axesY, h, n, step)
	for c := range 3 {
		plane, sums := s.planes[c*w*h:][:w*h], s.sums[c*w*h:][:w*h]
		for y := range h { // all factors row by row: the sums stay in the first cache
			for j := range n {
				addZoomed(sums[y*w:][:w], plane, s.other.Pix, &s.axesX[j], int(s.axesY[j].Index[y]), s.axesY[j].Frac[y])
			}
		}
	}
	kernel.MeanToBytes(dst.Pix, s.planes, s.sums, float32(n+1))
}

// stretchSlack is room behind a line that lets vector code read past its end.
const stretchSlack = 16

// axes sets a to the axes of the n factors for a side, the first factor being 1.
func axes(a []filter.ZoomAxis, side, n int, step float64) []filter.ZoomAxis {
	for len(a) < n {
		a = append(a, filter.ZoomAxis{})
	}
	for j := range n {
		a[j].Set(side, 1+float64(float64(j)*step))
	}
	return a
}

// addZoomed adds a row of one enlargement of a plane to sums: rows i and i+1 are blended first, into line, as far as the
// columns reach, then columns.
func addZoomed(sums []float32, plane, line []float64, columns *filter.ZoomAxis, i int, frac float64) {
	w := len(columns.Index)
	first, end := int(columns.Index[0]), int(columns.Index[w-1])+2
	upper, lower := plane[i*w:][:w], plane[(i+1)*w:][:w]
	kernel.LerpRows(line[first:end], upper[first:end], lower[first:end], frac)
	kernel.AddStretched(sums, line, columns.Index, columns.Frac)
}
