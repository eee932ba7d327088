package score

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// cellOf returns a cell of so many images of two classes, of which the first are predicted wrongly.
func cellOf(t *testing.T, corruption string, severity, n, wrong int) *Cell {
	t.Helper()
	c, err := NewCell(corruption, float64(severity), 0)
	if err != nil {
		t.Fatal(err)
	}
	c.Keep = true
	for i := range n {
		logits := []float64{1, 0}
		if (i < wrong) == (i%2 == 0) {
			logits[0], logits[1] = logits[1], logits[0]
		}
		if err := AddLogits(c, logits, []int{i % 2}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func errorOf(r *Result, corruption string, severity int) *results.Row {
	for i := range r.Rows {
		x := &r.Rows[i]
		if x.Corruption == corruption && x.Severity == float64(severity) && x.Metric == results.Top1Error && x.View == (results.View{}) {
			return x
		}
	}
	return nil
}

func TestCells(t *testing.T) {
	o := Options{Model: "m", Dataset: "d-c", Bootstrap: Bootstrap{Replicates: 50, Seed: 7}}
	cells := []*Cell{cellOf(t, "", 0, 20, 1)}
	for s := 1; s <= 5; s++ {
		cells = append(cells, cellOf(t, "mine", s, 20, 2*s))
	}
	r, err := Cells(cells, o)
	if err != nil {
		t.Fatal(err)
	}
	if x := errorOf(r, "", 0); x == nil || x.Value != 0.05 || x.Dataset != "d" || x.Interval == nil || *x.Seed != 7 {
		t.Errorf("clean %+v", x)
	}
	if x := errorOf(r, "mine", 5); x == nil || x.Value != 0.5 || x.Dataset != "d-c" || x.Interval != nil {
		t.Errorf("severity 5 %+v", x)
	}
	if x := errorOf(r, "mine", 0); x == nil || math.Abs(x.Value-0.3) > 1e-15 || x.N != 100 || x.Interval == nil {
		t.Errorf("mean %+v", x)
	}
	if _, err := Compare(r, r); !errors.Is(err, ErrOption) {
		t.Errorf("a model against itself: %v", err)
	}
}

// videosOf returns a cell of n videos of two frames and two classes.
func videosOf(t *testing.T, perturbation string, n int) *Cell {
	t.Helper()
	c, err := NewSequences(perturbation, 1, false)
	for range n {
		if err == nil {
			err = AddVideo(c, []float32{1, 0, 0, 1}, 2)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCellsRefuse(t *testing.T) {
	o := Options{Model: "m", Dataset: "imagenet-c"}
	videos, err := NewSequences("tilt", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	unknown := cellOf(t, "fog", 1, 4, 0)
	unknown.Severity = math.NaN()
	for name, c := range map[string]struct {
		cells []*Cell
		o     Options
		want  error
	}{
		"none":             {nil, o, ErrOption},
		"a nil cell":       {[]*Cell{nil}, o, ErrOption},
		"one more, nil":    {[]*Cell{cellOf(t, "fog", 1, 4, 0), nil}, o, ErrOption},
		"a misspelt name":  {[]*Cell{cellOf(t, "fogg", 1, 4, 0)}, o, metrics.ErrName},
		"twice":            {[]*Cell{cellOf(t, "fog", 1, 4, 0), cellOf(t, "fog", 1, 4, 0)}, o, metrics.ErrDuplicate},
		"other numbers":    {[]*Cell{cellOf(t, "fog", 1, 4, 0), cellOf(t, "fog", 2, 6, 0)}, o, metrics.ErrLength},
		"videos, images":   {[]*Cell{cellOf(t, "fog", 1, 4, 0), videos}, o, ErrOption},
		"videos, videos":   {[]*Cell{videosOf(t, "tilt", 2), videosOf(t, "scale", 3)}, Options{Model: "m", Dataset: "imagenet-p"}, metrics.ErrLength},
		"severity 0":       {[]*Cell{cellOf(t, "fog", 0, 4, 0)}, o, ErrOption},
		"severity NaN":     {[]*Cell{unknown}, o, ErrOption},
		"severity 6":       {[]*Cell{cellOf(t, "fog", 6, 4, 0)}, o, ErrOption},
		"a clean severity": {[]*Cell{cellOf(t, "", 3, 4, 0)}, o, ErrOption},
		"clean twice":      {[]*Cell{cellOf(t, "", 0, 4, 0), cellOf(t, "", 0, 4, 0)}, o, metrics.ErrDuplicate},
		"one replicate":    {nil, Options{Bootstrap: Bootstrap{Replicates: 1}}, ErrOption},
		"a level":          {nil, Options{Bootstrap: Bootstrap{Level: 1}}, ErrOption},
		"a difficulty":     {nil, Options{Difficulty: -1}, ErrOption},
		"a benchmark of P": {[]*Cell{cellOf(t, "fog", 1, 4, 0)}, Options{Dataset: "imagenet-p"}, metrics.ErrNotComputable},
	} {
		if _, err := Cells(c.cells, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	swapped := cellOf(t, "fog", 2, 4, 0)
	other, err := NewCell("fog", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := AddLogits(other, []float32{1, 0, 1, 0, 0, 1, 0, 1}, []int{0, 0, 1, 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := Cells([]*Cell{other, swapped}, o); !errors.Is(err, metrics.ErrLabel) {
		t.Errorf("labels in another order: %v", err)
	}
	if err := AddLogits(other, []float32{1, 0, 1}, []int{0, 0}); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("three logits of two labels: %v", err)
	}
	if _, err := NewCell("", 0, 20000); !errors.Is(err, metrics.ErrOption) {
		t.Errorf("20000 bins: %v", err)
	}
}

// TestSummaryOfSets: a mean of detection metrics says over how many sets it is.
func TestSummaryOfSets(t *testing.T) {
	r := &Result{Rows: []results.Row{{Dataset: "cifar10", Metric: results.AUROC, Value: 0.9}}}
	r.Dataset = "cifar10"
	for _, set := range []string{"svhn", "blobs"} {
		r.Rows = append(r.Rows, results.Row{Dataset: "cifar10", Metric: results.AUROC, View: results.View{OOD: set}})
	}
	if lines := r.Summary(); len(lines) != 3 || lines[0].Label != "AUROC (mean over 2 sets)" || lines[1].Label != "AUROC, svhn" {
		t.Errorf("%+v", lines)
	}
}

// MedMNIST-C's sets have some corruptions of ImageNet-C's names, and means over their own lists.
func TestBenchmarkOfMedMNISTC(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"jpeg_compression", "bubble", "pixelate"}, []string{"jpeg_compression", "bubble", "pixelate"}},
		{[]string{"black_corner"}, []string{"black_corner"}},
	} {
		p, err := BenchmarkOf("path-c", metrics.CorruptionKind, c.names)
		if err != nil || !slices.Equal(p.Primary(), c.want) {
			t.Errorf("%v: %v (%v)", c.names, p, err)
		}
	}
	if p, err := BenchmarkOf("path-c", metrics.CorruptionKind, []string{"jpeg_compression", "pixelate"}); err != nil || len(p.Primary()) != 15 {
		t.Errorf("names of ImageNet-C alone: %v (%v)", p, err)
	}
}

// TestCellsPerClass: whose cells did not count by class is told that, and not that there are no clean images.
func TestCellsPerClass(t *testing.T) {
	for corruption, want := range map[string]string{"": "did not count by class", "fog": "and there are none"} {
		severity := 0
		if corruption != "" {
			severity = 1
		}
		r, err := Cells([]*Cell{cellOf(t, corruption, severity, 4, 0)}, Options{Model: "m", Dataset: "imagenet-c", PerClass: true})
		if err != nil || !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q: %v, %q", corruption, err, r.Notes)
		}
	}
}
