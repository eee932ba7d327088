package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// fft transforms complex images whose sides are powers of two, by radix-2 steps in a fixed order of unfused
// operations, so that the bits are the same everywhere.
type fft struct {
	n       int
	cos     []float64 // of 2 pi k/n, k < n/2
	sin     []float64
	reverse []int32
}

func newFFT(n int) *fft {
	f := &fft{
		n: n, cos: make([]float64, n/2), sin: make([]float64, n/2), reverse: make([]int32, n),
	}
	for k := range f.cos {
		a := 2 * math.Pi * float64(k) / float64(n)
		f.cos[k], f.sin[k] = detmath.Cos(a), detmath.Sin(a)
	}
	for i := 1; i < n; i++ {
		f.reverse[i] = f.reverse[i>>1] >> 1
		if i&1 != 0 {
			f.reverse[i] |= int32(n >> 1)
		}
	}
	return f
}

// line transforms re, im in place; sign is -1 forward, +1 backward. It does not scale.
func (f *fft) line(re, im []float64, sign float64) {
	n := f.n
	re, im = re[:n], im[:n]
	for i, j := range f.reverse {
		if int(j) > i {
			re[i], re[j] = re[j], re[i]
			im[i], im[j] = im[j], im[i]
		}
	}
	for half := 1; half < n; half *= 2 {
		step := n / (2 * half)
		for k := range half {
			c, s := f.cos[k*step], sign*f.sin[k*step]
			for i := k; i < n; i += 2 * half {
				j := i + half
				tr := float64(re[j]*c) - float64(im[j]*s)
				ti := float64(re[j]*s) + float64(im[j]*c)
				re[j], im[j] = re[i]-tr, im[i]-ti
				re[i], im[i] = re[i]+tr, im[i]+ti
			}
		}
	}
}

// field is a complex image of n by n.
type field struct {
	n      int
	re, im []float64
}

func newField(n int) *field {
	return &field{n: n, re: make([]float64, n*n), im: make([]float64, n*n)}
}

// transform is the two-dimensional transform in place, scaled by 1/n^2 backward.
func (f *fft) transform(p *field, sign float64) {
	n := f.n
	for y := range n {
		f.line(p.re[y*n:], p.im[y*n:], sign)
	}
	f.transpose(p.re)
	f.transpose(p.im)
	for y := range n {
		f.line(p.re[y*n:], p.im[y*n:], sign)
	}
	f.transpose(p.re)
	f.transpose(p.im)
	if sign > 0 {
		k := 1 / float64(n*n)
		for i := range p.re {
			p.re[i] *= k
			p.im[i] *= k
		}
	}
}

// transpose exchanges rows and columns, in squares that fit the cache.
func (f *fft) transpose(v []float64) {
	const tile = 16
	n := f.n
	for y0 := 0; y0 < n; y0 += tile {
		for x0 := y0; x0 < n; x0 += tile {
			for y := y0; y < min(y0+tile, n); y++ {
				for x := max(x0, y+1); x < min(x0+tile, n); x++ {
					v[y*n+x], v[x*n+y] = v[x*n+y], v[y*n+x]
				}
			}
		}
	}
}
