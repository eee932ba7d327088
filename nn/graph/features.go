package graph

import "fmt"

// Features returns the network up to what its last layer, which must be linear, reads: its logits are the features, Classes is how
// many there are. last is the name of that layer. Early exits are left out. The error wraps [ErrGraph].
func (g *Graph) Features() (features *Graph, last string, err error) {
	n := g.Nodes[g.Output()]
	if _, linear := n.Op.(Linear); !linear {
		return nil, "", fmt.Errorf("%w: %s ends in a layer %s, so that it has no features (allowed: networks that end in a linear layer)",
			ErrGraph, g.Name, n.Op.Kind())
	}
	out := g.upTo(n.In[0])
	out.Classes = g.Nodes[n.In[0]].Shape.Len()
	return out, n.Name, out.Check()
}
