package mix

import (
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Patch adds noise to a square of the image and clips: Patch Gaussian (Lopes et al., 2019) and, with uniform noise of
// the same standard deviation, Patch Uniform, a baseline of AugMix of which no settings are published. The standard
// deviation is drawn from Uniform[0, Sigma); the center is uniform over the pixels and the square is clipped to the
// image.
//
// The published settings are width 25 and sigma 1 for CIFAR, and width up to 250 (Upto), sigma 1 for ImageNet.
//
// Parity: statistical.
type Patch struct {
	Uniform bool
	Width   int     // side of the square, 1 to 16384 pixels
	Upto    bool    // the side is drawn from 1 to Width
	Sigma   float64 // largest standard deviation, of values in [0, 1]
}

var patchGaussianParams = params[Patch]{
	name:     "patchgaussian",
	doc:      "add Gaussian noise to a square",
	paper:    "Lopes et al., Patch Gaussian, 2019",
	defaults: Patch{Width: 25, Sigma: 1},
	rows:     patchRows("250 with upto for ImageNet"),
}

var patchUniformParams = params[Patch]{
	name:     "patchuniform",
	doc:      "add uniform noise to a square",
	paper:    "baseline of Hendrycks et al., AugMix, ICLR 2020",
	defaults: Patch{Uniform: true, Width: 25, Sigma: 1},
	rows:     patchRows(""),
}

func patchRows(width string) []row[Patch] {
	return []row[Patch]{
		{
			key: "w", name: "width", doc: "side of the square", paper: width, allowed: sides, always: true,
			integer: func(m *Patch) *int { return &m.Width },
		},
		{
			key: "s", name: "sigma", doc: "largest standard deviation", allowed: sigmas, always: true,
			real: func(m *Patch) *float64 { return &m.Sigma },
		},
		word("upto", "side uniform from 1 to the width", func(m *Patch) *bool { return &m.Upto }, true),
	}
}

func (m *Patch) params() *params[Patch] {
	if m.Uniform {
		return &patchUniformParams
	}
	return &patchGaussianParams
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *Patch) Check() error { return m.params().check(m) }

// String returns the spec.
func (m *Patch) String() string { return m.params().spec(m) }

// refine implements refiner.
func (m *Patch) refine(v []float32, w, h int, _ *Normalization, r *rng.Rand, s *Scratch) {
	side := m.Width
	if m.Upto {
		side = 1 + r.IntN(m.Width)
	}
	sigma := r.Uniform(0, m.Sigma)
	cy := r.IntN(h)
	cx := r.IntN(w)
	b := augment.CutoutBox(cx, cy, side, w, h)
	s.noise = buffer.Resize(s.noise, 3*b.Dx()*b.Dy())
	noise := s.noise
	if m.Uniform {
		reach := sigma * math.Sqrt(3)
		for i := range noise {
			noise[i] = float32(r.Uniform(-reach, reach))
		}
	} else {
		r.FillNormal32(noise)
		for i := range noise {
			noise[i] = float32(noise[i] * float32(sigma))
		}
	}
	for c := range 3 {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			row := v[(c*h+y)*w+b.Min.X:][:b.Dx()]
			for i := range row {
				row[i] = min(max(row[i]+noise[i], 0), 1)
			}
			noise = noise[b.Dx():]
		}
	}
}

// Apply implements [Augmentation].
func (m *Patch) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyRefiner(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *Patch) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	applyRefinerPlanes(m, dst, src, n, r, s)
}
