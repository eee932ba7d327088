package onnx_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn/onnx"
)

// TestComputes: every family's export computes its graph, and neither another graph nor one whose operators were changed.
func TestComputes(t *testing.T) {
	specs := []string{
		"wrn-16-2-drop0.3", "allconv", "densenet-bc-40-12", "resnext29-4x32", "resnet20", "resnet18-blur4", "squeezenet1.1",
	}
	for i, spec := range specs {
		g := build(t, spec, 64)
		b := export(t, g, numbered(g), onnx.Options{Opset: 17, Batch: 2, Version: "v9"})
		whole, err := onnx.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		if !whole.Computes(g) {
			t.Errorf("%s does not compute its graph", spec)
		}
		if other := specs[(i+1)%len(specs)]; whole.Computes(build(t, other, 64)) {
			t.Errorf("%s computes %s", spec, other)
		}
		for what, change := range map[string]func(m *onnx.Model){
			"a node less":        func(m *onnx.Model) { m.Nodes = m.Nodes[:len(m.Nodes)-1] },
			"another operator":   func(m *onnx.Model) { m.Nodes[len(m.Nodes)/2].Op = "Sigmoid" },
			"another input":      func(m *onnx.Model) { m.Nodes[len(m.Nodes)/2].Inputs[0] = "input" },
			"another attribute":  func(m *onnx.Model) { m.Nodes[0].Attributes["group"] = int64(3) },
			"a constant changed": func(m *onnx.Model) { m.Ints = append(m.Ints, onnx.IntTensor{Name: "constant_x"}) },
		} {
			m := *whole // its weights are not changed
			m.Nodes, m.Ints = slices.Clone(m.Nodes), slices.Clone(m.Ints)
			for i := range m.Nodes {
				n := &m.Nodes[i]
				n.Inputs, n.Attributes = slices.Clone(n.Inputs), maps.Clone(n.Attributes)
			}
			if change(&m); m.Computes(g) {
				t.Errorf("%s with %s computes the graph", spec, what)
			}
		}
		if !whole.Computes(g) {
			t.Errorf("%s has been changed", spec)
		}
	}
}
