package eval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// TestSuiteNames: names that no plan can make are errors, as are corruptions of one's own with names that are taken, or none.
func TestSuiteNames(t *testing.T) {
	for name, c := range map[string]*CorruptionSuite{
		"corruption \"fogg\", did":     {Names: []string{"fogg"}},
		"a corruption called \"\"":     {Names: []string{""}, Plan: transform.Corruptions{Own: []corrupt.Corruption{named("")}}},
		"a corruption called \"fog\"":  {Names: []string{"fog"}, Plan: transform.Corruptions{Own: []corrupt.Corruption{named("fog")}}},
		"a corruption called \"mine\"": {Names: []string{"mine"}, Plan: transform.Corruptions{Own: []corrupt.Corruption{named("mine"), named("mine")}}},
	} {
		c.Suffix = "-c"
		if err := new(Evaluator).Corruptions(t.Context(), c); !errors.Is(err, transform.ErrOption) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := new(Evaluator).Perturbations(t.Context(), &PerturbationSuite{Names: []string{"tiltt"}, Difficulty: 1})
	if !errors.Is(err, transform.ErrOption) || !strings.Contains(err.Error(), "tiltt") {
		t.Error(err)
	}
	for _, bad := range []int{0, 4} {
		err := new(Evaluator).Perturbations(t.Context(), &PerturbationSuite{Names: []string{"gaussian_noise"}, Difficulty: bad})
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "1 to 3") {
			t.Errorf("difficulty %d: %v", bad, err)
		}
	}
}

// TestFuncNorm: without a normalization a function sees values in [0, 1], and one that divides by zero is an error.
func TestFuncNorm(t *testing.T) {
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	f := &Func{H: 4, W: 4, Class: 2, Batch: 2, Do: func(dst, x []float32, n int) error {
		for _, v := range x {
			least, most = min(least, v), max(most, v)
		}
		return nil
	}}
	m := raster.New(4, 4)
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 255 / (len(m.Pix) - 1))
	}
	e := &Evaluator{Model: Model{Predictor: f, Name: "f"}}
	send := func() error {
		s := e.stream(func(*part, []float32) error { return nil })
		if err := s.add(part{key: "a"}, m); err != nil {
			return err
		}
		return s.flush()
	}
	if err := send(); err != nil || least != 0 || most > 1 || most < 0.9 {
		t.Errorf("values from %v to %v, %v", least, most, err)
	}
	f.Norm = mix.Normalization{Mean: [3]float32{0.5, 0.5, 0.5}}
	if err := send(); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "positive deviations") {
		t.Errorf("no deviation: %v", err)
	}
}

// TestCleanIsNoForm: clean images under the name of a form would pass for a mean over corruptions.
func TestCleanIsNoForm(t *testing.T) {
	for _, name := range []string{"cifar10-c", "mine-p", "mine-c-bar"} {
		err := (&Evaluator{Dataset: name}).Clean(t.Context(), nil, Prepare{})
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
