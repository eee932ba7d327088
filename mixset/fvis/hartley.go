package fvis

import "github.com/augmix-go/augmix/internal/fft"

// hartley transforms square images of one side between pixels and frequencies by the discrete Hartley transform
//
//	h[u, v] = 1/n sum over x, y of p[x, y] cas(2 pi (u x + v y) / n), cas = cos + sin.
//
// It is the Fourier transform for real images without complex numbers: real, orthonormal, its own inverse and its own
// transpose, so that the gradient by frequencies is the transform of the gradient by pixels (Bracewell, Discrete
// Hartley Transform, 1983). Every side works; one with large prime factors costs more.
type hartley struct {
	n    int
	line *fft.Line
}

func newHartley(n int) *hartley { return &hartley{n: n, line: fft.NewLine(n)} }

// hartleyScratch is what a transform works with.
type hartleyScratch struct {
	square []complex128
	column []complex128
	line   *fft.LineScratch
}

func (h *hartley) scratch() *hartleyScratch {
	return &hartleyScratch{
		square: make([]complex128, h.n*h.n), column: make([]complex128, h.n), line: h.line.Scratch(),
	}
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
		h.line.Forward(z[y*n:y*n+n], s.line)
	}
	for x := range n {
		for y := range n {
			s.column[y] = z[y*n+x]
		}
		h.line.Forward(s.column, s.line)
		for y := range n {
			z[y*n+x] = s.column[y]
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
