package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// scored is a model with its numbers.
type scored struct {
	model, path, dataset string
	layout               predictions.Layout
	told
	profile *metrics.Profile // of the -C and -P layouts
	cells   []*scoredCell    // clean images first
	rows    []results.Row
	notes   []string
	// statistics are what differences are taken of, by what the row measures.
	statistics []namedStatistic
}

type namedStatistic struct {
	row  results.Row // without a value
	stat metrics.Statistic
}

// datasetOf returns the name of the data set in a cell's rows: clean images are of the base.
func (m *scored) datasetOf(c *scoredCell) string {
	if c.corruption == "" {
		return results.Base(m.dataset)
	}
	return m.dataset
}

// score reads a model's predictions and takes all metrics.
func (s *scorer) score(path string, names []string, i int) (*scored, error) {
	set, err := predictions.Find(path, s.layout)
	if err != nil {
		return nil, err
	}
	m := &scored{model: modelName(path), path: path, layout: set.Layout}
	if len(names) > 0 {
		m.model = names[i]
	}
	if len(s.Ood) > 0 && set.Layout != predictions.Single {
		return nil, usagef("--ood with layout %s (allowed: a file of ordinary images)", set.Layout)
	}
	switch set.Layout {
	case predictions.Single:
		err = s.single(m, set)
	case predictions.P:
		err = s.sequences(m, set)
	default:
		err = s.corruptions(m, set)
	}
	return m, err
}

// labelsOf returns the labels of a part: those of --labels, beside the file, or of the folder, in this order.
func (s *scorer) labelsOf(p *predictions.Part, folder *predictions.Labels) (*predictions.Labels, error) {
	switch {
	case s.labels != nil:
		return s.labels, nil
	case p.Labels != "":
		return predictions.ReadLabels(p.Labels)
	}
	return folder, nil
}

// single scores one file, and the anomalous ones beside it.
func (s *scorer) single(m *scored, set *predictions.Set) error {
	p := &set.Parts[0]
	labels, err := s.labelsOf(p, nil)
	if err != nil {
		return err
	}
	cell := &scoredCell{}
	m.cells = append(m.cells, cell)
	j := &scoreJob{
		path: p.Path, options: predictions.Options{Kind: s.kind, Labels: labels}, cells: m.cells, anomaly: len(s.Ood) > 0,
		unknown: len(s.Ood) > 0,
	}
	if m.told, err = s.read(j); err != nil {
		return err
	}
	m.dataset = s.Dataset
	if m.dataset == "" {
		m.dataset = map[int]string{10: "cifar10", 100: "cifar100", 1000: "imagenet"}[m.classes]
	}
	if m.dataset == "" {
		m.dataset = "own"
	}
	if s.Baseline != "auto" && s.Baseline != "none" {
		return fmt.Errorf("%w: --baseline %s with one file (it divides errors of corruptions; a folder of them is needed)",
			metrics.ErrMeaningless, s.Baseline)
	}
	if cell.class.N() > 0 {
		if err := s.classification(m, cell, true); err != nil {
			return err
		}
	}
	return s.anomalies(m, cell, j)
}

// base returns a row of a cell without a measurement.
func (s *scorer) base(m *scored, c *scoredCell) results.Row {
	r := results.Row{
		Model: m.model, Dataset: m.dataset, Versions: s.versions, Time: s.now, Origin: results.Measured,
	}
	if c != nil {
		r.Dataset, r.Corruption, r.Severity, r.N = m.datasetOf(c), c.corruption, c.severity, int64(c.rows)
	}
	return r
}

// add records a number. What is undefined on these rows is recorded as such, with a note that says why.
func (m *scored) add(base results.Row, metric string, v float64, err error) error {
	base.Metric, base.Value = metric, v
	if errors.Is(err, metrics.ErrUndefined) {
		base.Value = math.NaN()
		m.note("%s: %v", metric, err)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", metric, err)
	}
	m.rows = append(m.rows, base)
	return nil
}

func (m *scored) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(m.notes, n) {
		m.notes = append(m.notes, n)
	}
}

// interval adds the bootstrap's interval to the row added last and keeps the statistic for differences.
func (s *scorer) interval(m *scored, stat metrics.Statistic, err error) error {
	r := &m.rows[len(m.rows)-1]
	if s.Bootstrap == 0 || math.IsNaN(r.Value) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Metric, err)
	}
	m.statistics = append(m.statistics, namedStatistic{*r, stat})
	iv, err := metrics.Bootstrap(stat, s.bootstrap(r))
	if errors.Is(err, metrics.ErrUndefined) {
		m.note("%s: no interval: %v", r.Metric, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Metric, err)
	}
	r.Interval = &results.Interval{Lo: iv.Lo, Hi: iv.Hi, Level: iv.Level}
	r.Seed = &s.Seed
	return nil
}

// bootstrap names the stream after what is measured, so that one metric's interval does not depend on the others.
func (s *scorer) bootstrap(r *results.Row) metrics.BootstrapOptions {
	k := rng.NewKey(s.Seed).Str("bootstrap").Str(r.Metric).Str(r.Corruption).Uint(uint64(r.Severity)).Str(r.View)
	stream := k.Rand()
	return metrics.BootstrapOptions{Source: &stream, Replicates: s.Bootstrap, Level: s.Level}
}

// scalar is a metric of one cell.
type scalar struct {
	name string
	of   func(c *metrics.Classification) (float64, error)
	stat func(r *metrics.Records) (metrics.Statistic, error)
}

// scalars are the metrics of labelled rows.
func (s *scorer) scalars(classes int, rows int) []scalar {
	type (
		class = metrics.Classification
		recs  = metrics.Records
		stat  = metrics.Statistic
	)
	list := []scalar{{results.Top1Error, (*class).Error, func(r *recs) (stat, error) { return r.TopKError(1) }}}
	if classes > 5 {
		list = append(list, scalar{
			results.Top5Error, func(c *class) (float64, error) { return c.TopKError(5) },
			func(r *recs) (stat, error) { return r.TopKError(5) },
		})
	}
	list = append(list,
		scalar{results.NLL, (*class).NLL, (*recs).NLL}, scalar{results.Brier, (*class).Brier, (*recs).Brier})
	a := s.adaptive
	suffix := ""
	if a.SkipLast {
		suffix = results.SkippedBinSuffix
	}
	if size := max(a.Size, 0); size == 0 && rows >= metrics.DefaultBinSize || size > 0 && rows >= size {
		list = append(list, scalar{
			results.RMSCalibration + suffix, func(c *class) (float64, error) { return c.Calibration().Error(metrics.RMS, a) },
			func(r *recs) (stat, error) { return r.Calibration(metrics.RMS, a) },
		}, scalar{
			results.MADCalibration + suffix, func(c *class) (float64, error) { return c.Calibration().Error(metrics.MAD, a) },
			func(r *recs) (stat, error) { return r.Calibration(metrics.MAD, a) },
		}, scalar{results.BrierRefinement, func(c *class) (float64, error) {
			p, err := c.Calibration().BrierParts(a)
			return p.Refinement, err
		}, nil})
	}
	return append(list,
		scalar{
			results.ECE, func(c *class) (float64, error) { return c.EqualWidth().ECE() },
			func(r *recs) (stat, error) { return r.ECE(s.width) },
		},
		scalar{
			results.MaxCalibration, func(c *class) (float64, error) { return c.EqualWidth().MCE() },
			func(r *recs) (stat, error) { return r.MCE(s.width) },
		},
		scalar{
			results.BrierBinary, func(c *class) (float64, error) { return c.Calibration().BrierBinary() },
			(*recs).BrierBinary,
		},
		scalar{results.AURRA, func(c *class) (float64, error) { return c.Calibration().AURRA() }, (*recs).AURRA},
		scalar{results.SoftF1, func(c *class) (float64, error) { return c.Calibration().SoftF1() }, (*recs).SoftF1},
	)
}

// classification takes the metrics of one cell; intervals only where they are wanted.
func (s *scorer) classification(m *scored, c *scoredCell, intervals bool) error {
	base := s.base(m, c)
	var kept *metrics.Records
	if intervals && s.Bootstrap > 0 {
		var err error
		if kept, err = c.samples.Records(); err != nil {
			return err
		}
	}
	if need := max(s.adaptive.Size, 0); c.rows < max(need, 1) || need == 0 && c.rows < metrics.DefaultBinSize {
		m.note("adaptive calibration: %d rows fill no bin (--bins adaptive:N has smaller ones)", c.rows)
	}
	for _, x := range s.scalars(m.classes, c.rows) {
		v, err := x.of(c.class)
		if err := m.add(base, x.name, v, err); err != nil {
			return err
		}
		if kept == nil || x.stat == nil || math.IsNaN(m.rows[len(m.rows)-1].Value) {
			continue
		}
		stat, err := x.stat(kept)
		if err := s.interval(m, stat, err); err != nil {
			return err
		}
	}
	if c.corruption == "" {
		m.rows = append(m.rows, results.ReliabilityRows(base, diagram(c.class))...)
	}
	return nil
}

func diagram(c *metrics.Classification) []results.ReliabilityBin {
	var out []results.ReliabilityBin
	for _, b := range c.EqualWidth().Bins() {
		out = append(out, results.ReliabilityBin{N: int64(b.N), Confidence: b.Confidence, Accuracy: b.Accuracy})
	}
	return out
}
