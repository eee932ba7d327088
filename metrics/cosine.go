package metrics

import (
	"math"

	"github.com/augmix-go/augmix/internal/fft"
)

// cosineTransform computes, of smoothCells+1 = n+1 numbers x,
//
//	y[k] = x[0]/2 + (-1)^k x[n]/2 + Σ x[j] cos(πjk/n), j from 1 to n-1
//
// (the discrete cosine transform of type I) by a complex Fourier transform of length n/2, a quarter of what the even signal
// of length 2n has: an even number y[2k] and the difference y[2k+1]-y[2k-1] are the real and the imaginary part of term k of
//
//	(x[j]+x[n-j])/2 - sin(πj/n) (x[j]-x[n-j])
//
// (Cooley, Lewis and Welch 1970), whose n real numbers are transformed as n/2 complex ones.
type cosineTransform struct {
	batch    fft.Batch
	x, y     fft.Plane // smoothCells/2
	sin, cos []float64 // of πj/smoothCells, smoothCells
}

// init must be called before the first transform.
func (t *cosineTransform) init() {
	t.batch.Set(smoothCells / 2)
	t.x.Resize(smoothCells / 2)
	t.y.Resize(smoothCells / 2)
	t.sin, t.cos = make([]float64, smoothCells), make([]float64, smoothCells)
	for j := range t.sin {
		t.sin[j], t.cos[j] = math.Sincos(math.Pi * float64(j) / smoothCells)
	}
}

// of writes the transform of x to y, which may be x.
func (t *cosineTransform) of(y, x []float64) {
	const n, m = smoothCells, smoothCells / 2
	first := t.fold(x)
	z := t.batch.Inverse(t.x, t.y, 1)
	y[0], y[1], y[n] = z.Re[0]+z.Im[0], first, z.Re[0]-z.Im[0]
	for k := 1; k < m; k++ {
		a, b, c, d := z.Re[k], z.Im[k], z.Re[m-k], z.Im[m-k]
		// Half of what the even and the odd places add up to.
		evenRe, evenIm, oddRe, oddIm := (a+c)/2, (b-d)/2, (b+d)/2, (c-a)/2
		y[2*k] = evenRe + float64(t.cos[2*k]*oddRe) - float64(t.sin[2*k]*oddIm)
		y[2*k+1] = y[2*k-1] + evenIm + float64(t.cos[2*k]*oddIm) + float64(t.sin[2*k]*oddRe)
	}
}

// fold sets t.x to the numbers that are transformed and returns y[1].
func (t *cosineTransform) fold(x []float64) float64 {
	var first compensated
	first.add((x[0] - x[smoothCells]) / 2)
	folded := func(j int) float64 {
		a, b := x[j], x[smoothCells-j]
		if j > 0 {
			first.add(a * t.cos[j])
		}
		return (a+b)/2 - float64(t.sin[j]*(a-b))
	}
	for j := range smoothCells / 2 {
		t.x.Re[j], t.x.Im[j] = folded(2*j), folded(2*j+1)
	}
	return first.value()
}
