package eval

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// untrained returns a small network with random weights and running statistics.
func untrained(t *testing.T, norm mix.Normalization) *Network {
	t.Helper()
	g, err := models.Build("wrn-10-1", graph.Shape{H: 8, W: 8, C: 3}, 4)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Workers: 1, Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(3))
	n := &Network{Graph: g, norm: norm, Workers: 1}
	r := rng.New(4)
	for _, x := range net.Tensors() {
		for i := range x.Data {
			switch x.Role {
			case graph.RunningMean, graph.Beta:
				x.Data[i] = float32(0.3 * r.Normal())
			case graph.RunningVar, graph.Gamma:
				x.Data[i] = float32(r.Uniform(0.5, 1.5))
			}
		}
		n.weights = append(n.weights, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	return n
}

// The gradient along itself is the slope of the summed cross-entropy in that direction.
func TestNetworkGradient(t *testing.T) {
	n := untrained(t, mix.ImageNet)
	some, err := Among(n, []int{3, 0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	slopeOf(t, n, []int{2, 0, 3})
	slopeOf(t, some.(Differentiable), []int{2, 0, 1})
	slopeOf(t, n, []int{2, 0, 3}) // the ones do not disturb the others
}

func slopeOf(t *testing.T, n Differentiable, labels []int) {
	t.Helper()
	const count, size = 3, 3 * 8 * 8
	_, _, norm := n.Input()
	r := rng.New(5)
	x, g := make([]float32, count*size), make([]float32, count*size)
	for i := range x {
		x[i] = float32(r.Uniform(0.2, 0.8))
	}
	if err := n.Gradient(g, x, labels); err != nil {
		t.Fatal(err)
	}
	loss := func(step float64) float64 {
		moved, logits := make([]float32, len(x)), make([]float32, count*n.Classes())
		for i := range x {
			moved[i] = x[i] + float32(step*float64(g[i]))
		}
		normalize(moved, moved, 64, &norm)
		if err := n.Predict(logits, moved, count); err != nil {
			t.Fatal(err)
		}
		return count * nn.CrossEntropy(nil, logits, labels, n.Classes(), 0)
	}
	square := 0.0
	for _, v := range g {
		square += float64(v) * float64(v)
	}
	h := 1e-3 / math.Sqrt(square)
	if slope := (loss(h) - loss(-h)) / (2 * h); math.Abs(slope/square-1) > 0.01 {
		t.Errorf("slope %v, the gradient says %v", slope, square)
	}
}
