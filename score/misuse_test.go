package score

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// TestCellsOfOtherKinds: images in a cell of sequences and the other way around are errors, and so is what no cell of the kind has.
func TestCellsOfOtherKinds(t *testing.T) {
	still, err := NewCell("", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	videos, err := NewSequences("tilt", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	var nothing Cell
	outcome := &metrics.Outcome{Classes: 2, Rank: 1, Conf: 1}
	_, noError := videos.Error()
	_, _, noRows := nothing.Rows(results.Row{}, Metrics{})
	_, noCells := Cells([]*Cell{&nothing}, Options{})
	for name, c := range map[string]struct{ got, want error }{
		"a video among images":     {AddVideo(still, []float32{1, 2, 3, 4}, 2), ErrOption},
		"a video of nothing":       {AddVideo(&nothing, []float32{1, 2, 3, 4}, 2), ErrOption},
		"an image among videos":    {AddLogits(videos, []float32{1, 2, 3, 4}, []int{0, 1}), ErrOption},
		"an outcome among videos":  {videos.Add(outcome), ErrOption},
		"an outcome and its row":   {AddRow(videos, outcome, []float32{1, 0}), ErrOption},
		"an outcome of nothing":    {nothing.Add(outcome), ErrOption},
		"the error of videos":      {noError, metrics.ErrNotComputable},
		"rows of nothing":          {noRows, ErrOption},
		"a cell that nothing made": {noCells, ErrOption},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if still.N()+videos.N()+nothing.N() > 0 {
		t.Error("something was counted")
	}
	defer func() {
		if said, _ := recover().(string); !strings.HasPrefix(said, "score: ") {
			t.Errorf("a known video among images: %q", said)
		}
	}()
	still.AddKnown(metrics.Video{})
}

// TestSeveritiesBetween: images at severities between the published ones are scored, and are in no mean; one cell twice is an error.
func TestSeveritiesBetween(t *testing.T) {
	cell := func(severity float64, wrong ...int) *Cell {
		t.Helper()
		c, err := NewCell("fog", severity, 0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			o := &metrics.Outcome{Row: i, Classes: 2, Rank: 1, Conf: 0.5}
			if slices.Contains(wrong, i) {
				o.Rank, o.Pred = 2, 1
			}
			if err := c.Add(o); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	r, err := Cells([]*Cell{cell(2), cell(2.5, 0), cell(3, 0, 1)}, Options{Dataset: "cifar10-c"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[float64]float64{}
	for _, row := range r.Rows {
		if row.Metric == results.Top1Error && row.Corruption == "fog" {
			got[row.Severity] = row.Value
		}
	}
	if want := map[float64]float64{2: 0, 2.5: 0.25, 3: 0.5}; !maps.Equal(got, want) {
		t.Errorf("errors by severity %v, want %v", got, want)
	}
	if _, err := Cells([]*Cell{cell(2.5), cell(2.5)}, Options{Dataset: "cifar10-c"}); !errors.Is(err, metrics.ErrDuplicate) {
		t.Errorf("a cell twice: %v", err)
	}
}

// TestMeansOfNoBenchmark: clean images have no means over corruptions.
func TestMeansOfNoBenchmark(t *testing.T) {
	b := &Book{}
	if _, _, err := b.BenchmarkMeans(results.Row{Dataset: "cifar10"}, Baseline{}); !errors.Is(err, metrics.ErrNotComputable) {
		t.Errorf("error %v", err)
	}
	if rows, err := b.Means(results.Row{Dataset: "cifar10"}, "fog"); len(rows) > 0 || err != nil {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestNothingKept: models on the same images without intervals and predictions differ in nothing that can be said, which the error
// says of the right one; other labels are seen without either.
func TestNothingKept(t *testing.T) {
	result := func(model string, keep bool, labels ...int) *Result {
		t.Helper()
		c, err := NewCell("", 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		c.Keep = keep
		for _, label := range labels {
			if err := AddLogits(c, []float32{1, 0}, []int{label}); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Cells([]*Cell{c}, Options{Model: model, Dataset: "d"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a, b := result("a", false, 0, 1, 1), result("b", true, 0, 1, 1)
	if _, err := Compare(a, b); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "a kept neither") {
		t.Errorf("nothing kept of a: %v", err)
	}
	if _, err := Compare(b, a); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "a kept neither") {
		t.Errorf("nothing kept of a, the second: %v", err)
	}
	if _, err := Compare(a, result("b", false, 1, 0, 1)); !errors.Is(err, metrics.ErrLabel) {
		t.Errorf("other labels: %v", err)
	}
	if rows, err := Compare(b, result("c", true, 0, 1, 1)); err != nil || len(rows) != 1 || rows[0].Metric != results.Agreement {
		t.Errorf("both kept: %v, %v", rows, err)
	}
	path := filepath.Join(t.TempDir(), "records.npz")
	for name, err := range map[string]error{
		"Compare": second(Compare(b, nil)), "Compare of nothing": second(Compare(nil, b)), "WriteRecords": WriteRecords(path, b, nil),
	} {
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "a result is nil") {
			t.Errorf("%s with a result that is nil: %v", name, err)
		}
	}
	c, err := NewCell("", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := AddLogits(c, []float32{1, 0}, []int{0}); err != nil {
		t.Fatal(err)
	}
	if _, err := Cells([]*Cell{c}, Options{Bootstrap: Bootstrap{Replicates: 10}}); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "Keep") {
		t.Errorf("intervals of what was not kept: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestCompareOtherDatasets: two names have no differences, also where they were guessed of files of the same images.
func TestCompareOtherDatasets(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	labels := &predictions.Labels{Values: []int{0, 1}}
	of := func(name string, classes int, o Options) *Result {
		row := strings.Repeat(",0", classes-1) + "\n"
		o.Keep, o.Bootstrap.Replicates = true, 10
		return scored(t, Files{Path: write(name, "1"+row+"2"+row), Labels: labels}, o)
	}
	a, b := of("a.csv", 10, Options{}), of("b.csv", 11, Options{})
	_, err := Compare(a, b)
	want := a.Path + " was scored on cifar10, " + b.Path + " on own, "
	if !errors.Is(err, ErrNoDataset) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
	o := Options{Dataset: "mine"}
	if rows, err := Compare(of("a.csv", 10, o), of("b.csv", 11, o)); err != nil || len(rows) == 0 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

// TestOverNoSeeds: the mean over no models is missing, as that of models without the number.
func TestOverNoSeeds(t *testing.T) {
	for _, numbers := range [][]Number{nil, {missing("no rows"), missing("no rows")}} {
		if n := OverSeeds(numbers); n.Has() || n.Note == "" {
			t.Errorf("%d numbers: %+v", len(numbers), n)
		}
	}
}
