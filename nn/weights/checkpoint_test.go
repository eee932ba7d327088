package weights_test

import (
	"testing"

	"github.com/augmix-go/augmix/nn/weights"
)

// Of a checkpoint the average of the weights is used where there is one, and never the optimizer's state.
func TestNetwork(t *testing.T) {
	a, b := weights.Tensor{Name: "fc.weight", Data: []float32{1}}, weights.Tensor{Name: "optimizer.fc.weight", Data: []float32{2}}
	average := weights.Tensor{Name: "ema.fc.weight", Data: []float32{3}}
	for want, ts := range map[float32][]weights.Tensor{1: {b, a}, 3: {a, average, b}} {
		net := weights.Network(ts)
		if len(net) != 1 || net[0].Name != "fc.weight" || net[0].Data[0] != want {
			t.Errorf("%v: %+v", want, net)
		}
	}
	net, optimizer, ema := weights.Split([]weights.Tensor{a, b, average})
	if len(net) != 1 || len(optimizer) != 1 || len(ema) != 1 || optimizer[0].Name != "fc.weight" || ema[0].Name != "fc.weight" {
		t.Errorf("%v %v %v", net, optimizer, ema)
	}
}
