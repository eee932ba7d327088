package onnx

import (
	"bytes"
	"reflect"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// Computes reports whether the file computes g as [Export] writes it, with weights of its own: the same operators with the
// same attributes and constants, in the same order. So the file's [Model.Weights] in g give its outputs. A file that an
// optimizer or a quantizer has changed since is not such a file, nor is one of another exporter.
func (m *Model) Computes(g *graph.Graph) bool {
	if g.Check() != nil {
		return false
	}
	e := &exporter{g: g, values: make([]value, len(g.Nodes))} // without parameters, which do not change the operators
	for i := range g.Nodes {
		if e.node(i) != nil {
			return false
		}
	}
	e.finish(Options{})
	var b bytes.Buffer
	if err := e.model(Options{Opset: LeastOpset}).writeTo(&b); err != nil {
		return false
	}
	want, err := Read(b.Bytes())
	return err == nil && reflect.DeepEqual(m.Nodes, want.Nodes) && reflect.DeepEqual(m.Ints, want.Ints) &&
		reflect.DeepEqual(constants(m), constants(want))
}

// constants returns the initializers that are not a network's tensors.
func constants(m *Model) []weights.Tensor {
	var ts []weights.Tensor
	for _, t := range m.Initializers {
		if !strings.Contains(t.Name, ".") {
			ts = append(ts, t)
		}
	}
	return ts
}
