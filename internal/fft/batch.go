package fft

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

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
	if s == 1 { // a call for a single number takes longer than its work
		a, b, c, d := j, j+p.m, j+2*p.m, j+3*p.m
		er, ei, or, oi := x.Re[a]+x.Re[c], x.Im[a]+x.Im[c], x.Re[b]+x.Re[d], x.Im[b]+x.Im[d]
		fr, fi, gr, gi := x.Re[a]-x.Re[c], x.Im[a]-x.Im[c], x.Re[b]-x.Re[d], x.Im[b]-x.Im[d]
		re, im := y.Re[4*j:][:4], y.Im[4*j:][:4]
		re[0], im[0] = er+or, ei+oi
		re[1], im[1] = t1.times(fr-gi, fi+gr)
		re[2], im[2] = t2.times(er-or, ei-oi)
		re[3], im[3] = t3.times(fr+gi, fi-gr)
		return
	}
	turns := [6]float64{t1.re, t1.im, t2.re, t2.im, t3.re, t3.im}
	kernel.FFT4(y.from(s*4*j), x.from(s*j), s, s*p.m, s, &turns)
}

// from returns the numbers of p from the i-th on.
func (p Plane) from(i int) kernel.Complex { return kernel.Complex{Re: p.Re[i:], Im: p.Im[i:]} }

// oddFactor is what passOdd needs for the factor p.
type oddFactor struct {
	p      int
	turn   []root // p-th roots of unity
	kernel kernel.FFTOdd
}

func (o *oddFactor) set(p int) {
	if o.p == p {
		return
	}
	o.p = p
	o.turn = roots(o.turn, p)
	k, half := &o.kernel, p/2
	k.Half = half
	k.Turn, k.Last = buffer.Resize(k.Turn, 2*half*half), buffer.Resize(k.Last, 4*half)
	for i := range half * half { // (r-1)·half + k-1
		t := o.turn[(i/half+1)*(i%half+1)%p]
		k.Turn[2*i], k.Turn[2*i+1] = t.re, t.im
	}
}

// passOdd serves odd factors.
func (f *Batch) passOdd(x, y Plane, p pass, j, s int) {
	o := &f.odd
	o.set(p.radix)
	for r := 1; r <= p.radix/2; r++ {
		t, u, last := f.twiddle(p, j, r), f.twiddle(p, j, p.radix-r), o.kernel.Last[4*r-4:]
		last[0], last[1], last[2], last[3] = t.re, t.im, u.re, u.im
	}
	o.kernel.Pass(y.from(s*p.radix*j), x.from(s*j), s, s*p.m, s)
}
