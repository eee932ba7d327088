//go:build !noasm

package kernel

func fft4Vector(y, x Complex, dy, dx, n int, t *[6]float64) int {
	n = whole(n, 2)
	if n > 0 {
		fft4NEON(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, t)
	}
	return n
}

func fftOddVector(o *FFTOdd, y, x Complex, dy, dx, n int) int {
	n = whole(n, 2)
	if n == 0 || o.Half == 0 {
		return 0
	}
	fftOddNEON(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, o.Half, &o.Turn[0], &o.Last[0], &o.work[0])
	return n
}
