package weights_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/weights"
)

// TestTorch reads the state dict of testdata/make.py in the forms in which it is found.
func TestTorch(t *testing.T) {
	want := []weights.Tensor{
		{Name: "0.weight", Shape: []int{2, 2}, Data: []float32{0, 1, 2, 3}},
		{Name: "0.bias", Shape: []int{2}, Data: []float32{10, 11}},
		{Name: "1.weight", Shape: []int{2}, Data: []float32{20, 21}},
		{Name: "1.bias", Shape: []int{2}, Data: []float32{30, 31}},
		{Name: "1.running_mean", Shape: []int{2}, Data: []float32{0, 0}},
		{Name: "1.running_var", Shape: []int{2}, Data: []float32{2, 2}},
	}
	for _, name := range []string{"plain.pth", "checkpoint.pth", "nested.pth", "bfloat16.pth"} {
		got, meta, err := weights.ReadFile(filepath.Join("testdata", name))
		if err != nil || !same(want, got) || meta == nil {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
}

func TestTorchErrors(t *testing.T) {
	for path, text := range map[string]string{
		"testdata/nothing.pth":                        "it holds epoch",
		"testdata/integers.pth":                       `"a": a tensor of type i4`,
		"../../internal/torchfile/testdata/model.pt":  `"torch.nn.modules.linear.Linear"`,
		"../../internal/torchfile/testdata/tensor.pt": "holds no dict",
	} {
		_, _, err := weights.ReadFile(path)
		if !errors.Is(err, weights.ErrFormat) || !strings.Contains(fmt.Sprint(err), text) ||
			!strings.Contains(fmt.Sprint(err), filepath.Base(path)) {
			t.Errorf("%s: error %v, want one with %q", path, err, text)
		}
	}
}
