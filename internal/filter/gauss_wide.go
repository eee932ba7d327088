package filter

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

// A Gaussian whose radius exceeds half the side is applied as a matrix. Each output sample is then a weighted sum of
// all n samples of its line, with the border folded into the weights; and because such a matrix commutes with the
// reversal of the line, its even and odd halves, (f(i) + f(n-1-i))/2 and (f(i) - f(n-1-i))/2, are mapped separately by
// matrices of half the side.

// folded is a Gaussian on lines of n samples with a border rule, as two matrices.
type folded struct {
	sigma, truncate float64
	n               int
	border          Border
	even, odd       []float64 // m = ceil(n/2) rows of m numbers
}

// set computes the matrices for the kernel weights w.
func (f *folded) set(g *Gauss, n int, border Border) {
	if f.n == n && f.sigma == g.sigma && f.truncate == g.truncate && f.border == border {
		return
	}
	f.sigma, f.truncate, f.n, f.border = g.sigma, g.truncate, n, border
	m := (n + 1) / 2
	f.even, f.odd = buffer.Resize(f.even, m*m), buffer.Resize(f.odd, m*m)
	clear(f.even)
	clear(f.odd)
	r := g.Radius()
	for i := range m {
		for k := -r; k <= r; k++ {
			j, w := border.At(i+k, n), g.weights[max(k, -k)]
			mirrored := n - 1 - j
			switch {
			case j < mirrored:
				f.even[i*m+j] += w
				f.odd[i*m+j] += w
			case j > mirrored:
				f.even[i*m+mirrored] += w
				f.odd[i*m+mirrored] -= w
			default: // the middle of an odd n, which has no odd part
				f.even[i*m+j] += w
			}
		}
	}
}

// wideScratch is the memory of [Gauss.blurWide].
type wideScratch struct {
	rows, columns folded
	a, b, c, d    []float64
	mid           Field
}

// blurWide is [Gauss.Blur] by matrices, for one-channel fields. Sums are taken in order of the sample.
func (g *Gauss) blurWide(dst, src *Field, border Border) {
	s := &g.wide
	w, h := src.W, src.H
	s.columns.set(g, h, border)
	s.rows.set(g, w, border)
	s.mid.Reset(h, w, 1) // transposed
	s.columnsTimes(&s.columns, &s.mid, src)
	s.columnsTimes(&s.rows, dst, &s.mid)
}

// columnsTimes applies f to the columns of src and makes dst the transposed result.
func (s *wideScratch) columnsTimes(f *folded, dst, src *Field) {
	w, n := src.W, f.n
	m := (n + 1) / 2
	s.a, s.b = buffer.Resize(s.a, m*w), buffer.Resize(s.b, m*w)
	s.c, s.d = buffer.Resize(s.c, m*w), buffer.Resize(s.d, m*w)
	for i := range m {
		upper, lower := src.row(i), src.row(n-1-i)
		a, b := s.a[i*w:][:w], s.b[i*w:][:w]
		for x := range a {
			a[x], b[x] = (upper[x]+lower[x])/2, (upper[x]-lower[x])/2
		}
	}
	kernel.MatMul(s.c, f.even, s.a, m, w)
	kernel.MatMul(s.d, f.odd, s.b, m, w)
	for i := range m {
		c, d := s.c[i*w:][:w], s.d[i*w:][:w]
		for x := range c {
			dst.Pix[x*n+i] = c[x] + d[x]
			dst.Pix[x*n+n-1-i] = c[x] - d[x]
		}
	}
}
