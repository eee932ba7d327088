package score

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// TestWorkers: any number of workers makes the same rows, with what is kept of each image and without.
func TestWorkers(t *testing.T) {
	const rows, classes = 700, 1000 // eleven batches
	r := rand.New(rand.NewPCG(1, 2))
	logits, labels := make([]float32, rows*classes), &predictions.Labels{}
	for i := range rows {
		label := r.IntN(classes)
		labels.Values = append(labels.Values, label)
		for k := range classes {
			logits[i*classes+k] = float32(2 * r.NormFloat64())
		}
		logits[i*classes+label] += 7
	}
	path := filepath.Join(t.TempDir(), "logits.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{rows, classes}, Data: logits}); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{
		{PerClass: true}, {Bootstrap: Bootstrap{Replicates: 5}}, {Metrics: Metrics{Uncalibrated: true}, Keep: true},
	} {
		o.Model, o.Time = "m", time.Unix(1, 0)
		var want *Result
		for _, workers := range []int{1, 2, 3, 4, 5, 8, 13} {
			got := scored(t, Files{Path: path, Labels: labels, Workers: workers}, o)
			if want == nil {
				want = got
			}
			if !slices.EqualFunc(got.Rows, want.Rows, func(x, y results.Row) bool { return lineOf(t, &x) == lineOf(t, &y) }) {
				t.Errorf("%d workers make other rows", workers)
			}
			if !slices.Equal(got.cells[0].samples.NLL, want.cells[0].samples.NLL) || !slices.Equal(got.cells[0].truth, want.cells[0].truth) {
				t.Errorf("%d workers keep the images in another order", workers)
			}
		}
	}
}

// TestMetricsWorkers: as many metrics of a cell are computed at once as there are workers.
func TestMetricsWorkers(t *testing.T) {
	cell, err := NewCell("", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var now, most atomic.Int32
	list := make([]scalar, 24)
	for i := range list {
		list[i].of = func(*metrics.Classification) (float64, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			time.Sleep(time.Millisecond)
			return 0, nil
		}
	}
	for _, workers := range []int{1, 2} {
		most.Store(0)
		cell.values(list, false, workers)
		if n := int(most.Load()); n > workers {
			t.Errorf("%d at once of %d workers", n, workers)
		}
	}
}
