package eval

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// TestMeasuredAgain: what is measured again with other last digits, as a model in another program may have, keeps its rows, and no row
// contradicts another. With other numbers nothing of what is kept changes.
func TestMeasuredAgain(t *testing.T) {
	dir := t.TempDir()
	measure := func(calibration bool, noise float32) error {
		t.Helper()
		known, err := results.ReadFile(filepath.Join(dir, results.FileName))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		rows, err := results.OpenAppend(filepath.Join(dir, results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		rec, err := OpenRecorder(filepath.Join(dir, records.FileName))
		if err != nil {
			t.Fatal(err)
		}
		here := near()
		exact := here.Do
		here.Do = func(dst, x []float32, n int) error {
			err := exact(dst, x, n)
			for i := range dst {
				dst[i] += noise * float32(i%3)
			}
			return err
		}
		e := &Evaluator{
			Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Calibration: calibration,
			Store: Store{Records: rec, Known: results.Rows(known), Results: rows, Confusion: filepath.Join(dir, "confusion")}, PerClass: true,
		}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog"}, Open: small().again}
		c.Plan = transform.Corruptions{Severities: []float64{1, 5}}
		if err := e.Clean(t.Context(), small(), Prepare{}); err != nil {
			return err
		}
		return e.Corruptions(t.Context(), c)
	}
	files := func() map[string]string {
		out := map[string]string{}
		for _, name := range []string{results.FileName, records.FileName, "confusion/set.csv"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(text)
		}
		return out
	}
	if err := measure(false, 0); err != nil {
		t.Fatal(err)
	}
	before := files()
	if err := measure(true, 1); !errors.Is(err, ErrChanged) {
		t.Errorf("other numbers: %v", err)
	}
	if after := files(); !maps.Equal(before, after) {
		t.Error("other numbers have changed what is kept")
	}
	if err := measure(true, 1e-6); err != nil {
		t.Fatal(err)
	}
	merged, err := results.MergeFiles(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	calibrated := 0
	for i := range merged {
		if merged[i].Metric == results.ECE {
			calibrated++
		}
	}
	if calibrated != 3 {
		t.Errorf("%d calibration errors", calibrated)
	}
}
