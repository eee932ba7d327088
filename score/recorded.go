package score

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// Recorded is one model in a file of records: where intervals and paired differences of numbers come from whose rows
// have none. It reads from the file when it is asked, and keeps which predictions are wrong, a byte each. It is not safe
// for concurrent use.
type Recorded struct {
	file  *records.File
	model string
	whole results.View
	wrong map[records.Cell][]bool
	kept  map[records.Cell]*records.Samples
	room  int // for samples in kept
}

// OpenRecorded returns a model of the records of a run, such as the file records.npz beside its results.jsonl that [WriteRecords]
// and package eval make. whole is what the views of all its rows have: the limit and the number of classes that predictions are among,
// where there are any. It must be closed. The error wraps [ErrOption] where the file has no
// such model, and names those that it has.
func OpenRecorded(path, model string, whole results.View) (*Recorded, error) {
	file, err := records.Open(path)
	if err != nil {
		return nil, err
	}
	var has []string
	note := func(name string) {
		if !slices.Contains(has, name) {
			has = append(has, name)
		}
	}
	for _, c := range file.Cells() {
		note(c.Model)
	}
	for _, s := range file.Series() {
		note(s.Cell.Model)
	}
	if !slices.Contains(has, model) {
		return nil, errors.Join(fmt.Errorf("%w: %s: records of %q (allowed: of %q)", ErrOption, path, model, has), file.Close())
	}
	return NewRecorded(file, model, whole), nil
}

// Close closes the file.
func (r *Recorded) Close() error { return r.file.Close() }

// keptSamples bounds the samples of a model that stay in memory from one number to the next, at 28 bytes each.
const keptSamples = 1 << 18

// NewRecorded is [OpenRecorded] for programs of this module, which share one open file. Its cells are those whose views have what whole has, which the cells that
// [Intervals] and [NewPairs] are asked for do not say.
func NewRecorded(file *records.File, model string, whole results.View) *Recorded {
	return &Recorded{
		file: file, model: model, whole: whole, wrong: map[records.Cell][]bool{}, kept: map[records.Cell]*records.Samples{},
		room: keptSamples,
	}
}

// recordSeed keys the draws of [Intervals] and [NewPairs], which have no seed of their own, so that they are the
// same every time.
const recordSeed = 0x617567

// RecordLevel is the level of the intervals of records.
const RecordLevel = 0.95

// recordKey names the stream of a draw after what is drawn ("interval", "difference") and the cell. Recorded intervals
// depend on these names: they stay.
func recordKey(what string, c results.Cell) rng.Key {
	return rng.NewKey(recordSeed).Str(what).Str(c.Dataset).Str(c.Corruption).Str(c.Text()).Str(c.MetricName(c.Metric)).
		Number(c.Severity)
}

// costly are the metrics whose every replicate goes through every sample of every cell: their intervals are computed
// for the clean set and for the mean over a whole form, and not for the parts of it.
var costly = []string{results.RMSCalibration, results.Brier, results.NLL}

// drawn are the other metrics that get intervals from records.
var drawn = []string{
	results.Top1Error, results.MeanCE, results.RelativeMeanCE, results.FlipProbability, results.Top5Distance,
	results.FlipRate, results.MeanFlipRate, results.AUROC, results.AUPR, results.FPR95,
}

// Drawn is what [Intervals] has for a model.
type Drawn struct {
	Interval metrics.Interval
	Err      error
}

// Intervals returns the bootstrap intervals of models' numbers of one cell, which values are, from the records of their
// parts. They are the same for any other models beside. An error wraps [ErrUnpaired] or metrics.ErrUndefined where there is
// none: for other metrics than errors, flip probabilities and rates, distances, detection, and of whole sets calibration
// errors, NLL and Brier scores, and where the records lack parts or give another number. The intervals of
// calibration errors are centered (see metrics.BootstrapOptions).
func Intervals(models []*Recorded, values []float64, c results.Cell, replicates int) []Drawn {
	out := make([]Drawn, len(models))
	for i, d := range resampleIntervals(models, c, replicates) {
		if out[i].Err = d.err; d.err == nil {
			out[i] = drawnFrom(d.draws, values[i], c, d.shape[0])
		}
	}
	return out
}

// MeanInterval is as [Intervals], of the mean of the models' numbers, which value is: each replicate takes one set of samples for all.
func MeanInterval(models []*Recorded, value float64, c results.Cell, replicates int) Drawn {
	all := resampleIntervals(models, c, replicates)
	mean, err := averaged(all)
	if err != nil {
		return Drawn{Err: err}
	}
	return drawnFrom(mean, value, c, all[0].shape[0])
}

func resampleIntervals(models []*Recorded, c results.Cell, replicates int) []resampled {
	whole := c.Corruption == "" && c.Severity == 0
	if !slices.Contains(drawn, c.Metric) && !(whole && slices.Contains(costly, c.Metric)) {
		out := make([]resampled, len(models))
		for i := range out {
			out[i].err = ErrUnpaired
		}
		return out
	}
	return resample("interval", models, c, replicates)
}

// drawnFrom is the interval of draws of a number, of n samples, whose row says value.
func drawnFrom(draws *metrics.Resampled, value float64, c results.Cell, n int) Drawn {
	iv, err := draws.Interval()
	if err == nil && !Near(iv.Estimate, value) {
		err = fmt.Errorf("%w: the records give %v, the row %v", ErrUnpaired, iv.Estimate, value)
	}
	return Drawn{sure(c.Metric, within(0, c.Metric, iv), n), err}
}

// Near reports whether two ways to one number agree but for rounding.
func Near(a, b float64) bool { return math.Abs(a-b) <= 1e-6+1e-6*math.Abs(b) }

// Pairs are models whose numbers of one cell were drawn together, for their differences.
type Pairs struct {
	metric string
	all    []resampled
}

// NewPairs draws the numbers of a cell: each replicate takes one set of samples for all models. A model that is nil has none.
// Differences of calibration errors are centered, as in [Compare].
func NewPairs(models []*Recorded, c results.Cell, replicates int) *Pairs {
	return &Pairs{c.Metric, resample("difference", models, c, replicates)}
}

// Minus returns the interval of the mean number of models a minus that of models b: of one model each, or of several that differ in
// the seeds of their training. The error wraps [ErrUnpaired] where there is no such thing.
func (p *Pairs) Minus(a, b []int) (metrics.Interval, error) {
	x, err := averaged(p.some(a))
	if err != nil {
		return metrics.Interval{}, err
	}
	y, err := averaged(p.some(b))
	if err != nil {
		return metrics.Interval{}, err
	}
	if !p.all[a[0]].alike(&p.all[b[0]]) {
		return metrics.Interval{}, fmt.Errorf("%w: numbers of other samples", ErrUnpaired)
	}
	iv, err := x.Minus(y)
	return within(-1, p.metric, iv), unpaired(err)
}

func (p *Pairs) some(models []int) []resampled {
	out := make([]resampled, len(models))
	for i, m := range models {
		out[i] = p.all[m]
	}
	return out
}

// A replicate of a mean of calibration errors sorts nothing but goes through every sample of every cell: beyond maxWork
// samples in all replicates together there are fewer of these, down to fewReplicates.
const (
	maxWork       = 40e6
	fewReplicates = 200
)

// fewer returns how many replicates of a statistic are drawn where many are asked for.
func fewer(x metrics.Statistic, replicates int) int {
	work := 0
	for _, n := range x.Strata() {
		work += n
	}
	switch m := x.(type) {
	case meanStatistic:
		work *= len(m)
	case *meanDetection:
		work += (len(m.sets) - 1) * m.strata[0] // every set sorts the test set in
	default:
		return replicates
	}
	return min(replicates, max(fewReplicates, maxWork/max(work, 1)))
}

// at returns where the records keep what is behind a cell.
func (r *Recorded) at(dataset, corruption string, severity float64, v results.View) records.Cell {
	if r.whole.Limit > 0 {
		v.Limit = r.whole.Limit
	}
	if r.whole.Among > 0 {
		v.Among = r.whole.Among
	}
	return records.Cell{Model: r.model, Dataset: dataset, Corruption: corruption, Severity: severity, View: v}
}

// statistic makes a cell's number from records.
func (r *Recorded) statistic(c results.Cell) (metrics.Statistic, error) {
	switch c.Metric {
	case results.FlipProbability, results.Top5Distance, results.FlipRate, results.MeanFlipRate:
		return r.sequences(c)
	case results.AUROC, results.AUPR, results.FPR95:
		return r.detection(c)
	}
	cells := r.file.Cells()
	if one := r.at(c.Dataset, c.Corruption, c.Severity, c.View); slices.Contains(cells, one) {
		return r.single(c.Metric, one)
	}
	m, err := new(Book).meanOf(c)
	if err != nil || m.profile.Kind != metrics.CorruptionKind {
		return nil, ErrUnpaired
	}
	var parts []records.Cell
	for _, d := range m.parts() {
		at := r.at(d.Dataset, d.Corruption, d.Severity, d.View)
		if !slices.Contains(cells, at) { // records of a part are missing
			return nil, ErrUnpaired
		}
		parts = append(parts, at)
	}
	switch c.Metric {
	case results.Top1Error:
		return r.meanErrors(parts)
	case results.MeanCE, results.RelativeMeanCE:
		return r.normalized(m, parts)
	case results.RMSCalibration, results.Brier, results.NLL:
		return r.meanSingles(c.Metric, parts)
	}
	return nil, ErrUnpaired
}

// errors reads which predictions of a cell are wrong, 1 or 0 for each sample.
func (r *Recorded) errors(c records.Cell) ([]float64, error) {
	w, ok := r.wrong[c]
	if !ok {
		samples, err := r.read(c)
		if err != nil {
			return nil, err
		}
		w = make([]bool, samples.N())
		for i, rank := range samples.Rank {
			w[i] = rank != 1
		}
		r.wrong[c] = w
	}
	out := make([]float64, len(w))
	for i, wrong := range w {
		if wrong {
			out[i] = 1
		}
	}
	return out, nil
}

// single is a metric of the predictions of one cell.
func (r *Recorded) single(metric string, cell records.Cell) (metrics.Statistic, error) {
	if metric == results.Top1Error {
		wrong, err := r.errors(cell)
		if err != nil {
			return nil, err
		}
		return metrics.MeanStatistic(wrong)
	}
	samples, err := r.read(cell)
	if err != nil {
		return nil, err
	}
	rec, err := samples.Records()
	if err != nil {
		return nil, err
	}
	switch metric {
	case results.RMSCalibration:
		if rec.N() < metrics.DefaultBinSize {
			return nil, ErrUnpaired // there is no such number either
		}
		return rec.Calibration(metrics.RMS, metrics.Adaptive{})
	case results.Brier:
		return rec.Brier()
	case results.NLL:
		nll, err := rec.NLL()
		if errors.Is(err, metrics.ErrScore) { // of a true class without any probability
			err = fmt.Errorf("%w: %w", metrics.ErrUndefined, err)
		}
		return nll, err
	}
	return nil, ErrUnpaired
}

// read reads the predictions of a cell, and keeps them if there is room.
func (r *Recorded) read(c records.Cell) (*records.Samples, error) {
	if s := r.kept[c]; s != nil {
		return s, nil
	}
	s, err := r.file.Read(c)
	if err == nil && s.N() <= r.room {
		r.kept[c] = s
		r.room -= s.N()
	}
	return s, err
}

// meanSingles is the mean of a metric over cells of the same samples.
func (r *Recorded) meanSingles(metric string, parts []records.Cell) (metrics.Statistic, error) {
	var all meanStatistic
	for _, d := range parts {
		m, err := r.single(metric, d)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && !slices.Equal(m.Strata(), all[0].Strata()) {
			return nil, fmt.Errorf("%w: cells of different numbers of samples", ErrUnpaired)
		}
		all = append(all, m)
	}
	return all, nil
}

// meanErrors is the mean error over cells of the same samples: as it is linear, the mean over samples of each sample's
// mean error.
func (r *Recorded) meanErrors(parts []records.Cell) (metrics.Statistic, error) {
	var sum []float64
	for _, d := range parts {
		wrong, err := r.errors(d)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = make([]float64, len(wrong))
		}
		if len(sum) != len(wrong) {
			return nil, fmt.Errorf("%w: cells of %d and %d samples", ErrUnpaired, len(sum), len(wrong))
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

// normalized is mCE or relative mCE.
func (r *Recorded) normalized(m *meanOf, parts []records.Cell) (metrics.Statistic, error) {
	var grid *metrics.ImageGrid
	for _, d := range parts {
		wrong, err := r.errors(d)
		if err != nil {
			return nil, err
		}
		if grid == nil {
			grid = metrics.NewImageGrid(m.profile, m.quantity, 0, len(wrong))
		}
		if err := grid.Set(d.Corruption, int(d.Severity), wrong); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
		}
	}
	if m.relative {
		clean, err := r.errors(r.at(results.Base(m.cell.Dataset), "", 0, m.cell.View))
		if errors.Is(err, records.ErrMissing) {
			return nil, ErrUnpaired
		}
		if err != nil {
			return nil, err
		}
		if err := grid.SetClean(clean); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
		}
	}
	stat, err := grid.Statistic(m.agg)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnpaired, err)
	}
	return stat, nil
}

// meanStatistic is the mean of statistics of the same samples.
type meanStatistic []metrics.Statistic

// Strata implements metrics.Statistic.
func (m meanStatistic) Strata() []int { return m[0].Strata() }

// Weighted implements metrics.Statistic.
func (m meanStatistic) Weighted(w []uint32) float64 {
	var one [1]float64
	m.WeightedAll(one[:], w)
	return one[0]
}

// WeightedAll implements metrics.Batch: a cell goes through all draws while it is in the cache.
func (m meanStatistic) WeightedAll(dst []float64, w []uint32) {
	n := len(w) / len(dst)
	clear(dst)
	for _, s := range m {
		for i := range dst {
			dst[i] += s.Weighted(w[i*n:][:n])
		}
	}
	for i := range dst {
		dst[i] /= float64(len(m))
	}
}
