package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestValFraction: a run validates on what it does not train on, writes its best weights, and resumes with the same parts.
func TestValFraction(t *testing.T) {
	c := small()
	c.ValFraction, c.Epochs = 0.2, 2
	var plan Plan
	o := Options{Train: newImages(100, 8, 4), OnBegin: func(p *Plan) { plan = *p }}
	whole := t.TempDir()
	o.Dir = whole
	res, err := Run(t.Context(), c, o)
	if err != nil || plan.Samples != 80 || plan.Val != 20 || res.BestEpoch == 0 || math.IsNaN(res.Error) {
		t.Fatalf("%+v, %d and %d samples, %v", res, plan.Samples, plan.Val, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Dir, o.Train, o.Resume = t.TempDir(), newImages(100, 8, 4), true
	o.OnStep = func(s *Step) {
		if s.Epoch == 1 {
			cancel()
		}
	}
	if _, err := Run(ctx, c, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.OnStep, o.Train = nil, newImages(100, 8, 4)
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, finalFiles(t, o.Dir), finalFiles(t, whole))
	if _, ok := finalFiles(t, whole)[BestName]; !ok {
		t.Errorf("no %s in %s", BestName, filepath.Base(whole))
	}

	o.Dir, o.Train, o.Val = t.TempDir(), newImages(100, 8, 4), valSet()
	if _, err := Run(t.Context(), c, o); !errors.Is(err, ErrConfig) {
		t.Errorf("with validation data too: %v", err)
	}
	c.Val = "x"
	if err := c.Check(); !errors.Is(err, ErrConfig) {
		t.Errorf("with val too: %v", err)
	}
}

// TestValUnopened: validation data that the configuration names and nobody opened is an error, not a run without validation.
func TestValUnopened(t *testing.T) {
	c, o := small(), Options{Dir: t.TempDir(), Train: trainSet()}
	c.Val = "cifar10"
	if _, err := Run(t.Context(), c, o); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), `val: "cifar10"`) {
		t.Error(err)
	}
}
