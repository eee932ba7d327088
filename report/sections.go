package report

import (
	"strings"

	"github.com/augmix-go/augmix/results"
)

func (b *builder) sections() error {
	bases := b.bases()
	for _, base := range bases {
		if err := b.base(base, len(bases) > 1); err != nil {
			return err
		}
	}
	b.unmapped()
	b.examples()
	b.others()
	b.provenance()
	b.intro()
	return b.headlines()
}

// base writes the sections of one data set and its forms.
func (b *builder) base(base string, several bool) error {
	name := ""
	if several {
		name = ": " + results.DisplayName(base)
	}
	b.overview(base, name)
	if err := b.differences(base, name); err != nil {
		return err
	}
	b.papers(base, name)
	for _, form := range []string{results.SuffixC, results.SuffixCBar} {
		b.corruptions(dataset(base, form))
	}
	if err := b.calibration(base, name); err != nil {
		return err
	}
	b.perturbations(dataset(base, results.SuffixP))
	b.fourier(base, name)
	b.detection(base, name)
	return nil
}

// dataset puts a form's suffix where it belongs: "imagenet-64" and "-c" are "imagenet-c-64".
func dataset(base, suffix string) string {
	for _, size := range []string{"-299", "-64"} {
		if rest, ok := strings.CutSuffix(base, size); ok && rest == "imagenet" {
			return rest + suffix + size
		}
	}
	return base + suffix
}
