package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// shelf holds the open records of the runs.
type shelf struct {
	files      map[*Run]*records.File
	wrong      map[spot][]bool // what was read of each cell: whether each prediction is wrong
	replicates int
	done       func() error // not nil once the work should end
	err        error        // the first of interval's, which has nobody to give it to
}

// spot is a cell of a run's records.
type spot struct {
	run  *Run
	cell records.Cell
}

// errors reads which predictions of a cell are wrong, 1 or 0 for each sample.
func (s *shelf) errors(run *Run, c records.Cell) ([]float64, error) {
	w, ok := s.wrong[spot{run, c}]
	if !ok {
		samples, err := s.files[run].Read(c)
		if err != nil {
			return nil, err
		}
		w = make([]bool, samples.N())
		for i, r := range samples.Rank {
			w[i] = r != 1
		}
		s.wrong[spot{run, c}] = w
	}
	out := make([]float64, len(w))
	for i, wrong := range w {
		if wrong {
			out[i] = 1
		}
	}
	return out, nil
}

// costly are the metrics whose every replicate goes through every sample of every cell: their intervals are computed
// for the clean set and for the mean over a whole form, and not for the parts of it.
var costly = []string{results.RMSCalibration, results.Brier, results.NLL}

// drawn are the other metrics that get intervals from records.
var drawn = []string{
	results.Top1Error, results.MeanCE, results.RelativeMeanCE, results.FlipProbability, results.Top5Distance,
	results.FlipRate, results.MeanFlipRate, results.AUROC, results.AUPR, results.FPR95,
}

// interval gives a number that has none its bootstrap interval, if the run's records hold its parts.
func (s *shelf) interval(q *Subject, c results.Cell, n *Number) {
	whole := c.Corruption == "" && c.Severity == 0
	if !slices.Contains(drawn, c.Metric) && !(whole && slices.Contains(costly, c.Metric)) {
		return
	}
	if s.err != nil {
		return
	}
	if s.err = s.done(); s.err != nil {
		return
	}
	stat, err := s.statistic(q, c)
	if err == nil {
		r := drawKey("interval", c).Rand()
		var iv metrics.Interval
		iv, err = metrics.Bootstrap(stat, metrics.BootstrapOptions{
			Source: &r, Replicates: fewer(stat, s.replicates), Level: diffLevel,
			Centred: c.Metric == results.RMSCalibration,
		})
		if err == nil && near(iv.Estimate, n.Value) {
			n.Lo, n.Hi, n.Level = iv.Lo, iv.Hi, iv.Level
			if c.Metric == results.RMSCalibration {
				n.Lo = max(n.Lo, 0) // centring can take it beyond what there is
			}
			n.Note = strings.TrimPrefix(n.Note+"; interval from the records", "; ")
		}
	}
	if err != nil && !errors.Is(err, errUnpaired) && !errors.Is(err, metrics.ErrUndefined) {
		s.err = err
	}
}

// near reports whether two ways to one number agree but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6+1e-6*math.Abs(b) }

func drawKey(what string, c results.Cell) rng.Key {
	return rng.NewKey(bootSeed).Str(what).Str(c.Dataset).Str(c.Corruption).Str(c.View).Str(c.Metric).
		Uint(uint64(c.Severity))
}

func (b *builder) openRecords(ctx context.Context) error {
	s := &shelf{done: ctx.Err, files: map[*Run]*records.File{}, wrong: map[spot][]bool{}, replicates: b.opt.Replicates}
	b.shelf = s
	for _, r := range b.runs {
		if r.Records == "" || s.files[r] != nil {
			continue
		}
		f, err := records.Open(r.Records)
		if err != nil {
			s.close()
			return fmt.Errorf("%s: %w", r.Records, err)
		}
		s.files[r] = f
	}
	for _, q := range b.subjects {
		if s.files[q.run] != nil {
			q.shelf = s
		}
	}
	return nil
}

func (s *shelf) close() {
	for _, f := range s.files {
		_ = f.Close() // nothing was written
	}
}

// paired is the interval of a's number minus b's, from their records. The error wraps errUnpaired where there is no
// such thing.
func (s *shelf) paired(a, b *Subject, c results.Cell, replicates int) (metrics.Interval, error) {
	if s.files[a.run] == nil || s.files[b.run] == nil {
		return metrics.Interval{}, errUnpaired
	}
	if err := s.done(); err != nil {
		return metrics.Interval{}, err
	}
	x, err := s.statistic(a, c)
	if err != nil {
		return metrics.Interval{}, err
	}
	y, err := s.statistic(b, c)
	if err != nil {
		return metrics.Interval{}, err
	}
	r := drawKey("difference", c).Rand()
	iv, err := metrics.BootstrapDifference(x, y, metrics.BootstrapOptions{
		Source: &r, Replicates: fewer(x, replicates), Level: diffLevel,
	})
	if errors.Is(err, metrics.ErrLength) || errors.Is(err, metrics.ErrUndefined) {
		return iv, fmt.Errorf("%w: %w", errUnpaired, err)
	}
	return iv, err
}

// at returns where the records of a run keep what is behind a cell: under views that tell the run's limit.
func at(q *Subject, dataset, corruption string, severity int, view string) records.Cell {
	return records.Cell{
		Model: q.Model, Dataset: dataset, Corruption: corruption, Severity: severity,
		View: results.LimitView(view, q.run.Limit),
	}
}

// statistic makes a cell's number from records.
func (s *shelf) statistic(q *Subject, c results.Cell) (metrics.Statistic, error) {
	switch c.Metric {
	case results.FlipProbability, results.Top5Distance, results.FlipRate, results.MeanFlipRate:
		return s.sequences(q, c)
	case results.AUROC, results.AUPR, results.FPR95:
		return s.detection(q, c)
	}
	cells := s.files[q.run].Cells()
	if one := at(q, c.Dataset, c.Corruption, c.Severity, c.View); slices.Contains(cells, one) {
		return s.single(q, c.Metric, one)
	}
	p := profileOf(c.Dataset)
	if p == nil || p.Kind != metrics.CorruptionKind {
		return nil, errUnpaired
	}
	parts := partsOf(q, c, p)
	for _, d := range parts {
		if !slices.Contains(cells, d) { // records of a part are missing
			return nil, errUnpaired
		}
	}
	if len(parts) == 0 {
		return nil, errUnpaired
	}
	switch c.Metric {
	case results.Top1Error:
		return s.meanErrors(q.run, parts)
	case results.MeanCE, results.RelativeMeanCE:
		return s.normalised(q, c, p, parts)
	case results.RMSCalibration, results.Brier, results.NLL:
		return s.meanSingles(q, c.Metric, parts)
	}
	return nil, errUnpaired
}

// partsOf returns the records that a mean over corruptions or severities is over.
func partsOf(q *Subject, c results.Cell, p *metrics.Profile) (parts []records.Cell) {
	names := p.Primary()
	switch {
	case c.Corruption != "":
		names = []string{c.Corruption}
	case c.View != "":
		names = p.Members(metrics.Group(c.View))
	}
	for _, name := range names {
		for sev := 1; sev <= p.Severities; sev++ {
			if c.Severity == 0 || sev == c.Severity {
				parts = append(parts, at(q, c.Dataset, name, sev, ""))
			}
		}
	}
	return parts
}

// single is a metric of the predictions of one cell.
func (s *shelf) single(q *Subject, metric string, cell records.Cell) (metrics.Statistic, error) {
	if metric == results.Top1Error {
		wrong, err := s.errors(q.run, cell)
		if err != nil {
			return nil, err
		}
		return metrics.MeanStatistic(wrong)
	}
	samples, err := s.files[q.run].Read(cell)
	if err != nil {
		return nil, err
	}
	r, err := samples.Records()
	if err != nil {
		return nil, err
	}
	switch metric {
	case results.RMSCalibration:
		if r.N() < metrics.DefaultBinSize {
			return nil, errUnpaired // there is no such number either
		}
		return r.Calibration(metrics.RMS, metrics.Adaptive{})
	case results.Brier:
		return r.Brier()
	case results.NLL:
		return r.NLL()
	}
	return nil, errUnpaired
}

// meanSingles is the mean of a metric over cells of the same samples.
func (s *shelf) meanSingles(q *Subject, metric string, parts []records.Cell) (metrics.Statistic, error) {
	var all meanOf
	for _, d := range parts {
		m, err := s.single(q, metric, d)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && !slices.Equal(m.Strata(), all[0].Strata()) {
			return nil, fmt.Errorf("%w: cells of different numbers of samples", errUnpaired)
		}
		all = append(all, m)
	}
	return all, nil
}

// fewer returns how many replicates of a statistic are drawn where many are asked for.
func fewer(x metrics.Statistic, replicates int) int {
	work := 0
	for _, n := range x.Strata() {
		work += n
	}
	switch m := x.(type) {
	case meanOf:
		work *= len(m)
	case *meanDetection:
		work += (len(m.sets) - 1) * m.strata[0] // every set sorts the test set in
	default:
		return replicates
	}
	return min(replicates, max(fewReplicates, maxWork/max(work, 1)))
}

// A replicate of a mean of calibration errors sorts nothing but goes through every sample of every cell: beyond maxWork
// samples in all replicates together there are fewer of these, down to fewReplicates.
const (
	maxWork       = 40e6
	fewReplicates = 200
)

// meanErrors is the mean error over cells of the same samples: as it is linear, the mean over samples of each sample's
// mean error.
func (s *shelf) meanErrors(run *Run, parts []records.Cell) (metrics.Statistic, error) {
	var sum []float64
	for _, d := range parts {
		wrong, err := s.errors(run, d)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float64, len(wrong))
		}
		if len(sum) != len(wrong) {
			return nil, fmt.Errorf("%w: cells of %d and %d samples", errUnpaired, len(sum), len(wrong))
		}
		for i, w := range wrong {
			sum[i] += w
		}
	}
	for i := range sum {
		sum[i] /= float64(len(parts))
	}
	return metrics.MeanStatistic(sum)
}

// normalised is mCE or relative mCE from records.
func (s *shelf) normalised(
	q *Subject, c results.Cell, p *metrics.Profile, parts []records.Cell,
) (metrics.Statistic, error) {
	var grid *metrics.ImageGrid
	for _, d := range parts {
		wrong, err := s.errors(q.run, d)
		if err != nil {
			return nil, err
		}
		if grid == nil {
			grid = metrics.NewImageGrid(p, metrics.ErrorRate, 0, len(wrong))
		}
		if err := grid.Set(d.Corruption, d.Severity, wrong); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnpaired, err)
		}
	}
	a := metrics.MeanCE(metrics.AlexNetErrors())
	if c.Metric == results.RelativeMeanCE {
		a = metrics.RelativeMeanCE(metrics.AlexNetErrors())
		clean, err := s.errors(q.run, at(q, results.Base(c.Dataset), "", 0, ""))
		if errors.Is(err, records.ErrMissing) {
			return nil, errUnpaired
		}
		if err != nil {
			return nil, err
		}
		if err := grid.SetClean(clean); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnpaired, err)
		}
	}
	m, err := grid.Statistic(a)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnpaired, err)
	}
	return m, nil
}

// meanOf is the mean of statistics of the same samples.
type meanOf []metrics.Statistic

// Strata implements metrics.Statistic.
func (m meanOf) Strata() []int { return m[0].Strata() }

// Weighted implements metrics.Statistic.
func (m meanOf) Weighted(w []uint32) float64 {
	sum := 0.0
	for _, s := range m {
		sum += s.Weighted(w)
	}
	return sum / float64(len(m))
}
