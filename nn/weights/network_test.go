package weights_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/weights"
)

func TestReadNetwork(t *testing.T) {
	ts := []weights.Tensor{
		{Name: "model.0.weight", Shape: []int{1, 1, 3, 3}, Data: make([]float32, 9)},
		{Name: "model.0.bias", Shape: []int{1}, Data: make([]float32, 1)},
	}
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := weights.WriteFile(path, ts, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := weights.ReadNetwork(path); err != nil || n.String() != "DnCNN" {
		t.Error(n, err)
	}
	if _, err := weights.ReadStyle(path); !errors.Is(err, image2image.ErrWeights) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := weights.WriteFile(path, ts[:1], nil); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.ReadNetwork(path); !errors.Is(err, image2image.ErrWeights) ||
		!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "model.0.bias") {
		t.Error(err)
	}
	unfinished := append(ts, weights.Tensor{Name: weights.PrefixOptimizer + "model.0.bias.exp_avg", Shape: []int{1}, Data: make([]float32, 1)})
	if err := weights.WriteFile(path, unfinished, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.ReadNetwork(path); !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), "not ended") {
		t.Error(err)
	}
}
