package experiment

import (
	"os"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/transform"
)

// chosen are the corruptions that a list of names and subsets stands for: of a form that is made with the profile, or of one that lies in
// dir. Each set of MedMNIST-C has a list of its own, for which the subsets common and all stand there: that of the profile, or what the
// folder holds.
func chosen(subset []string, dir string, profile *tables.Set, bar cbar.Profile) ([]string, error) {
	one := len(subset) == 1 && (subset[0] == "common" || subset[0] == "all")
	if dir == "" {
		if one && len(profile.Medical) > 0 {
			subset = profile.Names
		}
		return transform.ExpandCorruptions(subset, bar, append(profile.Own(), styletransfer.Op{})...)
	}
	if one {
		if held := heldIn(dir); metrics.OfMedMNISTC(held...) {
			subset = held
		}
	}
	// ExpandCorruptions knows those of MedMNIST-C by their parameters, which a folder need not say.
	medical := slices.DeleteFunc(metrics.MedMNISTC(), func(name string) bool { return !slices.Contains(subset, name) })
	rest := slices.DeleteFunc(slices.Clone(subset), func(name string) bool { return metrics.OfMedMNISTC(name) })
	if len(rest) == 0 && len(medical) > 0 {
		return medical, nil
	}
	names, err := transform.ExpandCorruptions(rest, bar, styletransfer.Op{})
	return append(names, medical...), err
}

// heldIn returns the corruptions of ImageNet-C and MedMNIST-C that a folder has, by the alphabet. What cannot be read has none: whoever
// opens it says why.
func heldIn(dir string) []string {
	known, err := corrupt.Names("all")
	if err != nil {
		return nil
	}
	known = append(known, metrics.MedMNISTC()...)
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".npy"), ".npz")
		if slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
