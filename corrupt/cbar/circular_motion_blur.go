package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
)

// CircularMotionBlur is the weighted mean of 21 rotations of the image about its middle, by -Amount…Amount, the
// weights exp(-2t²) for the share t of the Amount; they are sampled by cubic splines and black outside the image.
// Least side 1. There is no chance in it.
type CircularMotionBlur struct {
	Amount float64 // in degrees; published as level·15/10
}

func runCircular(j job) { CircularMotionBlur{j.scaled(15)}.Apply(j.dst, j.src, j.s) }

// rotations is the number of rotations; the middle one is none.
const rotations = 21

// Apply makes dst the blurred src. Rotations are rounded to float32 and added up in float32, as published.
func (c CircularMotionBlur) Apply(dst, src *raster.Image, s *Scratch) {
	prepare(dst, src)
	s.spline.set(src)
	s.sums = buffer.Resize(s.sums, 3*src.W*src.H)
	clear(s.sums)
	total := 0.0
	for k := range rotations {
		t := float64(2*k)/(rotations-1) - 1
		weight := detmath.Exp(-2 * float64(t*t))
		total += weight
		s.spline.addRotated(s.sums, float64(float64(t*c.Amount)*(math.Pi/180)), float32(weight))
	}
	out, sums := dst.Pix, s.sums
	for len(out) >= 4 && len(sums) >= 3 {
		for k := range 3 {
			out[k] = level(float64(sums[k] / float32(total) * 255))
		}
		out[3] = 255
		out, sums = out[4:], sums[3:]
	}
}

// addRotated adds weight times the image rotated by angle, in radians.
func (p *spline) addRotated(sums []float32, angle float64, weight float32) {
	sin, cos := detmath.Sin(angle), detmath.Cos(angle)
	cy, cx := float64(float64(p.h-1)/2), float64(float64(p.w-1)/2)
	lastRow, lastCol := float64(p.h-1), float64(p.w-1)
	row0 := cy - (float64(cos*cy) + float64(sin*cx))
	col0 := cx - (float64(cos*cx) - float64(sin*cy))
	for y := range p.h {
		rowY, colY := row0+float64(cos*float64(y)), col0-float64(sin*float64(y))
		out := sums[3*y*p.w:][:3*p.w]
		for x := range p.w {
			row, col := rowY+float64(sin*float64(x)), colY+float64(cos*float64(x))
			if row < 0 || row > lastRow || col < 0 || col > lastCol {
				continue
			}
			r, g, b := p.at(row, col)
			o := out[3*x:][:3:3]
			o[0] += float32(weight * float32(r))
			o[1] += float32(weight * float32(g))
			o[2] += float32(weight * float32(b))
		}
	}
}
