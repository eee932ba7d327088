package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Stars is the number of stars of sparkles.
const Stars = 5

// Sparkles lays white stars over the image, each with 50 to 199 rays of random length whose light falls off with the
// square of the distance. Least side 1.
type Sparkles struct {
	Radius float64 // mean length of the rays, in pixels; published as level/100·S, S being the shorter side
}

func runSparkles(j job) {
	c, d := Sparkles{float64(j.scaled(0.1) * side(j.src.W, j.src.H))}, &j.s.draws.stars
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// Star is the random numbers of one star.
type Star struct {
	Center Point
	Rays   Normals // one for each ray: its length is Radius·(1 + z/4)
}

// SparklesDraws are the random numbers of sparkles.
type SparklesDraws [Stars]Star

// Draw makes d the numbers of a w by h image: five centers uniform in the image, then for each star a number of
// rays uniform in 50…199, then the rays, star by star.
func (c Sparkles) Draw(d *SparklesDraws, w, h int, r *rng.Rand) {
	for i := range d {
		d[i].Center = anywhere(w, h, r)
	}
	for i := range d {
		d[i].Rays = reserve(d[i].Rays, drawRays(r), maxRays)
	}
	for i := range d {
		d[i].Rays.draw(len(d[i].Rays), r)
	}
}

// A star has minRays to maxRays rays.
const (
	minRays = 50
	maxRays = 199
)

// drawRays returns a number of rays.
func drawRays(r *rng.Rand) int { return minRays + r.IntN(maxRays-minRays+1) }

// rayVariation is the standard deviation of the length of rays, as a share of the mean: the published randomness of
// 25 %.
const rayVariation = 0.25

// Apply makes dst the src under the stars. The published code adds one star after the other, rounding to float32
// between them; here the shares of the image that they leave are multiplied.
func (c Sparkles) Apply(dst, src *raster.Image, d *SparklesDraws, s *Scratch) {
	prepare(dst, src)
	w := src.W
	s.rowBuffers(w)
	left := s.a
	for i := range d {
		s.stars[i].set(d[i].Rays, c.Radius, 1)
	}
	for y := range src.H {
		for x := range left {
			left[x] = 1
		}
		for i := range d {
			s.stars[i].dim(left, s.b, s.c, float64(y)-d[i].Center.Row, d[i].Center.Col)
		}
		in, out := src.Pix[4*y*w:][:4*w], dst.Pix[4*y*w:][:4*w]
		for _, t := range left {
			if len(in) < 4 || len(out) < 4 {
				break
			}
			out[0] = level(255 - float64(t*float64(255-in[0])))
			out[1] = level(255 - float64(t*float64(255-in[1])))
			out[2] = level(255 - float64(t*float64(255-in[2])))
			out[3] = 255
			in, out = in[4:], out[4:]
		}
	}
}

// rays holds the lengths of the rays of a star, in order of their direction.
type rays []struct{ length, step float64 } // and how much longer the next one is

// set makes the rays of mean length radius from normal numbers, none shorter than least.
func (p *rays) set(z Normals, radius, least float64) {
	*p = reserve(*p, len(z), maxRays)
	q := *p
	for i, v := range z {
		q[i].length = max(radius+float64(rayVariation*radius*v), least)
	}
	for i := range q {
		q[i].step = q[(i+1)%len(q)].length - q[i].length
	}
}

// softening keeps the light of a star finite in its center, in square pixels.
const softening = 1e-4

// glow sets light[x] to the light of the star, ray length squared over distance squared, on the row dy below its
// center, and edge[x] to how it wanes between two rays, 3/4…1. angle and edge may share memory.
func (p rays) glow(light, edge []float64, dy, col float64) {
	dx := light
	for x := range dx {
		dx[x] = float64(x) - col
	}
	kernel.Angle(edge, dx, dy)
	n := float64(len(p))
	dy2 := float64(dy*dy) + softening
	perRadian := n / (2 * math.Pi)
	for x, a := range edge {
		d := float64((a + math.Pi) * perRadian)
		i := int(d)
		f := d - float64(i)
		if i >= len(p) {
			i = 0
		}
		length := p[i].length + float64(f*p[i].step)
		light[x] = float64(length*length) / (float64(dx[x]*dx[x]) + dy2)
		edge[x] = 1 - float64((f-0.5)*(f-0.5))
	}
}

// dim multiplies left[x] by the share of the image that the star leaves on a row. light and edge are scratch space.
func (p rays) dim(left, light, edge []float64, dy, col float64) {
	p.glow(light, edge, dy, col)
	for x, g := range light {
		left[x] *= 1 - min(float64(g*edge[x]), 1)
	}
}
