package eval

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/ort"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// saved writes the weights of an untrained network and returns their path.
func saved(t *testing.T, spec string, side, classes int, meta map[string]string, prefix string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.safetensors")
	if err := save(path, spec, side, classes, meta, prefix); err != nil {
		t.Fatal(err)
	}
	return path
}

// save writes a network with its first random weights.
func save(path, spec string, side, classes int, meta map[string]string, prefix string) error {
	g, err := models.Build(spec, graph.Shape{H: side, W: side, C: 3}, classes)
	if err != nil {
		return err
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		return err
	}
	net.Init(rng.NewKey(1))
	var ts []weights.Tensor
	for _, x := range net.Tensors() {
		ts = append(ts, weights.Tensor{Name: prefix + x.Name, Shape: x.Shape, Data: x.Data})
	}
	return weights.WriteFile(path, ts, meta)
}

func TestLoadNetwork(t *testing.T) {
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: 16, W: 16, C: 3}, Classes: 7, Mean: []float64{.1, .2, .3},
		Std: []float64{.5, .6, .7},
	}
	half, own := mix.Half, mix.Normalization{Mean: [3]float32{.1, .2, .3}, Std: [3]float32{.5, .6, .7}}
	for _, c := range []struct {
		name          string
		meta          map[string]string
		prefix        string
		d             LoadOptions
		side, classes int
		norm          mix.Normalization
	}{
		{"described by itself", info.Metadata(), "", LoadOptions{}, 16, 7, mix.Normalization{
			Mean: [3]float32{.1, .2, .3},
			Std:  [3]float32{.5, .6, .7},
		}},
		{"another size", info.Metadata(), "", LoadOptions{H: 24, W: 24, Norm: &own}, 24, 7, own},
		{
			"a file of PyTorch", nil, weights.Prefix,
			LoadOptions{Model: "wrn-10-1", H: 16, W: 16, Norm: &half},
			16, 7,
			half,
		},
		{"published size", nil, "", LoadOptions{Model: "wrn-10-1", Norm: &half}, 32, 7, half},
	} {
		n, err := LoadNetwork(saved(t, "wrn-10-1", 16, 7, c.meta, c.prefix), c.d)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		h, w, norm := n.Input()
		if h != c.side || w != c.side || n.Classes() != c.classes || norm != c.norm {
			t.Errorf("%s: %dx%d, %d classes, %v", c.name, h, w, n.Classes(), norm)
		}
		dst := make([]float32, 2*n.Classes())
		if err := n.Predict(dst, make([]float32, 2*3*h*w), 2); err != nil || !bytes.Equal(floats(dst[:7]),
			floats(dst[7:])) {
			t.Errorf("%s: logits %v of equal images, %v", c.name, dst, err)
		}
	}
	for name, c := range map[string]struct {
		path string
		d    LoadOptions
		is   error
		says string
	}{
		"no model": {saved(t, "wrn-10-1", 16, 7, nil, ""), LoadOptions{Norm: &half}, ErrNoNetwork, "which network it is"},
		"no model, of the table": {
			saved(t, "resnet20", 32, 7, nil, weights.Prefix),
			LoadOptions{Norm: &half},
			ErrNoNetwork,
			"which network it is; its tensors are those of resnet20",
		},
		"no norm": {saved(t, "wrn-10-1", 16, 7, nil, ""), LoadOptions{Model: "wrn-10-1"}, ErrNoNorm, "normalized"},
		"another model": {
			saved(t, "wrn-10-1", 16, 7, nil, ""),
			LoadOptions{Model: "wrn-16-1", Norm: &half},
			weights.ErrMismatch, "missing",
		},
		"no such model": {
			saved(t, "wrn-10-1", 16, 7, nil, ""),
			LoadOptions{Model: "wrn", Norm: &half},
			models.ErrSpec,
			"wrn",
		},
		"another normalization": {
			saved(t, "wrn-10-1", 16, 7, info.Metadata(), ""),
			LoadOptions{Norm: &half},
			ErrOption, "mean [0.5 0.5 0.5], std [0.5 0.5 0.5], but the network was trained with mean [0.1 0.2 0.3]",
		},
		"not there": {"nowhere.safetensors", LoadOptions{}, os.ErrNotExist, "nowhere"},
		"foreign": {
			saved(t, "wrn-10-1", 16, 7, nil, "x."),
			LoadOptions{Model: "wrn-10-1", Norm: &half},
			ErrModel,
			"no tensor",
		},
	} {
		if _, err := LoadNetwork(c.path, c.d); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v that says %q", name, err, c.is, c.says)
		}
	}
}

func floats(v []float32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, byte(int32(x*1000)), byte(int32(x*1000)>>8))
	}
	return b
}

func ExampleLoadNetwork() {
	// A checkpoint that says everything about itself needs no LoadOptions.
	_, err := LoadNetwork("runs/augmix/model.safetensors", LoadOptions{Model: "wrn-40-2", Norm: &mix.Half})
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func TestOpenONNX(t *testing.T) {
	if _, err := OpenONNX("net.onnx", "", nil, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	path := filepath.Join(golden.NeedBeside(t, "models"), "resnet20-12fca82f.onnx")
	if _, err := OpenONNX(path, "", nil, 1); !errors.Is(err, ErrModel) || !errors.Is(err, ErrNoNorm) {
		t.Errorf("without a normalization: %v", err)
	}
	if ort.Built {
		t.Skip("this build has ONNX Runtime")
	}
	if _, err := OpenONNX(path, "", &mix.Half, 1); !errors.Is(err, ort.ErrNotBuilt) {
		t.Errorf("in a build without the runtime: %v", err)
	}
}

// TestLoadExported: a network comes back from the ONNX file that was exported of it, with the same logits, names and
// preparation; a file whose graph is not what its metadata says does not.
func TestLoadExported(t *testing.T) {
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: 16, W: 16, C: 3}, Classes: 3, Names: []string{"ape", "bee", "cat"},
		Mean: []float64{.1, .2, .3}, Std: []float64{.5, .6, .7},
		Preparation: &weights.Preparation{Size: 20, Crop: 16, Filter: "bilinear"},
	}
	want, err := LoadNetwork(saved(t, "wrn-10-1", 16, 3, info.Metadata(), ""), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	export := func(name string, g *graph.Graph, ts []weights.Tensor, meta map[string]string) string {
		path := filepath.Join(t.TempDir(), name)
		var b bytes.Buffer
		err := onnx.Export(&b, g, ts, onnx.Options{Metadata: meta})
		if err == nil {
			err = os.WriteFile(path, b.Bytes(), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	got, err := LoadNetwork(export("net.ONNX", want.Graph, want.Weights(), want.Info().Metadata()), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(got.ClassNames(), got.Preparation()), fmt.Sprint(want.ClassNames(), want.Preparation()); a != b {
		t.Errorf("%s, not %s", a, b)
	}
	x := make([]float32, 2*3*16*16)
	for i := range x {
		x[i] = float32(i%31) / 31
	}
	a, b := make([]float32, 6), make([]float32, 6)
	if err := errors.Join(want.Predict(a, x, 2), got.Predict(b, x, 2)); err != nil || !slices.Equal(a, b) {
		t.Errorf("logits %v, not %v (%v)", b, a, err)
	}

	if _, err := LoadNetwork(export("foreign.onnx", want.Graph, want.Weights(), nil), LoadOptions{}); !errors.Is(err, ErrForeign) {
		t.Errorf("without metadata: %v", err)
	}
	other := want.Info().Metadata()
	other[weights.KeyModel] = "wrn-16-1"
	changed := export("changed.onnx", want.Graph, want.Weights(), other)
	if _, err := LoadNetwork(changed, LoadOptions{}); !errors.Is(err, ErrForeign) {
		t.Errorf("with the name of another network: %v", err)
	}
	if ort.Built {
		return
	}
	_, err = OpenONNX(changed, "", nil, 1)
	if !errors.Is(err, ort.ErrNotBuilt) || !strings.Contains(err.Error(), "the file says that it is wrn-16-1, and its graph is not that") {
		t.Errorf("with the name of another network: %v", err)
	}
}

// TestOtherSizeOtherPreparation: how images were prepared is of the size of the file.
func TestOtherSizeOtherPreparation(t *testing.T) {
	half := []float64{.5, .5, .5}
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: 16, W: 16, C: 3}, Classes: 7, Mean: half, Std: half,
		Preparation: &weights.Preparation{Size: 16, Filter: "bilinear"},
	}
	path := saved(t, "wrn-10-1", 16, 7, info.Metadata(), "")
	for side, kept := range map[int]bool{0: true, 16: true, 24: false} {
		n, err := LoadNetwork(path, LoadOptions{H: side, W: side})
		if err != nil || (n.Preparation() != nil) != kept || (n.Info().Preparation != nil) != kept {
			t.Errorf("%d: %v, %v", side, n, err)
		}
	}
}

// TestTrainedOn: marks are made of all that a file says of its training and of what was before, and go on with its description.
func TestTrainedOn(t *testing.T) {
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: 16, W: 16, C: 3}, Classes: 7, Mean: []float64{.1, .2, .3}, Std: []float64{.5, .6, .7},
		Other: map[string]string{
			weights.KeyMix: "gaussian", weights.KeyTrainedOn: "fog, frost", weights.KeyTrainedOnBar: "lines", weights.KeyTrainedOnValidation: "spatter",
		},
	}
	n, err := LoadNetwork(saved(t, info.Model, 16, 7, info.Metadata(), ""), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		results.VersionTrainedOn: "fog, frost, gaussian noise", results.VersionTrainedOnBar: "lines", results.VersionTrainedOnValidation: "spatter",
	}
	if got := n.TrainedOn(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := n.Info().Other; !maps.Equal(got, info.Other) {
		t.Errorf("described by %v, want %v", got, info.Other)
	}
}

// TestLoadFilters: of anti-aliased networks the filters in the file decide whether it is the network that is asked for, as no other tensor
// tells them apart.
func TestLoadFilters(t *testing.T) {
	path := saved(t, "resnet18-blur3", 64, 3, nil, weights.Prefix)
	ts, _, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	row := graph.BlurPool{Taps: 3}.Row()
	filter := weights.Tensor{Name: weights.Prefix + "maxpool.1.filt", Shape: []int{64, 1, 3, 3}}
	for i := range 64 * 9 {
		filter.Data = append(filter.Data, float32(row[i/3%3]*row[i%3]))
	}
	if err := weights.WriteFile(path, append(ts, filter), nil); err != nil {
		t.Fatal(err)
	}
	n, err := LoadNetwork(path, LoadOptions{Model: "resnet18-blur3", H: 64, W: 64, Norm: &mix.Half})
	if err != nil {
		t.Fatal(err)
	}
	if len(n.Weights()) != len(ts) {
		t.Errorf("%d tensors, want %d", len(n.Weights()), len(ts))
	}
	_, err = LoadNetwork(path, LoadOptions{Model: "resnet18-blur5", H: 64, W: 64, Norm: &mix.Half})
	const says = "maxpool.1.filt has 3x3 taps, the network resnet18-blur5 has 5x5"
	if !errors.Is(err, weights.ErrMismatch) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
