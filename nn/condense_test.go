package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
)

// learned is a network with one learned group convolution, of 2 groups of 2 outputs that keep 2 of 8 inputs.
func learned(t *testing.T) (*Net, []float32) {
	b := graph.NewBuilder("learned", graph.Shape{H: 2, W: 2, C: 8}, 3)
	g := finish(t, b, b.Add("l", graph.LearnedGroupConv{
		Out: 4, Groups: 2, Condense: 4, Lasso: 0.1, Init: graph.Init{Dist: graph.Normal, Scale: 1},
	}, 0))
	n := mustNet(t, g, Options{Batch: 1, Train: true})
	return n, find(n, "l.weight").Data
}

// TestCondenser: inputs go in three stages, those with the least weights first, group by group, and do not come back.
func TestCondenser(t *testing.T) {
	n, w := learned(t)
	for i := range w {
		// Input j of group o%2, the same in both outputs of the group: 1, 2, ..., 8, and 8, 7, ..., 1.
		if w[i] = float32(i%8 + 1); i/8%2 == 1 {
			w[i] = 9 - w[i]
		}
	}
	c := NewCondenser(n)
	for _, s := range []struct {
		progress float64
		lost     int
	}{{0, 0}, {0.16, 0}, {0.17, 2}, {0.17, 2}, {0.3, 2}, {0.34, 4}, {0.5, 6}, {1, 6}} {
		if c.Step(s.progress); c.layers[0].lost(0) != s.lost {
			t.Fatalf("at %v %d inputs are lost, want %d", s.progress, c.layers[0].lost(0), s.lost)
		}
		for i := range w {
			rank := i % 8
			if i/8%2 == 1 {
				rank = 7 - rank
			}
			if zero := w[i] == 0; zero != (rank < s.lost) {
				t.Fatalf("at %v weight %d is %v", s.progress, i, w[i])
			}
			if w[i] == 0 {
				w[i] = 100 // what momentum may make of it
			}
		}
	}
	c.Step(1)
	if again := NewCondenser(n); !slices.Equal(again.layers[0].pruned, c.layers[0].pruned) {
		t.Error("another condenser does not see what was pruned")
	}
}

// TestGroupLasso compares the gradient with differences of the value.
func TestGroupLasso(t *testing.T) {
	n, w := learned(t)
	c, grad := NewCondenser(n), find(n, "l.weight").Grad
	c.Step(0.2)
	for i := range grad {
		grad[i] = 7
	}
	c.Gradient()
	got := slices.Clone(grad)
	const h = 1e-3
	for i, v := range w {
		want := 0.0
		if v != 0 { // else it is pruned
			w[i] = v + h
			up := c.Gradient()
			w[i] = v - h
			want = 7 + (up-c.Gradient())/(2*h)
			w[i] = v
		}
		if math.Abs(float64(got[i])-want) > 1e-3 {
			t.Errorf("gradient %d is %v, want %v", i, got[i], want)
		}
	}
	c.Step(0.5)
	if lasso := c.Gradient(); lasso != 0 {
		t.Errorf("the lasso is %v when all stages are over", lasso)
	}
}

// TestConvert: the converted network has the logits of the trained one, whose classifier reads half of its inputs only.
func TestConvert(t *testing.T) {
	side := graph.Shape{H: 8, W: 8, C: 3}
	build := func(spec string) *graph.Graph {
		g, err := models.Build(spec, side, 3)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	n := mustNet(t, build("condensenet-small-14-c4"), Options{Batch: 2, Train: true})
	to := build("condensenet-small-14-c4-converted")
	if _, err := Convert(n, to, Options{}); !errors.Is(err, ErrConvert) || !strings.Contains(err.Error(), "was not finished") {
		t.Errorf("a network that is not condensed: %v", err)
	}
	x := noise(1, 2*side.Len())
	for range 3 { // running statistics
		n.Forward(x, 2, Mode{Train: true})
	}
	NewCondenser(n).Step(1)
	classifier := find(n, "classifier.weight")
	for i := range classifier.Data {
		if i%2 == 1 {
			classifier.Data[i] = 0
		}
	}
	n.Changed()
	m, err := Convert(n, to, Options{Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.CheckIndices(); err != nil {
		t.Error(err)
	}
	compare(t, "converted logits", m.Forward(x, 2, Mode{}), widen(n.Forward(x, 2, Mode{})), 1e-5)
	if _, err := Convert(nil, to, Options{}); !errors.Is(err, ErrConvert) {
		t.Errorf("no network: %v", err)
	}
	if _, err := Convert(n, build("resnet20"), Options{}); !errors.Is(err, ErrConvert) {
		t.Errorf("another network: %v", err)
	}
	find(m, "classifier.index").Data[1] = 0.5
	if err := m.CheckIndices(); !errors.Is(err, graph.ErrGraph) || !strings.Contains(err.Error(), "number 1 is 0.5") {
		t.Error(err)
	}
}
