package score

import (
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// oodRow returns the row that the metrics of a set go into: base with the set's name and, where it is not the papers'
// maximum softmax probability, the score.
func oodRow(base results.Row, set string, score metrics.OODScore) results.Row {
	base.OOD = set
	if score != metrics.MSP {
		base.Score = string(score)
	}
	return base
}

// Detection returns the rows of telling a set of out-of-distribution images from the test set by their scores, larger
// for the less likely: AUROC, AUPR (out-of-distribution images are the positives) and FPR95 with the threshold whose
// recall is nearest to 95 %, as the papers' code does. Base is a row of the test set without a measurement. The name of the score,
// which is not computed here, is one of metrics.OODScores or, of another, one's own. The error wraps [ErrOption] for a score or a set
// without a name, else it is that of metrics.Detection.
func Detection(base results.Row, set string, score metrics.OODScore, test, ood []float64) ([]results.Row, error) {
	switch {
	case score == "": // rows would be those of the maximum softmax probability
		return nil, fmt.Errorf("%w: an OOD score without a name (allowed: one of %v, or one's own)", ErrOption, metrics.OODScores())
	case set == "": // or means over sets
		return nil, fmt.Errorf("%w: an OOD set without a name", ErrOption)
	}
	t := &taking{}
	if err := t.detection(oodRow(base, set, score), test, ood); err != nil {
		return nil, err
	}
	return t.rows, nil
}

// detection takes the metrics of one set and one score.
func (t *taking) detection(base results.Row, test, ood []float64) error {
	var d metrics.Detection
	if err := errors.Join(d.AddAll(ood, true), d.AddAll(test, false)); err != nil {
		return err
	}
	base.N = int64(len(test) + len(ood))
	for _, x := range detections {
		v, err := x.of(&d)
		if err := t.add(base, x.name, v, err); err != nil {
			return err
		}
		if t.bootstrap == nil {
			continue
		}
		stat, err := d.Statistic(x.metric)
		if err := t.interval(stat, err); err != nil {
			return err
		}
	}
	return nil
}

var detections = []struct {
	name   string
	metric metrics.DetectionMetric
	of     func(d *metrics.Detection) (float64, error)
}{
	{results.AUROC, metrics.AUROC, (*metrics.Detection).AUROC},
	{results.AUPR, metrics.AveragePrecision, (*metrics.Detection).AveragePrecision},
	{results.FPR95, metrics.FPR95Nearest, func(d *metrics.Detection) (float64, error) {
		return d.FPR(metrics.DefaultRecall, metrics.Nearest)
	}},
}

// DetectionMeans returns the means of detection rows over their sets, one for each metric and score, in the order in
// which these first occur; rows of other data sets and views are passed over, and of two rows of a set the second. Base is as for
// [Detection].
func DetectionMeans(base results.Row, rows []results.Row) []results.Row {
	var out []results.Row
	var values [][]float64
	for i := range rows {
		r := &rows[i]
		plain := r.View
		plain.OOD, plain.Score = base.OOD, base.Score
		if r.OOD == "" || r.Dataset != base.Dataset || plain != base.View {
			continue
		}
		j := 0
		for j < len(out) && (out[j].Metric != r.Metric || out[j].Score != r.Score) {
			j++
		}
		if j == len(out) {
			at := base
			at.Metric, at.Score, at.N, at.OOD, at.Over = r.Metric, r.Score, 0, "", nil
			out, values = append(out, at), append(values, nil)
		}
		if slices.Contains(out[j].Over, r.OOD) {
			continue
		}
		out[j].N += r.N
		out[j].Over = append(out[j].Over, r.OOD)
		values[j] = append(values[j], r.Value)
	}
	for j := range out {
		out[j].Value = mean(values[j])
		slices.Sort(out[j].Over)
	}
	return out
}

// ood takes the detection metrics of every set, by every score that the predictions have, and their means.
func (t *taking) ood(base results.Row, test *Cell, sets []oodSet) error {
	first := len(t.rows)
	for _, set := range sets {
		for i, score := range metrics.OODScores() {
			if len(set.cell.scores[i]) == 0 {
				continue
			}
			if err := t.detection(oodRow(base, set.name, score), test.scores[i], set.cell.scores[i]); err != nil {
				return fmt.Errorf("%s: %w", set.name, err)
			}
		}
	}
	t.rows = append(t.rows, DetectionMeans(base, t.rows[first:])...)
	return nil
}

// oodSet is a set of out-of-distribution images.
type oodSet struct {
	name string
	cell *Cell
}
