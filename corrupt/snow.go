package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Snow lays falling flakes over a whitened image. The flakes are a layer of normal noise, enlarged about its middle,
// cut off below a threshold and smeared by motion blur; it is added twice, the second time turned by 180°. Least side
// 2.
type Snow struct {
	Loc, Scale    float64 // mean and standard deviation of the layer
	Zoom          float64 // enlargement of the layer
	Threshold     float64 // of the layer
	Radius, Sigma float64 // of the motion blur, in pixels
	Mix           float64 // weight of the image against its whitened form
}

var snowTable = table{
	Kinds: []kind{level, level, level, level, length, length, level},
	Clean: []float64{0, 0, stay, stay, stay, stay, 1},
	Sets: [4]set{
		{
			{.1, .2, 1, .6, 8, 3, .95},
			{.1, .2, 1, .5, 10, 4, .9},
			{.15, .3, 1.75, .55, 10, 4, .9},
			{.25, .3, 2.25, .6, 12, 6, .85},
			{.3, .3, 1.25, .65, 14, 12, .8},
		},
		{
			{.1, .2, 1, .6, 8, 3, .8},
			{.1, .2, 1, .5, 10, 4, .8},
			{.15, .3, 1.75, .55, 10, 4, .7},
			{.25, .3, 2.25, .6, 12, 6, .65},
			{.3, .3, 1.25, .65, 14, 12, .6},
		},
		snowLarge, snowLarge,
	},
}

var snowLarge = set{
	{.1, .3, 3, .5, 10, 4, .8},
	{.2, .3, 2, .5, 12, 4, .7},
	{.55, .3, 4, .9, 12, 8, .7},
	{.55, .3, 4.5, .85, 12, 8, .65},
	{.55, .3, 2.5, .85, 12, 12, .55},
}

func runSnow(j job) error {
	v := j.v
	c, d := Snow{v[0], v[1], v[2], v[3], v[4], v[5], v[6]}, &j.s.draws.snow
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
	return nil
}

// SnowDraws are the random numbers of snow.
type SnowDraws struct {
	Layer   Normals // before scaling, one a pixel, in row order
	Degrees float64 // direction of the flakes, -135 to -45
}

// Draw makes d the numbers of a w by h image, the layer first.
func (c Snow) Draw(d *SnowDraws, w, h int, r *rng.Rand) {
	d.Layer.draw(w*h, r)
	d.Degrees = r.Uniform(-135, -45)
}

// Apply makes dst the snowed src. The image is float32 until the layer is added in float64.
func (c Snow) Apply(dst, src *raster.Image, d *SnowDraws, s *Scratch) {
	prepare(dst, src)
	mustLen("normal numbers", len(d.Layer), src.W*src.H)
	kernel.Snow(dst.Pix, src.Pix, c.flakes(src.W, src.H, d, s), float32(c.Mix), float32(1-c.Mix))
}

// flakes returns the layer after the motion blur.
func (c Snow) flakes(w, h int, d *SnowDraws, s *Scratch) []uint8 {
	layer := c.layer(w, h, d, s)
	s.motion.Set(c.Radius, c.Sigma, d.Degrees)
	s.bytes[1] = buffer.Resize(s.bytes[1], w*h)
	s.motion.Gray(s.bytes[1], layer, w, h)
	return s.bytes[1]
}

// layer returns the flakes before the motion blur.
func (c Snow) layer(w, h int, d *SnowDraws, s *Scratch) []uint8 {
	f := &s.field
	f.Reset(w, h, 1)
	kernel.ScaleAdd(f.Pix, d.Layer, c.Scale, c.Loc)
	filter.Zoom(&s.other, f, c.Zoom, &s.axisX, &s.axisY)
	s.bytes[0] = buffer.Resize(s.bytes[0], w*h)
	for i, v := range s.other.Pix {
		if v < c.Threshold {
			v = 0
		}
		s.bytes[0][i] = filter.Byte(v)
	}
	return s.bytes[0]
}
