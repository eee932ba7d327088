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
// PyTorch with float64, where the two largest logits of an image differ by 6e-3 or more (ResNet-20) and by .36 (ResNet-56). On the
// whole set they have the published 9,173 and 9,339 right.
func TestPublishedResNets(t *testing.T) {
	for _, c := range []struct {
		model, file string
		images      int
		right       int
	}{
		{"resnet20", "resnet20-12fca82f.npz", 2000, 1833},
		{"resnet56", "resnet56-4bfd9763.npz", 500, 470},
	} {
		t.Run(c.model, func(t *testing.T) {
			norm := mix.ImageNet
			n, err := LoadNetwork(filepath.Join(golden.NeedBeside(t, "models"), c.file), LoadOptions{Model: c.model, Norm: &norm})
			if err != nil {
				t.Fatal(err)
			}
			e := &Evaluator{Model: Model{Predictor: n, Name: c.model}, Dataset: "cifar10"}
			set := cifar10(t, "test_batch", 2)
			set.samples = set.samples[:c.images]
			if err := e.Clean(t.Context(), set, Prepare{}); err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Rows {
				if r.Metric == results.Top1Error {
					if wrong := int(math.Round(r.Value * float64(r.N))); r.N != int64(c.images) || wrong != c.images-c.right {
						t.Errorf("%d of %d wrong, want %d of %d", wrong, r.N, c.images-c.right, c.images)
					}
					return
				}
			}
			t.Error("no error among the rows")
		})
	}
}
