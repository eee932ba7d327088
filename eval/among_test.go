package eval

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
)

// thousand is a model of 1000 classes whose logit of class 7 is 9, of class 3 the brightness of the image's first pixel, 0 to 4, of
// class 500 2, and of the others 0.
func thousand() *Func {
	return &Func{H: 8, W: 8, Class: 1000, Batch: 3, Norm: mix.Unit, Do: func(dst, x []float32, n int) error {
		clear(dst)
		for i := range n {
			dst[i*1000+3], dst[i*1000+7], dst[i*1000+500] = 4*x[i*len(x)/n], 9, 2
		}
		return nil
	}}
}

// TestAmong: predictions, probabilities, saved logits and calibration are those of the classes that were chosen.
func TestAmong(t *testing.T) {
	p, err := Among(thousand(), []int{500, 3}, []string{"chime", "shark"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.(Differentiable); ok {
		t.Error("a function has gradients")
	}
	dir := t.TempDir()
	e := &Evaluator{
		Model: Model{Predictor: p, Name: "m"}, Dataset: "grays", Among: 2, Calibration: true, Store: Store{LogitsDir: dir},
	}
	// grays have label 0 where they are brighter than 1/2: of the four the model is right about none: the bright ones are taken
	// for class 1 of the two, the dark ones for class 0.
	values := []uint8{255, 204, 51, 0}
	src, err := openGrays(values...)()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Clean(t.Context(), src, Prepare{}); err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, v := range values {
		shark := 4 * float64(v) / 255
		wrong := math.Abs(shark - 2) // the winner's logit minus the label's
		want += math.Log(1+math.Exp(wrong)) / float64(len(values))
	}
	found := 0
	for _, r := range e.Rows {
		if r.Among != 2 {
			t.Errorf("%v does not say among how many", r.Key())
		}
		switch r.Metric {
		case results.Top1Error:
			found++
			if r.Value != 1 || r.N != 4 {
				t.Errorf("error %v of %d, want 1 of 4", r.Value, r.N)
			}
		case results.NLL:
			found++
			if math.Abs(r.Value-want) > 1e-6 {
				t.Errorf("NLL %v, by hand %v", r.Value, want)
			}
		}
	}
	if found != 2 {
		t.Errorf("error and NLL: %d rows", found)
	}
	a, err := npy.ReadFile(filepath.Join(dir, "grays.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if logits, ok := a.Data.([]float32); !ok || !slices.Equal(a.Shape, []int{4, 2}) || logits[0] != 2 || math.Abs(float64(logits[1])-4) > 1e-6 {
		t.Errorf("saved: %v %v", a.Shape, a.Data)
	}
	for _, classes := range [][]int{nil, {-1}, {1000}, {3, 4, 3}} {
		if _, err := Among(thousand(), classes, nil); !errors.Is(err, ErrOption) {
			t.Errorf("%v: %v", classes, err)
		}
	}
	if _, err := Among(thousand(), []int{3}, []string{"a", "b"}); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

func ExampleAmong() {
	// A model of four classes prefers the last, which the test set has not.
	model := &Func{H: 8, W: 8, Class: 4, Batch: 1, Do: func(dst, x []float32, n int) error {
		copy(dst, []float32{0, 1, 2, 3})
		return nil
	}}
	some, err := Among(model, []int{2, 0}, []string{"shark", "tench"})
	if err != nil {
		panic(err)
	}
	logits := make([]float32, some.Classes())
	if err := some.Predict(logits, make([]float32, 3*8*8), 1); err != nil {
		panic(err)
	}
	fmt.Println(logits)
	// Output: [2 0]
}
