package eval

import (
	"errors"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
)

// TestExit: a network that is cut off behind an exit has the logits that the whole one has there.
func TestExit(t *testing.T) {
	path := saved(t, "msdnet-small-3-1", 16, 5, nil, "")
	load := func(exit int) (*Network, error) {
		return LoadNetwork(path, LoadOptions{Model: "msdnet-small-3-1", H: 16, W: 16, Norm: &mix.Half, Exit: exit})
	}
	n, err := load(0)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := n.Net(nn.Options{Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 2*3*16*16)
	for i := range x {
		x[i] = float32(i%7) - 3
	}
	whole.Forward(x, 2, nn.Mode{})
	for exit := 1; exit <= 3; exit++ {
		n, err := load(exit)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 2*5)
		if err := n.Predict(got, x, 2); err != nil || !slices.Equal(got, whole.ExitLogits(exit-1)) {
			t.Errorf("exit %d: %v, want %v (%v)", exit, got, whole.ExitLogits(exit-1), err)
		}
	}
	if n, err = load(LastExit); err != nil || len(n.Graph.Exits) > 0 || len(n.Graph.Nodes) >= len(whole.Graph().Nodes) {
		t.Errorf("the last exit: %d nodes, %v", len(n.Graph.Nodes), err)
	}
	for _, exit := range []int{-2, 4} {
		if _, err := load(exit); !errors.Is(err, ErrOption) {
			t.Errorf("exit %d: %v", exit, err)
		}
	}
}
