package metrics_test

import (
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/metrics"
)

// TestEnsembleRows: probabilities of logits and probabilities are added up; a row that cannot be scored is refused.
func TestEnsembleRows(t *testing.T) {
	dst := make([]float64, 3)
	if err := metrics.AddSoftmax(dst, 0, []float32{0, float32(math.Log(2)), float32(math.Log(5))}); err != nil {
		t.Fatal(err)
	}
	if err := metrics.AddProbs(dst, 0, []float64{0.5, 0.25, 0.25}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.125 + 0.5, 0.25 + 0.25, 0.625 + 0.25} {
		if math.Abs(dst[i]-want) > 1e-7 {
			t.Errorf("class %d: %v, want %v", i, dst[i], want)
		}
	}
	if err := metrics.AddSoftmax(dst, 7, []float64{0, math.NaN(), 0}); !errors.Is(err, metrics.ErrLogit) {
		t.Errorf("NaN: %v", err)
	}
	if err := metrics.AddProbs(dst, 7, []float32{0.5, 0.2, 0.2}); !errors.Is(err, metrics.ErrProb) {
		t.Errorf("a sum of 0.9: %v", err)
	}
}
