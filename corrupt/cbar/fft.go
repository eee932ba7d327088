package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
)

// fft computes the unscaled inverse discrete Fourier transform, y[k] = Σ x[j]·exp(2πi·jk/n), of many signals at once,
// by Stockham's self-sorting algorithm with the factors of n; a large prime factor p costs p operations a sample.
//
// It is not gonum's transform because that one may round differently on processors that fuse, and because the signals
// here lie side by side, sample by sample, which lets all of them share a twiddle factor. The zero fft is ready for
// set.
type fft struct {
	n      int
	passes []pass
	turn   []wave // n-th roots of unity
}

// pass is one step: signals of length radix·m, of which stride lie side by side.
type pass struct{ radix, m, stride int }

// wave is exp(i·angle).
type wave struct{ re, im float64 }

// set prepares the transform of length n.
func (f *fft) set(n int) {
	if f.n == n {
		return
	}
	f.n, f.passes = n, f.passes[:0]
	f.turn = buffer.Resize(f.turn, n)
	for i := range f.turn {
		a := 2 * math.Pi * float64(i) / float64(n)
		f.turn[i] = wave{detmath.Cos(a), detmath.Sin(a)}
	}
	m, stride := n, 1
	for m > 1 {
		p := radix(m)
		m /= p
		f.passes = append(f.passes, pass{p, m, stride})
		stride *= p
	}
}

// radix returns the factor of n to split off next.
func radix(n int) int {
	switch {
	case n%4 == 0:
		return 4
	case n%2 == 0:
		return 2
	}
	p := 3
	for n%p != 0 {
		if p += 2; p*p > n {
			return n
		}
	}
	return p
}

// plane is a complex array, real and imaginary parts apart.
type plane struct{ re, im []float64 }

func (p *plane) grow(n int) {
	p.re, p.im = buffer.Resize(p.re, n), buffer.Resize(p.im, n)
}

// part returns n samples from i on.
func (p plane) part(i, n int) plane { return plane{p.re[i:][:n:n], p.im[i:][:n:n]} }

// inverse transforms the signals of x, batch of them, sample j of signal b at j·batch+b. It returns x or y, whichever
// holds the result; the other is scratch space. y must be as long as x.
func (f *fft) inverse(x, y plane, batch int, odd *oddScratch) plane {
	for _, p := range f.passes {
		s := p.stride * batch
		for j := range p.m {
			switch p.radix {
			case 2:
				f.pass2(x, y, p, j, s)
			case 4:
				f.pass4(x, y, p, j, s)
			default:
				f.passOdd(x, y, p, j, s, odd)
			}
		}
		x, y = y, x
	}
	return x
}

// twiddle returns exp(2πi·jr/(radix·m)) of pass p.
func (f *fft) twiddle(p pass, j, r int) wave { return f.turn[j*r*p.stride%f.n] }

func (f *fft) pass2(x, y plane, p pass, j, s int) {
	t := f.twiddle(p, j, 1)
	a, b := x.part(s*j, s), x.part(s*(j+p.m), s)
	c, d := y.part(s*2*j, s), y.part(s*(2*j+1), s)
	for q := range s {
		ar, ai, br, bi := a.re[q], a.im[q], b.re[q], b.im[q]
		c.re[q], c.im[q] = ar+br, ai+bi
		d.re[q], d.im[q] = t.times(ar-br, ai-bi)
	}
}

// times returns the product with re + i·im.
func (t wave) times(re, im float64) (float64, float64) {
	return float64(t.re*re) - float64(t.im*im), float64(t.re*im) + float64(t.im*re)
}

func (f *fft) pass4(x, y plane, p pass, j, s int) {
	t1, t2, t3 := f.twiddle(p, j, 1), f.twiddle(p, j, 2), f.twiddle(p, j, 3)
	x0, x1 := x.part(s*j, s), x.part(s*(j+p.m), s)
	x2, x3 := x.part(s*(j+2*p.m), s), x.part(s*(j+3*p.m), s)
	y0, y1 := y.part(s*4*j, s), y.part(s*(4*j+1), s)
	y2, y3 := y.part(s*(4*j+2), s), y.part(s*(4*j+3), s)
	for q := range s {
		ar, ai := x0.re[q]+x2.re[q], x0.im[q]+x2.im[q]
		br, bi := x0.re[q]-x2.re[q], x0.im[q]-x2.im[q]
		cr, ci := x1.re[q]+x3.re[q], x1.im[q]+x3.im[q]
		dr, di := x1.re[q]-x3.re[q], x1.im[q]-x3.im[q]
		y0.re[q], y0.im[q] = ar+cr, ai+ci
		y1.re[q], y1.im[q] = t1.times(br-di, bi+dr)
		y2.re[q], y2.im[q] = t2.times(ar-cr, ai-ci)
		y3.re[q], y3.im[q] = t3.times(br+di, bi-dr)
	}
}

// oddScratch holds what passOdd needs for one factor.
type oddScratch struct {
	p          int
	turn       []wave // p-th roots of unity
	sum, diff  []wave
	in, out    []plane
	multiplier []wave
}

func (o *oddScratch) set(p int) {
	if o.p == p {
		return
	}
	o.p = p
	o.turn = buffer.Resize(o.turn, p)
	for i := range o.turn {
		a := 2 * math.Pi * float64(i) / float64(p)
		o.turn[i] = wave{detmath.Cos(a), detmath.Sin(a)}
	}
	o.sum, o.diff = buffer.Resize(o.sum, p/2+1), buffer.Resize(o.diff, p/2+1)
	o.in, o.out = buffer.Resize(o.in, p), buffer.Resize(o.out, p)
	o.multiplier = buffer.Resize(o.multiplier, p)
}

// passOdd serves odd factors. With the sums a and differences b of the inputs k and p-k, the outputs r and p-r are
// x0 + Σ a[k]·cos(2πrk/p) ± i·Σ b[k]·sin(2πrk/p).
func (f *fft) passOdd(x, y plane, p pass, j, s int, o *oddScratch) {
	o.set(p.radix)
	for r := range p.radix {
		o.in[r] = x.part(s*(j+r*p.m), s)
		o.out[r] = y.part(s*(p.radix*j+r), s)
		o.multiplier[r] = f.twiddle(p, j, r)
	}
	for q := range s {
		o.butterfly(q)
	}
}

func (o *oddScratch) butterfly(q int) {
	p, half := o.p, o.p/2
	x0 := wave{o.in[0].re[q], o.in[0].im[q]}
	all := x0
	for k := 1; k <= half; k++ {
		a, b := o.in[k], o.in[p-k]
		o.sum[k] = wave{a.re[q] + b.re[q], a.im[q] + b.im[q]}
		o.diff[k] = wave{a.re[q] - b.re[q], a.im[q] - b.im[q]}
		all.re += o.sum[k].re
		all.im += o.sum[k].im
	}
	o.out[0].re[q], o.out[0].im[q] = all.re, all.im
	for r := 1; r <= half; r++ {
		even, odd := x0, wave{}
		at := 0
		for k := 1; k <= half; k++ {
			if at += r; at >= p {
				at -= p
			}
			t := o.turn[at]
			even.re += float64(t.re * o.sum[k].re)
			even.im += float64(t.re * o.sum[k].im)
			odd.re -= float64(t.im * o.diff[k].im)
			odd.im += float64(t.im * o.diff[k].re)
		}
		c, d := o.out[r], o.out[p-r]
		c.re[q], c.im[q] = o.multiplier[r].times(even.re+odd.re, even.im+odd.im)
		d.re[q], d.im[q] = o.multiplier[p-r].times(even.re-odd.re, even.im-odd.im)
	}
}
