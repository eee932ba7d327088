package metrics

import (
	"errors"
	"math"
	"testing"
)

// TestOverSeeds: by hand, with 4.302653 and 12.7062, Student's 97.5 % quantiles for two degrees of freedom and for one.
func TestOverSeeds(t *testing.T) {
	for _, c := range []struct {
		values   []float64
		mean, lo float64
	}{
		{[]float64{1, 2, 3}, 2, 2 - 4.302653/math.Sqrt(3)},
		{[]float64{0.25, 0.35}, 0.3, 0.3 - 12.7062*0.05},
		{[]float64{5, 5, 5, 5}, 5, 5},
	} {
		iv, err := OverSeeds(c.values, 0.95)
		if err != nil || math.Abs(iv.Estimate-c.mean) > 1e-12 || math.Abs(iv.Lo-c.lo) > 1e-5 ||
			math.Abs(iv.Hi+iv.Lo-2*iv.Estimate) > 1e-12 || iv.Level != 0.95 || iv.Replicates != len(c.values) {
			t.Errorf("%v: %+v, %v", c.values, iv, err)
		}
	}
	for _, values := range [][]float64{nil, {1}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if _, err := OverSeeds(values, 0.95); !errors.Is(err, ErrUndefined) {
			t.Errorf("%v: %v", values, err)
		}
	}
	if _, err := OverSeeds([]float64{1, 2}, 1); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// TestMeanOf: replicate by replicate the mean; of one statistic it is that one.
func TestMeanOf(t *testing.T) {
	of := func(estimate float64, values ...float64) *Resampled {
		return &Resampled{estimate: estimate, values: values, opt: BootstrapOptions{Level: 0.5, Replicates: 3}}
	}
	a, err := MeanOf(of(4, 3, 4, 5), of(6, 5, 6, 9)) // 5: 4, 5, 7
	if err != nil {
		t.Fatal(err)
	}
	b, err := MeanOf(of(2, 2, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	if iv, err := a.Minus(b); err != nil || iv.Estimate != 3 || iv.Lo != 3 || iv.Hi != 4.5 { // 2, 4, 5
		t.Errorf("%+v, %v", iv, err)
	}
	if _, err := MeanOf(); !errors.Is(err, ErrLength) {
		t.Error(err)
	}
	if _, err := MeanOf(of(1, 1, 1, 1), of(1, 1, 1)); !errors.Is(err, ErrLength) {
		t.Error(err)
	}
	if _, err := MeanOf(of(1, 1, 1, 1), &Resampled{err: ErrUndefined}); !errors.Is(err, ErrUndefined) {
		t.Error(err)
	}
}
