package eval

import (
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// TestNothing: a measurement of no images is an error, not a row of NaN.
func TestNothing(t *testing.T) {
	none := openGrays()
	for name, run := range map[string]func(e *Evaluator) error{
		"clean": func(e *Evaluator) error {
			src, err := none()
			return errors.Join(err, e.Clean(t.Context(), src, Prepare{}))
		},
		"corruptions": func(e *Evaluator) error {
			return e.Corruptions(t.Context(), &CorruptionSuite{
				Suffix: results.SuffixC, Names: []string{"fog"}, Open: none, Plan: transform.Corruptions{Severities: []float64{1}},
			})
		},
		"perturbations": func(e *Evaluator) error {
			return e.Perturbations(t.Context(), &PerturbationSuite{Difficulty: 1, Names: []string{"tilt"}, Open: none})
		},
		"adversarial": func(e *Evaluator) error {
			return e.Adversarial(t.Context(), none, Prepare{}, attack.PixMix(), 0)
		},
		"ood": func(e *Evaluator) error {
			return e.OOD(t.Context(), &OODSuite{Open: none, Score: metrics.MSP, Generated: []*ood.Set{&ood.Sets()[0]}})
		},
		"fourier": func(e *Evaluator) error {
			_, err := e.Fourier(t.Context(), &FourierSuite{Open: none})
			return err
		},
	} {
		e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
		if err := run(e); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
		for _, r := range e.Rows {
			if math.IsNaN(r.Value) {
				t.Errorf("%s: %v is NaN", name, r.Key())
			}
		}
	}
}
