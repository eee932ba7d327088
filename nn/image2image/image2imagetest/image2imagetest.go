// Package image2imagetest makes networks of random weights for the tests of what runs them: they have the layers of the
// published ones and make images of noise and color.
package image2imagetest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/rng"
)

var (
	styleOnce    sync.Once
	styleTensors []image2image.Tensor
)

// StyleTensors returns weights of a style transfer network, the same ones every time.
func StyleTensors(t testing.TB) []image2image.Tensor {
	styleOnce.Do(func() { styleTensors = newStyleTensors(t) })
	return styleTensors
}

func newStyleTensors(t testing.TB) []image2image.Tensor {
	return complete(t, nil, func(ts []image2image.Tensor) error {
		_, err := image2image.NewStyle(ts)
		return err
	})
}

// Style returns a style transfer network.
func Style(t testing.TB) *image2image.Style {
	n, err := image2image.NewStyle(StyleTensors(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// NetworkTensors returns weights of the network that has a tensor of that name.
func NetworkTensors(t testing.TB, marker string, shape ...int) []image2image.Tensor {
	return complete(t, []image2image.Tensor{random(marker, shape)}, func(ts []image2image.Tensor) error {
		_, err := image2image.New(ts)
		return err
	})
}

// complete adds what is missing, tensor by tensor, as the errors of build name it.
func complete(t testing.TB, ts []image2image.Tensor, build func([]image2image.Tensor) error) []image2image.Tensor {
	t.Helper()
	for range 1000 {
		err := build(ts)
		if err == nil {
			return ts
		}
		_, text, found := strings.Cut(err.Error(), "tensor ")
		var name string
		if _, scan := fmt.Sscanf(text, "%q of shape", &name); !errors.Is(err, image2image.ErrWeights) || !found || scan != nil {
			t.Fatal(err)
		}
		var shape []int
		_, text, _ = strings.Cut(text, "[")
		text, _, _ = strings.Cut(text, "]")
		for _, word := range strings.Fields(text) {
			n := 0
			if _, err := fmt.Sscan(word, &n); err != nil {
				t.Fatal(err)
			}
			shape = append(shape, n)
		}
		ts = append(ts, random(name, shape))
	}
	t.Fatal("a network of more than a thousand tensors")
	return nil
}

// random returns a tensor that keeps the size of what passes through it.
func random(name string, shape []int) image2image.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	r := rng.NewKey(1).Str(name).Rand()
	x := image2image.Tensor{Name: name, Shape: shape, Data: make([]float32, n)}
	r.FillNormal32(x.Data)
	scale := float32(0.1)
	if len(shape) > 1 {
		scale = float32(math.Sqrt(2 * float64(shape[0]) / float64(n)))
	}
	if strings.Contains(name, "depthwise") || strings.Contains(name, "StyleNorm") {
		scale = 1
	}
	for i := range x.Data {
		x.Data[i] *= scale
	}
	return x
}
