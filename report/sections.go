package report

import (
	"strings"

	"github.com/augmix-go/augmix/results"
)

func (b *builder) sections() error {
	err := b.apart(func(g *dataGroup, which string) error {
		if which != "" {
			b.section(2, "Measured on one data set"+which, g.about())
		}
		bases := b.bases()
		for _, base := range bases {
			name := which
			if len(bases) > 1 {
				name = ": " + results.DisplayName(base) + which
			}
			if err := b.base(base, name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.unmapped()
	b.examples()
	_ = b.apart(func(_ *dataGroup, which string) error { // no error
		b.others(which)
		return nil
	})
	b.provenance()
	b.intro()
	return b.apart(func(_ *dataGroup, which string) error { return b.headlines(which) })
}

// base writes the sections of one data set and its forms.
// name is what titles end with.
func (b *builder) base(base, name string) error {
	b.overview(base, name)
	if err := b.differences(base, name); err != nil {
		return err
	}
	b.seeds(base, name)
	b.papers(base, name)
	for _, form := range []string{results.SuffixC, results.SuffixCBar} {
		b.corruptions(dataset(base, form))
		b.ownParameters(dataset(base, form))
	}
	if err := b.calibration(base, name); err != nil {
		return err
	}
	b.parts(base)
	b.classes(base, name)
	b.cues(base, name)
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
