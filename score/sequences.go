package score

import (
	"errors"
	"math"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// sequenceMetric is one of the three numbers of sequences.
type sequenceMetric struct {
	name  string
	of    func(*metrics.Stability) (float64, error)
	video func(*metrics.Video) float64
}

var sequenceMetrics = []sequenceMetric{
	{
		results.FlipProbability, (*metrics.Stability).FlipProbability,
		func(v *metrics.Video) float64 { return v.Flip },
	},
	{results.Top5Distance, (*metrics.Stability).Top5Distance, func(v *metrics.Video) float64 { return v.Top5 }},
	{results.ZipfDistance, (*metrics.Stability).ZipfDistance, func(v *metrics.Video) float64 { return v.Zipf }},
}

// of returns the numbers of each video of a cell, nil where one has none.
func (q *sequenceMetric) values(c *Cell) []float64 {
	each := make([]float64, len(c.videos))
	for i := range c.videos {
		if each[i] = q.video(&c.videos[i]); math.IsNaN(each[i]) {
			return nil
		}
	}
	return each
}

// sequences takes the metrics of the videos of one perturbation. Videos of predictions alone have no distances, fewer
// than five classes no top-5 distance, and the Zipf distance is there if it was asked for.
func (t *taking) sequences(c *Cell, base results.Row) error {
	for i := range sequenceMetrics {
		q := &sequenceMetrics[i]
		v, err := q.of(c.stability)
		if errors.Is(err, metrics.ErrUndefined) && q.name != results.FlipProbability {
			continue
		}
		if err := t.add(base, q.name, v, err); err != nil {
			return err
		}
		if each := q.values(c); t.bootstrap != nil && each != nil {
			stat, err := metrics.MeanStatistic(each)
			if err := t.interval(stat, err); err != nil {
				return err
			}
		}
	}
	return nil
}
