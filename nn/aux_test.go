package nn

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// testMix mixes each image with the next.
func testMix(place, batch int) *FeatureMix {
	m := &FeatureMix{Place: place, Lambda: 0.7, Add: 0.3, Multiply: 0.2, Key: rng.NewKey(50)}
	for i := range batch {
		m.Partner = append(m.Partner, (i+1)%batch)
	}
	return m
}

// TestModeGradients: images of two sets of batch norms in one batch, and mixed and noisy features, in small networks against
// the oracle and its finite differences. TestRandomGraphs does the same in others.
func TestModeGradients(t *testing.T) {
	for i, n := range networks {
		if i%3 > 0 {
			continue
		}
		b := graph.NewBuilder(n.name, n.input, 3)
		g := finish(t, b, n.build(b))
		checkMode(t, g, Mode{Train: true, Aux: 2, Mix: testMix(i%len(Places(g)), 5)}, 5, 2)
	}
	checkMode(t, residual(t), Mode{Aux: 1}, 3, 2)
}

// residual is a small residual network with batch norms before and after activations.
func residual(t *testing.T) *graph.Graph {
	b := graph.NewBuilder("wide", graph.Shape{H: 8, W: 8, C: 3}, 3)
	x := b.Add("c", tconv(4, 3, 1, 1, 1, false), 0)
	for i, name := range []string{"a", "b"} {
		y := b.Add("", graph.ReLU{}, b.Add(name+".bn", bn, x))
		x = b.Add("", graph.Add{}, b.Add(name+".c1", tconv(4+4*i, 3, 1+i, 1, 1, false), y),
			b.Add(name+".c2", tconv(4+4*i, 1, 1+i, 0, 1, false), x))
	}
	return finish(t, b, b.Add("", graph.ReLU{}, b.Add("bn", bn, x)))
}

// TestAuxSeparate: the statistics of either set know nothing of the images of the other, neither do logits; a net that is not
// told of auxiliary images, and one that has no such batch norms, give the same bits.
func TestAuxSeparate(t *testing.T) {
	g := residual(t)
	run := func(o Options, x []float32, batch, aux int) ([]float32, *Net) {
		o.Train, o.Batch = true, 6
		net := mustNet(t, g, o)
		net.Init(rng.NewKey(3))
		net.InitAux()
		return slices.Clone(net.Forward(x, batch, Mode{Train: true, Aux: aux})), net
	}
	x := noise(1, 6*g.Input().Len())
	half := len(x) / 2
	both, net := run(Options{Workers: 2, AuxNorm: true}, x, 6, 3)
	first, one := run(Options{Workers: 1}, x[:half], 3, 0)
	second, two := run(Options{Workers: 3, AuxNorm: true}, x[half:], 3, 3)
	if !slices.Equal(both, append(first, second...)) {
		t.Error("the logits of one set depend on the other")
	}
	for i, w := range net.Tensors() {
		if !slices.Equal(w.Data, one.Tensors()[i].Data) {
			t.Errorf("%s is not that of its images alone", w.Name)
		}
	}
	for i, w := range net.Aux() {
		if !slices.Equal(w.Data, two.Aux()[i].Data) || w.Name != PrefixAux+find(net, w.Name[len(PrefixAux):]).Name {
			t.Errorf("%s is not that of its images alone", w.Name)
		}
	}
	if len(net.Aux()) != 12 {
		t.Errorf("%d tensors of three batch norms", len(net.Aux()))
	}
}

// TestPlaces: the input and the end of each resolution, not within a block.
func TestPlaces(t *testing.T) {
	g := residual(t)
	var kinds []string
	for _, k := range Places(g) {
		kinds = append(kinds, g.Nodes[k].Op.Kind())
	}
	if want := []string{"input", "add", "relu"}; !slices.Equal(kinds, want) {
		t.Errorf("%q, want %q", kinds, want)
	}
}

// TestFeatureMixBits: the same bits for any number of workers, nothing allocated, and without Mode.Mix those of a net that cannot
// mix.
func TestFeatureMixBits(t *testing.T) {
	g := residual(t)
	x, d := noise(1, 7*g.Input().Len()), noise(2, 7*3)
	var want []float32
	for i, workers := range []int{1, 2, 5} {
		net := mustNet(t, g, Options{Workers: workers, Batch: 7, Train: true, Places: true})
		net.Init(rng.NewKey(3))
		m := testMix(1, 7)
		step := func() []float32 {
			got := slices.Clone(net.Forward(x, 7, Mode{Train: true, Mix: m}))
			net.Backward(d)
			for _, w := range net.Tensors() {
				got = append(got, w.Grad...)
			}
			return got
		}
		got := step()
		if i == 0 {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d workers give other bits", workers)
		}
		if workers == 1 && !racedetector.Enabled { // which allocates
			if n := testing.AllocsPerRun(3, func() { net.Forward(x, 7, Mode{Train: true, Mix: m}); net.Backward(d) }); n > 0 {
				t.Errorf("%v allocations in a step", n)
			}
		}
		plain := mustNet(t, g, Options{Workers: 1, Batch: 7, Train: true})
		plain.Init(rng.NewKey(3))
		net.Init(rng.NewKey(3))
		a, b := net.Forward(x, 7, Mode{Train: true}), plain.Forward(x, 7, Mode{Train: true})
		net.Backward(d)
		plain.Backward(d)
		if !slices.Equal(a, b) || !slices.Equal(net.Tensors()[0].Grad, plain.Tensors()[0].Grad) {
			t.Error("a net that could mix gives other bits where it does not")
		}
	}
}

func TestAuxMisuse(t *testing.T) {
	g := residual(t)
	net := mustNet(t, g, Options{Workers: 1, Batch: 4, Train: true, AuxNorm: true, Places: true})
	x := noise(1, 4*g.Input().Len())
	twice := testMix(0, 4)
	twice.Partner[1] = twice.Partner[0]
	for _, m := range []Mode{
		{Train: true, Aux: 5},
		{Aux: 1},
		{Mix: testMix(0, 4)},
		{Train: true, Mix: testMix(9, 4)},
		{Train: true, Mix: testMix(0, 3)},
		{Train: true, Mix: twice},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v passes", m)
				}
			}()
			net.Forward(x, 4, m)
		}()
	}
}
