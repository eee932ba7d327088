package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// splineWeights returns the weights of the four samples around a place, y past the second, in a cubic B-spline; the
// last is what is missing to 1, as in SciPy. SciPy divides by 6 instead, which differs in the last place at most and
// not at all for y = 0, where sums fall on halves.
func splineWeights(y float64) (w [4]float64) {
	z := 1 - y
	w[1] = float64((float64(float64(float64(y*y)*(y-2))*3) + 4) * (1. / 6))
	w[2] = float64((float64(float64(float64(z*z)*(z-2))*3) + 4) * (1. / 6))
	w[0] = float64(float64(float64(z*z)*z) * (1. / 6))
	w[3] = ((1 - w[0]) - w[1]) - w[2]
	return w
}

// splinePole is the pole of the filter that turns samples into the coefficients of the cubic spline through them
// (Unser, 1999), splineGain its gain.
var splinePole = math.Sqrt(3) - 2

const splineGain = 6

// splineCoefficients replaces n samples, stride apart, by the coefficients of the spline through them, mirrored about
// the first and the last sample.
func splineCoefficients(c []float64, n, stride int) {
	if n < 2 {
		return
	}
	z, last := splinePole, (n-1)*stride
	for i := 0; i <= last; i += stride {
		c[i] = float64(c[i] * splineGain)
	}
	// The causal filter starts as if the mirrored samples went on for ever: a geometric series of period 2n-2.
	far := 1.0
	for range n - 1 {
		far = float64(far * z)
	}
	start, p := c[0]+float64(far*c[last]), z
	for i := stride; i < last; i += stride {
		start += float64(p * (c[i] + float64(far*c[last-i])))
		p = float64(p * z)
	}
	c[0] = start / (1 - float64(far*far))
	for i := stride; i <= last; i += stride {
		c[i] += float64(z * c[i-stride])
	}
	c[last] = float64((float64(z*c[last-stride])+c[last])*z) / (float64(z*z) - 1)
	for i := last - stride; i >= 0; i -= stride {
		c[i] = float64(z * (c[i+stride] - c[i]))
	}
}

// spline is an image as coefficients of a cubic spline, three channels interleaved, in units of white, with a margin
// of two on every side that continues it by mirroring.
type spline struct {
	c      []float64
	w, h   int
	stride int // samples in a row
}

const margin = 2

// set makes p the spline through the pixels of m, each divided by 255 in float32.
func (p *spline) set(m *raster.Image) {
	p.w, p.h, p.stride = m.W, m.H, 3*(m.W+2*margin)
	p.c = buffer.Resize(p.c, p.stride*(m.H+2*margin))
	for y := range m.H {
		in, out := m.Pix[4*y*m.W:][:4*m.W], p.row(y)[3*margin:]
		for len(in) >= 4 && len(out) >= 3 {
			for k := range 3 {
				out[k] = unitSingle[in[k]]
			}
			in, out = in[4:], out[3:]
		}
	}
	for i := range 3 * m.W {
		splineCoefficients(p.c[margin*(p.stride+3)+i:], m.H, p.stride)
	}
	for y := range m.H {
		for k := range 3 {
			splineCoefficients(p.row(y)[3*margin+k:], m.W, 3)
		}
		p.mirror(p.row(y))
	}
	for k := range margin {
		copy(p.row(-1-k), p.row(filter.Reflect101.At(-1-k, m.H)))
		copy(p.row(m.H+k), p.row(filter.Reflect101.At(m.H+k, m.H)))
	}
}

// row returns row y with its margins, y in -2…h+1.
func (p *spline) row(y int) []float64 { return p.c[(y+margin)*p.stride:][:p.stride:p.stride] }

// mirror fills the margins of a row.
func (p *spline) mirror(row []float64) {
	for k := range margin {
		copy(row[3*(margin-1-k):][:3], row[3*(margin+filter.Reflect101.At(-1-k, p.w)):])
		copy(row[3*(margin+p.w+k):][:3], row[3*(margin+filter.Reflect101.At(p.w+k, p.w)):])
	}
}

// at returns the value at a place, which must lie within 0…h-1 and 0…w-1.
func (p *spline) at(row, col float64) (r, g, b float64) {
	y, x := int(row), int(col)
	wy, wx := splineWeights(row-float64(y)), splineWeights(col-float64(x))
	a0, a1, a2, a3 := wx[0], wx[1], wx[2], wx[3]
	at := (y-1+margin)*p.stride + 3*(x-1+margin)
	for _, f := range wy {
		c := p.c[at:][:12:12]
		r += float64(f * (float64(c[0]*a0) + float64(c[3]*a1) + float64(c[6]*a2) + float64(c[9]*a3)))
		g += float64(f * (float64(c[1]*a0) + float64(c[4]*a1) + float64(c[7]*a2) + float64(c[10]*a3)))
		b += float64(f * (float64(c[2]*a0) + float64(c[5]*a1) + float64(c[8]*a2) + float64(c[11]*a3)))
		at += p.stride
	}
	return r, g, b
}
