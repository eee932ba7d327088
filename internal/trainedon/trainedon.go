// Package trainedon says what of the corruptions that benchmarks test a network was trained on. Files of weights say it in their
// metadata; the marks of the network's numbers are made of that, by the keys of results.Row.Versions. A training that starts from a
// network's weights, or from images that were made of corrupted ones, hands the marks on.
package trainedon

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

// earlier has, by the key of Row.Versions, the key of the metadata under which the marks of what was before the training lie.
var earlier = map[string]string{
	results.VersionTrainedOn:           weights.KeyTrainedOn,
	results.VersionTrainedOnBar:        weights.KeyTrainedOnBar,
	results.VersionTrainedOnValidation: weights.KeyTrainedOnValidation,
}

// Keys are the keys of a file's metadata that the marks of its network are made of.
var Keys = []string{
	weights.KeyMix, weights.KeyANT, weights.KeyFeatureNoise,
	weights.KeyTrainedOn, weights.KeyTrainedOnBar, weights.KeyTrainedOnValidation,
}

// Of returns the marks of a network whose file has the metadata: those of its training and of what was before. A mix of a later
// version has none.
func Of(meta map[string]string) map[string]string {
	var noises, validation []string
	if meta[weights.KeyANT] != "" { // its generators begin with normal noise
		noises = append(noises, "adversarial noise")
	}
	var add, multiply float64
	_, err := fmt.Sscanf(meta[weights.KeyFeatureNoise], "%g,%g", &add, &multiply) // in some batches that of images
	if err == nil && add > 0 {
		noises = append(noises, "gaussian noise")
	}
	if err == nil && multiply > 0 {
		validation = append(validation, "speckle_noise")
	}
	return results.JoinVersions(Earlier(meta), OfMix(meta[weights.KeyMix]), marks(noises, nil, validation))
}

// Earlier returns the marks that metadata have of what was before the training.
func Earlier(meta map[string]string) map[string]string {
	found := map[string]string{}
	for version, key := range earlier {
		if names := meta[key]; names != "" {
			found[version] = names
		}
	}
	return found
}

// PutEarlier writes marks into metadata as those of what was before the training.
func PutEarlier(meta, marks map[string]string) {
	for version, key := range earlier {
		if names := marks[version]; names != "" {
			meta[key] = names
		}
	}
}

// OfMix returns the marks of what a spec of package mix makes of images; none of one that this version does not know.
func OfMix(spec string) map[string]string {
	s, err := mix.ParseSpec(spec)
	if err != nil {
		return nil
	}
	return marks(s.Overlaps(), s.OverlapsBar(), s.OverlapsValidation())
}

// OfOperations returns the marks of images that went through operations of package augment, by their names.
func OfOperations(names []string) map[string]string {
	return marks(slices.DeleteFunc(slices.Clone(names), func(op string) bool { return !mix.Overlapping(op) }), nil, nil)
}

// OfCorruptions returns the marks of images with the named corruptions. Names that are not published have none.
func OfCorruptions(names []string) map[string]string {
	of := map[corruption.Benchmark][]string{}
	for _, p := range corruption.Catalog {
		if slices.Contains(names, p.Name) {
			of[p.Of] = append(of[p.Of], p.Name)
		}
	}
	return marks(of[corruption.Common], of[corruption.Bar], of[corruption.Validation])
}

// marks returns names as marks, in alphabetical order.
func marks(c, bar, validation []string) map[string]string {
	made := map[string]string{}
	for version, names := range map[string][]string{
		results.VersionTrainedOn: c, results.VersionTrainedOnBar: bar, results.VersionTrainedOnValidation: validation,
	} {
		if len(names) > 0 {
			made[version] = strings.Join(slices.Sorted(slices.Values(names)), ", ")
		}
	}
	return made
}
