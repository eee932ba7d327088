package graph

import "fmt"

// Builder makes a Graph node by node. The first mistake is kept and returned by Done; nodes after it have no meaning.
type Builder struct {
	g   Graph
	err error
}

// NewBuilder starts a network; its input is node 0.
func NewBuilder(name string, input Shape, classes int) *Builder {
	b := &Builder{g: Graph{Name: name, Classes: classes, Nodes: []Node{{Op: Input{}, Shape: input}}}}
	if input.H < 1 || input.W < 1 || input.C < 1 || classes < 1 {
		b.err = fmt.Errorf("%w: %s over images of %v with %d classes", ErrGraph, name, input, classes)
	}
	return b
}

// Add appends a layer that reads the nodes in and returns its index. The name is that of its parameters in the reference,
// empty for layers without.
func (b *Builder) Add(name string, op Op, in ...int) int {
	id := len(b.g.Nodes)
	shapes := make([]Shape, len(in))
	for i, k := range in {
		if k < 0 || k >= id {
			panic(fmt.Sprintf("graph: node %d of %s reads node %d", id, b.g.Name, k))
		}
		shapes[i] = b.g.Nodes[k].Shape
	}
	var s Shape
	if b.err == nil {
		var err error
		if s, err = op.shape(shapes); err != nil {
			b.err = fmt.Errorf("%w: %s of %s over images of %v: %w", ErrGraph, describe(name, op), b.g.Name, b.g.Nodes[0].Shape, err)
		}
	}
	b.g.Nodes = append(b.g.Nodes, Node{Name: name, Op: op, In: in, Shape: s})
	return id
}

func describe(name string, op Op) string {
	if name == "" {
		return op.Kind()
	}
	return op.Kind() + " " + name
}

// Exit makes a node, which gives logits, an early exit.
func (b *Builder) Exit(id int) { b.g.Exits = append(b.g.Exits, id) }

// Shape returns the shape of a node.
func (b *Builder) Shape(id int) Shape { return b.g.Nodes[id].Shape }

// Done returns the network, checked.
func (b *Builder) Done() (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	g := b.g
	if err := g.Check(); err != nil {
		return nil, err
	}
	return &g, nil
}
