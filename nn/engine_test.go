package nn

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// testGraph is network number k of the table in net_test.go.
func testGraph(t fataler, name string) *graph.Graph {
	t.Helper()
	for _, n := range networks {
		if n.name == name {
			b := graph.NewBuilder(n.name, n.input, 3)
			return finish(t, b, n.build(b))
		}
	}
	t.Fatalf("no network %q", name)
	return nil
}

func mustNet(t fataler, g *graph.Graph, o Options) *Net {
	t.Helper()
	n, err := New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(rng.NewKey(3))
	return n
}

func noise(seed uint64, n int) []float32 {
	x := make([]float32, n)
	rng.New(seed).FillNormal32(x)
	return x
}

// TestLogitsDoNotDependOnWorkers: without training no sums cross images.
func TestLogitsDoNotDependOnWorkers(t *testing.T) {
	for _, net := range networks {
		g := testGraph(t, net.name)
		x := noise(1, 19*g.Input().Len())
		var want []float32
		for _, workers := range []int{1, 2, 5, 24} {
			n := mustNet(t, g, Options{Workers: workers, Batch: 19})
			got := n.Forward(x, 19, Mode{})
			if want == nil {
				want = slices.Clone(got)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d workers give other logits", net.name, workers)
			}
			// The same images one by one: the path for fewer images than workers.
			for i := range 3 {
				one := n.Forward(x[i*g.Input().Len():(i+1)*g.Input().Len()], 1, Mode{})
				if !slices.Equal(one, want[i*3:i*3+3]) {
					t.Errorf("%s: %d workers: image %d alone gives %v, want %v", net.name, workers, i, one, want[i*3:i*3+3])
				}
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	for _, net := range networks {
		g := testGraph(t, net.name)
		const batch = 4
		n := mustNet(t, g, Options{Workers: 2, Batch: batch, Train: true})
		opt := &SGD{Momentum: 0.9}
		x := noise(1, batch*g.Input().Len())
		d := make([]float32, batch*g.Classes)
		labels := []int{0, 1, 2, 0}
		step := func() {
			logits := n.Forward(x, batch, Mode{Train: true})
			CrossEntropy(d, logits, labels, g.Classes, 0)
			n.Backward(d)
			opt.Step(n.Tensors(), 0.05)
		}
		step()
		if allocs := testing.AllocsPerRun(5, step); allocs > 0 {
			t.Errorf("%s: %v allocations a training step", net.name, allocs)
		}
		n.Forward(x, batch, Mode{})
		if allocs := testing.AllocsPerRun(5, func() { n.Forward(x, batch, Mode{}) }); allocs > 0 {
			t.Errorf("%s: %v allocations a forward pass", net.name, allocs)
		}
	}
}

func TestDropoutDraws(t *testing.T) {
	b := graph.NewBuilder("drop", graph.Shape{H: 20, W: 20, C: 3}, 1200)
	x := b.Add("", graph.Dropout{P: 0.25}, 0)
	b.Add("", graph.Flatten{}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	n := mustNet(t, g, Options{Workers: 2, Batch: 8, Train: true})
	ones := make([]float32, 8*1200)
	fill(ones, 1)
	run := func(seed uint64) []float32 {
		return slices.Clone(n.Forward(ones, 8, Mode{Train: true, Key: rng.NewKey(seed)}))
	}
	a := run(1)
	zeros := 0
	for _, v := range a {
		switch v {
		case 0:
			zeros++
		case 1 / 0.75:
		default:
			t.Fatalf("a value of 1 became %v", v)
		}
	}
	// 9600 draws of 0.25 have the standard deviation 42; five of them.
	if zeros < 2400-212 || zeros > 2400+212 {
		t.Errorf("%d of 9600 values dropped, want about 2400", zeros)
	}
	if !slices.Equal(a, run(1)) || slices.Equal(a, run(2)) {
		t.Error("dropout is not a function of the key")
	}
	if slices.Equal(a[:1200], a[1200:2400]) {
		t.Error("two images have the same draw")
	}
	if !slices.Equal(n.Forward(ones, 8, Mode{}), ones) {
		t.Error("dropout without training")
	}
}

func TestMisuse(t *testing.T) {
	g := testGraph(t, "resnet")
	if _, err := New(nil, Options{}); !errors.Is(err, graph.ErrGraph) {
		t.Errorf("nil: %v", err)
	}
	if _, err := New(&graph.Graph{}, Options{}); !errors.Is(err, graph.ErrGraph) {
		t.Errorf("New of nothing: %v", err)
	}
	if _, err := New(g, Options{Workers: -1}); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "-1 workers") {
		t.Errorf("New with -1 workers: %v", err)
	}
	for name, build := range map[string]func(b *graph.Builder) int{
		"window": func(b *graph.Builder) int { return b.Add("", graph.MaxPool{K: 256, Stride: 9}, 0) },
		"weight": func(b *graph.Builder) int {
			return b.Add("c", tconv(1<<22, 1, 400, 0, 1, false), b.Add("c0", tconv(1<<10, 1, 400, 0, 1, false), 0))
		},
		"activation": func(b *graph.Builder) int { return b.Add("c", tconv(1<<15, 1, 1, 0, 1, false), 0) },
	} {
		b := graph.NewBuilder(name, graph.Shape{H: 300, W: 300, C: 1}, 3)
		if _, err := New(finish(t, b, build(b)), Options{}); !errors.Is(err, graph.ErrGraph) {
			t.Errorf("New with too large a %s: %v", name, err)
		}
	}
	len1 := g.Input().Len()
	for name, f := range map[string]func(n *Net){
		"too many images":      func(n *Net) { n.Forward(make([]float32, 3*len1), 3, Mode{}) },
		"no images":            func(n *Net) { n.Forward(nil, 0, Mode{}) },
		"half an image":        func(n *Net) { n.Forward(make([]float32, len1/2), 1, Mode{}) },
		"training":             func(n *Net) { n.Forward(make([]float32, len1), 1, Mode{Train: true}) },
		"backward first":       func(n *Net) { n.Backward(make([]float32, 3)) },
		"backward after eval":  func(n *Net) { n.Forward(make([]float32, len1), 1, Mode{}); n.Backward(make([]float32, 3)) },
		"logits of two, not 1": func(n *Net) { n.gradient, n.batch = true, 1; n.Backward(make([]float32, 6)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(mustNet(t, g, Options{Batch: 2, Workers: 1}))
		}()
	}
}

// TestInitFollowsTheGraph checks the distributions and that a tensor's start depends on its name only.
func TestInitFollowsTheGraph(t *testing.T) {
	g := testGraph(t, "wide resnet")
	n := mustNet(t, g, Options{Train: true})
	again := mustNet(t, g, Options{})
	for i, x := range n.Tensors() {
		if !slices.Equal(x.Data, again.Tensors()[i].Data) {
			t.Errorf("%s starts differently in another net", x.Name)
		}
		if (x.Grad != nil) != x.Role.Trained() || again.Tensors()[i].Grad != nil {
			t.Errorf("%s: gradients in the wrong place", x.Name)
		}
		for _, v := range x.Data {
			if x.Init.Dist == graph.Constant && v != float32(x.Init.Scale) {
				t.Errorf("%s starts at %v", x.Name, v)
				break
			}
		}
	}
	a, b := find(n, "b0.c1.weight").Data, find(n, "b0.c2.weight").Data
	if slices.Equal(a, b) {
		t.Error("two tensors of one shape start equal")
	}
}

// TestMemory bounds what the planner keeps for a training step: an activation a convolution, and little more.
func TestMemory(t *testing.T) {
	g := testGraph(t, "wide resnet")
	n := mustNet(t, g, Options{Workers: 1, Batch: 64, Train: true})
	x := noise(1, 64*g.Input().Len())
	n.Backward(n.Forward(x, 64, Mode{Train: true}))
	kept := 0
	for _, node := range g.Nodes {
		if _, ok := node.Op.(graph.Conv); ok {
			kept += node.Shape.Len()
		}
	}
	if n.train.arena > 64*2*kept {
		t.Errorf("%d floats of activations and gradients, want at most twice the convolutions' %d", n.train.arena, 64*kept)
	}
}
