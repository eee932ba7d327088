package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// ZoomBlur averages the picture with enlargements of itself, by the factors 1, 1+Step, ... 1+Reach; factor 1 is in the
// list, so that the picture counts twice. Each axis zooms about its own middle. Least side 2.
type ZoomBlur struct {
	Step  float64 // between factors
	Reach float64 // of the last factor beyond 1; Reach/Step is rounded to a whole number
}

var zoomBlurTable = table{
	kinds: []kind{level, level},
	sets:  [4]set{zoomSmall, zoomSmall, zoomLarge, zoomLarge},
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
	s.field.FromImage(src)
	for i, v := range s.field.Pix {
		s.field.Pix[i] = float64(float32(v))
	}
	sums := filter.Grow(s.sums, 3*w*h)
	s.sums = sums
	clear(sums)
	s.other.Reset(w, 1, 3)
	n, step := c.factors()
	for j := range n {
		z := 1 + float64(float64(j)*step)
		s.axisX.Set(w, z)
		s.axisY.Set(h, z)
		addZoomed(sums, &s.field, s.other.Pix, &s.axisX, &s.axisY)
	}
	storeMean(dst, sums, s.field.Pix, float32(n+1))
}

// addZoomed adds one enlargement of f to sums: rows are blended first, into line, as far as the columns reach, then
// columns.
func addZoomed(sums []float32, f *filter.Field, line []float64, ax, ay *filter.ZoomAxis) {
	n := 3 * f.W
	line = line[:n]
	first, last := 3*int(ax.Index[0]), 3*int(ax.Index[f.W-1])+6
	for y := range f.H {
		i := int(ay.Index[y]) * n
		top, bottom := f.Pix[i:][:last], f.Pix[i+n:][:last]
		v := ay.Frac[y]
		e := 1 - v
		for k := first; k < last; k++ {
			line[k] = float64(top[k]*e) + float64(bottom[k]*v)
		}
		out := sums[y*n:][:n]
		for x, at := range ax.Index {
			p, u := line[3*at:][:6:6], ax.Frac[x]
			t := 1 - u
			o := out[3*x:][:3:3]
			o[0] += float32(float64(p[0]*t) + float64(p[3]*u))
			o[1] += float32(float64(p[1]*t) + float64(p[4]*u))
			o[2] += float32(float64(p[2]*t) + float64(p[5]*u))
		}
	}
}

// storeMean stores (x + sum)/n in float32, clipped and truncated.
func storeMean(dst *raster.Image, sums []float32, x []float64, n float32) {
	out := dst.Pix
	for len(out) >= 4 && len(sums) >= 3 && len(x) >= 3 {
		for k := range 3 {
			out[k] = byte32((float32(x[k]) + sums[k]) / n)
		}
		out[3] = 255
		out, sums, x = out[4:], sums[3:], x[3:]
	}
}

// byte32 returns v times 255 in float32, truncated and cut to 0…255, for v between -2^22 and 2^22.
func byte32(v float32) uint8 { return uint8(min(max(int32(v*255), 0), 255)) }
