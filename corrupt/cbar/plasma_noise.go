package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PlasmaNoise lays a colored plasma over the image, sines of places that sines have moved about: each channel is
// (1 - Intensity/255)·x + Intensity·plasma, the plasma in -1…1. Least side 1.
type PlasmaNoise struct {
	Intensity float64 // in gray levels; published as level·64/10
}

func runPlasma(j job) {
	c, d := PlasmaNoise{j.scaled(64)}, &j.s.draws.plasma
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// PlasmaDraws are the random numbers of plasma_noise.
type PlasmaDraws struct {
	Time       float64 // phase of the waves, in radians
	Iterations int     // how often places are moved
	Sharpness  float64 // how fast the moves shrink
	Scale      float64 // pixels a radian
}

// Draw makes d the numbers of a w by h image: Time uniform in [0, 6π), Iterations 4, 5 or 6, Sharpness in [1/2, 1),
// Scale in [0.075·S, 0.2·S), S being the shorter side.
func (c PlasmaNoise) Draw(d *PlasmaDraws, w, h int, r *rng.Rand) {
	d.Time = r.Uniform(0, 6*math.Pi)
	d.Iterations = 4 + r.IntN(3)
	d.Sharpness = r.Uniform(0.5, 1)
	n := side(w, h)
	d.Scale = r.Uniform(float64(0.075*n), float64(0.2*n))
}

// Constants of the published shader: from one iteration to the next the frequency grows by frequencyGrowth, the time
// advances more slowly by timeDamping and the moves shrink by moveDamping less the sharpness; swirl is the share of
// each component of a move that turns into the other.
const (
	frequencyGrowth = 1.93
	timeDamping     = 1.15
	moveDamping     = 2.25
	swirl           = 0.3
)

// Apply makes dst the src under the plasma, row by row.
func (c PlasmaNoise) Apply(dst, src *raster.Image, d *PlasmaDraws, s *Scratch) {
	prepare(dst, src)
	w := src.W
	s.a, s.b, s.c, s.d = buffer.Resize(s.a, w), buffer.Resize(s.b, w), buffer.Resize(s.c, w), buffer.Resize(s.d, w)
	px, py, u, v := s.a, s.b, s.c, s.d
	perPixel := 1 / d.Scale
	half := detmath.Sin(d.Time) / 2
	var base [256]float64
	for t := range base {
		base[t] = float64((1 - c.Intensity/255) * float64(t))
	}
	for y := range src.H {
		for x := range px {
			px[x] = float64(float64(x) * perPixel)
			py[x] = float64(float64(y) * perPixel)
		}
		d.move(px, py, u, v)
		for x := range u {
			u[x] = px[x] + py[x]
		}
		kernel.Sin(px, px, 1, -d.Time)
		kernel.Sin(py, py, 1, d.Time)
		kernel.Sin(u, u, 0.5, half)
		in, out := src.Pix[4*y*w:][:4*w], dst.Pix[4*y*w:][:4*w]
		for x := range u {
			if len(in) < 4 || len(out) < 4 {
				break
			}
			out[0] = level(base[in[0]] + float64(c.Intensity*px[x]))
			out[1] = level(base[in[1]] + float64(c.Intensity*u[x]))
			out[2] = level(base[in[2]] + float64(c.Intensity*py[x]))
			out[3] = 255
			in, out = in[4:], out[4:]
		}
	}
}

// move moves the places of a row. u and v are scratch space.
func (d *PlasmaDraws) move(px, py, u, v []float64) {
	frequency, slow, shrink := 1.0, 1.0, 1.0
	px, py = px[:len(u)], py[:len(u)]
	v = v[:len(u)]
	for range d.Iterations {
		phase := d.Time / slow
		kernel.Sin(u, py, frequency, phase+math.Pi/2) // a cosine
		kernel.Sin(v, px, frequency, phase)
		gain := 1 / shrink
		for x, a := range u {
			a = float64(a * gain)
			b := float64(v[x] * gain)
			px[x] += a - float64(swirl*b)
			py[x] += b + float64(swirl*a)
		}
		frequency *= frequencyGrowth
		slow *= timeDamping
		shrink *= moveDamping - d.Sharpness
	}
}
