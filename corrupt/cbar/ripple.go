package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Ripple shifts the rows of the image by a sine of the row and the columns by a sine of the column: it shows at q
// what is at q + Amplitude·sin(2πq/Wavelength + Phase), bilinearly, black outside. Least side 1.
type Ripple struct {
	Amplitude float64 // in pixels; published as level/400·S, S being the shorter side
}

func runRipple(j job) {
	c, d := Ripple{j.scaled(0.025) * side(j.src.W, j.src.H)}, &j.s.draws.ripple
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// RippleDraws are the random numbers of ripple, for rows and for columns.
type RippleDraws struct {
	Wavelength [2]float64 // in pixels
	Phase      [2]float64 // in radians
}

// Draw makes d the numbers of a w by h image: wavelengths uniform in [0.1·S, 0.3·S), S being the shorter side, then
// phases uniform in [0, 2π).
func (c Ripple) Draw(d *RippleDraws, w, h int, r *rng.Rand) {
	n := side(w, h)
	for i := range d.Wavelength {
		d.Wavelength[i] = r.Uniform(float64(0.1*n), float64(0.3*n))
	}
	for i := range d.Phase {
		d.Phase[i] = r.Uniform(0, 2*math.Pi)
	}
}

// Apply makes dst the rippled src.
func (c Ripple) Apply(dst, src *raster.Image, d *RippleDraws, s *Scratch) {
	prepare(dst, src)
	s.a = buffer.Resize(s.a, src.W)
	cols := s.a
	for x := range cols {
		cols[x] = c.place(d, 1, x)
	}
	out := dst.Pix
	for y := range src.H {
		row := c.place(d, 0, y)
		for _, col := range cols {
			p := bilinear(src, &kernel.Unit64, row, col)
			out[0], out[1], out[2], out[3] = filter.Byte(p[0]), filter.Byte(p[1]), filter.Byte(p[2]), 255
			out = out[4:]
		}
	}
}

// place returns where along an axis (0 rows, 1 columns) pixel k is looked up.
func (c Ripple) place(d *RippleDraws, axis, k int) float64 {
	a := float64(2*math.Pi*float64(k))/d.Wavelength[axis] + d.Phase[axis]
	return float64(k) + float64(c.Amplitude*detmath.Sin(a))
}
