package score

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// TestIntervalsHoldTheirNumbers: resampling makes bins noisier and calibration errors larger, and an interval that is not centered can
// lie above its number.
func TestIntervalsHoldTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	intervalsHold(t, saveSure(t, filepath.Join(dir, "a.npz"), 1.5))

	// One image in a bin of its own is all of the largest error: where it is not drawn, the error is small, and centering goes far.
	const n = 1000
	r := rng.NewKey(5).Rand()
	probs, labels := make([]float32, 3*n), make([]int64, n)
	for i := range labels {
		p := float32(0.34 + 0.26*r.Float64())
		probs[3*i], probs[3*i+1], probs[3*i+2] = p, (1-p)/2, (1-p)/2
		if r.Float64() > float64(p) {
			labels[i] = 1 + int64(r.IntN(2))
		}
	}
	probs[0], probs[1], probs[2], labels[0] = 0.99, 0.005, 0.005, 1
	intervalsHold(t, saveZip(t, filepath.Join(dir, "b.npz"), map[string]*npy.Array{
		"labels": {Shape: []int{n}, Data: labels}, "probs": {Shape: []int{n, 3}, Data: probs},
	}))
}

func intervalsHold(t *testing.T, path string) {
	t.Helper()
	calibration := 0
	for _, r := range scored(t, Files{Path: path}, Options{Bootstrap: Bootstrap{Replicates: 200}, Time: time.Unix(1, 0)}).Rows {
		if r.Interval == nil {
			continue
		}
		bounded := strings.Contains(r.Metric, "calibration") || strings.HasSuffix(r.Metric, "ece")
		if bounded {
			calibration++
		}
		if !(r.Interval.Lo >= 0 && r.Interval.Lo <= r.Value && r.Value <= r.Interval.Hi) || bounded && r.Interval.Hi > 1 {
			t.Errorf("%s is %v, its interval %v to %v", r.Metric, r.Value, r.Interval.Lo, r.Interval.Hi)
		}
	}
	if calibration < 4 {
		t.Errorf("intervals of %d calibration errors, such as %s", calibration, results.ECE)
	}
}

// TestDifferencesHoldTheirNumbers: a calibration error near zero grows more in resampling than a large one, so that the interval of
// their difference would lie beside it. The records' intervals and those of Compare are alike.
func TestDifferencesHoldTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	o := Options{Dataset: "drawn", Bootstrap: Bootstrap{Replicates: 200}, Keep: true, Time: time.Unix(1, 0)}
	var all []*Result
	for i, spread := range []float32{1.5, 15} {
		o.Model = []string{"fair", "sure"}[i]
		all = append(all, scored(t, Files{Path: saveSure(t, filepath.Join(dir, o.Model+".npz"), spread)}, o))
	}
	path := filepath.Join(dir, records.FileName)
	if err := WriteRecords(path, all...); err != nil {
		t.Fatal(err)
	}
	f, err := records.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	differences, err := Compare(all[0], all[1])
	if err != nil {
		t.Fatal(err)
	}
	models := []*Recorded{NewRecorded(f, all[0].Model, results.View{}), NewRecorded(f, all[1].Model, results.View{})}
	for _, d := range differences {
		if d.Metric != results.RMSCalibration {
			continue
		}
		cell := results.ByCell(&d)
		cell.Against = ""
		iv, err := NewPairs(models, cell, 200).Minus([]int{0}, []int{1})
		if err != nil {
			t.Fatal(err)
		}
		for what, x := range map[string][3]float64{
			"records": {iv.Estimate, iv.Lo, iv.Hi}, "Compare": {d.Value, d.Interval.Lo, d.Interval.Hi},
		} {
			if middle := (x[1] + x[2]) / 2; math.Abs(middle-x[0]) > (x[2]-x[1])/8 {
				t.Errorf("%s: the difference is %v, its interval %v to %v", what, x[0], x[1], x[2])
			}
		}
		return
	}
	t.Error("no difference of RMS calibration errors")
}

// saveSure writes predictions of a model that is the surer of itself the larger spread is, and returns path.
func saveSure(t *testing.T, path string, spread float32) string {
	t.Helper()
	const n, classes = 1037, 10
	r := rng.NewKey(4).Rand()
	logits, labels := make([]float32, n*classes), make([]int64, n)
	r.FillNormal32(logits)
	for i := range labels {
		labels[i] = int64(r.IntN(classes))
		for k := range classes {
			logits[i*classes+k] *= spread
		}
		logits[i*classes+int(labels[i])] += 2
	}
	return saveZip(t, path, map[string]*npy.Array{
		"labels": {Shape: []int{n}, Data: labels}, "logits": {Shape: []int{n, classes}, Data: logits},
	})
}

// TestDetectionHoldsItsNumber: of images that are drawn again thresholds are fewer, and average precision grows: that of a model which
// takes every odd image for a normal one lay below all of its replicates.
func TestDetectionHoldsItsNumber(t *testing.T) {
	normal, odd := make([]float64, 200), make([]float64, 40)
	for i := range normal {
		normal[i] = 1 + float64(i)
	}
	for i := range odd {
		odd[i] = -float64(i)
	}
	of := &taking{bootstrap: &Bootstrap{Replicates: 200, Level: 0.95}}
	if err := of.detection(results.Row{Model: "m", Dataset: "drawn"}, normal, odd); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(of.rows, func(r results.Row) bool { return r.Metric == results.AUPR })
	if r := of.rows[i]; !(r.Interval.Lo < r.Value && r.Value < r.Interval.Hi) {
		t.Errorf("AUPR %v, interval %+v", r.Value, *r.Interval)
	}
}
