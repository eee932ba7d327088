package corrupt

import (
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// MotionBlur smears the image to one side along a random direction, as ImageMagick's motion blur does, with the
// rounding of its releases up to 6.9.10. Least side 1.
type MotionBlur struct {
	Radius float64 // the trail has 2·ceil(Radius)+1 taps
	Sigma  float64 // standard deviation of the trail's weights, in pixels
}

var motionBlurTable = table{
	Kinds: []kind{length, length},
	Clean: []float64{0, 0},
	Sets: [4]set{
		{{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}},
		{{10, 1}, {10, 1.5}, {10, 2}, {10, 2.5}, {12, 3}},
		{{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}},
		{{12, 4}, {17, 6}, {17, 9}, {17, 13}, {22, 16}},
	},
}

func runMotionBlur(j job) error {
	c := MotionBlur{j.v[0], j.v[1]}
	c.Apply(j.dst, j.src, c.Draw(j.r), j.s)
	return nil
}

// Draw returns the direction in degrees, -45 to 45.
func (c MotionBlur) Draw(r *rng.Rand) float64 { return r.Uniform(-45, 45) }

// Apply makes dst src smeared from the direction of degrees, which turns clockwise from the right.
func (c MotionBlur) Apply(dst, src *raster.Image, degrees float64, s *Scratch) {
	prepare(dst, src)
	s.motion.Set(c.Radius, c.Sigma, degrees)
	s.motion.Image(dst, src)
}
