package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// SingleFrequencyGreyscale adds a plane gray wave, Intensity·sin(x·FX + y·FY + Phase). Least side 1.
type SingleFrequencyGreyscale struct {
	Intensity float64 // in gray levels; published as level·196/10
}

func runSingleFrequency(j job) {
	c, d := SingleFrequencyGreyscale{j.scaled(196)}, &j.s.draws.wave
	c.Draw(d, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// SingleFrequencyDraws are the random numbers of single_frequency_greyscale.
type SingleFrequencyDraws struct {
	FX, FY float64 // radians a pixel
	Phase  float64 // radians
}

// Draw makes d the numbers of an image of any size: A uniform in [-π, π), B uniform in [-|A|, |A|), both assigned to
// FX and FY in random order, and a phase uniform in [0, 2π).
func (c SingleFrequencyGreyscale) Draw(d *SingleFrequencyDraws, r *rng.Rand) {
	a := r.Uniform(-math.Pi, math.Pi)
	b := r.Uniform(-math.Abs(a), math.Abs(a))
	if r.Bool() {
		a, b = b, a
	}
	*d = SingleFrequencyDraws{FX: a, FY: b, Phase: r.Uniform(0, 2*math.Pi)}
}

// Apply makes dst the src with the wave. The sine of the sum is taken apart into those of the row and of the column.
func (c SingleFrequencyGreyscale) Apply(dst, src *raster.Image, d *SingleFrequencyDraws, s *Scratch) {
	prepare(dst, src)
	w, h := src.W, src.H
	s.a, s.b, s.c = buffer.Resize(s.a, w), buffer.Resize(s.b, w), buffer.Resize(s.c, w)
	sin, cos, wave := s.a, s.b, s.c
	for x := range w {
		t := float64(float64(x) * d.FX)
		sin[x], cos[x] = detmath.Sin(t), detmath.Cos(t)
	}
	for y := range h {
		t := float64(float64(y)*d.FY) + d.Phase
		sy, cy := detmath.Sin(t), detmath.Cos(t)
		for x, v := range sin {
			wave[x] = float64(v*cy) + float64(cos[x]*sy)
		}
		addGray(dst.Pix[4*y*w:][:4*w], src.Pix[4*y*w:][:4*w], wave, c.Intensity)
	}
}
