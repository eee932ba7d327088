package mix

import (
	"math"

	"github.com/augmix-go/augmix/internal/fft"
	"github.com/augmix-go/augmix/raster"
)

// spectra is the working memory of recombine.
type spectra struct {
	cur, spare    fft.Plane
	rows, columns fft.Batch
}

// recombine writes the image with the Fourier amplitudes of a and the phases of b, clipped to [0, 1], in planes. One
// transform serves both: a is its real part and b its imaginary part, and the symmetry of their spectra takes them apart.
func (s *spectra) recombine(dst []float32, a, b *raster.Image) {
	w, h := a.W, a.H
	n := w * h
	s.rows.Set(w)
	s.columns.Set(h)
	s.cur.Resize(n)
	s.spare.Resize(n)
	scale := 1 / (2 * 255 * float64(n)) // join leaves twice the spectrum
	for c := range 3 {
		for i := range n {
			s.cur.Re[i], s.cur.Im[i] = float64(a.Pix[4*i+c]), float64(b.Pix[4*i+c])
		}
		s.transform(&s.columns, w)
		s.turn(w, h)
		s.transform(&s.rows, h)
		s.join(w, h)
		s.transform(&s.rows, h)
		s.turn(h, w)
		s.transform(&s.columns, w)
		plane := dst[c*n:][:n]
		for i := range plane {
			plane[i] = float32(min(max(s.cur.Re[i]*scale, 0), 1))
		}
	}
}

func (s *spectra) transform(f *fft.Batch, batch int) {
	if &f.Inverse(s.cur, s.spare, batch).Re[0] != &s.cur.Re[0] {
		s.cur, s.spare = s.spare, s.cur
	}
}

// turn transposes h lines of w numbers.
func (s *spectra) turn(w, h int) {
	for y := range h {
		for x := range w {
			s.spare.Re[x*h+y], s.spare.Im[x*h+y] = s.cur.Re[y*w+x], s.cur.Im[y*w+x]
		}
	}
	s.cur, s.spare = s.spare, s.cur
}

// join makes of the transform of a + ib, in lines of h, twice the conjugate of the spectrum |A|·B/|B|: of that, the
// same transform is the way back.
func (s *spectra) join(w, h int) {
	re, im := s.cur.Re, s.cur.Im
	nought := 1e-9 * float64(w*h) // far above what rounding leaves of a 0, far below a gray level
	for x := range w {
		for y := range h {
			k, m := x*h+y, (w-x)%w*h+(h-y)%h
			if k > m {
				continue // written with its mirror
			}
			ar, ai := re[k]+re[m], im[k]-im[m]
			br, bi := im[k]+im[m], re[m]-re[k]
			amplitude, length := float64(ar*ar)+float64(ai*ai), float64(br*br)+float64(bi*bi)
			if length <= nought*nought {
				br, bi, length = 1, 0, 1
			}
			ratio := math.Sqrt(amplitude / length)
			re[k], im[k] = br*ratio, -bi*ratio
			re[m], im[m] = re[k], -im[k]
		}
	}
}
