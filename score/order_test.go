package score

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// TestOrder: the order of classes is told whatever their numbers are.
func TestOrder(t *testing.T) {
	sum := func(labels ...int) string {
		var o order
		for _, l := range labels {
			o.add(l)
		}
		var r results.Row
		o.mark(&r)
		return r.Versions[results.VersionOrder]
	}
	if a, b := sum(3, 7, 3, 0), sum(1, 0, 1, 2); a != b || a == "" {
		t.Errorf("other numbers: %s, %s", a, b)
	}
	for _, other := range [][]int{{3, 3, 7, 0}, {3, 7, 3}, {3, 7, 3, 0, 0}} {
		if sum(other...) == sum(3, 7, 3, 0) {
			t.Errorf("%v has the order of others", other)
		}
	}
	if sum() != "" {
		t.Error("no images have an order")
	}
}

// TestOrderOfFiles: every row of labeled images says the order of their classes, whoever reads them and whether outcomes are kept, and
// the same images in another order say another one.
func TestOrderOfFiles(t *testing.T) {
	const n = 900 // several batches
	r := rand.New(rand.NewPCG(1, 2))
	logits, labels := make([]float64, n*classes), make([]int, n)
	for i := range logits {
		logits[i] = r.NormFloat64()
	}
	for i := range labels {
		labels[i] = r.IntN(classes)
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{n, classes}, Data: logits}); err != nil {
		t.Fatal(err)
	}
	cell, err := NewCell("", 0, 0)
	if err == nil {
		err = AddLogits(cell, logits, labels)
	}
	if err != nil {
		t.Fatal(err)
	}
	memory, err := Cells([]*Cell{cell}, Options{Model: "m", Dataset: "own"})
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Rows[0].Versions[results.VersionOrder]
	if want == "" {
		t.Fatal("rows do not say the order")
	}
	backwards := slices.Clone(labels)
	slices.Reverse(backwards)
	for _, workers := range []int{1, 4} {
		for _, keep := range []bool{false, true} {
			for same, labels := range map[bool][]int{true: labels, false: backwards} {
				f := Files{Path: path, Labels: &predictions.Labels{Values: labels}, Workers: workers}
				m, err := f.Score(t.Context(), Options{Dataset: "own", Keep: keep, Versions: map[string]string{"own": "1"}})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range m.Rows {
					if got := row.Versions[results.VersionOrder]; got == "" || (got == want) != same || row.Versions["own"] != "1" {
						t.Fatalf("%d workers, kept %t, same order %t: %s is of %q, want %q", workers, keep, same, row.Metric, got, want)
					}
				}
			}
		}
	}
}
