package image2image_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// A denoiser of one convolution that predicts half of each value as noise.
func Example() {
	net, err := image2image.New([]image2image.Tensor{
		{Name: "model.0.weight", Shape: []int{1, 1, 3, 3}, Data: []float32{0, 0, 0, 0, 0.5, 0, 0, 0, 0}},
		{Name: "model.0.bias", Shape: []int{1}, Data: []float32{0}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := []float32{1, 0.5, 0.25, 0, 0, 0, 1, 1, 1} // three pixels: red, green and blue planes
	var s image2image.Scratch
	net.Apply(v, 3, 1, &s)
	fmt.Println(net, v)
	// Output: DnCNN [0.5 0.25 0.125 0 0 0 0.5 0.5 0.5]
}

// noise returns an image as planes.
func noise(w, h int, seed uint64) []float32 {
	v := make([]float32, 3*w*h)
	r := rng.New(seed)
	for i := range v {
		v[i] = float32(r.Float64())
	}
	return v
}

// networks are networks of random weights by name, as functions of planes.
func networks(t testing.TB) map[string]func(v []float32, w, h int, s *image2image.Scratch) {
	all := map[string]func(v []float32, w, h int, s *image2image.Scratch){}
	for marker, shape := range map[string][]int{
		"b1.b1.body.0.weight": {64, 16, 3, 3}, "model.0.weight": {3, 3, 3, 3}, "decoder.19.weight": {3, 64, 3, 3},
	} {
		n, err := image2image.New(image2imagetest.NetworkTensors(t, marker, shape...))
		if err != nil {
			t.Fatal(err)
		}
		all[n.String()] = n.Apply
	}
	e := image2image.EDSR{Blocks: 1, Width: 16, Scale: 3}
	g, err := e.Graph(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ts []image2image.Tensor
	for i, x := range g.Tensors() {
		data := noise(x.Len(), 1, uint64(i))[:x.Len()]
		e.FillShift(x.Name, data)
		ts = append(ts, image2image.Tensor{Name: x.Name, Shape: x.Shape, Data: data})
	}
	edsr, err := image2image.New(ts)
	if err != nil {
		t.Fatal(err)
	}
	all["EDSR"] = edsr.Apply
	style := image2imagetest.Style(t)
	all["style"] = func(v []float32, w, h int, s *image2image.Scratch) {
		var code image2image.Code
		style.PredictPlanes(&code, v, w, h, s)
		style.Apply(v, w, h, &code, s)
	}
	return all
}

// TestAnySize: every network takes images of any size, on any number of goroutines, in memory that others were in, with the
// same result.
func TestAnySize(t *testing.T) {
	sizes := [][2]int{{1, 1}, {2, 3}, {9, 8}, {33, 17}, {32, 32}}
	for name, apply := range networks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(workers int) [][]float32 {
				out, scratches := make([][]float32, 3*len(sizes)), make([]image2image.Scratch, workers)
				parallel.Do(len(out), workers, func(worker, i int) {
					size := sizes[i%len(sizes)]
					out[i] = noise(size[0], size[1], uint64(i))
					apply(out[i], size[0], size[1], &scratches[worker])
				})
				return out
			}
			one, four := run(1), run(4)
			for i := range one {
				if !slices.Equal(one[i], four[i]) {
					t.Errorf("image %d of %v depends on the number of workers", i, sizes[i%len(sizes)])
				}
				for _, v := range one[i] {
					if !(v >= 0 && v <= 1) {
						t.Fatalf("size %v: value %v", sizes[i%len(sizes)], v)
					}
				}
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	for name, apply := range networks(t) {
		var s image2image.Scratch
		v := noise(32, 32, 1)
		if n := testing.AllocsPerRun(3, func() { apply(v, 32, 32, &s) }); n > 0 {
			t.Errorf("%s: %v allocations an image", name, n)
		}
	}
}

func TestCodeMix(t *testing.T) {
	from, c := image2image.Code{0: 1, 1: 3}, image2image.Code{0: 3, 1: -1}
	c.Mix(&from, 0.25)
	if c[0] != 1.5 || c[1] != 2 {
		t.Error(c[:2])
	}
}

// TestHostileWeights: one line that names the tensor.
func TestHostileWeights(t *testing.T) {
	good := image2imagetest.StyleTensors(t)
	const name = "transfer/transformer/residual/residual3/conv2/w"
	at := slices.IndexFunc(good, func(x image2image.Tensor) bool { return x.Name == name })
	change := func(f func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor) []image2image.Tensor {
		ts := slices.Clone(good)
		ts[at].Data = slices.Clone(ts[at].Data)
		return f(ts, &ts[at])
	}
	for _, c := range []struct {
		want string
		ts   []image2image.Tensor
	}{
		{"is missing", change(func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor {
			return slices.Delete(ts, at, at+1)
		})},
		{"has the shape [32 3 32 3]", change(func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor {
			x.Shape = []int{32, 3, 32, 3}
			return ts
		})},
		{"has the shape", change(func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor {
			x.Data = x.Data[1:]
			return ts
		})},
		{"a NaN or an infinity", change(func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor {
			x.Data[7] = float32(math.NaN())
			return ts
		})},
		{"a NaN or an infinity", change(func(ts []image2image.Tensor, x *image2image.Tensor) []image2image.Tensor {
			x.Data[7] = float32(math.Inf(-1))
			return ts
		})},
	} {
		_, err := image2image.NewStyle(c.ts)
		if !errors.Is(err, image2image.ErrWeights) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %s and %q", err, name, c.want)
		}
	}
	if _, err := image2image.NewStyle(append(slices.Clone(good), image2image.Tensor{Name: "other\n"})); !errors.Is(err, image2image.ErrWeights) ||
		!strings.Contains(err.Error(), `"other\n"`) {
		t.Error(err)
	}
	if _, err := image2image.New(good); !errors.Is(err, image2image.ErrWeights) {
		t.Error(err)
	}
}

func TestPredict(t *testing.T) {
	m := raster.New(20, 12)
	v := make([]float32, 3*20*12)
	for i := range v {
		p, c := i%240, i/240
		m.Pix[4*p+c] = uint8(i * 7)
		v[i] = float32(uint8(i*7)) / 255
	}
	var a, b image2image.Code
	var s image2image.Scratch
	n := image2imagetest.Style(t)
	n.Predict(&a, m, &s)
	if n.PredictPlanes(&b, v, 20, 12, &s); a != b || a == (image2image.Code{}) {
		t.Error("an image and its planes have different styles")
	}
}
