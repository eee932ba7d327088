package score

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
)

// TestNumbers: class numbers have errors of all classes and the confusions of all, and two models of them can be compared, also with
// one of logits.
func TestNumbers(t *testing.T) {
	dir := t.TempDir()
	one := func(name string, a *npy.Array) Files {
		labels := &npy.Array{Shape: []int{4}, Data: []int64{0, 3, 3, 4}}
		return Files{Path: saveZip(t, filepath.Join(dir, name+".npz"), map[string]*npy.Array{"labels": labels, "predictions": a})}
	}
	o := Options{PerClass: true, Keep: true, Bootstrap: Bootstrap{Replicates: 20}, Time: time.Unix(1, 0)}
	a := scored(t, one("a", &npy.Array{Shape: []int{4}, Data: []int64{0, 3, 5, 0}}), o)
	b := scored(t, one("b", &npy.Array{Shape: []int{4}, Data: []int64{0, 3, 3, 0}}), o)
	logits := make([]float32, 4*6)
	for i, class := range []int{1, 3, 5, 4} {
		logits[i*6+class] = 1
	}
	c := scored(t, one("c", &npy.Array{Shape: []int{4, 6}, Data: logits}), o)

	errors := map[string]float64{}
	for _, r := range a.Rows {
		if r.Class != "" && r.Metric == results.Top1Error {
			errors[r.Class] = r.Value
		}
	}
	if len(errors) != 3 || errors["0"] != 0 || errors["3"] != 0.5 || errors["4"] != 1 {
		t.Errorf("errors by class %v", errors)
	}
	if n := a.ByClass().Classes(); n != 6 || a.ByClass().Count(4, 0) != 1 {
		t.Errorf("a matrix of %d classes, want 6", n)
	}
	for _, x := range []struct {
		with *Result
		want float64
	}{{b, 0.75}, {c, 0.5}} {
		rows, err := Compare(a, x.with)
		if err != nil {
			t.Fatal(err)
		}
		if last := rows[len(rows)-1]; last.Metric != results.Agreement || last.Value != x.want {
			t.Errorf("the last row is %s %v, want an agreement of %v", last.Metric, last.Value, x.want)
		}
	}
}
