package models_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// TestTorch: networks that testdata/networks.py saves with torch.save have PyTorch's logits here.
func TestTorch(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs PyTorch")
	}
	dir := t.TempDir()
	var out []byte
	var err error
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		cmd := exec.Command(python, "testdata/networks.py", dir)
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1") // several would wait for each other in a loop
		if out, err = cmd.CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		if bytes.Contains(out, []byte("No module")) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			t.Skip("python3 has no torchvision")
		}
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pth"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d networks, %v", len(files), err)
	}
	for _, file := range files {
		spec := strings.TrimSuffix(filepath.Base(file), ".pth")
		t.Run(spec, func(t *testing.T) { compareTorch(t, strings.TrimSuffix(file, ".pth"), spec) })
	}
}

func readArray[T any](t *testing.T, path string) (*npy.Array, []T) {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Data.([]T)
}

func compareTorch(t *testing.T, path, spec string) {
	images, x := readArray[float32](t, path+".x.npy")
	logits, want := readArray[float64](t, path+".y.npy")
	n, classes := images.Shape[0], logits.Shape[2]
	g := build(t, spec, graph.Shape{H: images.Shape[2], W: images.Shape[3], C: 3}, classes)
	net, err := nn.New(g, nn.Options{Batch: n})
	if err != nil {
		t.Fatal(err)
	}
	ts, _, err := weights.ReadFile(path + ".pth")
	if err != nil {
		t.Fatal(err)
	}
	var dst []weights.Tensor
	for _, w := range net.Tensors() {
		dst = append(dst, weights.Tensor{Name: w.Name, Shape: w.Shape, Data: w.Data})
	}
	if err := weights.Fill(dst, ts); err != nil {
		t.Fatal(err)
	}
	net.Changed()
	net.Forward(x, n, nn.Mode{})
	if net.Exits() != logits.Shape[0] {
		t.Fatalf("%d exits, want %d", net.Exits(), logits.Shape[0])
	}
	var got []float32
	for k := range net.Exits() {
		got = append(got, net.ExitLogits(k)...)
	}
	worst, largest := 0.0, 0.0
	for i, v := range want {
		worst, largest = max(worst, math.Abs(float64(got[i])-v)), max(largest, math.Abs(v))
	}
	if worst > 1e-5*largest {
		t.Errorf("logits differ by %v of %v", worst, largest)
	}
	t.Logf("largest difference %.2g of logits up to %.3g", worst, largest)
}
