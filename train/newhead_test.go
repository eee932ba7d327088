package train

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// TestNewHead: weights of a network of four classes start one of three, all but its last layer; a file with PyTorch's prefix of
// parallel training too.
func TestNewHead(t *testing.T) {
	dir := t.TempDir()
	c := small()
	c.Epochs, c.EMA = 1, 0
	if _, err := Run(t.Context(), c, Options{Dir: dir, Train: newImages(32, 8, 4)}); err != nil {
		t.Fatal(err)
	}
	before, _, err := weights.ReadFile(filepath.Join(dir, ModelName))
	if err != nil {
		t.Fatal(err)
	}
	prefixed := slices.Clone(before)
	for i := range prefixed {
		prefixed[i].Name = "module." + prefixed[i].Name
	}
	parallel := filepath.Join(dir, "parallel.safetensors")
	if err := weights.WriteFile(parallel, prefixed, nil); err != nil {
		t.Fatal(err)
	}
	c.LR, c.MinLR, c.WeightDecay = 1e-30, 0, 0
	for path, want := range map[string]string{filepath.Join(dir, ModelName): "new-head", parallel: "fc.weight"} {
		c.Weights, c.NewHead = path, false
		if _, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: newImages(33, 8, 3)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("three classes from weights of four: %v", err)
		}
		c.NewHead = true
		out := t.TempDir()
		if _, err := Run(t.Context(), c, Options{Dir: out, Train: newImages(33, 8, 3)}); err != nil {
			t.Fatal(err)
		}
		after, _, err := weights.ReadFile(filepath.Join(out, ModelName))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range after {
			head := strings.HasPrefix(x.Name, "fc.")
			if head && x.Shape[0] != 3 || !head && !strings.Contains(x.Name, "running") && !slices.Equal(x.Data, before[i].Data) {
				t.Errorf("%s %v does not come from %s", x.Name, x.Shape, before[i].Name)
			}
		}
	}
	c.Weights = ""
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "new-head") {
		t.Error(err)
	}
}

func TestHeadsOf(t *testing.T) {
	for spec, want := range map[string]string{
		"resnet50": "fc", "vgg11": "classifier.6", "squeezenet1.1": "classifier.1", "densenet121": "classifier",
		"msdnet-small-2-1": "classifier.0.linear classifier.1.linear",
	} {
		g, err := models.Build(spec, graph.Shape{H: 64, W: 64, C: 3}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(headsOf(g), " "); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}
