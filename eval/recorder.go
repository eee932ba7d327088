package eval

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Recorder keeps each prediction in a file of package records, which is complete for everything measured so
// far whenever no measurement is at work. A nil Recorder keeps nothing. It holds everything in memory, 28 bytes a
// prediction, 8 a number of a series.
type Recorder struct {
	path    string
	order   []records.Cell
	samples map[records.Cell]*records.Samples
	listed  []records.Series
	series  map[records.Series][]float64
}

// OpenRecorder reads the file of an earlier run, if there is one, to resume it. Errors are those of records.Open and
// records.File.Read.
func OpenRecorder(path string) (*Recorder, error) {
	r := &Recorder{
		path: path, samples: map[records.Cell]*records.Samples{}, series: map[records.Series][]float64{},
	}
	f, err := records.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	for _, c := range f.Cells() {
		s, err := f.Read(c)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		r.set(c, s)
	}
	for _, name := range f.Series() {
		v, err := f.ReadSeries(name)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		r.setSeries(name, v)
	}
	return r, f.Close()
}

func (r *Recorder) set(c records.Cell, s *records.Samples) {
	if r.samples[c] == nil {
		r.order = append(r.order, c)
	}
	r.samples[c] = s
}

func (r *Recorder) setSeries(s records.Series, v []float64) {
	if r.series[s] == nil {
		r.listed = append(r.listed, s)
	}
	r.series[s] = v
}

// has reports whether the measurement of base needs no predictions for the sake of the records.
func (r *Recorder) has(base results.Row, severities []float64) bool {
	if r == nil {
		return true
	}
	for _, s := range severities {
		if r.samples[cellOf(base, s)] == nil {
			return false
		}
	}
	return true
}

// agrees reports whether the samples are those that the rows of a measurement were taken of. Those of other seeds, and of files beside
// made images, have the same place, where the last measurement stays.
func (r *Recorder) agrees(base results.Row, severities []float64, rows []results.Row) bool {
	if !r.has(base, severities) {
		return false
	}
	for i := range rows {
		row := &rows[i]
		s := r.samples[cellOf(base, row.Severity)]
		var sum float64
		switch {
		case s == nil || row.Bin > 0:
			continue
		case row.Metric == results.NLL:
			for _, v := range s.NLL {
				sum += v
			}
		case row.Metric == results.Top1Error:
			for _, v := range s.Wrong() {
				sum += v
			}
		default:
			continue
		}
		if int64(s.N()) != row.N || !score.Near(sum/float64(s.N()), row.Value) {
			return false
		}
	}
	return true
}

// put keeps the samples of a measurement, one element a severity, and writes the file anew.
func (r *Recorder) put(base results.Row, severities []float64, samples []records.Samples) error {
	if r == nil {
		return nil
	}
	for i, s := range severities {
		r.set(cellOf(base, s), &samples[i])
	}
	return r.write()
}

// hasSeries reports whether the series need not be measured.
func (r *Recorder) hasSeries(wanted ...records.Series) bool {
	if r == nil {
		return true
	}
	for _, s := range wanted {
		if r.series[s] == nil {
			return false
		}
	}
	return true
}

// putSeries keeps a series, which write writes.
func (r *Recorder) putSeries(s records.Series, v []float64) {
	if r != nil && len(v) > 0 {
		r.setSeries(s, v)
	}
}

// write writes the file anew.
func (r *Recorder) write() error {
	if r == nil {
		return nil
	}
	w, err := records.Create(r.path)
	if err != nil {
		return err
	}
	for _, c := range r.order {
		if err := w.Add(c, r.samples[c]); err != nil {
			w.Abort()
			return fmt.Errorf("%s: %w", r.path, err)
		}
	}
	for _, s := range r.listed {
		if err := w.AddSeries(s, r.series[s]); err != nil {
			w.Abort()
			return fmt.Errorf("%s: %w", r.path, err)
		}
	}
	return w.Close()
}

// diagrams returns the reliability diagrams of the predictions of all the named corruptions together, one a severity.
// Without records, and without names, there are none.
func (r *Recorder) diagrams(base results.Row, names []string, severities []float64) ([]results.Row, error) {
	if r == nil || len(names) == 0 {
		return nil, nil
	}
	var rows []results.Row
	for _, severity := range severities {
		var cells []*records.Samples
		for _, name := range names {
			at := base
			at.Corruption = name
			s := r.samples[cellOf(at, severity)]
			if s == nil {
				return nil, fmt.Errorf("%w: %s at severity %v", records.ErrMissing, name, severity)
			}
			cells = append(cells, s)
		}
		at := base
		at.Severity = severity
		some, err := score.Pooled(at, cells...)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// cellOf names the set of samples behind a row, as "augmix score" does.
func cellOf(base results.Row, severity float64) records.Cell {
	return records.Cell{
		Model: base.Model, Dataset: base.Dataset, Corruption: base.Corruption, Severity: severity, View: base.View,
	}
}
