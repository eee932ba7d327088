package eval

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
)

// TestPublishedResNets scores published CIFAR-10 networks: ResNet-20 on the whole test set must get as many images right as was
// published, to the image; ResNet-56, which takes three times as long, as many of the first ones as in PyTorch with float64, where the two
// largest logits of an image differ by .36 or more. (On the whole set it has the published 9,339 right too.)
func TestPublishedResNets(t *testing.T) {
	for _, c := range []struct {
		model, file string
		images      int
		right       int
	}{
		{"resnet20", "resnet20-12fca82f.npz", 10000, 9173},
		{"resnet56", "resnet56-4bfd9763.npz", 500, 470},
	} {
		t.Run(c.model, func(t *testing.T) {
			norm := mix.ImageNet
			n, err := LoadNetwork(filepath.Join(golden.NeedBeside(t, "models"), c.file), LoadOptions{Model: c.model, Norm: &norm})
			if err != nil {
				t.Fatal(err)
			}
			e := &Evaluator{Model: Model{Predictor: n, Name: c.model}, Dataset: "cifar10"}
			set := cifar10(t, "test_batch", (c.images+999)/1000)
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
