package nn

import "github.com/augmix-go/augmix/nn/graph"

// PrefixAux is what the name of a tensor of [Net.Aux] begins with.
const PrefixAux = "aux."

// addAux makes the second set of every batch norm's tensors.
func (n *Net) addAux() {
	n.auxByNode = map[int][]*Tensor{}
	for _, t := range n.tensors {
		if _, ok := n.g.Nodes[t.Node].Op.(graph.BatchNorm); !ok {
			continue
		}
		x := &Tensor{Tensor: t.Tensor, Data: make([]float32, len(t.Data)), net: n}
		x.Name = PrefixAux + t.Name
		if t.Grad != nil {
			x.Grad = make([]float32, len(t.Grad))
		}
		n.auxTensors, n.auxByNode[t.Node] = append(n.auxTensors, x), append(n.auxByNode[t.Node], x)
	}
}

// Aux returns the tensors of the auxiliary batch norms: what [Net.Tensors] has of batch norms once more, under names that begin
// with [PrefixAux]. They are zero until [Net.InitAux]. Optimizers take them beside the others; a network that is used, and not trained,
// needs none. It is empty without Options.AuxNorm.
func (n *Net) Aux() []*Tensor { return n.auxTensors }

// InitAux gives the auxiliary batch norms the values of the others.
func (n *Net) InitAux() {
	for node, ts := range n.auxByNode {
		for i, t := range ts {
			copy(t.Data, n.byNode[node][i].Data)
		}
	}
	n.Changed()
}

// set returns the images of the batch that go through the batch norms, 0, and through the auxiliary ones, 1.
func (n *Net) set(aux int) (from, to int) {
	if aux == 0 {
		return 0, n.aux
	}
	return n.aux, n.batch
}
