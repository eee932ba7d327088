package cbar

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
)

// Scratch holds the memory that the types of corruptions work in, and what they prepare for a size (transforms, tables). The zero
// Scratch is ready for use. It grows to what the largest image needs and is not safe for concurrent use: one for each
// goroutine.
type Scratch struct {
	draws draws

	a, b, c, d []float64 // rows or images
	zeros      []float64
	flags      []bool
	sums       []float32

	spectrum     spectrum
	octaves      [octaves]octave
	ramps        []ramp
	stars        [Stars]rays
	raw, water   filter.Field
	net          kernel.LightNet
	gauss        filter.Gauss
	shifts       []shift
	spline       spline
	strokes      strokes
	zoomX, zoomY zoomTaps
}

// draws holds the random numbers of the image at hand.
type draws struct {
	phases  Uniforms
	plasma  PlasmaDraws
	board   CheckerboardDraws
	rings   CocentricDraws
	wave    SingleFrequencyDraws
	perlin  PerlinDraws
	stars   SparklesDraws
	star    Star
	water   CausticDraws
	twirls  Twirls
	ripple  RippleDraws
	lines   LinesDraws
	factors Order
}

// rowBuffers gives the first three buffers the length of a row.
func (s *Scratch) rowBuffers(w int) {
	s.a, s.b, s.c = buffer.Resize(s.a, w), buffer.Resize(s.b, w), buffer.Resize(s.c, w)
}
