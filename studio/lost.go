//go:build !js

package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
)

// recordedModel is what the page says of a model whose predictions a run recorded, or of a run without any.
type recordedModel struct {
	Of      string        `json:"of"` // RUN/MODEL, as the parameters lost and kept take it
	Name    string        `json:"name"`
	Sets    []recordedSet `json:"sets"`
	Problem string        `json:"problem,omitempty"`
}

type recordedSet struct {
	Name  string `json:"name"`
	Clean bool   `json:"clean"` // without corruptions
}

// recorded lists the models of the runs that q names, all without any, with what is recorded of them.
func (s *Server) recorded(_ context.Context, q *request) (any, error) {
	out, names := []recordedModel{}, runNames(s.runs)
	for i := range s.runs {
		if len(q.Runs) > 0 && !slices.Contains(q.Runs, i) {
			continue
		}
		file, err := s.openRecords(i)
		if err != nil {
			out = append(out, recordedModel{Name: names[i], Problem: s.opt.Message(err)})
			continue
		}
		sets := map[string][]recordedSet{}
		for _, c := range file.Cells() {
			one := recordedSet{c.Dataset, c.Corruption == ""}
			if isPlain(c) && !slices.Contains(sets[c.Model], one) {
				sets[c.Model] = append(sets[c.Model], one)
			}
		}
		_ = file.Close() // it was only read
		for model, list := range sets {
			m := recordedModel{Of: runModel{i, model}.String(), Name: names[i], Sets: list}
			if len(sets) > 1 {
				m.Name += ", " + model
			}
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b recordedModel) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// isPlain reports whether a cell is of the images as they are, or a corruption of them.
func isPlain(c records.Cell) bool {
	c.Limit = 0
	return c.Difficulty == 0 && c.View == results.View{}
}

// openRecords opens the outcomes of a run's predictions.
func (s *Server) openRecords(run int) (*records.File, error) {
	if run >= len(s.runs) {
		return nil, fmt.Errorf("%w: run %d (there are %d, from 0)", errGone, run, len(s.runs))
	}
	path := filepath.Join(s.runs[run], records.FileName)
	file, err := records.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // a file of rows stands for itself
		return nil, fmt.Errorf("%w: %s: the run kept no record of single predictions (augmix eval and augmix score keep it, unless --no-records)",
			errGone, path)
	}
	return file, err
}

// outcome is which images of a cell a model gets wrong.
type outcome struct {
	wrong []float64
	limit int               // images that were looked at; 0: all of the data set
	row   *results.Located  // of the cell's error; nil: the run has none
	clean map[string]string // versions of the row of the clean images
}

// outcome reads the cell of q from the records of a model.
func (s *Server) outcome(of runModel, q *request) (*outcome, error) {
	file, err := s.openRecords(of.run)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it is only read
	for _, c := range file.Cells() {
		if !isPlain(c) || c.Model != of.model || c.Dataset != q.Dataset || c.Corruption != q.Name || c.Severity != q.Severity {
			continue
		}
		samples, err := file.Read(c)
		if err != nil {
			return nil, err
		}
		run, err := report.Load(s.runs[of.run])
		if err != nil {
			return nil, err
		}
		out := &outcome{wrong: samples.Wrong(), limit: c.Limit}
		for i := range run.Rows {
			r := &run.Rows[i]
			if r.Model != c.Model || r.Metric != results.Top1Error || !isPlain(records.Cell{View: r.View}) {
				continue
			}
			if r.Dataset == c.Dataset && r.Corruption == c.Corruption && r.Severity == c.Severity {
				out.row = r
			} else if r.Dataset == results.Base(c.Dataset) && r.Corruption == "" {
				out.clean = r.Versions
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w: %s has no record of %s on %s, %s at severity %v", errGone, s.runs[of.run], of.model, q.Dataset,
		cmp.Or(q.Name, "no corruption"), q.Severity)
}

// check says why the places of an outcome are not those of the images of the data set, nil where they are.
func (s *Server) check(ctx context.Context, o *outcome) error {
	n := s.parts[0].source.Len()
	if o.limit > 0 {
		n = min(n, o.limit)
	}
	other := len(o.wrong) != n
	if o.row != nil && o.row.Data != "" && !other {
		sum, err := s.sums.of(ctx, s.parts[0].source, o.limit)
		if err != nil {
			return err
		}
		other = sum != o.row.Data
	}
	if other {
		return fmt.Errorf("%w: the run was measured on other images than %s: %d predictions, and %d images here, or other keys, labels "+
			"or classes (open the test set of the run, as its args.yaml has it)", errGone, s.opt.Data, len(o.wrong), n)
	}
	if o.row != nil {
		if a, b := o.row.Versions[results.VersionOrder], o.clean[results.VersionOrder]; a != "" && b != "" && a != b {
			return fmt.Errorf("%w: the run read these corrupted images from files in another order than the clean ones", errGone)
		}
	}
	return nil
}

// lostImages are the images that one run gets wrong and another right, from q.From.
type lostImages struct {
	Samples []listedSample `json:"samples"`
	Next    int            `json:"next"` // as in sampleList
	N       int            `json:"n"`    // images that both saw
	Lost    int            `json:"lost"` // of which q.Lost is wrong and q.Kept right
	Back    int            `json:"back"` // and the other way round
	Both    int            `json:"both"` // wrong
	Seed    *uint64        `json:"seed"` // that the corruption was drawn with; null: not known
}

// lost lists the images that q.Lost gets wrong and q.Kept right in a cell.
func (s *Server) lost(ctx context.Context, q *request) (any, error) {
	a, err := s.outcome(q.Lost, q)
	if err != nil {
		return nil, err
	}
	b, err := s.outcome(q.Kept, q)
	if err != nil {
		return nil, err
	}
	if len(a.wrong) != len(b.wrong) || a.limit != b.limit {
		return nil, fmt.Errorf("%w: the runs have %d and %d predictions here: they did not see the same images", errGone, len(a.wrong), len(b.wrong))
	}
	for _, o := range []*outcome{a, b} {
		if err := s.check(ctx, o); err != nil {
			return nil, err
		}
	}
	out := lostImages{Samples: []listedSample{}, Next: -1, N: len(a.wrong)}
	if a.row != nil {
		out.Seed = a.row.Seed
	}
	source, all := s.parts[0].source, s.parts[0].source.Len()
	for i := range a.wrong {
		switch {
		case a.wrong[i] > 0 && b.wrong[i] > 0:
			out.Both++
		case b.wrong[i] > 0:
			out.Back++
		case a.wrong[i] > 0:
			out.Lost++
			if i < q.From || out.Next >= 0 {
				continue
			}
			if len(out.Samples) == listed {
				out.Next = i
				continue
			}
			at := i * all / len(a.wrong) // as data.Limit spreads them
			var one data.Sample
			if err := source.Read(at, &one); err != nil {
				return nil, fmt.Errorf("%w: %w", errGone, err)
			}
			out.Samples = append(out.Samples, listedSample{imageID{index: at}.String(), one.Key, s.className(one.Label)})
		}
	}
	return out, nil
}
