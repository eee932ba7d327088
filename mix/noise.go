package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

const maxSigma = 10

// The standard deviations of training with noise (Rusak et al., ECCV 2020), which are those of ImageNet-C's severities.
var (
	gaussianSigmas = []float64{0.08, 0.12, 0.18, 0.26, 0.38}
	speckleSigmas  = []float64{0.15, 0.2, 0.35, 0.45, 0.6}
)

// Noise adds noise to the image with probability Prob and clips: x + n (Gaussian) or x + x*n (Speckle), n normal and
// independent for each value. The standard deviation is Sigma or, where that is 0, one of the five of ImageNet-C's
// severities, each as likely. The reference makes half of each batch noisy; here each image is by itself with
// probability one half.
//
// Parity: statistical.
type Noise struct {
	Speckle bool
	Prob    float64 // 0 to 1
	Sigma   float64 // of values in [0, 1]; 0 for one of five
}

func (m *Noise) name() string {
	if m.Speckle {
		return "speckle"
	}
	return "gaussian"
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Noise) Check() error {
	if !(m.Sigma >= 0 && m.Sigma <= maxSigma) {
		return fmt.Errorf("%w: %s sigma s%v (allowed: more than 0, to %d; without s, one of %v)",
			ErrSpec, m.name(), m.Sigma, maxSigma, m.sigmas())
	}
	return checkProb(m.name(), m.Prob)
}

func (m *Noise) sigmas() []float64 {
	if m.Speckle {
		return speckleSigmas
	}
	return gaussianSigmas
}

// String returns the spec.
func (m *Noise) String() string {
	s := m.name() + "-p" + number(m.Prob)
	if m.Sigma > 0 {
		s += "-s" + number(m.Sigma)
	}
	return s
}

func parseNoise(speckle bool) func(args []arg) (Mixer, error) {
	return func(args []arg) (Mixer, error) {
		m := &Noise{Speckle: speckle, Prob: 0.5}
		err := eachArg(m.name(), "p, s", args, func(a arg) (err error) {
			switch a.key {
			case "p":
				m.Prob, err = a.float()
			case "s":
				if m.Sigma, err = a.float(); err == nil && m.Sigma == 0 {
					m.Sigma = -1 // which Check refuses
				}
			default:
				return errOption
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return m, m.Check()
	}
}

// refine implements refiner.
func (m *Noise) refine(v []float32, _, _ int, _ *Norm, r *rng.Rand, s *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	sigma := float32(m.Sigma)
	if m.Sigma == 0 {
		five := m.sigmas()
		sigma = float32(five[r.IntN(len(five))])
	}
	s.noise = buffer.Resize(s.noise, len(v))
	noise := s.noise
	r.FillNormal32(noise)
	for i, x := range v {
		e := float32(noise[i] * sigma)
		if m.Speckle {
			e = float32(x * e)
		}
		v[i] = min(max(x+e, 0), 1)
	}
}

// Apply implements [Mixer].
func (m *Noise) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *Noise) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
