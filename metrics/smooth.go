package metrics

import (
	"math"
	"sync"

	"github.com/augmix-go/augmix/internal/fft"
)

// smoothCells is how many cells of equal width the confidences' grid has.
const smoothCells = 4096

// SmoothECE returns the smooth calibration error smECE (Blasiok and Nakkiran, ICLR 2024, arXiv 2309.12236), which has no
// bins, from 0 to 1. For N rows of confidence f and correctness y (0 or 1)
//
//	r(t) = 1/N Σ K(t, f) (y-f)    and    smECE(σ) = ∫ |r(t)| dt over [0, 1]
//
// with K the Gaussian kernel of bandwidth σ reflected at 0 and 1. smECE(σ) does not grow with σ; the value is that of the σ
// that equals it.
//
// It is computed so: each row's y-f goes to the two nearest of 4,097 points of equal distance, in proportion to how near they
// are. The reflected kernel multiplies term k of the cosine series of these sums by exp(-(πkσ)²/2), so that each bandwidth
// costs a Fourier transform and not more for more rows. The integral is the trapezoid rule on the points, and σ is found to
// 1e-12. The grid widens the kernel's variance by 1e-8, which moves a value of 0.01 by about 1e-6 at most. No bandwidth below
// 1/2048 is tried: a model calibrated better than that has the error at 1/2048, which is at most as large.
func (c *Calibration) SmoothECE() (float64, error) {
	g, err := c.group("smooth calibration error")
	if err != nil {
		return 0, err
	}
	s := smoothers.Get().(*smoother)
	defer smoothers.Put(s)
	s.read(g)
	return s.fixedPoint(), nil
}

// smoothers keep roots of unity, which take as long as a fifth of a value.
var smoothers = sync.Pool{New: func() any {
	s := &smoother{}
	s.batch.Set(2 * smoothCells)
	s.x.Resize(2 * smoothCells)
	s.y.Resize(2 * smoothCells)
	return s
}}

// smoother has the cosine series of the residuals on the grid.
type smoother struct {
	series []float64 // smoothCells+1 terms
	batch  fft.Batch
	x, y   fft.Plane
}

// read makes the series.
func (s *smoother) read(g *groups) {
	sums := make([]compensated, smoothCells+1)
	for i, conf := range g.conf {
		residual := float64(g.k[i]) - float64(float64(g.n[i])*conf)
		at, near := math.Modf(conf * smoothCells)
		j := int(at)
		sums[j].add(residual * (1 - near))
		if near > 0 {
			sums[j+1].add(residual * near)
		}
	}
	for j := range sums {
		s.even(j, sums[j].value()/float64(g.total)/2)
	}
	s.x.Re[0] *= 2
	s.x.Re[smoothCells] *= 2
	s.series = append(s.series[:0], s.transform()[:smoothCells+1]...)
}

// even sets element j of a signal and its mirror image.
func (s *smoother) even(j int, v float64) {
	s.x.Re[j] = v
	s.x.Re[(2*smoothCells-j)%(2*smoothCells)] = v
}

// transform returns the cosine series of the signal.
func (s *smoother) transform() []float64 {
	clear(s.x.Im)
	return s.batch.Inverse(s.x, s.y, 1).Re
}

// at is smECE(σ).
func (s *smoother) at(sigma float64) float64 {
	clear(s.x.Re)
	for k, v := range s.series {
		a := math.Pi * float64(k) * sigma
		factor := math.Exp(-0.5 * a * a)
		if factor == 0 { // and so are those of all further terms
			break
		}
		s.even(k, v*factor)
	}
	r := s.transform()
	var sum compensated
	sum.add(math.Abs(r[0]) / 2)
	for _, v := range r[1:smoothCells] {
		sum.add(math.Abs(v))
	}
	sum.add(math.Abs(r[smoothCells]) / 2)
	return sum.value() / smoothCells
}

// fixedPoint is smECE(σ) where it equals σ.
func (s *smoother) fixedPoint() float64 {
	hi, over := 1.0, s.at(1)-1 // smECE(σ)-σ at hi, at most 0
	lo, under := hi, over      // at lo, above 0 once it is found
	for lo > 2./smoothCells && under <= 0 {
		hi, over = lo, under
		lo /= 2
		under = s.at(lo) - lo
	}
	sigma, f := lo, under
	// The Illinois form of the rule of false position: an end that stays twice counts half.
	for side := 0; under > 0 && hi-lo > 1e-12 && math.Abs(f) > 1e-12; {
		sigma = lo + (hi-lo)*(under/(under-over))
		if f = s.at(sigma) - sigma; f > 0 {
			lo, under = sigma, f
			if side > 0 {
				over /= 2
			}
			side = 1
			continue
		}
		hi, over = sigma, f
		if side < 0 {
			under /= 2
		}
		side = -1
	}
	return min(max(sigma+f, 0), 1)
}
