package fvis

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// hartley transforms square images of one side between pixels and frequencies by the discrete Hartley transform
//
//	h[u, v] = 1/n sum over x, y of p[x, y] cas(2 pi (u x + v y) / n), cas = cos + sin.
//
// It is the Fourier transform for real images without complex numbers: real, orthonormal, its own inverse and its own
// transpose, so that the gradient by frequencies is the transform of the gradient by pixels (Bracewell, Discrete
// Hartley Transform, 1983). Every side works; one with large prime factors costs more.
type hartley struct {
	n       int
	factors []int
	roots   []complex128 // exp(-2 pi i k / n)
}

func newHartley(n int) *hartley {
	h := &hartley{n: n, roots: make([]complex128, n)}
	for k := range h.roots {
		a := 2 * math.Pi * float64(k) / float64(n)
		h.roots[k] = complex(detmath.Cos(a), -detmath.Sin(a))
	}
	rest := n
	for f := 2; rest > 1; f++ {
		for rest%f == 0 {
			h.factors, rest = append(h.factors, f), rest/f
		}
	}
	return h
}

// hartleyScratch is what a transform works with.
type hartleyScratch struct {
	square    []complex128
	line, tmp []complex128
	in        []complex128 // of one sum, as many as the largest factor
}

func (h *hartley) scratch() *hartleyScratch {
	s := &hartleyScratch{
		square: make([]complex128, h.n*h.n), line: make([]complex128, h.n), tmp: make([]complex128, h.n),
	}
	for _, f := range h.factors {
		if len(s.in) < f {
			s.in = make([]complex128, f)
		}
	}
	return s
}

// pair transforms two images in place; b may be nil. The two are the real and the imaginary part of one complex
// image, whose Fourier transform F holds both: the cosine sums are (F[k] + F[-k])/2, the sine sums
// i (F[k] - F[-k])/2.
func (h *hartley) pair(s *hartleyScratch, a, b []float64) {
	n := h.n
	z := s.square
	for i, v := range a {
		z[i] = complex(v, 0)
	}
	for i, v := range b {
		z[i] = complex(a[i], v)
	}
	for y := range n {
		h.fourier(s, z[y*n:y*n+n])
	}
	for x := range n {
		for y := range n {
			s.line[y] = z[y*n+x]
		}
		h.fourier(s, s.line)
		for y := range n {
			z[y*n+x] = s.line[y]
		}
	}
	scale := 0.5 / float64(n)
	for y := range n {
		up := (n - y) % n * n
		for x := range n {
			p, m := z[y*n+x], z[up+(n-x)%n]
			// (p + m) + i (p - m), by parts.
			a[y*n+x] = scale * (real(p) + real(m) - imag(p) + imag(m))
			if b != nil {
				b[y*n+x] = scale * (imag(p) + imag(m) + real(p) - real(m))
			}
		}
	}
}

// fourier transforms a line in place, by Stockham's scheme: after the factors with the product l, element k*l+j is
// term j of the transform of the elements k, k+n/l, k+2n/l, and so on.
func (h *hartley) fourier(s *hartleyScratch, line []complex128) {
	n, from, to := h.n, line, s.tmp
	l := 1
	for _, r := range h.factors {
		m := n / (l * r)
		for k := range m {
			for j := range l {
				if r == 2 {
					a, b := from[k*l+j], from[(k+m)*l+j]*h.roots[j*m]
					to[2*k*l+j], to[(2*k+1)*l+j] = a+b, a-b
					continue
				}
				in := s.in[:r]
				for i := range in {
					in[i] = from[(k+m*i)*l+j] * h.roots[i*j*m]
				}
				for q := range r {
					sum := in[0]
					for i := 1; i < r; i++ {
						sum += in[i] * h.roots[i*q%r*(n/r)]
					}
					to[(k*r+q)*l+j] = sum
				}
			}
		}
		l *= r
		from, to = to, from
	}
	if len(h.factors)%2 == 1 {
		copy(line, s.tmp)
	}
}
