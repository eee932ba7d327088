package models_test

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// TestTrain trains networks on tiny images: the loss falls, the same number of workers gives the same bits, and another
// number the same loss but for rounding at the first step.
func TestTrain(t *testing.T) {
	for _, c := range []struct {
		spec string
		side int
		rate float64
	}{
		{"densenet121", 32, 0.02},
		{"shakeshake26-2x8d", 12, 0.02},
		{"msdnet-2-1", 64, 0.02},
		{"msdnet-small-2-2", 12, 0.02},
		{"condensenet-small-14-c4", 12, 0.02},
		{"rmg18", 32, 0.0005},
	} {
		t.Run(c.spec, func(t *testing.T) {
			// The second loss of a network follows from all that a step does.
			one, three, again := trainTiny(t, c.spec, c.side, 1, 5, c.rate), trainTiny(t, c.spec, c.side, 3, 2, c.rate), trainTiny(t, c.spec, c.side, 3, 2, c.rate)
			if !slices.Equal(three, again) {
				t.Errorf("losses with 3 workers are %v, then %v", three, again)
			}
			if d := one[0] - three[0]; d > 1e-5 || d < -1e-5 {
				t.Errorf("the first loss is %v with 1 worker, %v with 3", one[0], three[0])
			}
			if first, last := one[0], one[len(one)-1]; last > 0.8*first {
				t.Errorf("the loss falls from %v to %v: %v", first, last, one)
			}
		})
	}
}

// trainTiny returns the losses of some steps on six images of three classes.
func trainTiny(t *testing.T, spec string, side, workers, steps int, rate float64) []float64 {
	const batch, classes = 6, 3
	g := build(t, spec, graph.Shape{H: side, W: side, C: 3}, classes)
	net, err := nn.New(g, nn.Options{Workers: workers, Batch: batch, Train: true})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(1))
	x, d := make([]float32, batch*g.Input().Len()), make([]float32, net.Exits()*batch*classes)
	rng.New(2).FillNormal32(x)
	optimizer := &nn.SGD{Momentum: 0.9, Nesterov: true}
	var losses []float64
	for step := range steps {
		net.Forward(x, batch, nn.Mode{Train: true, Key: rng.NewKey(3).Uint(uint64(step))})
		losses = append(losses, 0)
		for k := range net.Exits() {
			losses[step] += nn.CrossEntropy(d[k*batch*classes:][:batch*classes], net.ExitLogits(k), []int{0, 1, 2, 0, 1, 2}, classes, 0)
		}
		net.Backward(d)
		optimizer.Step(net.Tensors(), rate)
	}
	return losses
}
