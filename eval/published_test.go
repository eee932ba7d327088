package eval

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
)

// TestPublishedResNets scores published CIFAR-10 networks on the first images of the test set: they must get as many right as in
// PyTorch, whose closest logits there differ by 6e-3 (ResNet-20, in float64) and 5e-4 (ResNet-56). On the whole set they have the
// published 9,173 and 9,339 right.
func TestPublishedResNets(t *testing.T) {
	for _, c := range []struct {
		model, file string
		sheets      int // of 1,000 images
		right       int
	}{
		{"resnet20", "resnet20-12fca82f.npz", 3, 2745},
		{"resnet56", "resnet56-4bfd9763.npz", 1, 926},
	} {
		t.Run(c.model, func(t *testing.T) {
			norm := mix.ImageNet
			n, err := LoadNetwork(filepath.Join(golden.NeedBeside(t, "models"), c.file), LoadOptions{Model: c.model, Norm: &norm})
			if err != nil {
				t.Fatal(err)
			}
			e := &Evaluator{Model: Model{Predictor: n, Name: c.model}, Dataset: "cifar10"}
			if err := e.Clean(t.Context(), cifar10(t, "test_batch", c.sheets), Prepare{}); err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Rows {
				if r.Metric == results.Top1Error {
					if wrong, all := int(math.Round(r.Value*float64(r.N))), 1000*c.sheets; r.N != int64(all) || wrong != all-c.right {
						t.Errorf("%d of %d wrong, want %d of %d", wrong, r.N, all-c.right, all)
					}
					return
				}
			}
			t.Error("no error among the rows")
		})
	}
}
