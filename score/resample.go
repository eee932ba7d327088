package score

import (
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// resampled is a model's number of a cell under the draws of the cell.
type resampled struct {
	draws *metrics.Resampled
	err   error
	shape []int    // strata, and at the end how many replicates
	sets  []string // of out-of-distribution images, what the strata after the first are
}

// alike reports whether draws were made together.
func (r *resampled) alike(o *resampled) bool {
	return slices.Equal(r.shape, o.shape) && slices.Equal(r.sets, o.sets)
}

// averaged is the mean of models' numbers, replicate by replicate.
func averaged(all []resampled) (*metrics.Resampled, error) {
	draws := make([]*metrics.Resampled, len(all))
	for i, r := range all {
		if r.err != nil {
			return nil, r.err
		}
		if !r.alike(&all[0]) {
			return nil, fmt.Errorf("%w: numbers of other samples", ErrUnpaired)
		}
		draws[i] = r.draws
	}
	mean, err := metrics.MeanOf(draws...)
	return mean, unpaired(err)
}

// unpaired says of an error that numbers cannot be drawn together.
func unpaired(err error) error {
	if errors.Is(err, metrics.ErrLength) || errors.Is(err, metrics.ErrUndefined) {
		return fmt.Errorf("%w: %w", ErrUnpaired, err)
	}
	return err
}

// together is how many models are drawn at once: what they need from their records lies in memory for so long, for 75
// cells of 50,000 samples 60 MB each.
const together = 8

// resample draws a cell's number of every model, in the stream of what is drawn and the cell. It is the same for every
// model, so that the draws are made once for models of equal shape, and those of a part of the models are as those of all.
func resample(what string, models []*Recorded, c results.Cell, replicates int) []resampled {
	out := make([]resampled, len(models))
	for from := 0; from < len(models); from += together {
		to := min(from+together, len(models))
		resampleFew(what, models[from:to], out[from:to], c, replicates)
	}
	return out
}

func resampleFew(what string, models []*Recorded, out []resampled, c results.Cell, replicates int) {
	stats := make([]metrics.Statistic, len(models))
	again := func(i int) bool { return slices.Contains(models[:i], models[i]) } // which is not read by two at once
	parallel.Do(len(models), 0, func(_, i int) {
		if models[i] == nil {
			out[i].err = ErrUnpaired
			return
		}
		if again(i) {
			return
		}
		if stats[i], out[i].err = models[i].statistic(c); out[i].err == nil {
			out[i].shape = append(slices.Clone(stats[i].Strata()), fewer(stats[i], replicates))
			if m, ok := stats[i].(*meanDetection); ok {
				out[i].sets = m.names
			}
		}
	})
	for i := range out {
		if out[i].shape == nil || out[i].draws != nil || out[i].err != nil {
			continue
		}
		drawAlike(what, out, i, stats, c)
	}
	for i, m := range models {
		if m != nil && again(i) {
			out[i] = out[slices.Index(models, m)]
		}
	}
}

// drawAlike draws the numbers of model i and of those after it whose samples are the same.
func drawAlike(what string, out []resampled, i int, stats []metrics.Statistic, c results.Cell) {
	var alike []int
	var group []metrics.Statistic
	for j := i; j < len(out); j++ {
		if out[j].shape != nil && out[i].alike(&out[j]) {
			alike, group = append(alike, j), append(group, stats[j])
		}
	}
	source := recordKey(what, c).Rand()
	drawn, err := metrics.Resample(metrics.BootstrapOptions{
		Source: &source, Replicates: out[i].shape[len(out[i].shape)-1], Level: RecordLevel, Centered: biased(c.Metric),
	}, group...)
	for k, j := range alike {
		if out[j].err = err; err == nil {
			out[j].draws = drawn[k]
		}
	}
}
