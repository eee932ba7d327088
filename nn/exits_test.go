package nn

import (
	"errors"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// TestExits: the network up to an exit has that exit's logits, and the gradient of the last exit alone is that of all
// with zeros for the others.
func TestExits(t *testing.T) {
	g := testGraph(t, "exits")
	n := mustNet(t, g, Options{Batch: 3, Train: true})
	x := noise(1, 2*g.Input().Len())
	n.Forward(x, 2, Mode{})
	for k := range n.Exits() {
		part, err := g.At(k + 1)
		if err != nil {
			t.Fatal(err)
		}
		m := mustNet(t, part, Options{Batch: 2})
		if len(part.Exits) > 0 || k < 2 && len(part.Nodes) >= len(g.Nodes) || !slices.Equal(m.Forward(x, 2, Mode{}), n.ExitLogits(k)) {
			t.Errorf("exit %d: %d nodes, logits %v, want %v", k+1, len(part.Nodes), m.ExitLogits(0), n.ExitLogits(k))
		}
	}
	gradients := func(d []float32) (all []float32) {
		n.Forward(x, 2, Mode{Train: true, Key: rng.NewKey(1)})
		n.Backward(d)
		for _, p := range n.Tensors() {
			all = append(all, p.Grad...)
		}
		return all
	}
	last := noise(2, 2*g.Classes)
	zeros := make([]float32, 2*2*g.Classes)
	if !slices.Equal(gradients(last), gradients(append(zeros, last...))) {
		t.Error("the last exit's gradient alone gives others than with zeros for the other exits")
	}
	for _, exit := range []int{0, 4} {
		if _, err := g.At(exit); !errors.Is(err, graph.ErrGraph) {
			t.Errorf("exit %d: %v", exit, err)
		}
	}
}
