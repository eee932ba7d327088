package mix

import (
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// RandomAutoAugment is Random AutoAugment* of AugMix's ablation (table 4): a random chain of AugMix's nine operations,
// none of which overlaps ImageNet-C, each at a level of its own; no mixing. The paper does not say how long the chain
// is or how strong: two operations are AutoAugment's length, severity 3 is AugMix's.
//
// Parity: operations and levels are AugMix's, exact; the definition leaves the rest open.
type RandomAutoAugment struct {
	Severity float64    // levels are drawn from Uniform[0.1, Severity)
	Depth    int        // operations, or RandomDepth
	Fill     raster.RGB // color of positions outside the image
}

var randomAutoAugmentParams = params[RandomAutoAugment]{
	name:     "randomautoaugment",
	doc:      "Random AutoAugment*: a chain of AugMix's operations without mixing",
	paper:    "ablation of Hendrycks et al., AugMix, ICLR 2020",
	defaults: RandomAutoAugment{Severity: 3, Depth: 2},
	rows: []row[RandomAutoAugment]{
		{
			key: "m", name: "severity", doc: "severity of the operations", allowed: severities, always: true,
			real: func(m *RandomAutoAugment) *float64 { return &m.Severity },
		},
		{
			key: "d", name: "depth", doc: "number of operations", allowed: depths, always: true,
			integer: func(m *RandomAutoAugment) *int { return &m.Depth },
		},
		{key: "f", doc: fillDoc, color: func(m *RandomAutoAugment) *raster.RGB { return &m.Fill }},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandomAutoAugment) Check() error { return randomAutoAugmentParams.check(m) }

// String returns the spec.
func (m *RandomAutoAugment) String() string { return randomAutoAugmentParams.spec(m) }

// Apply implements [Augmentation].
func (m *RandomAutoAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	s.draw.Steps = drawSteps(s.draw.Steps[:0], m.Depth, nineOps, m.Severity, src.W, src.H, r)
	s.needChains(1)
	s.chain(0, src, s.draw.Steps, m.Fill)
	dst.CopyFrom(s.chains[0])
}

// ApplyPlanes implements [Augmentation].
func (m *RandomAutoAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}
