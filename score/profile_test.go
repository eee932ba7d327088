package score

import (
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

func TestBenchmarkName(t *testing.T) {
	for _, c := range []struct {
		dataset string
		kind    metrics.Kind
		name    string
		want    string
	}{
		{"mine", metrics.CorruptionKind, "fog", "mine-c"},
		{"mine", metrics.CorruptionKind, "rain", "mine-c"},
		{"mine", metrics.CorruptionKind, "plasma_noise", "mine-c-bar"},
		{"mine", metrics.PerturbationKind, "tilt", "mine-p"},
		{"cifar10", metrics.CorruptionKind, "fog", "cifar10-c"},
		{"imagenet", metrics.CorruptionKind, "plasma_noise", "imagenet-c-bar"},
		{"imagenet", metrics.PerturbationKind, "tilt", "imagenet-p"},
		{"imagenet-64", metrics.CorruptionKind, "fog", "imagenet-c-64"},
		{"mine-c", metrics.CorruptionKind, "fog", "mine-c"},
		{"cifar10-c", metrics.CorruptionKind, "fog", "cifar10-c"},
		{"imagenet-r", metrics.CorruptionKind, "fog", "imagenet-r-c"},
		{"", metrics.CorruptionKind, "fog", ""},
	} {
		if got := benchmarkName(c.dataset, c.kind, []string{c.name}); got != c.want {
			t.Errorf("%q with %s: %q, want %q", c.dataset, c.name, got, c.want)
		}
	}
}

// TestCellsOfRenditions: ImageNet-R is no form made from ImageNet's images, and its error not theirs.
func TestCellsOfRenditions(t *testing.T) {
	c, err := NewCell("", 0, 0)
	if err == nil {
		err = AddLogits(c, []float64{1, 0}, []int{0})
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := Cells([]*Cell{c}, Options{Model: "m", Dataset: "imagenet-r"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Rows {
		if r.Rows[i].Dataset != "imagenet-r" {
			t.Fatalf("%s is of %s", r.Rows[i].Metric, r.Rows[i].Dataset)
		}
	}
	if lines := r.Summary(); len(lines) == 0 {
		t.Error("no summary")
	}
}

// TestCellsOfBase: clean and corrupted images under the name of what the form was made from are told apart.
func TestCellsOfBase(t *testing.T) {
	var cells []*Cell
	for severity, logits := range []([]float64){{1, 0}, {0, 1}} {
		c, err := NewCell([]string{"", "fog"}[severity], float64(severity), 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := AddLogits(c, logits, []int{0}); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	r, err := Cells(cells, Options{Model: "m", Dataset: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	var rows []results.Located
	for _, row := range r.Rows {
		rows = append(rows, results.Located{Row: row})
		if row.Corruption != "" && row.Dataset != "mine-c" {
			t.Errorf("%s of %s is of %s", row.Metric, row.Corruption, row.Dataset)
		}
	}
	if _, err := results.Merge(rows); err != nil || r.Dataset != "mine-c" {
		t.Errorf("%s: %v", r.Dataset, err)
	}
}
