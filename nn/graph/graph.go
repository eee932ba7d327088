// Package graph describes a neural network as data: which layers there are, what feeds what, what the parameters are
// called and how they start. It holds no arithmetic and no weights. Package nn runs a Graph on the CPU, package nn/onnx
// writes it for other runtimes; another executor can be added without touching the networks, which package models builds.
//
// Activations have the shape height, width, channels for one image; the batch is the executor's. Weights keep the shape
// and the order of PyTorch, so that the tables of published networks read the same here.
package graph

import (
	"errors"
	"fmt"
)

// ErrGraph is wrapped by every error about a graph that cannot be: shapes that do not fit, unknown operations.
var ErrGraph = errors.New("not a network")

// Shape is the shape of one image's activation. A vector is 1x1xC.
type Shape struct{ H, W, C int }

// Len returns the number of values.
func (s Shape) Len() int { return s.H * s.W * s.C }

func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.H, s.W, s.C) }

// Graph is a network with one input image and one vector of logits, or several: those of early exits.
type Graph struct {
	// Name is the spec string that package models builds the network from, such as "wrn-40-2".
	Name string
	// Classes is the length of the logits.
	Classes int
	// Nodes are in an order in which each can be computed: a node reads earlier ones only. Nodes[0] is the Input, the last
	// node is the logits. The order is that in which the reference implementation registers its parameters.
	Nodes []Node
	// Exits are the nodes of the logits of early exits, in order; empty for almost every network.
	Exits []int
}

// Input returns the shape of an image.
func (g *Graph) Input() Shape { return g.Nodes[0].Shape }

// Output returns the index of the node of the logits, the last exit's.
func (g *Graph) Output() int { return len(g.Nodes) - 1 }

// Node is one layer.
type Node struct {
	// Name is the path of the layer in the reference implementation, "block1.layer.0.conv1". The parameters are named after
	// it: Name + ".weight". It is unique among layers with parameters, and may be empty for others.
	Name string
	Op   Op
	// In are the indices of the nodes it reads, all smaller than its own.
	In []int
	// Shape is the shape of its result.
	Shape Shape
}

// Use counts how many nodes read each node.
func (g *Graph) Use() []int {
	use := make([]int, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, i := range n.In {
			use[i]++
		}
	}
	return use
}

// Check returns an error unless g is not nil, every node reads earlier nodes, has the shape that its operation gives, names its
// parameters uniquely, and the last node gives Classes logits.
func (g *Graph) Check() error {
	if g == nil {
		return fmt.Errorf("%w: the graph is nil", ErrGraph)
	}
	if len(g.Nodes) < 2 {
		return fmt.Errorf("%w: %q has %d nodes", ErrGraph, g.Name, len(g.Nodes))
	}
	if _, ok := g.Nodes[0].Op.(Input); !ok || g.Nodes[0].Shape.Len() <= 0 {
		return fmt.Errorf("%w: the first node of %q is not an input", ErrGraph, g.Name)
	}
	names := map[string]bool{}
	for i, n := range g.Nodes {
		if n.Op == nil {
			return fmt.Errorf("%w: node %d of %q has no operation", ErrGraph, i, g.Name)
		}
		in := make([]Shape, len(n.In))
		for j, k := range n.In {
			if k < 0 || k >= i {
				return fmt.Errorf("%w: node %d (%s) of %q reads node %d", ErrGraph, i, n.Op.Kind(), g.Name, k)
			}
			in[j] = g.Nodes[k].Shape
		}
		if i > 0 {
			s, err := n.Op.shape(in)
			if err != nil {
				return fmt.Errorf("%w: node %d (%s %q) of %q: %w", ErrGraph, i, n.Op.Kind(), n.Name, g.Name, err)
			}
			if s != n.Shape {
				return fmt.Errorf("%w: node %d (%s %q) of %q gives %v, not %v", ErrGraph, i, n.Op.Kind(), n.Name, g.Name, s, n.Shape)
			}
		}
		if len(n.Op.params(in)) > 0 {
			if n.Name == "" || names[n.Name] {
				return fmt.Errorf("%w: node %d (%s) of %q has parameters and the name %q, which is empty or taken",
					ErrGraph, i, n.Op.Kind(), g.Name, n.Name)
			}
			names[n.Name] = true
		}
	}
	if last := g.Nodes[len(g.Nodes)-1].Shape; last != (Shape{1, 1, g.Classes}) {
		return fmt.Errorf("%w: %q ends in %v, not in %d logits", ErrGraph, g.Name, last, g.Classes)
	}
	return g.checkExits()
}
