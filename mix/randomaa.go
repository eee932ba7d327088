package mix

import (
	"fmt"
	"strconv"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// RandomAutoAugment is Random AutoAugment* of AugMix's ablation (table 5): a random chain of AugMix's nine operations,
// none of which overlaps ImageNet-C, each at a level of its own; no mixing. The paper does not say how long the chain
// is or how strong: two operations are AutoAugment's length, severity 3 is AugMix's.
//
// Parity: operations and levels are AugMix's, exact; the definition leaves the rest open.
type RandomAutoAugment struct {
	Severity float64    // levels are drawn from Uniform[0.1, Severity)
	Depth    int        // operations, or RandomDepth
	Fill     raster.RGB // colour of positions outside the image
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandomAutoAugment) Check() error {
	switch {
	case !(m.Severity >= minLevel && m.Severity <= maxSeverity):
		return fmt.Errorf("%w: randomautoaugment severity m%v (allowed: %v to %v)",
			ErrSpec, m.Severity, minLevel, maxSeverity)
	case m.Depth != RandomDepth && (m.Depth < 1 || m.Depth > maxDepth):
		return fmt.Errorf("%w: randomautoaugment depth d%d (allowed: 1 to %d, or -1 for 1 to 3 at random)",
			ErrSpec, m.Depth, maxDepth)
	}
	return nil
}

// String returns the spec.
func (m *RandomAutoAugment) String() string {
	return "randomautoaugment-m" + number(m.Severity) + "-d" + strconv.Itoa(m.Depth) + fillOption(m.Fill)
}

func parseRandomAutoAugment(args []arg) (Mixer, error) {
	m := &RandomAutoAugment{Severity: 3, Depth: 2}
	err := eachArg("randomautoaugment", "m, d, fRRGGBB", args, func(a arg) (err error) {
		switch a.key {
		case "m":
			m.Severity, err = a.float()
		case "d":
			m.Depth, err = a.int()
		default:
			return a.fill(&m.Fill)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

// Apply implements [Mixer].
func (m *RandomAutoAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	depth := m.Depth
	if depth == RandomDepth {
		depth = 1 + r.IntN(3)
	}
	s.draw.Steps = s.draw.Steps[:0]
	for range depth {
		s.draw.Steps = append(s.draw.Steps, drawStep(nineOps, m.Severity, src.W, src.H, r))
	}
	if len(s.chains) == 0 {
		s.chains = append(s.chains, new(raster.Image))
	}
	s.chain(0, src, s.draw.Steps, m.Fill)
	dst.CopyFrom(s.chains[0])
}

// ApplyPlanes implements [Mixer].
func (m *RandomAutoAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}
