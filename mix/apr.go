package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// APR is Amplitude-Phase Recombination of single images, APR-SP, of Chen et al. (ICCV 2021, "Amplitude-Phase Recombination:
// Rethinking Robustness of Convolutional Neural Networks in Frequency Domain"): with probability Prob an image becomes the
// one that has the Fourier amplitudes of one augmented copy of it and the phases of another, clipped to [0, 1]. A copy is
// the image after one random operation.
//
// The operations and their severity are AugMix's; each channel is transformed by itself in two dimensions; a coefficient of 0
// has the phase 0. The authors' program differs: docs/training.md says how.
//
// Parity: none; operations are AugMix's.
type APR struct {
	Prob     float64    // 0 to 1
	Severity float64    // levels are drawn from Uniform[0.1, Severity); 0.1 to 10
	AllOps   bool       // draw from all 13 operations, four of which overlap ImageNet-C
	Fill     raster.RGB // color of positions outside the image
}

var aprParams = params[APR]{
	name:     "apr",
	doc:      "amplitudes of one augmented copy with phases of another, for some of the images",
	paper:    "Chen et al., Amplitude-Phase Recombination, ICCV 2021",
	defaults: APR{Prob: 0.5, Severity: 3},
	rows: []row[APR]{
		{
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(m *APR) *float64 { return &m.Prob },
		},
		{
			key: "m", name: "severity", doc: "severity of the operations", allowed: severities, always: true,
			real: func(m *APR) *float64 { return &m.Severity },
		},
		word("all", "all 13 operations, with the four that overlap ImageNet-C", func(m *APR) *bool { return &m.AllOps }, true),
		{key: "f", doc: fillDoc, color: func(m *APR) *raster.RGB { return &m.Fill }},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *APR) Check() error { return aprParams.check(m) }

// String returns the spec.
func (m *APR) String() string { return aprParams.spec(m) }

// copies draws and makes the two copies, or returns false: the image stays as it is.
func (m *APR) copies(src *raster.Image, r *rng.Rand, s *Scratch) bool {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return false
	}
	s.needChains(2)
	for i := range 2 {
		s.draw.Steps = drawSteps(s.draw.Steps[:0], 1, opsOf(m.AllOps), m.Severity, src.W, src.H, r)
		s.chain(i, src, s.draw.Steps, m.Fill)
	}
	return true
}

// Apply implements [Augmentation]: the result rounded to the nearest 8-bit value.
func (m *APR) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	if !m.copies(src, r, s) {
		dst.CopyFrom(src)
		return
	}
	s.noise = buffer.Resize(s.noise, 3*src.W*src.H)
	s.spectra.recombine(s.noise, s.chains[0], s.chains[1])
	dst.Reset(src.W, src.H)
	kernel.PlanesToBytes(dst.Pix, s.noise)
}

// ApplyPlanes implements [Augmentation].
func (m *APR) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	if len(dst) != 3*src.W*src.H {
		panic(fmt.Sprintf("mix: an image of %dx%d into %d values", src.W, src.H, len(dst)))
	}
	if !m.copies(src, r, s) {
		s.planesOf(dst, src, n)
		return
	}
	s.spectra.recombine(dst, s.chains[0], s.chains[1])
	n.apply(dst, dst)
}
