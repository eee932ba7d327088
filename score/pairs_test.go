package score

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// recorded writes records of the model m on the data set d and opens them.
func recorded(t *testing.T, write func(w *records.Writer, c records.Cell) error) *Recorded {
	t.Helper()
	path := filepath.Join(t.TempDir(), records.FileName)
	w, err := records.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(w, records.Cell{Model: "m", Dataset: "d"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRecorded(path, "m", results.View{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestPairsOfSets: out-of-distribution sets are drawn together whatever their order in the files, and other sets are no pairs.
func TestPairsOfSets(t *testing.T) {
	const n = 60
	r := rng.NewKey(1).Rand()
	values := map[string][]float64{}
	for i, name := range []string{"", "svhn", "textures", "places", "gaussian"} {
		for range n {
			values[name] = append(values[name], r.Float64()+float64(i)/4)
		}
	}
	of := func(sets ...string) *Recorded {
		return recorded(t, func(w *records.Writer, c records.Cell) (err error) {
			for _, name := range append([]string{""}, sets...) {
				c.OOD = name
				err = errors.Join(err, w.AddSeries(records.Series{Cell: c, Name: records.OODScore}, values[name]))
			}
			return err
		})
	}
	models := []*Recorded{of("svhn", "textures", "gaussian"), of("gaussian", "textures", "svhn"), of("gaussian", "svhn", "places"), of("svhn")}
	p := NewPairs(models, results.Cell{Dataset: "d", Metric: results.AUROC}, 100)
	if iv, err := p.Minus([]int{0}, []int{1}); err != nil || iv.Lo != 0 || iv.Hi != 0 {
		t.Errorf("one model in another order: %v to %v, %v", iv.Lo, iv.Hi, err)
	}
	for _, b := range [][]int{{2}, {3}, {1, 2}} {
		if iv, err := p.Minus([]int{0}, b); !errors.Is(err, ErrUnpaired) {
			t.Errorf("other sets, models %v: %+v, %v", b, iv, err)
		}
	}
}

// TestSameTwice: a model that is asked for twice is read once at a time.
func TestSameTwice(t *testing.T) {
	m := recorded(t, func(w *records.Writer, c records.Cell) error {
		var s records.Samples
		for i := range 50 {
			s.Add(&metrics.Outcome{Classes: 2, Rank: 1 + i%2, Conf: .7, NLL: .1, Brier: .2})
		}
		return w.Add(c, &s)
	})
	p := NewPairs([]*Recorded{m, nil, m, m, nil}, results.Cell{Dataset: "d", Metric: results.Top1Error}, 20)
	if iv, err := p.Minus([]int{0}, []int{2, 3}); err != nil || iv.Lo != 0 || iv.Hi != 0 {
		t.Errorf("%+v, %v", iv, err)
	}
	if _, err := p.Minus([]int{0}, []int{4}); !errors.Is(err, ErrUnpaired) {
		t.Errorf("no model: %v", err)
	}
}

// TestInfiniteLoss: a true class of probability 0 has no finite loss, and so no interval.
func TestInfiniteLoss(t *testing.T) {
	m := recorded(t, func(w *records.Writer, c records.Cell) error {
		var s records.Samples
		s.Add(&metrics.Outcome{Classes: 2, Rank: 2, Conf: 1, NLL: math.Inf(1), Brier: 2})
		s.Add(&metrics.Outcome{Classes: 2, Rank: 1, Conf: 1})
		return w.Add(c, &s)
	})
	d := Intervals([]*Recorded{m}, []float64{1}, results.Cell{Dataset: "d", Metric: results.NLL}, 20)[0]
	if !errors.Is(d.Err, metrics.ErrUndefined) && !errors.Is(d.Err, ErrUnpaired) {
		t.Error(d.Err)
	}
}
