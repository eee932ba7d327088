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
		switch m := p.stage.one.(type) {
		case *AugMix:
			all = append(all, overlapsOf(m.AllOps)...)
		case *APR:
			all = append(all, overlapsOf(m.AllOps)...)
		case *AutoAugment:
			all = append(all, m.overlaps()...)
		case *RandAugment, *TrivialAugment:
			all = append(all, overlapsOf(true)...)
		case *Noise:
			if !m.Speckle {
				all = append(all, gaussianNoise)
			}
		case *Patch:
			if !m.Uniform {
				all = append(all, gaussianNoise)
			}
		}
		switch m := p.needy.(type) {
		case PixMixParams:
			all = append(all, overlapsOf(m.AllOps)...)
		case IPMixParams:
			all = append(all, overlapsOf(m.AllOps)...)
		case CorruptParams:
			all = append(all, m.names(corruption.Common)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
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

// Overlapping reports whether an operation of package augment overlaps a corruption of ImageNet-C, as [AugMix] with AllOps does.
func Overlapping(op string) bool { return slices.Contains(overlapsOf(true), op) }

// overlaps returns the operations of the policy that overlap C.
func (m *AutoAugment) overlaps() (names []string) {
	policy, err := augment.PolicyByName(m.Policy)
	if err != nil || m.Star {
		return nil
	}
	for _, sub := range policy {
		for _, op := range sub {
			if op.Op != "cutout" && overlapping(op.Op) {
				names = append(names, op.Op)
			}
		}
	}
	return names
}

const gaussianNoise = "gaussian noise"

// overlapsOf returns the names of AugMix's operations that overlap C, if a method draws from them.
func overlapsOf(drawn bool) (names []string) {
	for _, op := range allOps {
		if drawn && op.Overlap {
			names = append(names, op.Name)
		}
	}
	return names
}
