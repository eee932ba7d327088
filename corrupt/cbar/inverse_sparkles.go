package cbar

import (
	"math"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// InverseSparkles leaves a star of the image, in a white field: the light of the star, ray length squared over
// distance squared to the power of Exponent, is the share of the image that is seen. Least side 1.
type InverseSparkles struct {
	Radius   float64 // mean length of the rays, in pixels; published as S/4, S being the shorter side
	Exponent float64 // above 0; published as level·65/500
}

func runInverseSparkles(j job) {
	c, d := InverseSparkles{side(j.src.W, j.src.H) / 4, j.scaled(65) / 50}, &j.s.draws.star
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// Draw makes d the numbers of a w by h image: a center uniform in the middle half of the image along both axes, a
// number of rays uniform in 50…199 and the rays.
func (c InverseSparkles) Draw(d *Star, w, h int, r *rng.Rand) {
	d.Center.Row = float64(r.Uniform(0.25, 0.75) * float64(h))
	d.Center.Col = float64(r.Uniform(0.25, 0.75) * float64(w))
	d.Rays = reserve(d.Rays, drawRays(r), maxRays)
	d.Rays.draw(len(d.Rays), r)
}

// Apply makes dst the src around the star.
func (c InverseSparkles) Apply(dst, src *raster.Image, d *Star, s *Scratch) {
	prepare(dst, src)
	w := src.W
	s.rowBuffers(w)
	star, light, edge := &s.stars[0], s.a, s.b
	star.set(d.Rays, c.Radius, math.Inf(-1))
	for y := range src.H {
		star.glow(light, edge, float64(y)-d.Center.Row, d.Center.Col)
		in, out := src.Pix[4*y*w:][:4*w], dst.Pix[4*y*w:][:4*w]
		for x, g := range light {
			if len(in) < 4 || len(out) < 4 {
				break
			}
			seen := min(float64(pow(g+leastLight, c.Exponent)*edge[x]), 1)
			out[0] = level(255 - float64(seen*float64(255-in[0])))
			out[1] = level(255 - float64(seen*float64(255-in[1])))
			out[2] = level(255 - float64(seen*float64(255-in[2])))
			out[3] = 255
			in, out = in[4:], out[4:]
		}
	}
}

// leastLight is added to the light of a star so that it has a logarithm.
const leastLight = 0x1p-1000
