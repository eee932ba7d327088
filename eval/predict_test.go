package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
)

// brightest is a classifier of 4x4 images by their channel with the largest mean.
func brightest() *eval.Func {
	return &eval.Func{H: 4, W: 4, Class: 3, Batch: 2, Norm: mix.Unit, Do: func(dst, x []float32, n int) error {
		for i := range n * 3 {
			dst[i] = 0
			for _, v := range x[i*16:][:16] {
				dst[i] += v
			}
		}
		return nil
	}}
}

func ExamplePredict() {
	src, err := formats.Open("scenes:n=8,size=16,split=test", formats.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	model := eval.Model{Predictor: brightest()}
	prepare := eval.Prepare{Size: 4, Filter: augment.Bilinear, Crop: 4}
	err = eval.Predict(context.Background(), model, data.Limit(src, 2), prepare, 1, 0, func(p *eval.Prediction) error {
		fmt.Println(p.Key, "shows class", p.Top[0].Name)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// test/0000000 shows class 2
	// test/0000004 shows class 2
}

func TestPredict(t *testing.T) {
	open := func() data.Source {
		src, err := formats.Open("scenes:n=8,size=16,split=test", formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = src.Close() })
		return data.Limit(src, 5)
	}
	model, prepare := eval.Model{Predictor: brightest()}, eval.Prepare{Size: 4, Filter: augment.Bilinear, Crop: 4}
	var keys []string
	err := eval.Predict(t.Context(), model, open(), prepare, 9, 2, func(p *eval.Prediction) error {
		keys = append(keys, p.Key)
		sum := 0.0
		for i, c := range p.Top {
			sum += c.Probability
			if i > 0 && c.Probability > p.Top[i-1].Probability || c.Name != fmt.Sprint(c.Class) {
				t.Errorf("%s: %+v", p.Key, p.Top)
			}
		}
		if len(p.Top) != 3 || math.Abs(sum-1) > 1e-12 || p.Image == "" {
			t.Errorf("%s %q: %+v", p.Key, p.Image, p.Top)
		}
		return nil
	})
	if err != nil || len(keys) != 5 || keys[0] == keys[4] {
		t.Errorf("%v, %v", keys, err)
	}
	enough := errors.New("enough")
	if err := eval.Predict(t.Context(), model, open(), prepare, 1, 1, func(*eval.Prediction) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := eval.Predict(t.Context(), model, open(), eval.Prepare{}, 1, 1, func(*eval.Prediction) error { return nil }); !errors.Is(err, eval.ErrImages) {
		t.Error(err)
	}
}

// TestPredictRefuses: logits that are no numbers are an error that names the image.
func TestPredictRefuses(t *testing.T) {
	src, err := formats.Open("scenes:n=8,size=16,split=test", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	broken := brightest()
	broken.Do = func(dst, _ []float32, _ int) error {
		dst[0] = float32(math.NaN())
		return nil
	}
	err = eval.Predict(t.Context(), eval.Model{Predictor: broken}, src, eval.Prepare{Size: 4, Crop: 4}, 1, 1, func(p *eval.Prediction) error {
		t.Errorf("%+v", p)
		return nil
	})
	if !errors.Is(err, metrics.ErrLogit) {
		t.Error(err)
	}
}

// TestPredictErrors: an error of the caller's function is returned as it is, and the one of an image names that image, not the last of
// its batch.
func TestPredictErrors(t *testing.T) {
	src, err := formats.Open("scenes:n=8,size=16,split=test", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	prepare := eval.Prepare{Size: 4, Filter: augment.Bilinear, Crop: 4}
	third := errors.New("third")
	predict := func(p eval.Predictor, k int, each func(*eval.Prediction) error) error {
		return eval.Predict(t.Context(), eval.Model{Predictor: p}, data.Limit(src, 5), prepare, k, 1, each)
	}
	n := 0
	if err := predict(brightest(), 1, func(*eval.Prediction) error {
		if n++; n == 3 {
			return third
		}
		return nil
	}); err == nil || err.Error() != "third" || n != 3 {
		t.Errorf("%v after %d images", err, n)
	}
	var images []string
	each := func(p *eval.Prediction) error {
		images = append(images, p.Image)
		return nil
	}
	if err := predict(brightest(), 1, each); err != nil || len(images) != 5 {
		t.Fatalf("%v, %d images", err, len(images))
	}
	broken := brightest()
	at := 0
	broken.Do = func(dst, _ []float32, n int) error {
		for i := range n {
			dst[i*3], dst[i*3+1], dst[i*3+2] = 1, 0, 0
			if at++; at == 3 { // the first of the second batch of two
				dst[i*3+2] = float32(math.NaN())
			}
		}
		return nil
	}
	if err := predict(broken, 1, func(*eval.Prediction) error { return nil }); !errors.Is(err, metrics.ErrLogit) ||
		!strings.HasPrefix(err.Error(), images[2]) || strings.Contains(err.Error(), images[3]) {
		t.Errorf("%v, want that of %s", err, images[2])
	}
	for k, p := range map[int]eval.Predictor{0: brightest(), -1: brightest(), 1: nil} {
		if err := predict(p, k, each); !errors.Is(err, eval.ErrOption) {
			t.Errorf("k %d, model %v: %v", k, p, err)
		}
	}
}

func ExampleParsePreprocess() {
	clahe, err := eval.ParsePreprocess("clahe-t4")
	if err != nil {
		fmt.Println(err)
		return
	}
	model := eval.Model{Predictor: brightest(), Preprocess: clahe}
	fmt.Println(model.Preprocess)
	_, err = eval.ParsePreprocess("clae")
	fmt.Println(errors.Is(err, eval.ErrOption))
	// Output:
	// clahe-c2-t4
	// true
}
