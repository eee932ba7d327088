package experiment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
)

// TestSet is what a model in another program is told of the test set before the measurement.
type TestSet struct {
	Samples     int      // those that are looked at
	W, H        int      // of the images
	Classes     []string // names by class number; nil where the data has none
	Fingerprint string   // of the samples, as data.Signature.Samples
}

// checkRemote checks what goes with a model in another program.
func (r *evaluation) checkRemote() error {
	if r.Remote == nil {
		return nil
	}
	var wrong option.Keys
	for key, given := range map[string]bool{
		"file": r.File != "", "model": r.Model != "", "norm": r.Norm != "", "preprocess": r.Preprocess != "",
		"input-size": r.InputSize != 0, "ten-crop": r.TenCrop, "exit": r.Exit != 0, "temperature-on": r.TemperatureOn != "",
	} {
		if given {
			wrong = append(wrong, option.Key(key))
		}
	}
	slices.Sort(wrong)
	for _, name := range []string{suitePGD, suiteOOD, suiteFourier, suiteCues} {
		if r.suites[name] {
			return badOption("suite", name+" of a model in another program", "clean, c, cbar, p, calibration")
		}
	}
	switch {
	case len(wrong) > 0:
		return option.Errorf(ErrOption, "%v with a model in another program, which does that by itself", wrong)
	case r.Name == "":
		return badOption("name", `""`, "what the model in another program is called in results")
	case r.In == formats.Standard:
		return badOption("in", r.In, "with a model in another program, data that can be read more than once")
	}
	return nil
}

// remote looks at the test set, of which the model's program is told, and asks for the model.
func (r *evaluation) remote(ctx context.Context) (eval.Predictor, error) {
	if err := r.sign(ctx); err != nil {
		return nil, err
	}
	src, err := r.rawSource()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	t := TestSet{Samples: r.signature.N, Classes: src.Info().Classes, Fingerprint: r.signature.Samples}
	if side := cmp.Or(r.Crop, r.Size); side > 0 {
		t.W, t.H = side, side
	} else if t.W, t.H, err = data.FirstSize(src); err != nil {
		return nil, err
	}
	return r.Remote(t)
}

// remoteVersion is what rows say of the weights of a model in another program.
func (r *evaluation) remoteVersion() string {
	if r.Weights != "" {
		return r.Weights
	}
	return fmt.Sprintf("outputs:%d", r.evaluator.Predictor.Classes())
}

// answersName is the file, in the folder of results, of what a model in another program has answered of the measurements that are not
// complete.
const answersName = "answers.partial"

// together measures a model in another program on all forms that are made on the fly, in one pass.
func (r *evaluation) together(ctx context.Context) error {
	t := &eval.Together{Open: r.source, Prepare: r.prepare, Clean: r.suites[suiteClean]}
	if r.Dir != "" {
		t.Journal = filepath.Join(r.Dir, answersName)
	}
	suites := map[string]func(context.Context) (*eval.CorruptionSuite, error){suiteC: r.suiteC, suiteCBar: r.suiteCBar}
	for _, name := range slices.Sorted(maps.Keys(suites)) {
		if !r.suites[name] {
			continue
		}
		c, err := suites[name](ctx)
		if err != nil {
			return err
		}
		t.Corruptions = append(t.Corruptions, c)
	}
	if r.suites[suiteP] {
		p, err := r.perturbations(ctx)
		if err != nil {
			return err
		}
		t.Perturbations = append(t.Perturbations, p)
	}
	return r.evaluator.Together(ctx, t)
}
