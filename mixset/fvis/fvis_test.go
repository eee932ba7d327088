package fvis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var norm = Options{Mean: [3]float32{0.5, 0.4, 0.3}, Std: [3]float32{0.25, 0.2, 0.3}}

// small builds three convolutions with a batch norm after two of them, over images of h by w.
func small(t testing.TB, h, w int) *graph.Graph {
	b := graph.NewBuilder("small", graph.Shape{H: h, W: w, C: 3}, 4)
	conv := func(name string, in, out, stride int) int {
		return b.Add(name, graph.Conv{
			Out: out, KH: 3, KW: 3, Stride: stride, Pad: 1, Groups: 1, Init: graph.FanOut(3, 3, out),
		}, in)
	}
	x := b.Add("bn1", graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}, conv("conv1", 0, 8, 1))
	x = b.Add("", graph.ReLU{}, x)
	y := b.Add("bn2", graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}, conv("conv2", x, 8, 1))
	x = b.Add("", graph.Add{}, x, y)
	x = conv("conv3", x, 6, 2)
	x = b.Add("", graph.AdaptivePool{H: 1, W: 1}, x)
	b.Add("fc", graph.Linear{Out: 4, Bias: true, Init: graph.Default(6)}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// random makes a net of a graph with values drawn for all tensors, running statistics too.
func random(t testing.TB, g *graph.Graph) *nn.Net {
	net, err := nn.New(g, nn.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(5))
	r := rng.New(6)
	for _, x := range net.Tensors() {
		for i := range x.Data {
			switch x.Role {
			case graph.Beta, graph.RunningMean:
				x.Data[i] = float32(0.3 * r.Normal())
			case graph.Gamma, graph.RunningVar:
				x.Data[i] = float32(r.Uniform(0.5, 1.5))
			}
		}
	}
	net.Changed()
	return net
}

func TestLayers(t *testing.T) {
	g := small(t, 8, 8)
	want := []Layer{{"conv1", 8, 2}, {"conv2", 8, 5}, {"conv3", 6, 7}}
	if got := Layers(g); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Initial(g); !slices.Equal(got, want[1:]) {
		t.Errorf("initial: %+v", got)
	}
}

// TestModels: every family has initial layers, and they run on images of another size.
func TestModels(t *testing.T) {
	for _, e := range models.Table() {
		g, err := models.Build(e.Specs[0], e.Input, 10)
		if err != nil {
			t.Fatal(err)
		}
		all, some := Layers(g), Initial(g)
		if len(some) == 0 || len(some) >= len(all) || some[0].Name == all[0].Name {
			t.Errorf("%s: %d initial layers of %d", e.Name, len(some), len(all))
		}
		var names []string
		for _, l := range some {
			names = append(names, l.Name)
		}
		c, err := Cut(g, 96, 64, names...)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		have := map[string][]int{}
		for _, x := range g.Tensors() {
			have[x.Name] = x.Shape
		}
		for _, x := range c.Tensors() {
			if !slices.Equal(have[x.Name], x.Shape) {
				t.Errorf("%s: tensor %s has the shape %v, in the whole network %v", e.Name, x.Name, x.Shape, have[x.Name])
			}
		}
	}
}

// conv is a plain 3x3 convolution with padding 1.
func conv(x [][]float64, h, w, stride int, weight []float32, out int) (y [][]float64, oh, ow int) {
	oh, ow = (h+stride-1)/stride, (w+stride-1)/stride
	for o := range out {
		plane := make([]float64, oh*ow)
		for c := range x {
			for i := range oh * ow {
				for k := range 9 {
					v, u := i/ow*stride+k/3-1, i%ow*stride+k%3-1
					if v >= 0 && v < h && u >= 0 && u < w {
						plane[i] += x[c][v*w+u] * float64(weight[(o*len(x)+c)*9+k])
					}
				}
			}
		}
		y = append(y, plane)
	}
	return y, oh, ow
}

// TestCutIsTheMean: the logits of a cut network are the mean activations, computed here by the definition.
func TestCutIsTheMean(t *testing.T) {
	const h, w = 12, 10
	source := random(t, small(t, 8, 8))
	data := map[string][]float32{}
	for _, x := range source.Tensors() {
		data[x.Name] = x.Data
	}
	g, err := Cut(source.Graph(), h, w, "conv3", "conv2")
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range net.Tensors() {
		copy(x.Data, data[x.Name])
	}
	net.Changed()
	in := make([]float32, 3*h*w)
	rng.New(1).FillNormal32(in)
	x := make([][]float64, 3)
	for i, v := range in {
		x[i/(h*w)] = append(x[i/(h*w)], float64(v))
	}
	bn := func(x [][]float64, name string) {
		for c := range x {
			a := float64(data[name+".weight"][c]) / math.Sqrt(float64(data[name+".running_var"][c])+1e-5)
			for i := range x[c] {
				x[c][i] = (x[c][i]-float64(data[name+".running_mean"][c]))*a + float64(data[name+".bias"][c])
			}
		}
	}
	mean := func(x [][]float64) (m []float64) {
		for _, p := range x {
			sum := 0.0
			for _, v := range p {
				sum += v
			}
			m = append(m, sum/float64(len(p)))
		}
		return m
	}
	x, _, _ = conv(x, h, w, 1, data["conv1.weight"], 8)
	bn(x, "bn1")
	for _, p := range x {
		for i, v := range p {
			p[i] = max(v, 0)
		}
	}
	y, _, _ := conv(x, h, w, 1, data["conv2.weight"], 8)
	bn(y, "bn2")
	second := mean(y)
	for c := range y {
		for i := range y[c] {
			y[c][i] += x[c][i]
		}
	}
	z, _, _ := conv(y, h, w, 2, data["conv3.weight"], 6)
	want := append(mean(z), second...)
	got := net.Forward(in, 1, nn.Mode{})
	if len(got) != len(want) {
		t.Fatalf("%d logits, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(float64(got[i])-want[i]) > 1e-4 {
			t.Errorf("logit %d is %v, want %v", i, got[i], want[i])
		}
	}
}

func visualizer(t testing.TB, o Options) *Visualizer {
	o.Mean, o.Std = norm.Mean, norm.Std
	p, err := New(random(t, small(t, 8, 8)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func block(t testing.TB, p *Visualizer, b int) ([]*raster.Image, []Subject) {
	m := make([]*raster.Image, p.BlockSize())
	for i := range m {
		m[i] = new(raster.Image)
	}
	s, err := p.Block(t.Context(), m, b)
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

// TestAscent: every image answers more to its direction than noise does, by far.
func TestAscent(t *testing.T) {
	p := visualizer(t, Options{Side: 24, Seed: 2, Steps: 24})
	for b := range 2 {
		pics, subjects := block(t, p, b)
		for i, s := range subjects {
			if s.After < s.Before+0.2 || s.Layer == "" || pics[i].W != 24 || pics[i].H != 24 {
				t.Errorf("image %d of block %d: %+v", i, b, s)
			}
			if length := math.Hypot(s.Weights[0], s.Weights[1]); math.Abs(length-1) > 1e-12 {
				t.Errorf("a direction of length %v", length)
			}
		}
	}
}

// TestPinnedImages: images have the same bytes for any number of workers, at every level, on every architecture.
func TestPinnedImages(t *testing.T) {
	for _, workers := range []int{1, 3} {
		sum := sha256.New()
		images, _ := block(t, visualizer(t, Options{Side: 18, Seed: 7, Steps: 5, Workers: workers}), 0)
		for _, m := range images {
			sum.Write(m.Pix)
		}
		const want = "4c7e7089bd9357ba"
		if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
	}
}

// TestSame: an image is a function of seed and number: blocks in any order, on visualizers with another past.
func TestSame(t *testing.T) {
	o := Options{Side: 18, Seed: 7, Steps: 5, Workers: 2}
	p, q := visualizer(t, o), visualizer(t, o)
	var first [][]*raster.Image
	for b := range 3 {
		m, _ := block(t, p, b)
		first = append(first, m)
	}
	for _, b := range []int{2, 0, 1} {
		m, _ := block(t, q, b)
		for i := range m {
			if !raster.Equal(m[i], first[b][i]) {
				t.Errorf("image %d of block %d differs", i, b)
			}
		}
	}
	for i := range first[0] {
		if raster.Equal(first[0][i], first[1][i]) {
			t.Errorf("image %d of two blocks is the same", i)
		}
	}
	o.Seed++
	other, _ := block(t, visualizer(t, o), 0)
	for i := range other {
		if raster.Equal(other[i], first[0][i]) {
			t.Errorf("image %d is the same under two seeds", i)
		}
	}
}

// TestLayerOption: images are of the named layers, and of all of them.
func TestLayerOption(t *testing.T) {
	p := visualizer(t, Options{Side: 16, Steps: 1, Layers: []string{"conv3", "conv1"}})
	seen := map[string]int{}
	for b := range 4 {
		_, s := block(t, p, b)
		for i := range s {
			seen[s[i].Layer]++
		}
	}
	if len(seen) != 2 || seen["conv1"] == 0 || seen["conv3"] == 0 {
		t.Errorf("images by layer: %v", seen)
	}
}

// TestDeadChannels: a channel that no image moves is tried again. Half of the channels of conv2 are dead, so that a
// third of the directions are, and one in eighty after four tries.
func TestDeadChannels(t *testing.T) {
	net := random(t, small(t, 8, 8))
	for _, x := range net.Tensors() {
		if x.Name == "conv2.weight" {
			clear(x.Data[:len(x.Data)/2])
		}
	}
	o := norm
	o.Side, o.Steps, o.Layers = 16, 6, []string{"conv2"}
	p, err := New(net, o)
	if err != nil {
		t.Fatal(err)
	}
	dead := 0
	for b := range 4 {
		_, subjects := block(t, p, b)
		for _, s := range subjects {
			if s.After <= s.Before {
				dead++
			}
		}
	}
	if dead > 4 {
		t.Errorf("%d of 64 images show nothing", dead)
	}
}

func TestErrors(t *testing.T) {
	net := random(t, small(t, 8, 8))
	gray := graph.NewBuilder("gray", graph.Shape{H: 8, W: 8, C: 1}, 2)
	gray.Add("", graph.AdaptivePool{H: 1, W: 1}, gray.Add("c", graph.Conv{Out: 2, KH: 1, KW: 1, Stride: 1, Groups: 1}, 0))
	flat := graph.NewBuilder("flat", graph.Shape{H: 8, W: 8, C: 3}, 3)
	flat.Add("", graph.AdaptivePool{H: 1, W: 1}, 0)
	build := func(b *graph.Builder) *nn.Net {
		g, err := b.Done()
		if err != nil {
			t.Fatal(err)
		}
		return random(t, g)
	}
	large := graph.NewBuilder("large", graph.Shape{H: 64, W: 64, C: 3}, 2)
	wide := large.Add("c", graph.Conv{Out: 2, KH: 33, KW: 33, Stride: 1, Groups: 1}, 0)
	large.Add("", graph.AdaptivePool{H: 1, W: 1}, wide)
	for _, c := range []struct {
		name string
		net  *nn.Net
		o    Options
		err  error
		says string
	}{
		{"layer", net, Options{Side: 16, Layers: []string{"conv2", "conv9"}}, ErrLayer, `"conv9" (allowed: conv1, conv2, `},
		{"small", net, Options{Side: 15}, ErrOption, "side 15 (allowed: 16 to 512)"},
		{"big", net, Options{Side: 513}, ErrOption, "side 513 (allowed: 16 to 512)"},
		{"steps", net, Options{Side: 16, Steps: -1}, ErrOption, "-1 steps"},
		{"workers", net, Options{Side: 16, Workers: -1}, ErrOption, "-1 workers"},
		{"gray", build(gray), Options{Side: 16}, ErrOption, "1 channels"},
		{"no layers", build(flat), Options{Side: 16}, ErrLayer, "no convolutions"},
		{"too small for it", build(large), Options{Side: 16}, graph.ErrGraph, "conv c"},
	} {
		c.o.Mean, c.o.Std = norm.Mean, norm.Std
		_, err := New(c.net, c.o)
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v, want %v, %q", c.name, err, c.err, c.says)
		}
	}
	if _, err := New(net, Options{Side: 16}); !errors.Is(err, ErrOption) {
		t.Errorf("no deviations: %v", err)
	}
	if _, err := Cut(net.Graph(), 8, 8); !errors.Is(err, ErrLayer) {
		t.Errorf("no layers: %v", err)
	}
}

func TestStopped(t *testing.T) {
	p := visualizer(t, Options{Side: 16, Steps: 3})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	m := make([]*raster.Image, p.BlockSize())
	for i := range m {
		m[i] = new(raster.Image)
	}
	if _, err := p.Block(ctx, m, 0); !errors.Is(err, cause) {
		t.Errorf("stopped: %v", err)
	}
}

func TestNotFinite(t *testing.T) {
	net := random(t, small(t, 8, 8))
	net.Tensors()[0].Data[0] = float32(math.NaN())
	o := norm
	o.Side, o.Steps = 16, 2
	p, err := New(net, o)
	if err != nil {
		t.Fatal(err)
	}
	m := make([]*raster.Image, p.BlockSize())
	for i := range m {
		m[i] = new(raster.Image)
	}
	if _, err := p.Block(t.Context(), m, 0); !errors.Is(err, ErrActivation) {
		t.Errorf("weights that are no numbers: %v", err)
	}
}

func TestBlockSize(t *testing.T) {
	for side, want := range map[int]int{16: 16, 90: 16, 128: 8, 256: 4, 512: 4} {
		if got := visualizer(t, Options{Side: side}).BlockSize(); got != want {
			t.Errorf("side %d: blocks of %d, want %d", side, got, want)
		}
	}
}

func TestMerit(t *testing.T) {
	const n = 32
	m := raster.New(n, n)
	r := rng.New(3)
	fill := func(f func(x, y int) raster.RGB) float64 {
		for y := range n {
			for x := range n {
				m.Set(x, y, f(x, y))
			}
		}
		return merit(m)
	}
	noise := func(_, _ int) raster.RGB {
		v := r.Uint64()
		return raster.RGB{R: uint8(v), G: uint8(v >> 8), B: uint8(v >> 16)}
	}
	gray := raster.RGB{R: 90, G: 90, B: 90}
	for _, c := range []struct {
		name string
		f    func(x, y int) raster.RGB
		good bool
	}{
		{"noise", noise, true},
		{"flat", func(_, _ int) raster.RGB { return gray }, false},
		{"a quarter flat", func(x, y int) raster.RGB {
			if x < n/2 && y < n/2 {
				return gray
			}
			return noise(x, y)
		}, false},
		{"a corner flat", func(x, y int) raster.RGB {
			if x < n/4 && y < n/4 {
				return gray
			}
			return noise(x, y)
		}, true},
		{"dots", func(x, y int) raster.RGB {
			if x%4 == 0 && y%4 == 0 {
				return raster.RGB{R: 255}
			}
			return gray
		}, false},
		{"checks", func(x, y int) raster.RGB { return raster.RGB{R: uint8(255 * ((x + y) % 2)), B: 60} }, true},
	} {
		if v := fill(c.f); (v >= 1) != c.good {
			t.Errorf("%s: merit %.2f", c.name, v)
		}
	}
}
