package mix

import (
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/corruption"
)

// Overlaps returns what of ImageNet-C's 75 corruptions a method trains on, by the names of operations and noises, in alphabetical
// order: results on C of a network that was trained with any are not what the benchmark asks for ("Benchmarking", section 3, on the
// validity of the metric). Speckle, of the four extra corruptions, may be trained on.
func (s Spec) Overlaps() []string {
	var all []string
	for _, p := range s.parts {
		all = append(all, p.overlaps()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// overlaps returns what a stage trains on of them; names may come twice.
func (p part) overlaps() []string {
	switch m := p.stage.one.(type) {
	case *AugMix:
		return overlapping(opsOf(m.AllOps))
	case *APR:
		return overlapping(opsOf(m.AllOps))
	case *AutoAugment:
		return m.overlaps()
	case *RandAugment, *TrivialAugment:
		return slices.DeleteFunc(slices.Clone(randOps), func(op string) bool { return !Overlapping(op) })
	case *Noise:
		if !m.Speckle {
			return []string{gaussianNoise}
		}
	case *Patch:
		if !m.Uniform {
			return []string{gaussianNoise}
		}
	}
	switch m := p.needy.(type) {
	case PixMixParams:
		return overlapping(opsOf(m.AllOps))
	case IPMixParams:
		return overlapping(opsOf(m.AllOps))
	case CorruptParams:
		return m.names(corruption.Common)
	}
	return nil
}

// OverlapsBar returns what of ImageNet-C-bar or CIFAR-10-C-bar a method trains on, by name.
func (s Spec) OverlapsBar() []string { return s.corruptions(corruption.Bar) }

// OverlapsValidation returns which of the four corruptions that ImageNet-C has for validation a method trains on, by name.
// Only the numbers of these very corruptions are touched by that.
func (s Spec) OverlapsValidation() []string { return s.corruptions(corruption.Validation) }

// corruptions returns the corruptions of a set that stages apply, in alphabetical order.
func (s Spec) corruptions(of corruption.Benchmark) (names []string) {
	for _, p := range s.parts {
		if m, ok := p.needy.(CorruptParams); ok {
			names = append(names, m.names(of)...)
		}
		if m, ok := p.stage.one.(*Noise); ok && m.Speckle && of == corruption.Validation {
			names = append(names, "speckle_noise")
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const gaussianNoise = "gaussian noise"

// Overlapping reports whether an operation of package augment overlaps a corruption of ImageNet-C, as [AugMix] with AllOps does.
func Overlapping(op string) bool { return slices.Contains(overlappingOps, op) }

// overlappingOps are those of the operations that overlap C.
var overlappingOps = overlapping(allOps)

// overlapping returns the names of those that overlap C.
func overlapping(ops []*augment.Op) (names []string) {
	for _, op := range ops {
		if op.Overlap {
			names = append(names, op.Name)
		}
	}
	return names
}
