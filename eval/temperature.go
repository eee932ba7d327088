package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// maxFitted bounds the logits that a temperature is fitted on: 1 GiB, 268,000 images of 1000 classes.
const maxFitted = 1 << 28

// Temperature fits the temperature of the model (Guo et al., On Calibration of Modern Neural Networks, ICML 2017) on a labeled data
// set, which should be one that it was neither trained nor is tested on, records it as a row, and from then on measures the model with
// its logits divided by it. Errors do not change by that, calibration does. The source stays open. The error wraps
// [metrics.ErrUndefined] where no temperature is best, and [ErrOption] for a model in another program.
func (e *Evaluator) Temperature(ctx context.Context, src data.Source, p Prepare) error {
	if _, away := e.Predictor.(Remote); away {
		return fmt.Errorf("%w: the temperature of a model in another program", ErrOption)
	}
	classes := e.Predictor.Classes()
	var logits []float32
	var labels []int
	s := e.stream(func(t *part, row []float32) error {
		if _, err := outcome(t, row); err != nil {
			return err
		}
		if len(logits)+classes > maxFitted {
			return option.Errorf(ErrOption, "a temperature of more than %d images (allowed: a part of them, {limit})", len(labels))
		}
		logits, labels = append(logits, row...), append(labels, t.label)
		return nil
	})
	j := job{source: data.Limit(src, e.Limit), expander: p.expander, workers: e.Workers, report: e.reporter("temperature")}
	if _, err := j.run(ctx, s); err != nil {
		return err
	}
	if len(labels) == 0 {
		return fmt.Errorf("%w: a temperature", ErrNothing)
	}
	fit, err := metrics.FitTemperature(rowsOf(logits, labels, classes))
	if err != nil {
		return err
	}
	e.Predictor = &scaled{e.Predictor, float32(fit.T)}
	row := e.base(e.Dataset, nil)
	row.Metric, row.Value, row.N = results.Temperature, fit.T, int64(len(labels))
	return e.put(row)
}

func rowsOf(logits []float32, labels []int, classes int) iter.Seq2[[]float32, int] {
	return func(yield func([]float32, int) bool) {
		for i, label := range labels {
			if !yield(logits[i*classes:][:classes], label) {
				return
			}
		}
	}
}

// scaled is a Predictor whose logits are divided by t.
type scaled struct {
	Predictor
	t float32
}

// Predict implements [Predictor].
func (s *scaled) Predict(dst, x []float32, n int) error {
	err := s.Predictor.Predict(dst, x, n)
	for i := range dst[:n*s.Classes()] {
		dst[i] /= s.t
	}
	return err
}

// Gradient implements [Differentiable]: attacks are those on the model as it is, whose predictions are the same.
func (s *scaled) Gradient(dst, x []float32, labels []int) error {
	d, ok := s.Predictor.(Differentiable)
	if !ok {
		return errors.Join(ErrOption, errors.New("an attack on a model without gradients"))
	}
	return d.Gradient(dst, x, labels)
}
