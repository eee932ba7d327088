package eval

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// TestKnownIsAll: a run that finds everything measured has the rows of the first, reliability diagrams among them.
func TestKnownIsAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), records.FileName)
	measure := func(known []results.Row, open func() (data.Source, error)) []results.Row {
		rec, err := OpenRecorder(path)
		if err != nil {
			t.Fatal(err)
		}
		here := near()
		e := &Evaluator{
			Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Calibration: true,
			Store: Store{Records: rec, Known: known},
		}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog"}, Open: open}
		c.Plan = transform.Corruptions{Severities: []float64{1, 5}}
		if err := errors.Join(e.Clean(t.Context(), small(), Prepare{}), e.Corruptions(t.Context(), c)); err != nil {
			t.Fatal(err)
		}
		return e.Rows
	}
	first := measure(nil, small().again)
	bins := 0
	for _, r := range first {
		if r.Bin > 0 {
			bins++
		}
	}
	if bins == 0 {
		t.Fatal("no diagram")
	}
	again := measure(first, func() (data.Source, error) { return nil, errors.New("read again") })
	for _, r := range first {
		if !slices.ContainsFunc(again, func(o results.Row) bool { return o.Key() == r.Key() && o.Value == r.Value }) {
			t.Errorf("%v is not there again", r.Key())
		}
	}
	if len(again) != len(first) {
		t.Errorf("%d rows, then %d", len(first), len(again))
	}
}
