//go:build onnxruntime && cgo

package ort_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/ort"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// needLibrary skips a test where no library is named.
func needLibrary(t testing.TB) {
	t.Helper()
	if _, err := ort.Library(""); err != nil {
		t.Skip(err)
	}
}

func open(t testing.TB, path string, threads int) *ort.Session {
	t.Helper()
	s, err := ort.Open(path, "", threads)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// testSet returns CIFAR-10's test images, normalized as the published ResNets want them, and their labels.
func testSet(t testing.TB) (x []float32, labels []byte) {
	t.Helper()
	golden.NeedBeside(t, "cifar10")
	images, labels, err := golden.CIFAR10("test_batch", 10)
	if err != nil {
		t.Fatal(err)
	}
	mean, std := [3]float32{0.485, 0.456, 0.406}, [3]float32{0.229, 0.224, 0.225}
	x = make([]float32, len(images)*3*1024)
	for i, m := range images {
		for p := range 1024 {
			for c := range 3 {
				x[(3*i+c)*1024+p] = (float32(m.Pix[4*p+c])/255 - mean[c]) / std[c]
			}
		}
	}
	return x, labels
}

func count(logits []float32, labels []byte) int {
	right := 0
	for i, label := range labels {
		row, best := logits[i*10:(i+1)*10], 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		if best == int(label) {
			right++
		}
	}
	return right
}

// TestPublishedResNets: the published files score the published accuracies, 91.73 % and 93.39 %; so do our exports of
// the published weights, with equal logits.
func TestPublishedResNets(t *testing.T) {
	needLibrary(t)
	dir := golden.NeedBeside(t, "models")
	x, labels := testSet(t)
	for _, c := range []struct {
		spec, file string
		right      int
	}{
		{"resnet20", "resnet20-12fca82f", 9173},
		{"resnet56", "resnet56-4bfd9763", 9339},
	} {
		t.Run(c.spec, func(t *testing.T) {
			if testing.Short() && c.spec == "resnet56" {
				t.Skip("-short leaves out the larger networks")
			}
			ts, _, err := weights.ReadFile(filepath.Join(dir, c.file+".npz"))
			if err != nil {
				t.Fatal(err)
			}
			g, err := models.Build(c.spec, graph.Shape{H: 32, W: 32, C: 3}, 10)
			if err != nil {
				t.Fatal(err)
			}
			ours := open(t, export(t, g, ts, onnx.Options{}), 0)
			theirs := open(t, filepath.Join(dir, c.file+".onnx"), 0)
			if theirs.Info != ours.Info {
				t.Errorf("the published file is %+v, our export %+v", theirs.Info, ours.Info)
			}
			a, b := make([]float32, 100000), make([]float32, 100000)
			for i := 0; i < 10000; i += 500 {
				if err := theirs.Run(a[i*10:], x[i*3072:(i+500)*3072], 500); err != nil {
					t.Fatal(err)
				}
				if err := ours.Run(b[i*10:], x[i*3072:(i+500)*3072], 500); err != nil {
					t.Fatal(err)
				}
			}
			if n := count(a, labels); n != c.right {
				t.Errorf("the published file has %d right, want %d", n, c.right)
			}
			if n := count(b, labels); n != c.right {
				t.Errorf("our export has %d right, want %d", n, c.right)
			}
			if d := farthest(a, b); d > 1e-4 {
				t.Errorf("logits differ by %v", d)
			}
		})
	}
}

// farthest returns the largest difference, relative to the largest value where that is above 1.
func farthest(a, b []float32) float64 {
	most, scale := 0.0, 1.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i])-float64(b[i])))
		scale = max(scale, math.Abs(float64(a[i])))
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most / scale
}

// export writes a network to a file.
func export(t testing.TB, g *graph.Graph, ts []weights.Tensor, o onnx.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := onnx.Export(&b, g, ts, o); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "net.onnx")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// random fills a network's tensors: batch norms away from the identity, so that a mistake in one shows.
func random(t testing.TB, n *nn.Net) []weights.Tensor {
	t.Helper()
	n.Init(rng.NewKey(7))
	r := rng.NewKey(8).Rand()
	var ts []weights.Tensor
	for _, x := range n.Tensors() {
		for i := range x.Data {
			switch x.Role {
			case graph.Gamma, graph.RunningVar:
				x.Data[i] = float32(0.5 + r.Float64())
			case graph.Beta, graph.RunningMean, graph.Bias:
				x.Data[i] = float32(0.4*r.Float64() - 0.2)
			}
		}
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	n.Changed()
	return ts
}

// TestExportsAgree exports every network with random weights and compares ONNX Runtime's logits with package nn's.
func TestExportsAgree(t *testing.T) {
	needLibrary(t)
	for _, c := range []struct {
		spec string
		side int
		o    onnx.Options
	}{
		{"wrn-16-2", 32, onnx.Options{}},
		{"wrn-10-1-drop0.3", 32, onnx.Options{Opset: 17}},
		{"wrn-40-2", 32, onnx.Options{Batch: 2, Opset: 15}},
		{"allconv", 32, onnx.Options{}},
		{"densenet-40-12", 32, onnx.Options{}},
		{"densenet-bc-40-12", 32, onnx.Options{Opset: 14}},
		{"resnext29-4x32", 32, onnx.Options{Opset: 16}},
		{"resnet20", 32, onnx.Options{}},
		{"resnet18", 64, onnx.Options{}},
		{"resnet50", 64, onnx.Options{}},
		{"resnet18-blur2", 64, onnx.Options{}},
		{"resnet18-blur3", 64, onnx.Options{}},
		{"resnet50-blur4", 64, onnx.Options{}},
		{"resnet18-blur5", 64, onnx.Options{}},
		{"resnet18-blur6", 128, onnx.Options{}},
		{"resnet18-blur7", 128, onnx.Options{}},
		{"resnext50-32x4d", 64, onnx.Options{}},
		{"alexnet", 224, onnx.Options{}},
		{"alexnet", 150, onnx.Options{}}, // windows of different sizes in the adaptive pool
		{"vgg11-bn", 64, onnx.Options{}},
		{"squeezenet1.0", 64, onnx.Options{}},
		{"squeezenet1.1", 65, onnx.Options{}}, // a last window over the border
	} {
		t.Run(fmt.Sprint(c.spec, "-", c.side), func(t *testing.T) {
			g, err := models.Build(c.spec, graph.Shape{H: c.side, W: c.side, C: 3}, 10)
			if err != nil {
				t.Fatal(err)
			}
			if testing.Short() && g.Parameters() > 30e6 {
				t.Skip("-short leaves out the larger networks")
			}
			agree(t, g, c.o)
		})
	}
	t.Run("exact GELU", func(t *testing.T) { agree(t, geluNet(t), onnx.Options{}) })
}

// geluNet has what no published network does: the exact GELU, a vector that meets an image, and windows with a ceiling
// and padding.
func geluNet(t testing.TB) *graph.Graph {
	b := graph.NewBuilder("gelu", graph.Shape{H: 8, W: 9, C: 3}, 10)
	x := b.Add("a", graph.Conv{Out: 6, KH: 3, KW: 5, Stride: 2, Pad: 2, Groups: 3, Bias: true, Init: graph.Default(5)}, 0)
	x = b.Add("", graph.GELU{}, x)
	x = b.Add("", graph.MaxPool{K: 3, Stride: 2, Pad: 1, Ceil: true}, x)
	p := b.Add("", graph.AdaptivePool{H: 1, W: 1}, x)
	v := b.Add("", graph.Flatten{}, x)
	v = b.Add("v", graph.Linear{Out: 6, Bias: true, Init: graph.Default(6)}, v)
	x = b.Add("", graph.Add{}, p, v)
	x = b.Add("", graph.Concat{}, x, p)
	b.Add("fc", graph.Linear{Out: 10, Init: graph.Default(3)}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func agree(t *testing.T, g *graph.Graph, o onnx.Options) {
	t.Helper()
	const batch = 3
	n, err := nn.New(g, nn.Options{Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	ts := random(t, n)
	x := make([]float32, batch*g.Input().Len())
	r := rng.NewKey(9).Rand()
	for i := range x {
		x[i] = float32(4*r.Float64() - 2)
	}
	want := n.Forward(x, batch, nn.Mode{})
	s := open(t, export(t, g, ts, o), 1)
	if info := (ort.Info{Input: g.Input(), Classes: g.Classes, Batch: o.Batch}); s.Info != info {
		t.Errorf("the runtime says %+v, want %+v", s.Info, info)
	}
	got := make([]float32, batch*g.Classes)
	if err := s.Run(got, x, batch); err != nil {
		t.Fatal(err)
	}
	d := farthest(want, got)
	t.Logf("relative difference %.2g", d)
	if !(d < 2e-5) {
		t.Errorf("logits differ by %v:\n%v\n%v", d, want, got)
	}
}

func TestOpenErrors(t *testing.T) {
	needLibrary(t)
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := ort.Open(filepath.Join(dir, "none.onnx"), "", 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := ort.Open(dir, "", 1); !errors.Is(err, ort.ErrModel) {
		t.Errorf("a folder: %v", err)
	}
	junk := write("junk.onnx", []byte("not a network"))
	if _, err := ort.Open(junk, "", 1); !errors.Is(err, ort.ErrModel) || !strings.Contains(err.Error(), junk) {
		t.Errorf("junk: %v", err)
	}
	if _, err := ort.Open(junk, junk, 1); !errors.Is(err, ort.ErrNoLibrary) {
		t.Errorf("a second library: %v", err)
	}
}

// TestBatches: whatever the batch, an image has its logits.
func TestBatches(t *testing.T) {
	needLibrary(t)
	g, err := models.Build("wrn-10-1", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		t.Fatal(err)
	}
	n, err := nn.New(g, nn.Options{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	ts := random(t, n)
	x := make([]float32, 7*g.Input().Len())
	r := rng.NewKey(1).Rand()
	for i := range x {
		x[i] = float32(r.Float64())
	}
	var want []float32
	for _, fixed := range []int{0, 1, 3, 10} {
		s := open(t, export(t, g, ts, onnx.Options{Batch: fixed}), 1)
		for _, batch := range []int{7, 1, 0, 5, 7} {
			got := make([]float32, batch*10)
			if err := s.Run(got, x, batch); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if d := farthest(want[:len(got)], got); d > 1e-5 {
				t.Errorf("a fixed batch of %d and %d images: logits differ by %v", fixed, batch, d)
			}
		}
	}
}

func BenchmarkRun(b *testing.B) {
	needLibrary(b)
	s := open(b, filepath.Join(golden.NeedBeside(b, "models"), "resnet20-12fca82f.onnx"), 1)
	const batch = 128
	x, dst := make([]float32, batch*s.Input.Len()), make([]float32, batch*s.Classes)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Run(dst, x, batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*batch/b.Elapsed().Seconds(), "images/s")
}
