//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func fft4Vector(y, x Complex, dy, dx, n int, t *[6]float64) int {
	n = inDoubles(n)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		fft4AVX512(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, t)
	default:
		fft4AVX2(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, t)
	}
	return n
}

func fftOddVector(o *FFTOdd, y, x Complex, dy, dx, n int) int {
	n = inDoubles(n)
	switch {
	case n == 0 || o.Half == 0:
		return 0
	case level >= cpu.AVX512:
		fftOddAVX512(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, o.Half, &o.Turn[0], &o.Last[0], &o.work[0])
	default:
		fftOddAVX2(&y.Re[0], &y.Im[0], &x.Re[0], &x.Im[0], 8*dy, 8*dx, n, o.Half, &o.Turn[0], &o.Last[0], &o.work[0])
	}
	return n
}
