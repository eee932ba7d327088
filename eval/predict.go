package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/metrics"
)

// Prediction is what a model says of one image.
type Prediction struct {
	Image string      // path or name of the image
	Key   string      // of the sample in its data set
	Top   []ClassProb // the most probable classes, the first of equals first
}

// ClassProb is a class and its probability, the softmax of the logits.
type ClassProb struct {
	Class       int
	Name        string // its number where the model knows no names
	Probability float64
}

// Predict calls each with the k most probable classes of every image of src, in order; k is at most the number of classes.
// Labels are not looked at. Images that p does not give the model's size are a [*SizeError], a k below 1 or no model an error that wraps
// [ErrOption]. The source stays open, and an error of each ends the run and is returned.
func Predict(ctx context.Context, m Model, src data.Source, p Prepare, k, workers int, each func(*Prediction) error) error {
	switch {
	case m.Predictor == nil:
		return fmt.Errorf("%w: no model", ErrOption)
	case k < 1:
		return fmt.Errorf("%w: the %d most probable classes (allowed: 1 and up)", ErrOption, k)
	}
	e := &Evaluator{Model: m, Workers: workers}
	var names []string
	if named, ok := m.Predictor.(Named); ok {
		names = named.ClassNames()
	}
	s := e.stream(func(t *part, logits []float32) error {
		if _, err := metrics.Score(t.row, logits, metrics.NoLabel); err != nil { // it refuses what is no number
			return fmt.Errorf("%s: %w", t.name, err)
		}
		return each(&Prediction{Image: t.name, Key: t.key, Top: top(logits, names, k)})
	})
	j := job{source: src, expander: p.expander, workers: workers}
	_, err := j.run(ctx, s)
	return err
}

// top returns the k largest of the softmax.
func top(logits []float32, names []string, k int) []ClassProb {
	most := float64(slices.Max(logits))
	all := make([]ClassProb, len(logits))
	sum := 0.0
	for i, v := range logits {
		all[i] = ClassProb{Class: i, Name: strconv.Itoa(i), Probability: math.Exp(float64(v) - most)}
		if i < len(names) {
			all[i].Name = names[i]
		}
		sum += all[i].Probability
	}
	slices.SortStableFunc(all, func(a, b ClassProb) int { return cmp.Compare(b.Probability, a.Probability) })
	all = all[:min(k, len(all))]
	for i := range all {
		all[i].Probability /= sum
	}
	return slices.Clip(all)
}
