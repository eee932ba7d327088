package nn

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// builder turns a graph into the tasks of a plan.
type builder struct {
	*plan
	g        *graph.Graph
	readers  [][]int     // nodes that read each node
	ops      []operation // by node; nil where another node's operation does the work
	identity []bool      // the node's value is that of its input
	mixes    []*mixOp    // by node; nil where features are not mixed
	tasks    []task
}

// operation is what a node does.
type operation interface {
	forward(b *builder)
	backward(b *builder)
}

func (b *builder) emit(t task) {
	b.tasks = append(b.tasks, t)
}

// sole reports whether nobody but one node reads node k's value.
func (b *builder) sole(k int) bool {
	return len(b.readers[k]) == 1 && (!b.identity[k] || b.sole(b.g.Nodes[k].In[0]))
}

// follower returns the operation that alone reads node k, or nil.
func (b *builder) follower(k int) graph.Op {
	if len(b.readers[k]) != 1 {
		return nil
	}
	return b.g.Nodes[b.readers[k][0]].Op
}

func (b *builder) newValue(i int) *value {
	s := b.g.Nodes[i].Shape
	return &value{node: i, shape: s, px: s.H * s.W, c: s.C}
}

// represent decides for every node what its value is: stored, virtual, or that of another node; and makes its
// operation.
func (b *builder) represent() {
	nodes := b.g.Nodes
	b.readers, b.ops, b.identity = make([][]int, len(nodes)), make([]operation, len(nodes)), make([]bool, len(nodes))
	b.mixes = make([]*mixOp, len(nodes))
	for i, n := range nodes {
		for _, k := range n.In {
			b.readers[k] = append(b.readers[k], i)
		}
	}
	for i := range nodes {
		b.representNode(i)
		v := b.vals[i]
		need := false
		for _, k := range nodes[i].In {
			need = need || b.vals[k].need
		}
		if i == 0 {
			need = b.net.opt.InputGrad
		}
		v.need = v.need || need || b.train && len(b.net.byNode[i]) > 0
		if place := slices.Index(b.net.places, i); place >= 0 && b.train {
			b.mixes[i] = &mixOp{v, b.newValue(i), place, b.net}
			b.vals[i], b.mixes[i].out.need = b.mixes[i].out, v.need
		}
	}
}

// same makes node i's value that of its only input.
func (b *builder) same(i int) {
	b.vals[i], b.identity[i] = b.vals[b.g.Nodes[i].In[0]], true
}

func (b *builder) representNode(i int) {
	n := b.g.Nodes[i]
	in := func(k int) *value { return b.vals[n.In[k]] }
	out := b.newValue(i)
	b.vals[i] = out
	switch op := n.Op.(type) {
	case graph.Input:
		b.ops[i] = &inputOp{out}
	case graph.Conv:
		b.ops[i] = newConvOp(b, i, op, in(0), out)
	case graph.BatchNorm:
		b.batchNorm(i, op, in(0), out)
	case graph.ReLU:
		b.activation(i, relu, in(0), out)
	case graph.GELU:
		a := gelu
		if op.Sigmoid {
			a = geluSigmoid
		}
		b.activation(i, a, in(0), out)
	case graph.MaxPool:
		b.ops[i] = newMaxPool(b, op, in(0), out)
	case graph.AvgPool:
		b.ops[i] = newAvgPool(op, in(0), out)
	case graph.AdaptivePool:
		b.ops[i] = newAdaptivePool(op, in(0), out)
	case graph.BlurPool:
		b.ops[i] = newBlurPool(op, in(0), out)
	case graph.Linear:
		b.ops[i] = newLinearOp(b, i, in(0), out)
	case graph.Flatten:
		if in(0).px == 1 {
			b.same(i)
			return
		}
		b.ops[i] = &flattenOp{in(0), out}
	case graph.Dropout:
		if !b.train || op.P == 0 {
			b.same(i)
			return
		}
		out.from, out.drop = in(0), newDropOp(b, i, op.P, out)
		b.ops[i] = out.drop
	case graph.Add:
		b.sum(i, out)
	case graph.Concat:
		b.ops[i] = &concatOp{in: b.inputs(i), out: out}
	case graph.Subsample:
		b.ops[i] = &subsampleOp{op, in(0), out}
	case graph.ShakeShake:
		b.ops[i] = newShakeOp(b, in(0), in(1), out)
	case graph.Shift:
		b.ops[i] = newShift(op, in(0), out)
	case graph.LearnedGroupConv:
		b.ops[i] = newConvOp(b, i, graph.Conv{Out: op.Out, KH: 1, KW: 1, Stride: 1, Groups: 1}, in(0), out)
	case graph.Select:
		b.ops[i] = newSelect(b, i, in(0), out)
	case graph.Shuffle:
		b.ops[i] = newShuffle(op, in(0), out)
	case graph.Upsample:
		b.ops[i] = newUpsample(op, in(0), out)
	case graph.PixelShuffle:
		b.ops[i] = &pixelShuffleOp{op.By, in(0), out}
	case graph.Scale:
		b.ops[i] = newScale(op, in(0), out)
	default:
		panic(fmt.Sprintf("nn: no way to run %T", op)) // graph.Op is closed, so that this is a mistake of this package
	}
}

func (b *builder) inputs(i int) []*value {
	in := make([]*value, len(b.g.Nodes[i].In))
	for k, j := range b.g.Nodes[i].In {
		in[k] = b.vals[j]
	}
	return in
}

func (b *builder) batchNorm(i int, op graph.BatchNorm, in, out *value) {
	norm := newNorm(b, i, op, in, out)
	k := b.g.Nodes[i].In[0]
	if c := b.convOf(k); c != nil && !b.backward && c.fold == nil && len(c.addends) == 0 && b.sole(k) {
		c.fold = norm
		b.same(i)
		return
	}
	out.from, out.norm = in, norm
	b.ops[i] = norm
	switch a := b.follower(i).(type) {
	case graph.ReLU:
		out.act = relu
	case graph.GELU:
		out.act = gelu
		if a.Sigmoid {
			out.act = geluSigmoid
		}
	}
}

// convOf returns the convolution whose value node k has, unless something is added to it.
func (b *builder) convOf(k int) *convOp {
	for b.identity[k] {
		k = b.g.Nodes[k].In[0]
	}
	c, _ := b.ops[k].(*convOp)
	return c
}

func (b *builder) activation(i int, a act, in, out *value) {
	k := b.g.Nodes[i].In[0]
	if in.virtual() && in.norm != nil && in.act == a && len(b.readers[k]) == 1 && in.node == k {
		b.same(i) // the batch norm took it over
		return
	}
	_, joined := b.ops[in.node].(*concatOp) // its parts may have readers of their own
	if !in.virtual() && !joined && in.node > 0 && b.sole(k) && (a == relu || !b.backward) {
		op := &activationOp{in: in, out: out, act: a}
		if add, ok := b.ops[in.node].(*addOp); ok && add.out == in && a == relu {
			add.relu, op.done = true, true
		}
		b.ops[i], out.inPlace = op, in
		return
	}
	out.from, out.act = in, a
	b.ops[i] = &virtualActOp{out}
}

// sum represents an Add. If the last of its terms to be ready is a convolution that nobody else reads, the convolution
// adds its result to the other terms itself.
func (b *builder) sum(i int, out *value) {
	in := b.g.Nodes[i].In
	for at, k := range in {
		c := b.convOf(k)
		if c == nil || !b.sole(k) || len(c.addends) > 0 || c.out != b.vals[k] {
			continue
		}
		last := true
		for other, j := range in {
			last = last && (other == at || j < c.out.node)
		}
		if !last {
			continue
		}
		for other, v := range b.inputs(i) {
			if other != at {
				c.addends = append(c.addends, v)
			}
		}
		b.vals[i] = c.out
		b.ops[i] = &mergedAdd{c, i}
		return
	}
	b.ops[i] = &addOp{in: b.inputs(i), out: out}
}

// place gives every stored value its memory. From the last node to the first, so that parts of a concatenation are put
// into the whole, and values that are changed in place into what they become.
func (b *builder) place() {
	for i := len(b.g.Nodes) - 1; i >= 0; i-- {
		v := b.vals[i]
		b.placeValue(v)
		if m := b.mixes[i]; m != nil {
			v = m.in
			b.placeValue(v)
		}
		if v.virtual() {
			continue
		}
		if c, ok := b.ops[i].(*concatOp); ok {
			c.place()
		}
	}
}

func (b *builder) placeValue(v *value) {
	b.plan.tmp = max(b.plan.tmp, v.n())
	if v.virtual() {
		return
	}
	if v.buf == nil {
		v.view = view{b.newBuffer(v.n()), 0, v.c}
	}
	if v.inPlace != nil {
		v.inPlace.view = v.view
	}
}

func (b *builder) emitForward() {
	exit := 0
	for i := range b.g.Nodes {
		if op := b.ops[i]; op != nil {
			op.forward(b)
		}
		if m := b.mixes[i]; m != nil {
			m.forward(b)
		}
		if i != b.net.outputs[exit] {
			continue
		}
		v, n, all := b.vals[i], b.net, b.net.exit(exit)
		b.emit(task{
			run:  func(w *worker, i int) { v.write(all[i*v.c:(i+1)*v.c], v.c, w, i) },
			uses: []*buffer{v.stored().buf},
		})
		exit = min(exit+1, len(n.outputs)-1)
	}
}

func (b *builder) emitBackward() {
	n := b.net
	for exit, i := range n.outputs {
		v := b.vals[i]
		dst, _, ok := b.contribute(v, len(b.g.Nodes))
		if !ok {
			continue
		}
		b.emit(task{
			run: func(w *worker, i int) {
				d := dst.at(w, i)[:v.c]
				if g := n.exitGrad(exit); g != nil {
					copy(d, g[i*v.c:])
				} else {
					clear(d)
				}
			},
			uses: []*buffer{dst.buf},
		})
	}
	for i := len(b.g.Nodes) - 1; i >= 0; i-- {
		op := b.ops[i]
		v := b.vals[i]
		if m := b.mixes[i]; m != nil {
			if v.need && v.terms > 0 {
				m.backward(b)
			}
			v = m.in
		}
		if op != nil && v.need && v.terms > 0 {
			op.backward(b)
		}
	}
}

// contribute returns where node c adds its part to the gradient of v, and whether there is something to add to. It
// returns false if nobody needs the gradient. Memory that others still read is left to them, and the gradient moves.
func (b *builder) contribute(v *value, c int) (dst view, add, ok bool) {
	if !v.need {
		return view{}, false, false
	}
	switch {
	case v.terms == 0:
		v.grad = view{b.newBuffer(v.n()), 0, v.c}
	case !v.writable(c, false):
		b.unshare(v)
	}
	v.terms++
	return v.grad, v.terms > 1, true
}

// unshare moves the gradient of v into memory of its own.
func (b *builder) unshare(v *value) {
	from, to := v.grad, view{b.newBuffer(v.n()), 0, v.c}
	v.grad, v.share = to, nil
	b.emit(task{
		run: func(w *worker, i int) {
			vec.CopyRows(to.at(w, i), to.stride, from.at(w, i), from.stride, v.px, v.c)
		},
		uses: []*buffer{from.buf, to.buf},
	})
}

// passOn gives the gradient of out, or its channels from off on, to in: by sharing the memory if it is the first
// contribution, else by adding. c is the node that does so.
func (b *builder) passOn(in, out *value, off, c int) {
	if !in.need {
		return
	}
	g := view{out.grad.buf, out.grad.off + off, out.grad.stride}
	if in.terms == 0 {
		in.grad, in.terms = g, 1
		if out.share == nil {
			out.share = &class{members: []*value{out}}
		}
		in.share = out.share
		in.share.members = append(in.share.members, in)
		return
	}
	dst, _, _ := b.contribute(in, c)
	b.emit(task{
		run: func(w *worker, i int) {
			vec.AddRows(dst.at(w, i), dst.stride, g.at(w, i), g.stride, in.px, in.c)
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}
