package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Spatter throws drops of water or mud at the lens. Drops are where smoothed normal noise exceeds a threshold; water
// gets its relief from the distance to the edges of the drops. Least side 1.
type Spatter struct {
	Loc, Scale float64 // mean and standard deviation of the noise
	Sigma      float64 // standard deviation of its smoothing, in pixels
	Threshold  float64
	Strength   float64 // of water; of mud the standard deviation of the drops' blur, in pixels
	Mud        bool
}

var spatterTable = table{
	Kinds: []kind{level, level, length, level, level, mode},
	Clean: []float64{stay, stay, stay, stay, 0, stay},
	Sets: [4]set{
		{
			{.62, .1, .7, .7, .5, 0},
			{.65, .1, .8, .7, .5, 0},
			{.65, .3, 1, .69, .5, 0},
			{.65, .1, .7, .69, .6, 1},
			{.65, .1, .5, .68, .6, 1},
		},
		{
			{.62, .1, .7, .7, .6, 0},
			{.65, .1, .8, .7, .6, 0},
			{.65, .3, 1, .69, .6, 0},
			{.65, .1, .7, .68, .6, 1},
			{.65, .1, .5, .67, .6, 1},
		},
		{
			{.65, .3, 4, .69, .6, 0},
			{.65, .3, 3, .68, .6, 0},
			{.65, .3, 2, .68, .5, 0},
			{.65, .3, 1, .65, 1.5, 1},
			{.67, .4, 1, .65, 1.5, 1},
		},
		{
			{.65, .3, 4, .69, .9, 0},
			{.65, .3, 3.5, .68, .9, 0},
			{.65, .3, 3, .68, .8, 0},
			{.65, .3, 1.2, .65, 1.8, 1},
			{.67, .4, 1.2, .65, 1.8, 1},
		},
	},
}

func runSpatter(j job) error {
	v := j.v
	c, d := Spatter{v[0], v[1], v[2], v[3], v[4], v[5] != 0}, &j.s.draws.normals
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
	return nil
}

// Draw makes d the noise of a w by h image before scaling: one number a pixel, in row order.
func (c Spatter) Draw(d *Normals, w, h int, r *rng.Rand) { d.draw(w*h, r) }

// Apply makes dst the spattered src. The drops are worked out in float64 and laid over the image in float32.
func (c Spatter) Apply(dst, src *raster.Image, d Normals, s *Scratch) {
	prepare(dst, src)
	mustLen("normal numbers", len(d), src.W*src.H)
	f := &s.field
	f.Reset(src.W, src.H, 1)
	kernel.ScaleAdd(f.Pix, d, c.Scale, c.Loc)
	s.gauss.Set(c.Sigma, gaussTruncate)
	s.gauss.Blur(&s.other, f, filter.Nearest)
	if c.Mud {
		c.mud(dst, src, s)
	} else {
		c.water(dst, src, s)
	}
}

// mudColor is from the published code.
var mudColor = [3]float32{63 / 255.0, 42 / 255.0, 20 / 255.0}

// water lays the drops in s.other over src.
func (c Spatter) water(dst, src *raster.Image, s *Scratch) {
	s.bytes[0] = buffer.Resize(s.bytes[0], src.W*src.H)
	liquid := s.bytes[0]
	for i, v := range s.other.Pix {
		liquid[i] = 0
		if v >= c.Threshold {
			liquid[i] = uint8(int(v * 255)) // a value of 256 or more wraps, as published
		}
	}
	s.drops.Water(dst.Pix, src.Pix, liquid, src.W, src.H, float32(c.Strength))
}

// mudLeast is the coverage below which the blurred drops of mud are left out.
const mudLeast = 0.8

// mud lays the drops in s.other over src.
func (c Spatter) mud(dst, src *raster.Image, s *Scratch) {
	c.coverage(s)
	kernel.Mud(dst.Pix, src.Pix, s.field.Pix, &mudColor)
}

// coverage makes s.field the mud's weight at every pixel.
func (c Spatter) coverage(s *Scratch) {
	for i, v := range s.other.Pix {
		s.other.Pix[i] = 0
		if v > c.Threshold {
			s.other.Pix[i] = 1
		}
	}
	s.gauss2.Set(c.Strength, gaussTruncate)
	s.gauss2.Blur(&s.field, &s.other, filter.Nearest)
	for i, v := range s.field.Pix {
		if v < mudLeast {
			s.field.Pix[i] = 0
		}
	}
}
