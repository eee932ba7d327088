package report

import (
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// series reads a series of a run's records. The error wraps errUnpaired where there is no such series.
func (s *shelf) series(run *Run, c records.Cell, name string) ([]float64, error) {
	v, err := s.files[run].ReadSeries(records.Series{Cell: c, Name: name})
	if errors.Is(err, records.ErrMissing) {
		return nil, errUnpaired
	}
	return v, err
}

// sequences makes a number of a -P form from the numbers of each sequence. All perturbations have the same sequences in
// the same order, made from the same images.
func (s *shelf) sequences(q *Subject, c results.Cell) (metrics.Statistic, error) {
	p := profileOf(c.Dataset)
	if p == nil || p.Kind != metrics.PerturbationKind || c.View != "" {
		return nil, errUnpaired
	}
	quantity, name := metrics.FlipProbability, results.FlipProbability
	if c.Metric == results.Top5Distance {
		quantity, name = metrics.Top5Distance, results.Top5Distance
	}
	names := p.Primary()
	if c.Corruption != "" {
		names = []string{c.Corruption}
	}
	difficulty := max(c.Difficulty, 1)
	var grid *metrics.ImageGrid
	for _, k := range names {
		v, err := s.series(q.run, records.Sequences(at(q, c.Dataset, k, 0, ""), difficulty), name)
		if err != nil {
			return nil, err
		}
		if c.Corruption != "" && c.Metric == name {
			return metrics.MeanStatistic(v) // also of perturbations that are not among the benchmark's
		}
		if grid == nil {
			grid = metrics.NewImageGrid(p, quantity, difficulty, len(v))
		}
		if err := grid.Set(k, 1, v); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnpaired, err)
		}
	}
	if grid == nil {
		return nil, errUnpaired
	}
	a := metrics.MeanAll()
	switch c.Metric {
	case results.FlipRate:
		a = metrics.Rate(c.Corruption, metrics.AlexNetFlips())
	case results.MeanFlipRate:
		a = metrics.MeanRate(metrics.AlexNetFlips())
	}
	m, err := grid.Statistic(a)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnpaired, err)
	}
	return m, nil
}

// detections are the metrics of anomaly detection as package metrics names them.
var detections = map[string]metrics.DetectionMetric{
	results.AUROC: metrics.AUROC, results.AUPR: metrics.AveragePrecision, results.FPR95: metrics.FPR95Nearest,
}

// detection makes a number of anomaly detection from the scores of the test set and of the sets of anomalies: of the one
// that the view names, or the mean over all.
func (s *shelf) detection(q *Subject, c results.Cell) (metrics.Statistic, error) {
	if c.Corruption != "" || c.Severity != 0 {
		return nil, errUnpaired
	}
	normal, err := s.series(q.run, at(q, c.Dataset, "", 0, ""), records.AnomalyScore)
	if err != nil {
		return nil, err
	}
	m := &meanDetection{strata: []int{len(normal)}}
	for _, x := range s.files[q.run].Series() {
		view, limit := results.CutLimit(x.Cell.View)
		if q.run.Limit == 0 {
			view, limit = x.Cell.View, 0
		}
		same := x.Name == records.AnomalyScore && x.Cell == at(q, c.Dataset, "", 0, view) && limit == q.run.Limit
		if !same || view == "" || c.View != "" && view != c.View {
			continue
		}
		odd, err := s.series(q.run, x.Cell, x.Name)
		if err != nil {
			return nil, err
		}
		var d metrics.Detection
		if err := errors.Join(d.AddAll(normal, false), d.AddAll(odd, true)); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnpaired, err)
		}
		set, err := d.Statistic(detections[c.Metric])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnpaired, err)
		}
		m.sets, m.strata = append(m.sets, set), append(m.strata, len(odd))
	}
	if len(m.sets) == 0 {
		return nil, errUnpaired
	}
	return m, nil
}

// meanDetection is the mean of a detection metric over sets of anomalies, which share the test set: its strata are the
// test set and then each set of anomalies.
type meanDetection struct {
	strata  []int
	sets    []metrics.Statistic // each of two strata, the anomalies and the test set
	weights []uint32
}

// Strata implements metrics.Statistic.
func (m *meanDetection) Strata() []int { return slices.Clone(m.strata) }

// Weighted implements metrics.Statistic.
func (m *meanDetection) Weighted(w []uint32) float64 {
	normal, rest := w[:m.strata[0]], w[m.strata[0]:]
	sum := 0.0
	for i, set := range m.sets {
		n := m.strata[i+1]
		m.weights = append(append(m.weights[:0], rest[:n]...), normal...)
		rest = rest[n:]
		sum += set.Weighted(m.weights)
	}
	return sum / float64(len(m.sets))
}
