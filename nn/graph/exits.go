package graph

import "fmt"

// Outputs returns the nodes of the logits of every exit, the last exit's at the end: of a network without early exits that
// one alone.
func (g *Graph) Outputs() []int {
	return append(append([]int{}, g.Exits...), g.Output())
}

// At returns the network up to an exit, numbered from 1: the layers that its logits need and no other, in their order. Its
// tensors have the names that they have in g. The error wraps [ErrGraph].
func (g *Graph) At(exit int) (*Graph, error) {
	outputs := g.Outputs()
	if exit < 1 || exit > len(outputs) {
		return nil, fmt.Errorf("%w: exit %d of %s (allowed: 1 to %d)", ErrGraph, exit, g.Name, len(outputs))
	}
	out := g.upTo(outputs[exit-1])
	return out, out.Check()
}

// upTo returns the layers that a node needs, in their order.
func (g *Graph) upTo(last int) *Graph {
	needed := make([]bool, len(g.Nodes))
	needed[0], needed[last] = true, true
	for i := last; i > 0; i-- {
		for _, k := range g.Nodes[i].In {
			needed[k] = needed[k] || needed[i]
		}
	}
	out := &Graph{Name: g.Name, Classes: g.Classes}
	number := make([]int, last+1)
	for i, n := range g.Nodes[:last+1] {
		if !needed[i] {
			continue
		}
		number[i] = len(out.Nodes)
		in := make([]int, len(n.In))
		for j, k := range n.In {
			in[j] = number[k]
		}
		n.In = in
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

// checkExits returns an error unless the exits are in order, give logits, and nobody reads them.
func (g *Graph) checkExits() error {
	use, before := g.Use(), 0
	for i, k := range g.Exits {
		if k <= before || k >= g.Output() || g.Nodes[k].Shape != (Shape{1, 1, g.Classes}) || use[k] > 0 {
			return fmt.Errorf("%w: exit %d of %q is node %d, not a later one of %d logits that no node reads",
				ErrGraph, i+1, g.Name, k, g.Classes)
		}
		before = k
	}
	return nil
}
