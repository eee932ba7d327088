package nn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/augmix-go/augmix/nn/graph"
)

// Condenser makes the learned group convolutions of a network sparse in the course of a training (Huang et al., CondenseNet,
// CVPR 2018, section 3.2). It has no state of its own: what is pruned are the inputs of a group whose weights are all 0. For
// a network without such layers its methods do nothing.
type Condenser struct {
	net    *Net
	layers []*sparse
}

// sparse is a learned group convolution.
type sparse struct {
	graph.LearnedGroupConv
	weight *Tensor
	in     int
	pruned []bool // [groups][in]
}

// NewCondenser looks at what is pruned already; make it once the weights have their values.
func NewCondenser(n *Net) *Condenser {
	c := &Condenser{net: n}
	for i, node := range n.g.Nodes {
		op, ok := node.Op.(graph.LearnedGroupConv)
		if !ok {
			continue
		}
		l := &sparse{LearnedGroupConv: op, weight: n.byNode[i][0], in: n.g.Nodes[node.In[0]].Shape.C}
		l.pruned = make([]bool, l.Groups*l.in)
		for k := range l.pruned {
			l.pruned[k] = l.sum(k, math.Abs) == 0
		}
		c.layers = append(c.layers, l)
	}
	return c
}

// each calls f with the places of the weights of an input in a group.
func (l *sparse) each(k int, f func(at int)) {
	for o := k / l.in; o < l.Out; o += l.Groups {
		f(o*l.in + k%l.in)
	}
}

func (l *sparse) sum(k int, f func(float64) float64) (sum float64) {
	l.each(k, func(at int) { sum += f(float64(l.weight.Data[at])) })
	return sum
}

// Gradient returns the group lasso, the sum over layers, groups and inputs of the length of the weights, times the layer's
// factor, and adds its gradient to that of [Net.Backward]. Lengths below 0.001 count as that, and a layer counts until it has
// its last form, as in the authors' program. What is pruned gets no gradient.
func (c *Condenser) Gradient() (lasso float64) {
	for _, l := range c.layers {
		grad, data := l.weight.Grad, l.weight.Data
		active := l.lost(0) < l.in-l.in/l.Condense
		for k, pruned := range l.pruned {
			if pruned {
				l.each(k, func(at int) { grad[at] = 0 })
			}
			if !active || l.Lasso == 0 {
				continue
			}
			squares := l.sum(k, func(v float64) float64 { return float64(v * v) })
			length := math.Sqrt(max(squares, 1e-6))
			lasso += float64(l.Lasso * length) // not fused, so that every architecture has the same bits
			if squares > 1e-6 {
				l.each(k, func(at int) { grad[at] += float32(l.Lasso / length * float64(data[at])) })
			}
		}
	}
	return lasso
}

// lost returns how many inputs a group has lost.
func (l *sparse) lost(group int) (n int) {
	for _, pruned := range l.pruned[group*l.in:][:l.in] {
		if pruned {
			n++
		}
	}
	return n
}

// Step follows a step of the optimizer, after which the part progress of the training, 0 to 1, is done. The first half has
// Condense-1 stages of equal length, at the end of each of which a group loses 1/Condense of its inputs: those with the least
// sum of magnitudes. What was pruned before stays so.
func (c *Condenser) Step(progress float64) {
	if len(c.layers) == 0 {
		return
	}
	c.Mask(c.net.tensors)
	for _, l := range c.layers {
		stage := min(int(progress*2*float64(l.Condense-1)), l.Condense-1)
		for g := range l.Groups {
			if lost := stage * (l.in / l.Condense); lost > l.lost(g) {
				l.prune(g, lost)
			}
		}
	}
	c.Mask(c.net.tensors)
	c.net.Changed()
}

// prune takes the inputs with the least weights from a group until it has lost as many as it should.
func (l *sparse) prune(group, lost int) {
	type input struct {
		k    int
		size float64
	}
	all := make([]input, l.in)
	for j := range all {
		k := group*l.in + j
		all[j] = input{k, l.sum(k, math.Abs)}
	}
	slices.SortStableFunc(all, func(a, b input) int { return cmp.Compare(a.size, b.size) })
	for _, i := range all[:lost] {
		l.pruned[i.k] = true
	}
}

// Mask zeroes what is pruned in tensors that are named as the network's, such as an average of them.
func (c *Condenser) Mask(ts []*Tensor) {
	for _, l := range c.layers {
		at := slices.IndexFunc(ts, func(t *Tensor) bool { return t.Name == l.weight.Name })
		for k, pruned := range l.pruned {
			if pruned {
				l.each(k, func(i int) { ts[at].Data[i] = 0 })
			}
		}
	}
}

// ErrConvert is wrapped by the errors of [Convert].
var ErrConvert = errors.New("cannot convert")

// Convert makes the network g of one that was condensed in training: g is the same with a [graph.Select] before a grouped
// convolution in the place of each learned one, and before the classifier, which keeps the inputs with the greatest sums of
// magnitudes. That last choice is not learned, so logits change a little. The error wraps [ErrConvert] if a group has more inputs
// left than fit, which an unfinished training leaves, or if the networks do not correspond or from is nil.
func Convert(from *Net, g *graph.Graph, o Options) (*Net, error) {
	if from == nil {
		return nil, fmt.Errorf("%w: the network is nil", ErrConvert)
	}
	to, err := New(g, o)
	if err != nil {
		return nil, err
	}
	v := &conversion{from: map[string]*Tensor{}, to: map[string]*Tensor{}}
	for _, t := range from.tensors {
		v.from[t.Name] = t
	}
	for _, t := range to.tensors {
		v.to[t.Name] = t
	}
	for i, n := range g.Nodes {
		if _, ok := n.Op.(graph.Select); !ok {
			continue
		}
		switch {
		case v.from[n.Name+".conv.weight"] != nil:
			err = v.layer(n.Name, from)
		case v.from[n.Name+".weight"] != nil:
			err = v.classifier(n.Name)
		default:
			err = fmt.Errorf("nothing becomes node %d", i)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s to %s: %s: %w", ErrConvert, from.g.Name, g.Name, n.Name, err)
		}
	}
	for _, t := range to.tensors {
		if v.to[t.Name] == nil {
			continue
		}
		f := v.from[t.Name]
		if f == nil || len(f.Data) != len(t.Data) {
			return nil, fmt.Errorf("%w: %s to %s: no %s of this shape", ErrConvert, from.g.Name, g.Name, t.Name)
		}
		copy(t.Data, f.Data)
	}
	to.Changed()
	return to, nil
}

// conversion holds the tensors that are still to be converted, by name.
type conversion struct{ from, to map[string]*Tensor }

// take returns a tensor and takes it off the list.
func (v *conversion) take(name string) (*Tensor, error) {
	t := v.to[name]
	if t == nil {
		return nil, fmt.Errorf("no %s", name)
	}
	delete(v.to, name)
	return t, nil
}

// layer converts a batch norm and a learned group convolution behind a Select.
func (v *conversion) layer(name string, from *Net) error {
	weight := v.from[name+".conv.weight"]
	op, ok := from.g.Nodes[weight.Node].Op.(graph.LearnedGroupConv)
	index, err := v.take(name + ".index")
	if err != nil || !ok {
		return fmt.Errorf("not a learned group convolution")
	}
	in, each := weight.Shape[1], len(index.Data)/op.Groups
	l := &sparse{LearnedGroupConv: op, weight: weight, in: in}
	for g := range op.Groups {
		var left, lost []int
		for j := range in {
			if l.sum(g*in+j, math.Abs) == 0 {
				lost = append(lost, j)
			} else {
				left = append(left, j)
			}
		}
		if len(left) > each {
			return fmt.Errorf("group %d has %d inputs left, not %d: its training was not finished", g, len(left), each)
		}
		for k, j := range append(left, lost...)[:each] {
			index.Data[g*each+k] = float32(j)
		}
	}
	for _, part := range []string{".norm.weight", ".norm.bias", ".norm.running_mean", ".norm.running_var"} {
		t, err := v.take(name + part)
		if err != nil || len(t.Data) != len(index.Data) {
			return fmt.Errorf("another %s", part)
		}
		for k, j := range index.Data {
			t.Data[k] = v.from[name+part].Data[int(j)]
		}
	}
	w, err := v.take(name + ".conv.weight")
	if err != nil || len(w.Data) != op.Out*each {
		return fmt.Errorf("another convolution")
	}
	perGroup := op.Out / op.Groups
	for o := range op.Out {
		g := o / perGroup
		for k := range each {
			w.Data[o*each+k] = weight.Data[(o%perGroup*op.Groups+g)*in+int(index.Data[g*each+k])]
		}
	}
	return nil
}

// classifier converts a linear layer, which keeps the inputs with the greatest sums of magnitudes, the least of them first.
func (v *conversion) classifier(name string) error {
	from, bias := v.from[name+".weight"], v.from[name+".bias"]
	index, err := v.take(name + ".index")
	w, err2 := v.take(name + ".linear.weight")
	b, err3 := v.take(name + ".linear.bias")
	if err := cmp.Or(err, err2, err3); err != nil {
		return err
	}
	in, kept := from.Shape[1], len(index.Data)
	if bias == nil || kept > in || len(w.Data) != from.Shape[0]*kept {
		return fmt.Errorf("another linear layer")
	}
	sums, order := make([]float64, in), make([]int, in)
	for i, x := range from.Data {
		sums[i%in] += math.Abs(float64(x))
	}
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
	for k, j := range order[in-kept:] {
		index.Data[k] = float32(j)
		for o := range from.Shape[0] {
			w.Data[o*kept+k] = from.Data[o*in+j]
		}
	}
	copy(b.Data, bias.Data)
	return nil
}
