package score

import (
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/metrics"
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
