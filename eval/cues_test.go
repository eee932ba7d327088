package eval

import (
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/raster"
)

// TestCuesRefuses: logits that are no numbers are an error, and no prediction of the first category.
func TestCuesRefuses(t *testing.T) {
	set := &memory{format: "folder", samples: []sample{{"cat/cat1-dog2", 0, raster.New(8, 8)}}}
	model := colors()
	model.Do = func(dst, _ []float32, _ int) error {
		dst[1] = float32(math.NaN())
		return nil
	}
	e := &Evaluator{Model: Model{Predictor: model, Name: "m"}, Dataset: "cue-conflict"}
	err := e.Cues(t.Context(), &CueSuite{Open: set.again, Categories: []string{"cat", "dog"}, Members: [][]int{{0}, {1, 2}}})
	if !errors.Is(err, metrics.ErrLogit) {
		t.Errorf("error %v, rows %v", err, e.Rows)
	}
}
