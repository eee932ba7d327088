package mix

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// sigmas is the range of a standard deviation.
var sigmas = span{min: 0, max: 10, above: true}

// The standard deviations of training with noise (Rusak et al., ECCV 2020), which are those of ImageNet-C's severities.
var (
	gaussianSigmas = []float64{0.08, 0.12, 0.18, 0.26, 0.38}
	speckleSigmas  = []float64{0.15, 0.2, 0.35, 0.45, 0.6}
)

// Noise adds noise to the image with probability Prob and clips: x + n (Gaussian) or x + x*n (Speckle), n normal and
// independent for each value. The standard deviation is Sigma or, where that is 0, one of the five of ImageNet-C's
// severities, each as likely. The reference makes half of each batch noisy; here each image is noisy or not,
// independently of the others.
//
// Parity: statistical.
type Noise struct {
	Speckle bool
	Prob    float64 // 0 to 1
	Sigma   float64 // of values in [0, 1]; 0 for one of five
}

var gaussianParams = params[Noise]{
	name:     "gaussian",
	doc:      "Gaussian noise on some of the images",
	paper:    "Rusak et al., Increasing the robustness of DNNs ..., ECCV 2020",
	defaults: Noise{Prob: 0.5},
	rows:     noiseRows(gaussianSigmas),
}

var speckleParams = params[Noise]{
	name:     "speckle",
	doc:      "noise in proportion to the values, on some of the images",
	paper:    "Rusak et al., Increasing the robustness of DNNs ..., ECCV 2020",
	defaults: Noise{Speckle: true, Prob: 0.5},
	rows:     noiseRows(speckleSigmas),
}

func noiseRows(five []float64) []row[Noise] {
	list := strings.ReplaceAll(strings.Trim(fmt.Sprint(five), "[]"), " ", ", ")
	allowed := sigmas
	allowed.note = "; without s, one of ImageNet-C's five: " + list
	return []row[Noise]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(m *Noise) *float64 { return &m.Prob },
		}, {
			key: "s", name: "sigma", doc: "sigma", allowed: allowed, always: true,
			real:   func(m *Noise) *float64 { return &m.Sigma },
			absent: func(m *Noise) bool { return m.Sigma == 0 },
		},
	}
}

func (m *Noise) params() *params[Noise] {
	if m.Speckle {
		return &speckleParams
	}
	return &gaussianParams
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Noise) Check() error { return m.params().check(m) }

// String returns the spec.
func (m *Noise) String() string { return m.params().spec(m) }

// refine implements refiner.
func (m *Noise) refine(v []float32, _, _ int, _ *Normalization, r *rng.Rand, s *Scratch) {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return
	}
	sigma := float32(m.Sigma)
	if m.Sigma == 0 {
		five := gaussianSigmas
		if m.Speckle {
			five = speckleSigmas
		}
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

// Apply implements [Augmentation].
func (m *Noise) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *Noise) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
