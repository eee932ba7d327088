package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

// Differentiable is a Predictor that adversarial examples can be made against.
type Differentiable interface {
	Predictor
	// Gradient writes to dst the gradient of the summed cross-entropy of the images x, [n, 3, H, W] in [0, 1], not
	// normalized, with respect to their values; n is the number of labels, at most MaxBatch. The model's running
	// statistics are used and not changed.
	Gradient(dst, x []float32, labels []int) error
}

// Adversarial measures the error on adversarial examples of a labeled data set: rows of the clean set with the attack
// results.AttackPGD, or for other attacks than PixMix's with the attack's own name. The starts of the attack are
// drawn from seed by the samples' keys. Where images are preprocessed, the adversary changes the preprocessed ones. It
// returns an error that wraps ErrModel for a predictor without gradients.
func (e *Evaluator) Adversarial(
	ctx context.Context, open func() (data.Source, error), p Prepare, a attack.PGD, seed uint64,
) error {
	d, ok := e.Predictor.(Differentiable)
	if !ok {
		return fmt.Errorf("%w: it gives no gradients, which an attack needs (allowed: networks of this program)", ErrModel)
	}
	if err := a.Check(); err != nil {
		return err
	}
	base := e.base(e.Dataset, &seed)
	name := results.AttackPGD
	if a != attack.PixMix() {
		name = a.String()
	}
	base.Attack = name
	if err := e.ofImages(&base, e.read(p.text())); err != nil {
		return err
	}
	if old := e.known(base, []string{results.Top1Error}, []float64{0}); old != nil && e.Records.has(base, []float64{0}) {
		e.reuse(name, old)
		return nil
	}
	src, err := open()
	if err != nil {
		return err
	}
	defer src.Close()
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		return err
	}
	var said [1]records.Samples
	s := e.stream(func(t *part, logits []float32) error { return e.addRow(cell, &said[0], t, logits) })
	s.alter = attackOf(d, a, rng.NewKey(seed).Str(name), e.Workers)
	j := job{source: data.Limit(src, e.Limit), expander: p.expander, workers: e.Workers, report: e.reporter(name)}
	if _, err := j.run(ctx, s); err != nil {
		return err
	}
	v, err := cell.Error()
	if err != nil {
		return err
	}
	row := base
	row.Metric, row.Value, row.N = results.Top1Error, v, int64(cell.N())
	if err := e.agree([]results.Row{row}); err != nil {
		return err
	}
	if err := e.Records.put(base, []float64{0}, said[:]); err != nil {
		return err
	}
	return e.put(row)
}

// attackOf returns the function that makes adversarial examples of a batch, on so many goroutines.
func attackOf(d Differentiable, a attack.PGD, key rng.Key, workers int) func(x []float32, parts []part) error {
	scratch := attack.Scratch{Workers: workers}
	var clean []float32
	var labels []int
	var keys []rng.Key
	return func(x []float32, parts []part) error {
		clean = append(clean[:0], x...)
		labels, keys = labels[:0], keys[:0]
		for i := range parts {
			if parts[i].label == data.NoLabel {
				return data.Unlabeled(parts[i].key)
			}
			if parts[i].label >= d.Classes() {
				return fmt.Errorf("%w: %s has label %d (allowed: 0 to %d)", data.ErrLabel, parts[i].key, parts[i].label,
					d.Classes()-1)
			}
			labels, keys = append(labels, parts[i].label), append(keys, key.Str(parts[i].key))
		}
		err := a.Attack(x, clean, labels, keys, d.Gradient, &scratch)
		if errors.Is(err, attack.ErrOption) {
			return fmt.Errorf("%s and those after it: %w", parts[0].key, err)
		}
		return err
	}
}
