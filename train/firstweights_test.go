package train

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// named is images whose classes have other names, or none.
type named struct {
	*images
	names []string
}

func (n named) Info() data.Info {
	i := n.images.Info()
	i.Classes = n.names
	return i
}

// TestWeightsByName: rows of the last layers go by the names of the classes, where the file and the data have them; other names
// are refused.
func TestWeightsByName(t *testing.T) {
	t.Parallel()
	abcd := []string{"a", "b", "c", "d"}
	for model, heads := range map[string][]string{"wrn-10-1": {"fc"}, "msdnet-small-2-1": {"classifier.0.linear", "classifier.1.linear"}} {
		c := small()
		c.Model, c.Epochs, c.Batch = model, 1, 4
		first := t.TempDir()
		if _, err := Run(t.Context(), c, Options{Dir: first, Train: named{newImages(8, 8, 4), abcd}}); err != nil {
			t.Fatal(err)
		}
		c.Weights = first // the folder stands for its weights
		c.LR, c.MinLR, c.WeightDecay = 1e-30, 0, 0
		for _, x := range []struct {
			names []string
			rows  []int // of the file
		}{
			{abcd, []int{0, 1, 2, 3}},
			{[]string{"c", "a", "d", "b"}, []int{2, 0, 3, 1}},
		} {
			dir := t.TempDir()
			if _, err := Run(t.Context(), c, Options{Dir: dir, Train: named{newImages(8, 8, 4), x.names}}); err != nil {
				t.Fatal(err)
			}
			was, is := read(t, filepath.Join(first, ModelName)), read(t, filepath.Join(dir, ModelName))
			for _, head := range heads {
				for _, name := range []string{head + ".weight", head + ".bias"} {
					n := len(is[name]) / 4
					for class, row := range x.rows {
						if !slices.Equal(is[name][class*n:][:n], was[name][row*n:][:n]) {
							t.Errorf("%s: class %s of %v has not row %d of %s", model, x.names[class], x.names, row, name)
						}
					}
				}
			}
		}
		for says, names := range map[string][]string{
			`no class "e"`: {"a", "b", "c", "e"}, `named "a"`: {"a", "a", "c", "d"}, "has 4 classes": {"b", "a"},
		} {
			_, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: named{newImages(8, 8, len(names)), names}})
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "new-head") {
				t.Errorf("%v: %v", names, err)
			}
		}
	}
}

// TestWeightsOtherwise: a run says where its images are prepared otherwise than those that the first weights were trained on.
func TestWeightsOtherwise(t *testing.T) {
	c := small()
	c.Epochs = 1
	first := t.TempDir()
	if _, err := Run(t.Context(), c, Options{Dir: first, Train: newImages(16, 8, 4)}); err != nil {
		t.Fatal(err)
	}
	c.Weights = filepath.Join(first, ModelName)
	otherwise := func(c Config) string {
		var plan Plan
		o := Options{Dir: t.TempDir(), Train: newImages(16, 8, 4), OnBegin: func(p *Plan) { plan = *p }}
		if _, err := Run(t.Context(), c, o); err != nil {
			t.Fatal(err)
		}
		return strings.Join(plan.Otherwise, "; ")
	}
	if got := otherwise(c); got != "" {
		t.Error(got)
	}
	c.Mean, c.Preprocess = []float64{0.4, 0.5, 0.5}, "clahe"
	got := otherwise(c)
	if want := "mean 0.5 0.5 0.5, here 0.4 0.5 0.5; preprocess none, here clahe"; !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	bare := filepath.Join(t.TempDir(), "bare.safetensors")
	ts, meta, err := weights.ReadFile(c.Weights)
	if err == nil {
		err = weights.WriteFile(bare, ts, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.Weights = bare; otherwise(c) != "" {
		t.Error("of a file that says nothing")
	}
	meta[weights.KeyMean] = "grey"
	if err := weights.WriteFile(bare, ts, meta); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), c, Options{Dir: t.TempDir(), Train: newImages(16, 8, 4)}); !errors.Is(err, weights.ErrFormat) {
		t.Errorf("a file whose mean is grey: %v", err)
	}
}

// TestWeightsFilters: first weights of a network with other filters are refused, though their tensors fit.
func TestWeightsFilters(t *testing.T) {
	c := small()
	c.Model, c.Crop, c.Epochs = "resnet18-blur4", "", 1
	g, err := models.Build("resnet18-blur3", graph.Shape{H: 64, W: 64, C: 3}, 4)
	if err != nil {
		t.Fatal(err)
	}
	ts := []weights.Tensor{{Name: "maxpool.1.filt", Shape: []int{64, 1, 3, 3}, Data: make([]float32, 64*9)}}
	for _, x := range g.Tensors() {
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: make([]float32, x.Len())})
	}
	c.Weights = filepath.Join(t.TempDir(), "blur3.safetensors")
	if err := weights.WriteFile(c.Weights, ts, nil); err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), c, Options{Dir: t.TempDir(), Train: newImages(8, 64, 4)})
	if !errors.Is(err, weights.ErrMismatch) || !strings.Contains(err.Error(), "maxpool.1.filt has 3x3 taps, the network resnet18-blur4 has 4x4") {
		t.Error(err)
	}
}

func read(t *testing.T, path string) map[string][]float32 {
	t.Helper()
	ts, _, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]float32{}
	for _, x := range ts {
		values[x.Name] = x.Data
	}
	return values
}
