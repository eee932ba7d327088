package corrupt

import (
	"slices"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ElasticTransform moves the image by a random affine map and then each pixel by a smooth random field. Least side 6.
//
// The affine map takes three points, which lie a third of the shorter side from the middle, to places up to Affine
// pixels away along each axis. The fields are uniform noise in -1…1, smoothed with standard deviation Sigma (border
// reflect, cut off at three standard deviations) and multiplied by Alpha.
type ElasticTransform struct {
	Alpha  float64 // of the displacement fields, in pixels
	Sigma  float64 // of their smoothing, in pixels
	Affine float64 // largest shift of a point of the affine map, in pixels
}

// The published parameters are multiples of a unit, the side of the image (244 in place of 224 and 360 in place of
// 299 are the published code's values).
var elasticTable = table{
	Kinds: []kind{length, length, length},
	Clean: []float64{0, stay, 0},
	Sets: [4]set{
		elasticSet(32, set{{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}}),
		elasticSet(64, set{{0, 0, .08}, {.05, .3, .06}, {.1, .08, .06}, {.1, .03, .03}, {.16, .03, .02}}),
		elasticSet(244, elasticLarge),
		elasticSet(360, elasticLarge),
	},
}

var elasticLarge = set{{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}}

func elasticSet(unit float64, s set) set {
	s = slices.Clone(s)
	for i := range s {
		for k := range s[i] {
			s[i][k] *= unit
		}
	}
	return s
}

func runElastic(j job) error {
	c, d := ElasticTransform{j.v[0], j.v[1], j.v[2]}, &j.s.draws.elastic
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
	return nil
}

// ElasticDraws are the random numbers of elastic_transform, all uniform in 0…1: they stand for -Affine…Affine in Points
// and for -1…1 in the fields.
type ElasticDraws struct {
	Points [3][2]float32 // shifts of the three points, (x, y)
	DX, DY Uniforms      // fields, one number a pixel, in row order
}

// Draw makes d the numbers of a w by h image, in the order of the fields of ElasticDraws. Without Alpha, which turns
// the fields off, it draws the points only.
func (c ElasticTransform) Draw(d *ElasticDraws, w, h int, r *rng.Rand) {
	for i := range d.Points {
		u := r.Uint64()
		d.Points[i] = [2]float32{float32(u<<32>>40) * 0x1p-24, float32(u>>40) * 0x1p-24}
	}
	n := w * h
	if c.Alpha == 0 {
		n = 0
	}
	d.DX.draw(n, r)
	d.DY.draw(n, r)
}

// Apply makes dst the warped src. The affine map samples in steps of 1/32 pixel in float32, border reflect101; the
// fields sample bilinearly in float64 with the border of SciPy before 1.6. The fields of d may be empty when Alpha is
// 0.
func (c ElasticTransform) Apply(dst, src *raster.Image, d *ElasticDraws, s *Scratch) {
	prepare(dst, src)
	w, h := src.W, src.H
	s.colors, s.warped = buffer.Resize(s.colors, w*h), buffer.Resize(s.warped, w*h)
	kernel.Tones(s.colors, src.Pix)
	s.work = filter.WarpAffine(s.warped, s.colors, w, h, c.affine(w, h, d), s.work)
	if c.Alpha != 0 {
		mustLen("uniform numbers", len(d.DX), w*h)
		mustLen("uniform numbers", len(d.DY), w*h)
		s.sums = buffer.Resize(s.sums, 2*w*h)
		dx, dy := s.sums[:w*h], s.sums[w*h:]
		c.displacement(dx, d.DX, w, h, s)
		c.displacement(dy, d.DY, w, h, s)
		row := s.colors[:w]
		for y := range h {
			filter.Displace(row, s.warped, w, h, y, dx[y*w:][:w], dy[y*w:][:w])
			kernel.ColorsToBytes(dst.Pix[4*y*w:][:4*w], row)
		}
		return
	}
	kernel.ColorsToBytes(dst.Pix, s.warped)
}

// affine returns the map of the three points to their shifted places, both in float32 precision.
func (c ElasticTransform) affine(w, h int, d *ElasticDraws) filter.Affine {
	cx, cy, third := w/2, h/2, min(w, h)/3
	p := [3]filter.Point{
		{X: float64(cx + third), Y: float64(cy + third)},
		{X: float64(cx + third), Y: float64(cy - third)},
		{X: float64(cx - third), Y: float64(cy - third)},
	}
	q := p
	for i, u := range d.Points {
		q[i].X = float64(float32(p[i].X) + c.shift(u[0]))
		q[i].Y = float64(float32(p[i].Y) + c.shift(u[1]))
	}
	return filter.AffineFrom(p, q)
}

func (c ElasticTransform) shift(u float32) float32 {
	return float32(float64(2*c.Affine*float64(u)) - c.Affine)
}

// displacement makes dst the field of the uniform numbers u.
func (c ElasticTransform) displacement(dst []float32, u Uniforms, w, h int, s *Scratch) {
	s.field.Reset(w, h, 1)
	kernel.ScaleAdd(s.field.Pix, u, 2, -1)
	s.gauss.Set(c.Sigma, elasticTruncate)
	s.gauss.Blur(&s.other, &s.field, filter.Reflect)
	kernel.Round32(dst, s.other.Pix, c.Alpha)
}

// elasticTruncate is the number of standard deviations after which the published code cuts the smoothing off.
const elasticTruncate = 3
