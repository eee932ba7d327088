package eval

import (
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// named is a corruption that changes nothing.
type named string

func (n named) Name() string { return string(n) }
func (n named) MinSide() int { return 1 }

func (n named) Apply(dst, src *raster.Image, _ float64, _ *rng.Rand, _ *corrupt.Scratch) error {
	dst.CopyFrom(src)
	return nil
}

// TestOwnCorruptions: corruptions that no benchmark has are measured on published data sets and others, and are in no mean over corruptions.
func TestOwnCorruptions(t *testing.T) {
	for _, dataset := range []string{"cifar10", "own"} {
		e := &Evaluator{Model: Model{Predictor: newProjection(4), Name: "m"}, Dataset: dataset}
		err := e.Corruptions(t.Context(), &CorruptionSuite{
			Suffix: results.SuffixC, Names: []string{styletransfer.Name}, Open: texture(9).again,
			Plan: transform.Corruptions{Own: []corrupt.Corruption{named(styletransfer.Name)}},
		})
		if err != nil {
			t.Errorf("%s: %v", dataset, err)
		}
		mean := 0
		for _, r := range e.Rows {
			if r.Corruption == "" {
				t.Errorf("%s: a mean over corruptions, of %s", dataset, r.Metric)
			}
			if r.Severity == 0 && r.Metric == results.Top1Error {
				mean++
			}
		}
		if mean != 1 {
			t.Errorf("%s: %d means over severities, want 1", dataset, mean)
		}
	}
}
