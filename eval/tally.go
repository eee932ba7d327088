package eval

import (
	"errors"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// tally collects one measurement: still images by severity, or sequences.
type tally struct {
	e          *Evaluator
	severities []float64 // 0 for clean images and sequences
	cells      []*score.Cell
	said       []records.Samples
	save       *saver
	videos     *videos // of sequences
}

// tally returns an empty one for still images; severities nil for clean ones. Its save is to be aborted.
func (e *Evaluator) tally(base results.Row, severities []float64) (*tally, error) {
	save, err := e.saver(base, base.Corruption, severities)
	if err != nil {
		return nil, err
	}
	if severities == nil {
		severities = []float64{0}
	}
	k := &tally{e: e, severities: severities, said: make([]records.Samples, len(severities)), save: save}
	for _, severity := range severities {
		cell, err := score.NewCell(base.Corruption, severity, 0)
		if err != nil {
			save.abort()
			return nil, err
		}
		k.cells = append(k.cells, cell)
	}
	if base.Corruption == "" && e.PerClass {
		k.cells[0].ByClass = &score.Classes{Names: e.Classes}
	}
	return k, nil
}

// tallySequences returns an empty one for the sequences of a perturbation, whose files have the given name.
func (e *Evaluator) tallySequences(base results.Row, file string) (*tally, error) {
	cell, err := score.NewSequences(base.Corruption, base.Difficulty, false)
	if err != nil {
		return nil, err
	}
	save, err := e.saver(base, file, nil)
	if err != nil {
		return nil, err
	}
	k := &tally{e: e, severities: []float64{0}, cells: []*score.Cell{cell}, save: save}
	k.videos = &videos{cell: cell, classes: e.Predictor.Classes(), save: save}
	return k, nil
}

// add scores the logits of an image.
func (k *tally) add(t *part, logits []float32) error {
	if k.videos != nil {
		return k.videos.add(t, logits)
	}
	o, err := outcome(t, logits)
	if err != nil {
		return err
	}
	return k.count(t.variant, &o, logits)
}

// count takes the outcome of a still image.
func (k *tally) count(variant int, o *metrics.Outcome, logits []float32) error {
	return errors.Join(k.e.addOutcome(k.cells[variant], &k.said[variant], o, logits), k.save.row(variant, o.Label, logits))
}

// rows are those of still images.
func (k *tally) rows(base results.Row) ([]results.Row, error) {
	var rows []results.Row
	for _, c := range k.cells {
		some, _, err := c.Rows(base, k.e.metrics())
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}
