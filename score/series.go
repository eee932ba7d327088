package score

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// series reads a series of the records. The error wraps ErrUnpaired where there is no such series.
func (r *Recorded) series(c records.Cell, name string) ([]float64, error) {
	v, err := r.file.ReadSeries(records.Series{Cell: c, Name: name})
	if errors.Is(err, records.ErrMissing) {
		return nil, ErrUnpaired
	}
	return v, err
}

// sequences makes a number of a -P form from the numbers of each sequence. All perturbations have the same sequences in
// the same order, made from the same images.
func (r *Recorded) sequences(c results.Cell) (metrics.Statistic, error) {
	if c.View != (results.View{}) {
		return nil, ErrUnpaired
	}
	c = Place(c)
	name := c.Metric
	if part := normalized[c.Metric]; part != "" {
		name = part
	}
	difficulty := max(c.Difficulty, 1)
	read := func(perturbation string) ([]float64, error) {
		return r.series(records.Sequences(r.at(c.Dataset, perturbation, 0, results.View{}), difficulty), name)
	}
	p := Benchmark(c.Dataset)
	if p == nil || p.Kind != metrics.PerturbationKind {
		return nil, ErrUnpaired
	}
	if c.Corruption != "" && c.Metric == name {
		v, err := read(c.Corruption) // also of perturbations that are not among the benchmark's
		if err != nil {
			return nil, err
		}
		return metrics.MeanStatistic(v)
	}
	m, err := new(Book).meanOf(c)
	if err != nil {
		return nil, ErrUnpaired
	}
	var grid *metrics.ImageGrid
	for _, k := range m.names {
		v, err := read(k)
		if err != nil {
			return nil, err
		}
		if grid == nil {
			grid = metrics.NewImageGrid(p, m.quantity, difficulty, len(v))
		}
		if err := grid.Set(k, 1, v); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
		}
	}
	stat, err := grid.Statistic(m.agg)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
	}
	return stat, nil
}

// detection makes a number of OOD detection from the scores of the test set and of the out-of-distribution sets: of the
// one that the view names, or the mean over all.
func (r *Recorded) detection(c results.Cell) (metrics.Statistic, error) {
	set, plain := c.OOD, c.View
	plain.OOD = ""
	if c.Corruption != "" || c.Severity != 0 {
		return nil, ErrUnpaired
	}
	test, err := r.series(r.at(c.Dataset, "", 0, plain), records.OODScore)
	if err != nil {
		return nil, err
	}
	m := &meanDetection{strata: []int{len(test)}}
	for _, x := range r.oodSeries(c.Dataset, plain) {
		if set != "" && x.Cell.OOD != set {
			continue
		}
		ood, err := r.series(x.Cell, x.Name)
		if err != nil {
			return nil, err
		}
		var d metrics.Detection
		if err := errors.Join(d.AddAll(test, false), d.AddAll(ood, true)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
		}
		one, err := d.Statistic(detectionMetric(c.Metric))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
		}
		m.sets, m.strata, m.names = append(m.sets, one), append(m.strata, len(ood)), append(m.names, x.Cell.OOD)
	}
	if len(m.sets) == 0 {
		return nil, ErrUnpaired
	}
	return m, nil
}

// oodSeries are the scores of out-of-distribution sets that the file holds, whatever the order of the sets in it: the generated ones
// as evaluations measure them, then the others by name. Recorded intervals depend on this order: it stays.
func (r *Recorded) oodSeries(dataset string, plain results.View) (list []records.Series) {
	for _, x := range r.file.Series() {
		v := plain
		v.OOD = x.Cell.OOD
		if x.Name == records.OODScore && v.OOD != "" && x.Cell == r.at(dataset, "", 0, v) {
			list = append(list, x)
		}
	}
	generated := []string{"blobs", "rademacher", "gaussian"} // the last first
	slices.SortFunc(list, func(a, b records.Series) int {
		return cmp.Or(slices.Index(generated, b.Cell.OOD)-slices.Index(generated, a.Cell.OOD), strings.Compare(a.Cell.OOD, b.Cell.OOD))
	})
	return list
}

// detectionMetric is a metric of OOD detection as package metrics names it.
func detectionMetric(name string) metrics.DetectionMetric {
	for _, d := range detections {
		if d.name == name {
			return d.metric
		}
	}
	panic("score: no metric of detection: " + name)
}

// meanDetection is the mean of a detection metric over out-of-distribution sets, which share the test set: its strata
// are the test set and then each of the others.
type meanDetection struct {
	strata  []int
	names   []string            // of the sets
	sets    []metrics.Statistic // each of two strata, the out-of-distribution images and the test set
	weights []uint32
}

// Strata implements metrics.Statistic.
func (m *meanDetection) Strata() []int { return slices.Clone(m.strata) }

// Weighted implements metrics.Statistic.
func (m *meanDetection) Weighted(w []uint32) float64 {
	test, rest := w[:m.strata[0]], w[m.strata[0]:]
	sum := 0.0
	for i, set := range m.sets {
		n := m.strata[i+1]
		m.weights = append(append(m.weights[:0], rest[:n]...), test...)
		rest = rest[n:]
		sum += set.Weighted(m.weights)
	}
	return sum / float64(len(m.sets))
}
