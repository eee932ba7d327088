package eval

import (
	"fmt"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
)

// Condensed returns the converted form of a CondenseNet that has been trained: see [nn.Convert]. The error wraps [ErrModel] if
// the network has none, or nn.ErrConvert if its training was not finished.
func (n *Network) Condensed() (*Network, error) {
	g, err := models.Build(n.Graph.Name+"-converted", n.Graph.Input(), n.Graph.Classes)
	if err != nil {
		return nil, fmt.Errorf("%w: %s has no converted form; a CondenseNet that was trained has", ErrModel, n.Graph.Name)
	}
	from, err := n.Net(nn.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	net, err := nn.Convert(from, g, nn.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	out := &Network{
		Graph: g, Workers: n.Workers, Preprocess: n.Preprocess, trained: n.trained, names: n.names, prepare: n.prepare, norm: n.norm,
	}
	for _, t := range net.Tensors() {
		out.weights = append(out.weights, weights.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
	}
	return out, nil
}
