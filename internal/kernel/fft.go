package kernel

import "fmt"

// Complex is numbers whose real and imaginary parts lie apart.
type Complex struct{ Re, Im []float64 }

func (c Complex) mustHold(numbers int) {
	if len(c.Re) < numbers || len(c.Im) < numbers {
		panic(fmt.Sprintf("kernel: %d and %d parts of %d complex numbers", len(c.Re), len(c.Im), numbers))
	}
}

// times returns t.re, t.im times re, im.
func times(tr, ti, re, im float64) (float64, float64) {
	return float64(tr*re) - float64(ti*im), float64(tr*im) + float64(ti*re)
}

// FFT4 makes n times four outputs, dy apart in y, of four inputs, dx apart in x: an inverse Fourier transform of four, times the
// roots of unity t for the outputs 1, 2 and 3.
func FFT4(y, x Complex, dy, dx, n int, t *[6]float64) {
	y.mustHold(3*dy + n)
	x.mustHold(3*dx + n)
	for q := fft4Vector(y, x, dy, dx, n, t); q < n; q++ {
		q1, q2, q3 := q+dx, q+2*dx, q+3*dx
		ar, ai := x.Re[q]+x.Re[q2], x.Im[q]+x.Im[q2]
		br, bi := x.Re[q]-x.Re[q2], x.Im[q]-x.Im[q2]
		cr, ci := x.Re[q1]+x.Re[q3], x.Im[q1]+x.Im[q3]
		dr, di := x.Re[q1]-x.Re[q3], x.Im[q1]-x.Im[q3]
		y.Re[q], y.Im[q] = ar+cr, ai+ci
		q1, q2, q3 = q+dy, q+2*dy, q+3*dy
		y.Re[q1], y.Im[q1] = times(t[0], t[1], br-di, bi+dr)
		y.Re[q2], y.Im[q2] = times(t[2], t[3], ar-cr, ai-ci)
		y.Re[q3], y.Im[q3] = times(t[4], t[5], br+di, bi-dr)
	}
}

// FFTOdd is what FFTOdd.Pass needs of an odd factor p = 2·Half+1.
type FFTOdd struct {
	Half int
	Turn []float64 // for r and k from 1 to Half the root of unity r·k of p: real and imaginary part
	Last []float64 // for r from 1 to Half the roots that the outputs r and p-r are multiplied by at the end
	work []float64 // sums and differences
}

// Pass is FFT4 for p inputs and outputs. With the sums a and differences b of the inputs k and p-k, the outputs r and p-r are
// x0 + Σ a[k]·cos(2πrk/p) ± i·Σ b[k]·sin(2πrk/p), times the last roots.
func (o *FFTOdd) Pass(y, x Complex, dy, dx, n int) {
	h := o.Half
	y.mustHold(2*h*dy + n)
	x.mustHold(2*h*dx + n)
	if len(o.Turn) < 2*h*h || len(o.Last) < 4*h {
		panic(fmt.Sprintf("kernel: %d and %d parts of roots for a factor of %d", len(o.Turn), len(o.Last), 2*h+1))
	}
	if len(o.work) < 4*8*h {
		o.work = make([]float64, 4*8*h)
	}
	for q := fftOddVector(o, y, x, dy, dx, n); q < n; q++ {
		x0r, x0i := x.Re[q], x.Im[q]
		allR, allI := x0r, x0i
		for k := 1; k <= h; k++ {
			a, b, s := q+k*dx, q+(2*h+1-k)*dx, o.work[4*k-4:][:4:4]
			s[0], s[1] = x.Re[a]+x.Re[b], x.Im[a]+x.Im[b]
			s[2], s[3] = x.Re[a]-x.Re[b], x.Im[a]-x.Im[b]
			allR += s[0]
			allI += s[1]
		}
		y.Re[q], y.Im[q] = allR, allI
		for r := 1; r <= h; r++ {
			evenR, evenI, oddR, oddI := x0r, x0i, 0.0, 0.0
			turn := o.Turn[2*h*(r-1):][:2*h]
			for k := range h {
				tr, ti, s := turn[2*k], turn[2*k+1], o.work[4*k:][:4:4]
				evenR += float64(tr * s[0])
				evenI += float64(tr * s[1])
				oddR -= float64(ti * s[3])
				oddI += float64(ti * s[2])
			}
			t, c, d := o.Last[4*r-4:][:4:4], q+r*dy, q+(2*h+1-r)*dy
			y.Re[c], y.Im[c] = times(t[0], t[1], evenR+oddR, evenI+oddI)
			y.Re[d], y.Im[d] = times(t[2], t[3], evenR-oddR, evenI-oddI)
		}
	}
}
