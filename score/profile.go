package score

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Benchmark returns the benchmark that a data set is by its name: a published one, or one of the user's own if the name
// has a form ("photos-c", "photos-c-bar", "photos-p"); otherwise nil.
func Benchmark(dataset string) *metrics.Profile {
	if p, err := metrics.LookupProfile(dataset); err == nil {
		return p
	}
	switch _, form := results.SplitForm(dataset); form {
	case "c":
		return metrics.OwnProfile(dataset, metrics.CorruptionKind)
	case "p":
		return metrics.OwnProfile(dataset, metrics.PerturbationKind)
	case "c-bar":
		if p, err := metrics.LookupProfile("imagenet-c-bar"); err == nil {
			return metrics.OwnProfile(dataset, metrics.CorruptionKind, p.Corruptions...)
		}
	}
	return nil
}

// benchmarkName returns the name of the form of a data set that corruptions or perturbations are of, where dataset names what the form was made
// from: rows of "cifar10" are of clean images, and means over corruptions under that name would pass for numbers of these.
func benchmarkName(dataset string, kind metrics.Kind, names []string) string {
	if dataset == "" || Benchmark(dataset) != nil || results.IsForm(dataset) {
		return dataset
	}
	for _, p := range metrics.Profiles() {
		if results.Base(p.Name) == dataset && p.Kind == kind && knownIn(p, names) {
			return p.Name
		}
	}
	switch bar := dataset + results.SuffixCBar; {
	case kind == metrics.PerturbationKind:
		return dataset + results.SuffixP
	case knownIn(Benchmark(bar), names) && !knownIn(Benchmark(dataset+results.SuffixC), names):
		return bar
	}
	return dataset + results.SuffixC
}

// BenchmarkOf returns the benchmark of a data set whose corruptions or perturbations are known: a published one, one of
// the user's own with the published corruptions if one of them is among the names, else one with the names, as where one of them is of
// MedMNIST-C, whose sets have a list each. It returns an error that wraps metrics.ErrNotComputable for a published benchmark of another kind.
func BenchmarkOf(dataset string, kind metrics.Kind, names []string) (*metrics.Profile, error) {
	if p, err := metrics.LookupProfile(dataset); err == nil {
		if p.Kind != kind {
			what := map[metrics.Kind]string{
				metrics.CorruptionKind: "still images", metrics.PerturbationKind: "sequences",
			}
			return nil, fmt.Errorf("%w: %s is a benchmark of %s, not of %s", metrics.ErrNotComputable, dataset, what[p.Kind],
				what[kind])
		}
		return p, nil
	}
	p := metrics.OwnProfile(dataset, kind)
	if knownIn(p, names) && !metrics.OfMedMNISTC(names...) {
		return p, nil
	}
	var list []metrics.Corruption
	for _, n := range names {
		list = append(list, metrics.Corruption{Name: n})
	}
	return metrics.OwnProfile(dataset, kind, list...), nil
}

// GuessBenchmark returns the name of the published benchmark with one of the names and so many classes, or an empty
// string.
func GuessBenchmark(names []string, classes int, kind metrics.Kind) string {
	base := results.ByClasses(classes)
	for _, suffix := range []string{results.SuffixC, results.SuffixP, results.SuffixCBar} {
		p, err := metrics.LookupProfile(base + suffix)
		if err == nil && p.Kind == kind && knownIn(p, names) {
			return p.Name
		}
	}
	return ""
}

// knownIn reports whether any of the names is one of the benchmark's. A misspelt one among them is refused later.
func knownIn(p *metrics.Profile, names []string) bool {
	return slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return slices.Contains(names, c.Name) })
}
