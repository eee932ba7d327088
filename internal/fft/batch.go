package fft

import "github.com/augmix-go/augmix/internal/buffer"

// Batch computes the unscaled inverse discrete Fourier transform, y[k] = Σ x[j]·exp(2πi·jk/n), of many signals at once,
// by Stockham's self-sorting algorithm with the factors of n; a large prime factor p costs p operations a sample. The
// signals lie side by side, sample by sample, which lets all of them share a root of unity. The zero Batch is ready for
// [Batch.Set]. A Batch has memory to work in: it is for one goroutine at a time.
type Batch struct {
	n      int
	passes []pass
	turn   []root // n-th roots of unity
	odd    oddFactor
}

// pass is one step: signals of length radix·m, of which stride lie side by side.
type pass struct{ radix, m, stride int }

// Set prepares the transform of length n, at least 1.
func (f *Batch) Set(n int) {
	if f.n == n {
		return
	}
	f.n, f.passes = n, f.passes[:0]
	f.turn = roots(f.turn, n)
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

// Plane is a complex array, real and imaginary parts apart, of one length.
type Plane struct{ Re, Im []float64 }

// Resize gives p the length n, in the memory it has where that suffices. The elements are unspecified.
func (p *Plane) Resize(n int) {
	p.Re, p.Im = buffer.Resize(p.Re, n), buffer.Resize(p.Im, n)
}

// Part returns n elements from i on; they share the memory of p.
func (p Plane) Part(i, n int) Plane { return Plane{p.Re[i:][:n:n], p.Im[i:][:n:n]} }

// Inverse transforms the signals of x, batch of them, sample j of signal b at j·batch+b. It returns x or y, whichever
// holds the result, in the same order; the other is overwritten. y must be as long as x.
func (f *Batch) Inverse(x, y Plane, batch int) Plane {
	for _, p := range f.passes {
		s := p.stride * batch
		for j := range p.m {
			switch p.radix {
			case 2:
				f.pass2(x, y, p, j, s)
			case 4:
				f.pass4(x, y, p, j, s)
			default:
				f.passOdd(x, y, p, j, s)
			}
		}
		x, y = y, x
	}
	return x
}

// twiddle returns exp(2πi·jr/(radix·m)) of pass p.
func (f *Batch) twiddle(p pass, j, r int) root { return f.turn[j*r*p.stride%f.n] }

func (f *Batch) pass2(x, y Plane, p pass, j, s int) {
	t := f.twiddle(p, j, 1)
	a, b := x.Part(s*j, s), x.Part(s*(j+p.m), s)
	c, d := y.Part(s*2*j, s), y.Part(s*(2*j+1), s)
	for q := range s {
		ar, ai, br, bi := a.Re[q], a.Im[q], b.Re[q], b.Im[q]
		c.Re[q], c.Im[q] = ar+br, ai+bi
		d.Re[q], d.Im[q] = t.times(ar-br, ai-bi)
	}
}

func (f *Batch) pass4(x, y Plane, p pass, j, s int) {
	t1, t2, t3 := f.twiddle(p, j, 1), f.twiddle(p, j, 2), f.twiddle(p, j, 3)
	x0, x1 := x.Part(s*j, s), x.Part(s*(j+p.m), s)
	x2, x3 := x.Part(s*(j+2*p.m), s), x.Part(s*(j+3*p.m), s)
	y0, y1 := y.Part(s*4*j, s), y.Part(s*(4*j+1), s)
	y2, y3 := y.Part(s*(4*j+2), s), y.Part(s*(4*j+3), s)
	for q := range s {
		ar, ai := x0.Re[q]+x2.Re[q], x0.Im[q]+x2.Im[q]
		br, bi := x0.Re[q]-x2.Re[q], x0.Im[q]-x2.Im[q]
		cr, ci := x1.Re[q]+x3.Re[q], x1.Im[q]+x3.Im[q]
		dr, di := x1.Re[q]-x3.Re[q], x1.Im[q]-x3.Im[q]
		y0.Re[q], y0.Im[q] = ar+cr, ai+ci
		y1.Re[q], y1.Im[q] = t1.times(br-di, bi+dr)
		y2.Re[q], y2.Im[q] = t2.times(ar-cr, ai-ci)
		y3.Re[q], y3.Im[q] = t3.times(br+di, bi-dr)
	}
}

// oddFactor is what passOdd needs for one factor, and its memory.
type oddFactor struct {
	p          int
	turn       []root // p-th roots of unity
	sum, diff  []root
	in, out    []Plane
	multiplier []root
}

func (o *oddFactor) set(p int) {
	if o.p == p {
		return
	}
	o.p = p
	o.turn = roots(o.turn, p)
	o.sum, o.diff = buffer.Resize(o.sum, p/2+1), buffer.Resize(o.diff, p/2+1)
	o.in, o.out = buffer.Resize(o.in, p), buffer.Resize(o.out, p)
	o.multiplier = buffer.Resize(o.multiplier, p)
}

// passOdd serves odd factors. With the sums a and differences b of the inputs k and p-k, the outputs r and p-r are
// x0 + Σ a[k]·cos(2πrk/p) ± i·Σ b[k]·sin(2πrk/p).
func (f *Batch) passOdd(x, y Plane, p pass, j, s int) {
	o := &f.odd
	o.set(p.radix)
	for r := range p.radix {
		o.in[r] = x.Part(s*(j+r*p.m), s)
		o.out[r] = y.Part(s*(p.radix*j+r), s)
		o.multiplier[r] = f.twiddle(p, j, r)
	}
	for q := range s {
		o.butterfly(q)
	}
}

func (o *oddFactor) butterfly(q int) {
	p, half := o.p, o.p/2
	x0 := root{o.in[0].Re[q], o.in[0].Im[q]}
	all := x0
	for k := 1; k <= half; k++ {
		a, b := o.in[k], o.in[p-k]
		o.sum[k] = root{a.Re[q] + b.Re[q], a.Im[q] + b.Im[q]}
		o.diff[k] = root{a.Re[q] - b.Re[q], a.Im[q] - b.Im[q]}
		all.re += o.sum[k].re
		all.im += o.sum[k].im
	}
	o.out[0].Re[q], o.out[0].Im[q] = all.re, all.im
	for r := 1; r <= half; r++ {
		even, odd := x0, root{}
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
		c.Re[q], c.Im[q] = o.multiplier[r].times(even.re+odd.re, even.im+odd.im)
		d.Re[q], d.Im[q] = o.multiplier[p-r].times(even.re-odd.re, even.im-odd.im)
	}
}
