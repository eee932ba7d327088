package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// TestCondensed: what cannot be converted, and what a file says about channels that are not there, are errors.
func TestCondensed(t *testing.T) {
	const spec = "condensenet-small-8-c4"
	o := LoadOptions{Model: spec, H: 16, W: 16, Norm: &mix.Half}
	n, err := LoadNetwork(saved(t, spec, 16, 5, nil, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Condensed(); !errors.Is(err, nn.ErrConvert) {
		t.Errorf("a network that was not trained: %v", err)
	}
	o.Model += "-converted"
	path := saved(t, o.Model, 16, 5, nil, "")
	if n, err = LoadNetwork(path, o); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Condensed(); !errors.Is(err, ErrModel) {
		t.Errorf("a converted network: %v", err)
	}
	ts, _, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range ts {
		if strings.HasSuffix(w.Name, ".index") {
			w.Data[0] = 1e9
		}
	}
	if err := weights.WriteFile(path, ts, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadNetwork(path, o); !errors.Is(err, graph.ErrGraph) || !strings.Contains(err.Error(), "number 0 is 1e+09") {
		t.Errorf("an index of no channel: %v", err)
	}
}
