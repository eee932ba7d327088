package cbar

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BrownishNoise adds colored noise whose amplitude at f cycles an image side is 1/(f²+1), with standard deviation
// Intensity in each channel. Least side 2.
type BrownishNoise struct {
	Intensity float64 // in gray levels; published as level·64/10
}

func runBrownish(j job) {
	c, d := BrownishNoise{j.scaled(64)}, &j.s.draws.phases
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
}

// Draw makes d the phases, in turns, of a w by h image: for red, green and blue in turn those that
// [BlueNoiseSample.Draw] draws.
func (c BrownishNoise) Draw(d *Uniforms, w, h int, r *rng.Rand) { d.draw(3*phases(w, h), r) }

// Apply makes dst the src with noise. It panics unless d has the length that Draw gives it.
func (c BrownishNoise) Apply(dst, src *raster.Image, d Uniforms, s *Scratch) {
	prepare(dst, src)
	n := phases(src.W, src.H)
	mustLen("phases", len(d), 3*n)
	s.spectrum.set(src.W, src.H, brownLaw)
	s.a = buffer.Resize(s.a, src.W*src.H)
	for k := range 3 {
		gain := 0.0
		if deviation := s.spectrum.field(s.a, d[k*n:][:n]); deviation > 0 {
			gain = c.Intensity / deviation
		}
		in, out := src.Pix[k:], dst.Pix[k:]
		for i, v := range s.a {
			out[4*i] = level(float64(in[4*i]) + float64(gain*v))
		}
	}
	for i := 3; i < len(dst.Pix); i += 4 {
		dst.Pix[i] = 255
	}
}
