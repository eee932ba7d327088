package score

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

func TestUnpaired(t *testing.T) {
	a := Number{State: Given, Value: 0.5, Lo: 0.47, Hi: 0.52, Level: 0.95}
	b := Number{State: Given, Value: 0.3, Lo: 0.26, Hi: 0.34, Level: 0.95}
	lo, hi, ok := Unpaired(&a, &b)
	if !ok || math.Abs(lo-(0.2-0.05)) > 1e-12 || math.Abs(hi-(0.2+math.Hypot(0.02, 0.04))) > 1e-12 {
		t.Errorf("%v %v %v", lo, hi, ok)
	}
	b.Level = 0.9
	if _, _, ok := Unpaired(&a, &b); ok {
		t.Error("two levels")
	}
	b.Level, b.Lo = 0.95, 0.31 // a biased interval, as those of calibration errors can be
	if _, _, ok := Unpaired(&a, &b); ok {
		t.Error("an interval without its value")
	}
}

func TestWilson(t *testing.T) {
	// Agresti and Coull (1998): 0 of 10 gives [0, 0.278]; 5 of 10 [0.237, 0.763].
	for _, c := range [][4]float64{{0, 10, 0, 0.2775}, {0.5, 10, 0.2366, 0.7634}, {1, 10, 0.7225, 1}} {
		if lo, hi := Wilson(c[0], c[1]); math.Abs(lo-c[2]) > 1e-4 || math.Abs(hi-c[3]) > 1e-4 {
			t.Errorf("%v: %v %v", c, lo, hi)
		}
	}
}

// The mean over out-of-distribution sets resamples the test set once for all of them.
func TestMeanDetection(t *testing.T) {
	normal, odd := []float64{1, 2, 3, 4}, [][]float64{{3.5, 5}, {0, 6, 2.5}}
	m := &meanDetection{strata: []int{4, 2, 3}}
	want := 0.0
	for _, o := range odd {
		var d metrics.Detection
		if err := errors.Join(d.AddAll(normal, false), d.AddAll(o, true)); err != nil {
			t.Fatal(err)
		}
		set, err := d.Statistic(metrics.AUROC)
		if err != nil {
			t.Fatal(err)
		}
		m.sets = append(m.sets, set)
	}
	// Weights: test set 2,0,1,1; first set 0,2; second 1,1,1. By hand: 5 beats all four, so 1; 0 beats none, 6 all, and
	// 2.5 the twice counted 1, so 0, 1 and 2/4.
	want = (1 + (0+1+0.5)/3) / 2
	if got := m.Weighted([]uint32{2, 0, 1, 1, 0, 2, 1, 1, 1}); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSure: an error that no replicate differs from has Wilson's interval, of images whatever they were corrupted by.
func TestSure(t *testing.T) {
	for _, right := range []bool{true, false} {
		var cells []*Cell
		for severity := range 6 {
			corruption := "fog"
			if severity == 0 {
				corruption = ""
			}
			c, err := NewCell(corruption, float64(severity), 0)
			if err != nil {
				t.Fatal(err)
			}
			c.Keep = true
			for range 50 {
				if err := AddLogits(c, []float64{1, 0}, []int{map[bool]int{true: 0, false: 1}[right]}); err != nil {
					t.Fatal(err)
				}
			}
			cells = append(cells, c)
		}
		r, err := Cells(cells, Options{Model: "m", Dataset: "cifar10-c", Bootstrap: Bootstrap{Replicates: 20}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), records.FileName)
		if err := WriteRecords(path, r); err != nil {
			t.Fatal(err)
		}
		f, err := records.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		seen := 0
		for _, row := range r.Rows {
			if row.Metric != results.Top1Error || row.Interval == nil {
				continue
			}
			seen++
			lo, hi := Wilson(row.Value, 50)
			if math.Abs(row.Interval.Lo-lo)+math.Abs(row.Interval.Hi-hi) > 1e-12 || hi-lo < 0.05 {
				t.Errorf("%s %s: %+v of %v, want %v to %v", row.Dataset, row.Corruption, *row.Interval, row.Value, lo, hi)
			}
			d := Intervals([]*Recorded{NewRecorded(f, "m", results.View{})}, []float64{row.Value}, results.ByCell(&row), 20)[0]
			if d.Err != nil || d.Interval.Lo != row.Interval.Lo || d.Interval.Hi != row.Interval.Hi {
				t.Errorf("%s %s: from records %+v, %v", row.Dataset, row.Corruption, d.Interval, d.Err)
			}
		}
		if seen < 2 {
			t.Errorf("%d intervals of errors", seen)
		}
	}
}
