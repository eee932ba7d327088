package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/internal/kernel"
)

// spectrum makes noise fields from a law for the amplitude of each frequency and random phases.
//
// The published construction, for a square image of even side S: amplitudes by the distance to the middle of an S by
// S array; random phases in its left half, and in its right half the same turned by 180 degrees; the array rolled by
// S/2 along both axes, transformed back, and of the result the real part. Turning maps the array onto itself one
// element off the middle of the frequencies, so that the halves are not conjugates of each other; the real part is that
// of the average of each frequency and the conjugate of its opposite, which is what is transformed here, at half the
// cost.
//
// Other images, w by h: the left half has w div 2 columns; if w is odd a column of its own follows, whose upper h div
// 2 phases are random, with 0 in the middle if h is odd, and the lower ones mirrored (published for odd squares). The
// rolls are by w div 2 and h div 2. The distance counts cycles an image side S, the shorter one, so that the noise has
// the same grain along both axes.
//
// The zero spectrum is ready for set.
type spectrum struct {
	w, h      int
	amplitude []float64 // of the law that is set
	laws      [2]amplitudes
	x, y      fft.Plane
	fftX      fft.Batch
	fftY      fft.Batch
}

// amplitudes holds those of one law and size, column by column, w columns of h, both axes rolled.
type amplitudes struct {
	w, h int
	v    []float64
}

// law gives the amplitude at a squared distance.
type law uint8

const (
	blueLaw  law = iota // the distance
	brownLaw            // 1/(distance²+1)
)

func (l law) amplitude(squared float64) float64 {
	if l == blueLaw {
		return math.Sqrt(squared)
	}
	return 1 / (squared + 1)
}

// phases returns the number of random phases of a w by h field.
func phases(w, h int) int { return h*(w/2) + w%2*(h/2) }

// set prepares fields of w by h samples.
func (p *spectrum) set(w, h int, l law) {
	p.w, p.h = w, h
	p.fftX.Set(w)
	p.fftY.Set(h)
	p.x.Resize(w * (h + 2)) // room for half the spectrum of a column and the middle
	p.y.Resize(w * (h + 2))
	a := &p.laws[l]
	if a.w != w || a.h != h {
		a.set(w, h, l)
	}
	p.amplitude = a.v
}

func (a *amplitudes) set(w, h int, l law) {
	a.w, a.h = w, h
	a.v = buffer.Resize(a.v, w*h)
	s := side(w, h)
	for kx := range w {
		dx := (float64(unrolled(kx, w)) - float64(float64(w)/2)) * (s / float64(w))
		for ky := range h {
			dy := (float64(unrolled(ky, h)) - float64(float64(h)/2)) * (s / float64(h))
			a.v[kx*h+ky] = l.amplitude(float64(dx*dx) + float64(dy*dy))
		}
	}
}

// unrolled returns the place of frequency k, of n, in the array before the roll.
func unrolled(k, n int) int { return (k + n - n/2) % n }

// field makes dst, w·h samples in row order, the noise of the phases u, in turns: first those of the left half, row by
// row, then those of the middle column. It returns its standard deviation; the field is not normalized.
func (p *spectrum) field(dst []float64, u Uniforms) (deviation float64) {
	p.fill(u)
	half := p.h/2 + 1
	p.hermitian(half)
	f := p.fftX.Inverse(p.y, p.x, half)
	g := p.x
	if &f.Re[0] == &p.x.Re[0] {
		g = p.y
	}
	pairs := (p.w + 1) / 2
	p.pack(g, f, half, pairs)
	f = p.fftY.Inverse(g, f, pairs)
	for y := range p.h {
		row := dst[y*p.w:][:p.w:p.w]
		copy(row, f.Re[y*pairs:][:pairs])
		copy(row[pairs:], f.Im[y*pairs:][:p.w-pairs])
	}
	return standardDeviation(dst)
}

// fill sets x to the rolled array, column by column. y is scratch space.
func (p *spectrum) fill(u Uniforms) {
	w, h, left := p.w, p.h, p.w/2
	sin, cos := p.y.Im[:len(u)], p.y.Re[:len(u)]
	kernel.SinCos(sin, cos, u, 2*math.Pi)
	phase := fft.Plane{Re: cos, Im: sin}
	for kx := range w {
		x := unrolled(kx, w)
		switch {
		case x < left:
			p.column(kx, phase, x, left, 0, h)
		case x >= w-left: // the left half turned
			p.column(kx, phase, h*left-1-(x-(w-left)), -left, 0, h)
		default:
			middle := h * left
			p.column(kx, phase, middle, 1, 0, h/2)
			p.column(kx, fft.Plane{Re: []float64{1}, Im: []float64{0}}, 0, 0, h/2, h-h/2)
			p.column(kx, phase, middle+h/2-1, -1, h-h/2, h)
		}
	}
}

// column sets the elements of column kx of x whose place before the roll is from…to-1; their phases begin at phase[at]
// and lie stride apart.
func (p *spectrum) column(kx int, phase fft.Plane, at, stride, from, to int) {
	a, out := p.amplitude[kx*p.h:][:p.h], p.x.Part(kx*p.h, p.h)
	ky := (from + p.h/2) % p.h
	for range to - from {
		out.Re[ky], out.Im[ky] = float64(a[ky]*phase.Re[at]), float64(a[ky]*phase.Im[at])
		at += stride
		if ky++; ky == p.h {
			ky = 0
		}
	}
}

// hermitian sets y to twice the part of x whose transform is real: the rows 0…half-1, column by column.
func (p *spectrum) hermitian(half int) {
	for kx := range p.w {
		ox := 0 // the opposite frequency
		if kx > 0 {
			ox = p.w - kx
		}
		a, b := p.x.Part(kx*p.h, p.h), p.x.Part(ox*p.h, p.h)
		out := p.y.Part(kx*half, half)
		out.Re[0], out.Im[0] = a.Re[0]+b.Re[0], a.Im[0]-b.Im[0]
		for ky := 1; ky < half; ky++ {
			out.Re[ky], out.Im[ky] = a.Re[ky]+b.Re[p.h-ky], a.Im[ky]-b.Im[p.h-ky]
		}
	}
}

// pack sets z, h rows of pairs samples, to the spectra of two real columns each: of column j plus i times that of
// column j+pairs. src holds half of each column's spectrum; the other half is its conjugate.
func (p *spectrum) pack(z, src fft.Plane, half, pairs int) {
	for j := range pairs {
		a := src.Part(j*half, half)
		b := fft.Plane{}
		if j+pairs < p.w {
			b = src.Part((j+pairs)*half, half)
		}
		for ky := range half {
			br, bi := 0.0, 0.0
			if b.Re != nil {
				br, bi = b.Re[ky], b.Im[ky]
			}
			up, down := ky*pairs+j, (p.h-ky)%p.h*pairs+j
			z.Re[down], z.Im[down] = a.Re[ky]+bi, br-a.Im[ky]
			z.Re[up], z.Im[up] = a.Re[ky]-bi, a.Im[ky]+br
		}
	}
}

// standardDeviation returns that of the population v. Four running sums each keep additions from waiting for another.
func standardDeviation(v []float64) float64 {
	var s [4]float64
	for i, x := range v {
		s[i&3] += x
	}
	mean := ((s[0] + s[1]) + (s[2] + s[3])) / float64(len(v))
	s = [4]float64{}
	for i, x := range v {
		d := x - mean
		s[i&3] += float64(d * d)
	}
	return math.Sqrt(((s[0] + s[1]) + (s[2] + s[3])) / float64(len(v)))
}
