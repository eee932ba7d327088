package eval

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
)

// TestPublishedResNets scores the published CIFAR-10 networks on the test set: the errors must be the published ones to the
// image. ResNet-56 takes more than a minute for all 10,000, which only AUGMIX_TEST_ALL=1 asks for: otherwise it is measured on
// 1,000 of them, of which as many are right as were in the run of all.
func TestPublishedResNets(t *testing.T) {
	for _, c := range []struct {
		model, file string
		limit       int
		right       int
	}{
		{"resnet20", "resnet20-12fca82f.npz", 10000, 9173},
		{"resnet56", "resnet56-4bfd9763.npz", 1000, 933},
		{"resnet56", "resnet56-4bfd9763.npz", 10000, 9339},
	} {
		if c.model == "resnet56" && c.limit == 10000 && os.Getenv("AUGMIX_TEST_ALL") == "" {
			continue
		}
		t.Run(c.model, func(t *testing.T) {
			norm := mix.ImageNet
			n, err := LoadNetwork(filepath.Join(golden.NeedBeside(t, "models"), c.file), LoadOptions{Model: c.model, Norm: &norm})
			if err != nil {
				t.Fatal(err)
			}
			e := &Evaluator{Model: Model{Predictor: n, Name: c.model}, Dataset: "cifar10", Limit: c.limit}
			if err := e.Clean(t.Context(), cifar10(t, "test_batch", 10), Prepare{}); err != nil {
				t.Fatal(err)
			}
			for _, r := range e.Rows {
				if r.Metric == results.Top1Error {
					if wrong := math.Round(r.Value * float64(r.N)); int(r.N) != c.limit || int(wrong) != c.limit-c.right {
						t.Errorf("%d of %d wrong, want %d of %d", int(wrong), r.N, c.limit-c.right, c.limit)
					}
					return
				}
			}
			t.Error("no error among the rows")
		})
	}
}
