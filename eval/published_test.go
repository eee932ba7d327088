package eval

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
)

// TestPublishedResNets scores the published CIFAR-10 networks on the whole test set: the errors must be the published
// ones to the image. ResNet-56 takes three times as long and is left out of -short.
func TestPublishedResNets(t *testing.T) {
	for _, c := range []struct {
		model, file string
		right       int // of 10,000
	}{
		{"resnet20", "resnet20-12fca82f.npz", 9173},
		{"resnet56", "resnet56-4bfd9763.npz", 9339},
	} {
		t.Run(c.model, func(t *testing.T) {
			if testing.Short() && c.model == "resnet56" {
				t.Skip("-short leaves out the larger network")
			}
			norm := mix.ImageNet
			n, err := LoadNetwork(filepath.Join(golden.NeedBeside(t, "models"), c.file), LoadOptions{Model: c.model, Norm: &norm})
			if err != nil {
				t.Fatal(err)
			}
			e := &Evaluator{Model: Model{Predictor: n, Name: c.model}, Dataset: "cifar10"}
			if err := e.Clean(t.Context(), cifar10(t, "test_batch", 10), Prepare{}); err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Rows {
				if r.Metric == results.Top1Error {
					if wrong := math.Round(r.Value * float64(r.N)); r.N != 10000 || int(wrong) != 10000-c.right {
						t.Errorf("%d of %d wrong, want %d of 10000", int(wrong), r.N, 10000-c.right)
					}
					return
				}
			}
			t.Error("no error among the rows")
		})
	}
}
