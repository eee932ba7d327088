package mixset_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/nn/weights"
)

func TestOpenStyles(t *testing.T) {
	var ts []weights.Tensor
	for _, x := range image2imagetest.StyleTensors(t) {
		ts = append(ts, weights.Tensor(x))
	}
	file := filepath.Join(t.TempDir(), "style.safetensors")
	if err := weights.WriteFile(file, ts, nil); err != nil {
		t.Fatal(err)
	}
	var looks [2][]float32
	for i, seed := range []uint64{0, 1} {
		s, err := mixset.OpenStyles(t.Context(), "deadleaves-n2", file, mixset.Options{Seed: seed})
		if err != nil || s.Len() != 2 || s.String() != "deadleaves-n2" {
			t.Fatal(s, err)
		}
		v := make([]float32, 3*64)
		s.Apply(v, 8, 8, 1, 1, new(image2image.Scratch))
		looks[i] = v
	}
	if slices.Equal(looks[0], looks[1]) {
		t.Error("the seed makes no difference")
	}
	if s, err := mixset.OpenStyles(t.Context(), "fractals", file, mixset.Options{}); err != nil || s.String() != "fractals-n1000" {
		t.Error(s, err)
	}
	if _, err := mixset.OpenStyles(t.Context(), "fractalz", file, mixset.Options{}); !errors.Is(err, mixset.ErrSpec) {
		t.Error(err)
	}
	if _, err := mixset.OpenStyles(t.Context(), "fractals", t.TempDir(), mixset.Options{}); err == nil {
		t.Error("a folder of weights")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := mixset.OpenStyles(stopped, own(t, [2]int{40, 50}, [2]int{64, 32}), file, mixset.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s, err := mixset.OpenStyles(t.Context(), own(t, [2]int{40, 50}, [2]int{64, 32}), file, mixset.Options{}); err != nil || s.Len() == 0 {
		t.Error(s, err)
	}
}
