package metrics

import (
	"math"
	"sync"
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

// smoothers keep roots of unity, which take longer than a value.
var smoothers = sync.Pool{New: func() any {
	s := &smoother{signal: make([]float64, smoothCells+1), series: make([]float64, smoothCells+1)}
	s.cosines.init()
	return s
}}

// smoother has the cosine series of the residuals on the grid.
type smoother struct {
	signal, series []float64 // smoothCells+1
	cosines        cosineTransform
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
		s.signal[j] = sums[j].value() / float64(g.total)
	}
	s.signal[0] *= 2
	s.signal[smoothCells] *= 2
	s.cosines.of(s.series, s.signal)
}

// at is smECE(σ).
func (s *smoother) at(sigma float64) float64 {
	r := s.signal
	clear(r)
	for k, v := range s.series {
		a := math.Pi * float64(k) * sigma
		factor := math.Exp(-0.5 * a * a)
		if factor == 0 { // and so are those of all further terms
			break
		}
		r[k] = v * factor
	}
	s.cosines.of(r, r)
	var sum compensated
	sum.add(math.Abs(r[0]) / 2)
	for _, v := range r[1:smoothCells] {
		sum.add(math.Abs(v))
	}
	sum.add(math.Abs(r[smoothCells]) / 2)
	return 2 * sum.value() / smoothCells
}

// fixedPoint is smECE(σ) where it equals σ. As smECE does not grow with σ, the σ sought is at least smECE(1), and at most
// smECE of any σ below it.
func (s *smoother) fixedPoint() float64 {
	lo := max(s.at(1), 2./smoothCells)
	hi := s.at(lo)
	under, over := hi-lo, s.at(hi)-hi // smECE(σ)-σ at lo and at hi
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
