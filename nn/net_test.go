package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
	"pgregory.net/rapid"
)

// layers are the operations of test networks, with initializations that keep activations near 1.
func tconv(out, k, stride, pad, groups int, bias bool) graph.Conv {
	return graph.Conv{
		Out: out, KH: k, KW: k, Stride: stride, Pad: pad, Groups: groups, Bias: bias,
		Init: graph.Init{Dist: graph.Normal, Scale: 0.4}, InitBias: graph.Init{Dist: graph.Uniform, Scale: 0.5},
	}
}

var (
	bn   = graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}
	head = graph.Linear{
		Out: 3, Bias: true,
		Init: graph.Init{Dist: graph.Normal, Scale: 0.5}, InitBias: graph.Init{Dist: graph.Uniform, Scale: 0.5},
	}
)

// finish adds pooling and a classifier.
func finish(t fataler, b *graph.Builder, x int) *graph.Graph {
	t.Helper()
	x = b.Add("", graph.AdaptivePool{H: 1, W: 1}, x)
	x = b.Add("", graph.Flatten{}, x)
	b.Add("fc", head, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// networks are small graphs, each for some paths of the planner.
var networks = []struct {
	name  string
	input graph.Shape
	build func(b *graph.Builder) int
}{
	{"conv bias relu", graph.Shape{H: 6, W: 5, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c1", tconv(5, 3, 1, 1, 1, true), 0)
		x = b.Add("", graph.ReLU{}, x)
		x = b.Add("c2", tconv(4, 3, 2, 0, 1, true), x)
		return b.Add("", graph.ReLU{}, x)
	}},
	{"wide resnet", graph.Shape{H: 6, W: 6, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 1, 1, 1, false), 0)
		for i, s := range []int{1, 2, 1} {
			name := fmt.Sprint("b", i)
			r := b.Add("", graph.ReLU{}, b.Add(name+".bn1", bn, x))
			h := b.Add(name+".c1", tconv(4+4*min(i, 1), 3, s, 1, 1, false), r)
			h = b.Add("", graph.ReLU{}, b.Add(name+".bn2", bn, h))
			h = b.Add("", graph.Dropout{P: 0.3}, h)
			h = b.Add(name+".c2", tconv(4+4*min(i, 1), 3, 1, 1, 1, false), h)
			if s == 2 {
				x = b.Add(name+".sc", tconv(8, 1, s, 0, 1, false), r)
			}
			x = b.Add("", graph.Add{}, x, h)
		}
		return b.Add("", graph.ReLU{}, b.Add("bn", bn, x))
	}},
	{"resnet", graph.Shape{H: 9, W: 9, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 2, 1, 1, false), 0)
		x = b.Add("", graph.ReLU{}, b.Add("bn0", bn, x))
		x = b.Add("", graph.MaxPool{K: 3, Stride: 1, Pad: 1}, x)
		for i, s := range []int{1, 2, 1} {
			name := fmt.Sprint("b", i)
			c := 4 + 4*min(i, 1)
			h := b.Add("", graph.ReLU{}, b.Add(name+".bn1", bn, b.Add(name+".c1", tconv(c, 3, s, 1, 2, false), x)))
			h = b.Add(name+".bn2", bn, b.Add(name+".c2", tconv(c, 3, 1, 1, 1, false), h))
			if s == 2 {
				x = b.Add(name+".bns", bn, b.Add(name+".sc", tconv(c, 1, s, 0, 1, false), x))
			}
			x = b.Add("", graph.ReLU{}, b.Add("", graph.Add{}, h, x))
		}
		return x
	}},
	{"dense", graph.Shape{H: 4, W: 4, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(5, 3, 1, 1, 1, false), 0)
		for blk := range 2 {
			for i := range 3 {
				name := fmt.Sprintf("d%d.%d", blk, i)
				h := b.Add("", graph.ReLU{}, b.Add(name+".bn1", bn, x))
				h = b.Add(name+".c1", tconv(6, 1, 1, 0, 1, false), h)
				h = b.Add("", graph.ReLU{}, b.Add(name+".bn2", bn, h))
				h = b.Add(name+".c2", tconv(3, 3, 1, 1, 1, false), h)
				x = b.Add("", graph.Concat{}, x, h)
			}
			h := b.Add("", graph.ReLU{}, b.Add(fmt.Sprint("t.bn", blk), bn, x))
			x = b.Add("", graph.AvgPool{K: 2, Stride: 2}, b.Add(fmt.Sprint("t.c", blk), tconv(7, 1, 1, 0, 1, false), h))
		}
		return b.Add("", graph.ReLU{}, b.Add("bn", bn, x))
	}},
	{"fire", graph.Shape{H: 7, W: 7, C: 3}, func(b *graph.Builder) int {
		x := b.Add("", graph.ReLU{}, b.Add("c0", tconv(4, 3, 2, 0, 1, true), 0))
		x = b.Add("", graph.MaxPool{K: 2, Stride: 2, Ceil: true}, x)
		l := b.Add("", graph.ReLU{}, b.Add("e1", tconv(3, 1, 1, 0, 1, true), x))
		r := b.Add("", graph.ReLU{}, b.Add("e3", tconv(5, 3, 1, 1, 1, true), x))
		x = b.Add("", graph.Concat{}, l, r)
		x = b.Add("c9", tconv(6, 1, 1, 0, 1, true), b.Add("", graph.Dropout{P: 0.5}, x))
		return b.Add("", graph.ReLU{}, x)
	}},
	{"gelu", graph.Shape{H: 6, W: 6, C: 2}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
		x = b.Add("", graph.GELU{Sigmoid: true}, b.Add("bn0", bn, x))
		x = b.Add("c1", tconv(4, 1, 1, 1, 1, true), x)
		x = b.Add("", graph.GELU{}, x)
		x = b.Add("", graph.Dropout{P: 0.4}, x)
		x = b.Add("", graph.AvgPool{K: 3, Stride: 2}, x)
		x = b.Add("", graph.GELU{}, b.Add("bn1", bn, x))
		return b.Add("", graph.GELU{Sigmoid: true}, x)
	}},
	{"shortcut A and blur", graph.Shape{H: 8, W: 8, C: 3}, func(b *graph.Builder) int {
		x := b.Add("", graph.ReLU{}, b.Add("bn0", bn, b.Add("c0", tconv(4, 3, 1, 1, 1, false), 0)))
		h := b.Add("", graph.ReLU{}, b.Add("bn1", bn, b.Add("c1", tconv(6, 3, 1, 1, 1, false), x)))
		h = b.Add("", graph.BlurPool{Taps: 4, Stride: 2}, h)
		s := b.Add("", graph.Subsample{Stride: 2, Before: 1, After: 1}, x)
		x = b.Add("", graph.ReLU{}, b.Add("", graph.Add{}, h, s))
		x = b.Add("", graph.BlurPool{Taps: 3, Stride: 1}, x)
		return b.Add("", graph.AdaptivePool{H: 3, W: 2}, x)
	}},
	{"shake-shake", graph.Shape{H: 5, W: 6, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
		l := b.Add("bn1", bn, b.Add("c1", tconv(4, 3, 1, 1, 1, false), x))
		r := b.Add("bn2", bn, b.Add("c2", tconv(4, 3, 1, 1, 1, false), b.Add("", graph.ReLU{}, x)))
		x = b.Add("", graph.Add{}, x, b.Add("", graph.ShakeShake{}, l, r))
		s := b.Add("", graph.Subsample{Stride: 2}, b.Add("", graph.Shift{By: 1}, b.Add("", graph.ReLU{}, x)))
		x = b.Add("", graph.Concat{}, s, b.Add("", graph.AvgPool{K: 1, Stride: 2}, x))
		return b.Add("", graph.ShakeShake{}, b.Add("c3", tconv(8, 1, 1, 0, 1, true), x), x)
	}},
	{"exits", graph.Shape{H: 5, W: 6, C: 3}, func(b *graph.Builder) int {
		exit := func(name string, x int) {
			l := b.Add(name, head, b.Add("", graph.AdaptivePool{H: 1, W: 1}, x))
			b.Exit(l)
		}
		x := b.Add("", graph.ReLU{}, b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0))
		exit("e0", x)
		x = b.Add("", graph.ReLU{}, b.Add("bn", bn, x))
		exit("e1", x)
		return b.Add("c1", tconv(5, 3, 2, 1, 1, true), x)
	}},
	{"condensed", graph.Shape{H: 5, W: 4, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(8, 3, 1, 1, 1, true), 0)
		y := b.Add("", graph.ReLU{}, b.Add("bn0", bn, b.Add("s", graph.Select{Out: 6}, x)))
		y = b.Add("", graph.Shuffle{Groups: 2}, b.Add("c1", tconv(4, 1, 1, 0, 2, false), y))
		y = b.Add("l", graph.LearnedGroupConv{Out: 4, Groups: 2, Condense: 2, Init: graph.Init{Dist: graph.Normal, Scale: 0.4}}, y)
		y = b.Add("c2", tconv(4, 3, 1, 1, 2, false), b.Add("", graph.ReLU{}, b.Add("bn1", bn, y)))
		x = b.Add("", graph.Concat{}, x, y)
		return b.Add("s2", graph.Select{Out: 5}, b.Add("", graph.AdaptivePool{H: 1, W: 1}, b.Add("", graph.ReLU{}, x)))
	}},
	{"grids", graph.Shape{H: 4, W: 6, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
		y := b.Add("", graph.ReLU{}, b.Add("bn", bn, b.Add("c1", tconv(3, 3, 2, 1, 1, true), x)))
		x = b.Add("", graph.Concat{}, x, b.Add("", graph.Upsample{By: 2}, y))
		return b.Add("", graph.Add{}, b.Add("", graph.Subsample{Stride: 1, After: 2}, x), b.Add("c2", tconv(9, 3, 1, 1, 1, false), x))
	}},
	{"enlarged", graph.Shape{H: 3, W: 4, C: 3}, func(b *graph.Builder) int {
		x := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
		y := b.Add("", graph.Scale{Factor: 0.25}, b.Add("c1", tconv(4, 3, 1, 1, 1, true), b.Add("", graph.ReLU{}, x)))
		x = b.Add("c2", tconv(18, 3, 1, 1, 1, true), b.Add("", graph.Add{}, y, x))
		x = b.Add("", graph.Concat{}, b.Add("", graph.PixelShuffle{By: 3}, x), b.Add("", graph.PixelShuffle{By: 3}, b.Add("", graph.Scale{Factor: -2}, x)))
		return b.Add("c3", tconv(3, 3, 1, 1, 1, true), x)
	}},
	{"winograd", graph.Shape{H: 4, W: 5, C: 3}, func(b *graph.Builder) int {
		wide := func(out, pad int) graph.Conv {
			c := tconv(out, 3, 1, pad, 1, true)
			c.Init.Scale = 0.1
			return c
		}
		x := b.Add("", graph.ReLU{}, b.Add("c0", wide(16, 1), 0))
		h := b.Add("c1", wide(32, 1), x)
		x = b.Add("", graph.Add{}, x, b.Add("c2", wide(16, 1), h))
		x = b.Add("", graph.ReLU{}, b.Add("bn", bn, b.Add("", graph.Concat{}, x, h)))
		return b.Add("c3", wide(16, 0), x)
	}},
	{"sums of everything", graph.Shape{H: 4, W: 4, C: 3}, func(b *graph.Builder) int {
		p := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
		y := b.Add("c1", tconv(4, 3, 1, 1, 1, true), p)
		z := b.Add("", graph.Add{}, y, p)
		z = b.Add("", graph.Add{}, z, z)
		n := b.Add("bn", bn, z)
		m := b.Add("", graph.Add{}, n, z, b.Add("", graph.ReLU{}, n))
		c := b.Add("", graph.Concat{}, m, p, m, b.Add("", graph.ReLU{}, m), y)
		d := b.Add("", graph.Subsample{Stride: 1}, c)
		return b.Add("", graph.Concat{}, b.Add("bn2", bn, d), c)
	}},
}

func TestGradients(t *testing.T) {
	for _, n := range networks {
		t.Run(n.name, func(t *testing.T) {
			b := graph.NewBuilder(n.name, n.input, 3)
			g := finish(t, b, n.build(b))
			checkNet(t, g, true, 3, 1)
			checkNet(t, g, true, 5, 2)
			checkNet(t, g, false, 3, 2)
		})
	}
}

func TestGradientOfFlatten(t *testing.T) {
	b := graph.NewBuilder("flat", graph.Shape{H: 4, W: 3, C: 2}, 3)
	x := b.Add("c0", tconv(4, 3, 1, 1, 1, true), 0)
	x = b.Add("", graph.Flatten{}, x)
	l := head
	l.Out = 7
	x = b.Add("fc1", l, x)
	x = b.Add("", graph.Dropout{P: 0.5}, b.Add("", graph.ReLU{}, x))
	b.Add("fc2", head, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	checkNet(t, g, true, 4, 2)
	checkNet(t, g, false, 4, 3)
}

// TestRandomGraphs throws networks that nobody would build at the planner.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := graph.NewBuilder("random", graph.Shape{H: 4, W: 4, C: 2}, 3)
		open := []int{b.Add("c", tconv(3, 1, 1, 0, 1, true), 0)}
		pick := func(name string) int { return open[rapid.IntRange(0, len(open)-1).Draw(t, name)] }
		// channels brings a node to three channels, so that all can be added.
		names := 0
		name := func() string { names++; return fmt.Sprint("n", names) }
		three := func(x int) int {
			if b.Shape(x).C == 3 {
				return x
			}
			return b.Add(name(), tconv(3, 1, 1, 0, 1, false), x)
		}
		for range rapid.IntRange(2, 9).Draw(t, "nodes") {
			x := pick("x")
			switch rapid.IntRange(0, 13).Draw(t, "op") {
			case 0:
				x = b.Add(name(), tconv(3, 3, 1, 1, 1, true), x)
			case 1:
				x = b.Add(name(), bn, x)
			case 2:
				x = b.Add("", graph.ReLU{}, x)
			case 3:
				x = b.Add("", graph.GELU{Sigmoid: true}, x)
			case 4:
				x = b.Add("", graph.Dropout{P: 0.3}, x)
			case 5:
				x = b.Add("", graph.Add{}, three(x), three(pick("y")))
			case 6:
				x = b.Add("", graph.Concat{}, x, pick("y"))
			case 7:
				x = b.Add("", graph.MaxPool{K: 3, Stride: 1, Pad: 1}, x)
			case 8:
				x = b.Add("", graph.BlurPool{Taps: 3, Stride: 1}, x)
			case 9:
				x = b.Add("", graph.ReLU{}, b.Add(name(), bn, x))
			case 10:
				x = b.Add("", graph.ShakeShake{}, three(x), three(pick("y")))
			case 11:
				x = b.Add("", graph.Shift{By: 1}, x)
			case 12:
				x = b.Add("", graph.Shuffle{Groups: 3}, three(x))
			case 13:
				x = b.Add(name(), graph.Select{Out: 4}, x)
			}
			open = append(open, x)
		}
		// Everything nobody reads goes into the end.
		rest := []int{open[0]}
		for _, x := range open[1:] {
			if rapid.Bool().Draw(t, "end") {
				rest = append(rest, x)
			}
		}
		g := finish(t, b, b.Add("", graph.Concat{}, rest...))
		mode := Mode{Train: rapid.Bool().Draw(t, "train"), Aux: rapid.IntRange(0, 2).Draw(t, "aux")}
		if places := Places(g); mode.Train && rapid.Bool().Draw(t, "mix") {
			mode.Mix = testMix(rapid.IntRange(0, len(places)-1).Draw(t, "place"), 2)
		}
		checkMode(t, g, mode, 2, 2)
	})
}

// checkNet compares logits, all parameter gradients (in training), the images' gradient and the running statistics of
// the engine with the oracle's.
func checkNet(t fataler, g *graph.Graph, train bool, batch, workers int) {
	t.Helper()
	checkMode(t, g, Mode{Train: train}, batch, workers)
}

func checkMode(t fataler, g *graph.Graph, mode Mode, batch, workers int) {
	t.Helper()
	train := mode.Train
	net, err := New(g, Options{Workers: workers, Batch: batch + 1, Train: true, InputGrad: true, AuxNorm: mode.Aux > 0, Places: mode.Mix != nil})
	if err != nil {
		t.Fatal(err)
	}
	key := rng.NewKey(7)
	net.Init(key)
	r := key.Str("test").Rand()
	o := &oracle{g: g, params: map[string][]float64{}, batch: batch, train: train, aux: mode.Aux, offset: map[[2]int][]float64{}}
	if o.mix = mode.Mix; o.mix != nil {
		o.place = net.Places()[o.mix.Place]
	}
	all := append(slices.Clone(net.Tensors()), net.Aux()...)
	for _, x := range all {
		for i := range x.Data {
			switch x.Role {
			case graph.Gamma, graph.RunningVar:
				x.Data[i] = float32(r.Uniform(0.5, 1.5))
			case graph.Index:
				x.Data[i] = float32(r.IntN(2))
			case graph.Beta, graph.RunningMean:
				x.Data[i] = float32(r.Uniform(-0.5, 0.5))
			}
		}
		o.params[x.Name] = widen(x.Data)
	}
	net.Changed()
	planes := make([]float32, batch*g.Input().Len())
	r.FillNormal32(planes)
	d := make([]float32, len(g.Outputs())*batch*g.Classes)
	r.FillNormal32(d)

	mode.Key = key
	net.Forward(planes, batch, mode)
	logits := allLogits(net)
	o.keep = func(node, image, element int) float64 {
		op := net.last.vals[node].drop
		return float64(op.keep[image*op.words+element/64]>>(element%64)&1) * float64(op.scale)
	}
	o.shake = func(node, image int) (alpha, beta float64) {
		r := key.Str("shake").Uint(uint64(node)).Uint(uint64(image)).Rand()
		return r.Float64(), r.Float64()
	}
	wide := widen(planes)
	want := o.forward(wide)
	for i, v := range logits {
		if math.Abs(float64(v)-want[i]) > 2e-5*(1+math.Abs(want[i])) {
			t.Fatalf("train %v: logit %d is %v, want %v", train, i, v, want[i])
		}
	}
	for name, v := range o.updated {
		at := slices.IndexFunc(all, func(x *Tensor) bool { return x.Name == name })
		compare(t, name, all[at].Data, v, 1e-5)
	}
	net.Backward(d)
	// A derivative that cancels to nothing keeps the rounding of what it cancels, and a batch norm of a channel that hardly
	// varies multiplies that: by 316 where the channel is dead.
	unit := max(1, o.steep/10)
	lossFrom := func(node int) func() float64 {
		o.forward(wide) // what lies before the node stays
		return func() (sum float64) {
			for i, v := range o.from(node, wide) {
				sum += v * float64(d[i])
			}
			return sum
		}
	}
	if train {
		for _, x := range all {
			if x.Role.Trained() {
				checkGrad(t, x.Name, x.Grad, o.params[x.Name], unit, lossFrom(o.firstOf(x.Name)))
			}
		}
	}
	checkGrad(t, "images", net.InputGrad(), wide, unit, lossFrom(0))
	if !train && mode.Aux == 0 {
		checkFolded(t, net, planes, batch, want)
	}
}

// checkFolded runs the plan for inference alone, with batch norms folded into convolutions, on the same parameters.
func checkFolded(t fataler, from *Net, planes []float32, batch int, want []float64) {
	t.Helper()
	net, err := New(from.Graph(), Options{Workers: len(from.pool.workers), Batch: batch})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range net.Tensors() {
		copy(x.Data, from.Tensors()[i].Data)
	}
	net.Changed()
	net.Forward(planes, batch, Mode{})
	compare(t, "folded logits", allLogits(net), want, 2e-5)
}

// allLogits returns the logits of every exit.
func allLogits(n *Net) (all []float32) {
	for k := range n.Exits() {
		all = append(all, n.ExitLogits(k)...)
	}
	return all
}

func widen(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func find(n *Net, name string) *Tensor {
	for _, t := range n.Tensors() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// checkGrad compares with central differences. Where a ReLU or a maximum has its kink within the step, the two
// one-sided differences disagree, and the element says nothing. A difference of 1e-4 of the largest, or of unit, is
// rounding.
func checkGrad(t fataler, name string, got []float32, at []float64, unit float64, loss func() float64) {
	t.Helper()
	const h = 1e-5
	here := loss()
	want := make([]float64, 0, len(at))
	from := make([]float32, 0, len(at))
	skipped := 0
	for i, stride := 0, max(1, len(at)/10); i < len(at); i += stride {
		old := at[i]
		at[i] = old + h
		up := loss()
		at[i] = old - h
		down := loss()
		at[i] = old
		if math.Abs(up+down-2*here) > 1e-7*(1+math.Abs(up-down)/h) {
			skipped++
			continue
		}
		want = append(want, (up-down)/(2*h))
		from = append(from, got[i])
	}
	if _, random := t.(*rapid.T); skipped > len(want) && !random {
		t.Fatalf("%s: %d of %d elements at a kink", name, skipped, skipped+len(want))
	}
	compareTo(t, "gradient of "+name, from, want, 1e-4, unit)
}

// compare allows differences relative to the largest element and to 1.
func compare(t fataler, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	compareTo(t, what, got, want, tol, 1)
}

// compareTo allows differences of tol of the largest element and of unit.
func compareTo(t fataler, what string, got []float32, want []float64, tol, unit float64) {
	t.Helper()
	top := 0.0
	for _, v := range want {
		top = max(top, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(float64(v)-want[i]) <= tol*(top+unit)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}
