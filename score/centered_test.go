package score

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// TestIntervalsHoldTheirNumbers: resampling makes bins noisier and calibration errors larger, and an interval that is not centered can
// lie above its number.
func TestIntervalsHoldTheirNumbers(t *testing.T) {
	const n, classes = 1037, 10
	r := rng.NewKey(4).Rand()
	logits, labels := make([]float32, n*classes), make([]int64, n)
	r.FillNormal32(logits)
	for i := range labels {
		labels[i] = int64(r.IntN(classes))
		for k := range classes {
			logits[i*classes+k] *= 1.5
		}
		logits[i*classes+int(labels[i])] += 2
	}
	path := saveZip(t, filepath.Join(t.TempDir(), "a.npz"), map[string]*npy.Array{
		"labels": {Shape: []int{n}, Data: labels}, "logits": {Shape: []int{n, classes}, Data: logits},
	})
	calibration := 0
	for _, r := range scored(t, Files{Path: path}, Options{Bootstrap: Bootstrap{Replicates: 200}, Time: time.Unix(1, 0)}).Rows {
		if r.Interval == nil {
			continue
		}
		if strings.Contains(r.Metric, "calibration") || strings.HasSuffix(r.Metric, "ece") {
			calibration++
		}
		if !(r.Interval.Lo >= 0 && r.Interval.Lo <= r.Value && r.Value <= r.Interval.Hi) {
			t.Errorf("%s is %v, its interval %v to %v", r.Metric, r.Value, r.Interval.Lo, r.Interval.Hi)
		}
	}
	if calibration < 4 {
		t.Errorf("intervals of %d calibration errors, such as %s", calibration, results.ECE)
	}
}
