package predictions_test

import (
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
)

// The rows after those that were skipped are the same ones, with their labels.
func TestSkip(t *testing.T) {
	const rows, classes = 50000, 2 // more than one batch
	values := make([]float64, rows*classes)
	labels := &predictions.Labels{Values: make([]int, rows/5)}
	for i := range values {
		values[i] = float64(i)
	}
	for i := range labels.Values {
		labels.Values[i] = i % 2
	}
	path := filepath.Join(t.TempDir(), "p.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{rows, classes}, Data: values}); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 5, 40001, rows - 1, rows, rows + 1} {
		r, err := predictions.Open(path, predictions.Options{Labels: labels, Repeat: 5, Block: rows / 5})
		if err != nil {
			t.Fatal(err)
		}
		var b predictions.Batch
		if err := r.Skip(n); err != nil {
			t.Fatal(err)
		}
		err = r.Next(&b)
		switch {
		case n == rows:
			if err == nil {
				t.Errorf("%d rows after the last one", b.Rows)
			}
		case err != nil:
			t.Error(n, err)
		case n == 40001 && b.First != n || b.First > n:
			t.Errorf("the row after %d is %d", n, b.First)
		case b.F64[0] != float64(b.First*classes) || b.Labels[0] != labels.Values[b.First%len(labels.Values)] || b.First/10000 != (b.First+b.Rows-1)/10000:
			t.Errorf("row %d has %v and label %d of %d rows", b.First, b.F64[0], b.Labels[0], b.Rows)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
