package nn

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// Schedule gives the learning rate of a step, counted from 0.
type Schedule interface{ At(step int) float64 }

// Constant is the same rate at every step.
type Constant float64

// At implements Schedule.
func (c Constant) At(int) float64 { return float64(c) }

// Cosine goes from Max to Min along half a period of the cosine in Steps steps (Loshchilov and Hutter, ICLR 2017) and
// stays there: Min + (Max-Min)*(1 + cos(pi*step/Steps))/2. AugMix uses Min = 1e-6.
type Cosine struct {
	Max, Min float64
	Steps    int
}

// At implements Schedule.
func (c Cosine) At(step int) float64 {
	if step >= c.Steps {
		return c.Min
	}
	return c.Min + float64((c.Max-c.Min)*0.5*(1+detmath.Cos(math.Pi*float64(max(step, 0))/float64(c.Steps))))
}

// Steps starts at Start and multiplies the rate by Factor at each step of Marks.
type Steps struct {
	Start, Factor float64
	Marks         []int
}

// At implements Schedule.
func (s Steps) At(step int) float64 {
	rate := s.Start
	for _, m := range s.Marks {
		if step >= m {
			rate *= s.Factor
		}
	}
	return rate
}

// Warmup goes up linearly to the rate of Then in Steps steps: step s < Steps has (s+1)/Steps of Then's rate at that
// step (Goyal et al. 2017).
type Warmup struct {
	Steps int
	Then  Schedule
}

// At implements Schedule.
func (w Warmup) At(step int) float64 {
	rate := w.Then.At(step)
	if step < w.Steps {
		rate *= float64(step+1) / float64(w.Steps)
	}
	return rate
}
