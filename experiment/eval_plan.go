package experiment

import (
	"context"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// EvalPlan is what an evaluation would do, see [Eval.Plan].
type EvalPlan struct {
	Model, Dataset string        // as in rows
	Images         int           // of the test set, those of Limit alone
	Suites         []SuitePlan   // in the order in which they run
	Passes         int           // images through the model, of all suites
	Logits         int64         // bytes of those that are saved; 0 where none are
	Time           time.Duration // of all suites
}

// SuitePlan is what one suite of it would do.
type SuitePlan struct {
	Name         string
	Measurements int           // corruptions, perturbations, sets
	Passes       int           // images through the model, about
	Time         time.Duration // on this machine, by an estimate: of making the images and of the model
}

// Plan says what Run would measure and how long it may take on this machine: it opens the model and the data, makes the forms
// of a few images and measures the model by batches of noise. Nothing is written, and what Dir has already counts as if it were
// measured again. The errors are those of Run before it measures; standard input and Remote cannot be planned.
func (e Eval) Plan(ctx context.Context) (*EvalPlan, error) {
	if e.In == formats.Standard || e.Remote != nil {
		return nil, option.Errorf(ErrOption, "{in}: standard input or a model in another program cannot be planned; use a file")
	}
	e = e.WithDefaults()
	r := newEvaluation(&e)
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if err := r.tryOne(ctx); err != nil {
		return nil, err
	}
	perImage, err := secondsOf(r.evaluator.Predictor)
	if err != nil {
		return nil, err
	}
	plain := generate.Images{Transform: transform.Prepared(r.Size, r.prepare.Filter, r.Crop).Transform}
	read, err := r.timeOf(ctx, plain, data.Encoding{})
	if err != nil {
		return nil, err
	}
	plan := &EvalPlan{Model: r.Name, Dataset: r.Dataset, Images: r.signature.N}
	for i := range suites {
		s := &suites[i]
		if !r.suites[s.Name] || s.run == nil {
			continue
		}
		p := r.planOf(s)
		made, err := r.makingTime(ctx, s.Name, p, read)
		if err != nil {
			return nil, err
		}
		sp := SuitePlan{Name: s.Name, Measurements: p.items, Passes: p.items * p.weight * plan.Images}
		if r.TenCrop {
			sp.Passes *= 10
		}
		sp.Time = made + seconds(perImage*float64(sp.Passes))
		if r.Logits && savesLogits(s.Name) {
			plan.Logits += 4 * int64(r.evaluator.Predictor.Classes()) * int64(p.items*p.weight*plan.Images)
		}
		plan.Suites = append(plan.Suites, sp)
		plan.Passes += sp.Passes
		plan.Time += sp.Time
	}
	return plan, nil
}

// tryOne runs the model on the first image: whether it has the model's size is not known before.
func (r *evaluation) tryOne(ctx context.Context) error {
	src, err := r.source()
	if err != nil {
		return err
	}
	defer src.Close()
	return eval.Predict(ctx, r.evaluator.Model, data.Limit(src, 1), r.prepare, 1, r.Workers, func(*eval.Prediction) error { return nil })
}

// savesLogits reports whether a suite's logits can be saved.
func savesLogits(suite string) bool {
	return suite == suiteClean || suite == suiteC || suite == suiteCBar || suite == suiteP
}

// secondsOf is how long a model takes for an image of a batch of noise.
func secondsOf(p eval.Predictor) (float64, error) {
	h, w, _ := p.Input()
	batch := min(max(1<<20/(h*w), 4), p.MaxBatch()) // a thousand images of 32 by 32, twenty of 224 by 224
	x, out := make([]float32, batch*3*h*w), make([]float32, batch*p.Classes())
	rng.New(1).FillNormal32(x)
	var err error
	least := fastest(func() {
		if e := p.Predict(out, x, batch); e != nil {
			err = e
		}
	})
	return least / float64(batch), err
}

// makingTime is about how long it takes to read the images of a suite, for each measurement anew, and to make its forms of them.
// Reading the test set once takes read.
func (r *evaluation) makingTime(ctx context.Context, suite string, p planned, read time.Duration) (time.Duration, error) {
	forms, encoding, err := r.formsOf(ctx, suite)
	if err != nil {
		return 0, err
	}
	switch {
	case forms != nil:
		made, err := r.timeOf(ctx, generate.Variants{Transform: forms.Transform}, encoding)
		return made + read*time.Duration(p.items-1), err
	case suite == suiteC, suite == suiteCBar, suite == suiteP: // in a folder
		return read * time.Duration(p.items*p.weight), nil
	}
	return read, nil
}

// timeOf is about how long a task takes over the test set.
func (r *evaluation) timeOf(ctx context.Context, task generate.Task, encoding data.Encoding) (time.Duration, error) {
	layout := generate.Layout{ // that keeps nothing
		Append: func(dst []byte, _ *raster.Image) ([]byte, error) { return dst, nil },
		Size:   func(int, int, int64) (files int, size int64) { return 0, 0 },
	}
	if encoding.JPEG {
		layout.Append = encoding.Append
	}
	src, err := r.source()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	plan, err := generate.Estimate(ctx, generate.Job{Source: data.Limit(src, r.Limit), Seed: r.Seed, Workers: r.Workers, Task: task},
		r.signature.N, layout, nil)
	if err != nil {
		return 0, err
	}
	return plan.Time, nil
}

// formsOf returns what makes the forms of a suite, and whether they pass through JPEG; nil for one that makes none.
func (r *evaluation) formsOf(ctx context.Context, suite string) (transform.Forms, data.Encoding, error) {
	switch suite {
	case suiteC, suiteCBar:
		build := r.suiteC
		if suite == suiteCBar {
			build = r.suiteCBar
		}
		c, err := build(ctx)
		if err != nil || c.Dir != "" {
			return nil, data.Encoding{}, err
		}
		plan := c.Plan
		plan.Names = c.Names
		return &plan, c.JPEG, nil
	case suiteP:
		p, err := r.perturbations(ctx)
		if err != nil || p.Dir != "" {
			return nil, data.Encoding{}, err
		}
		plan := p.Plan
		plan.Names, plan.Difficulties = p.Names, []int{1} // which all have, and harder ones take no longer
		return &plan, data.Encoding{}, nil
	}
	return nil, data.Encoding{}, nil
}
