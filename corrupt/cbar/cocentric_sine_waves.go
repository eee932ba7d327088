package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// CocentricSineWaves adds gray rings that are bent by sine waves around their center: at distance r and angle θ the
// saw-tooth Intensity·(frac((r + Amplitude·sin(θ·Freq))/Ring) - 1/2). Least side 1.
type CocentricSineWaves struct {
	Intensity float64 // in gray levels, from trough to crest; published as level·128/10
}

func runCocentric(j job) {
	c, d := CocentricSineWaves{j.scaled(128)}, &j.s.draws.rings
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// CocentricDraws are the random numbers of cocentric_sine_waves.
type CocentricDraws struct {
	X, Y      float64 // center, in pixels
	Freq      float64 // waves a turn
	Amplitude float64 // of the waves, in pixels
	Ring      float64 // width of a ring, in pixels, above 0
}

// Draw makes d the numbers of a w by h image: X uniform in [0, w), Y in [0, h), Freq in [0, 10), Amplitude in [0,
// S/10) and Ring in (0, S/10], S being the shorter side.
func (c CocentricSineWaves) Draw(d *CocentricDraws, w, h int, r *rng.Rand) {
	tenth := side(w, h) / 10
	d.X = r.Uniform(0, float64(w))
	d.Y = r.Uniform(0, float64(h))
	d.Freq = r.Uniform(0, 10)
	d.Amplitude = r.Uniform(0, tenth)
	d.Ring = float64(tenth * (1 - r.Float64()))
}

// Apply makes dst the src with the rings. θ is measured from the y axis, as published.
func (c CocentricSineWaves) Apply(dst, src *raster.Image, d *CocentricDraws, s *Scratch) {
	prepare(dst, src)
	w := src.W
	s.a, s.b = buffer.Resize(s.a, w), buffer.Resize(s.b, w)
	dx, wave := s.a, s.b
	for x := range dx {
		dx[x] = float64(x) - d.X
	}
	for y := range src.H {
		dy := float64(y) - d.Y
		kernel.Angle(wave, dx, dy)
		kernel.Sin(wave, wave, d.Freq, 0)
		dy2 := float64(dy * dy)
		for x, v := range dx {
			q := (math.Sqrt(float64(v*v)+dy2) + float64(d.Amplitude*wave[x])) / d.Ring
			wave[x] = (q - math.Floor(q)) - 0.5
		}
		addGray(dst.Pix[4*y*w:][:4*w], src.Pix[4*y*w:][:4*w], wave, c.Intensity)
	}
}
