package nn

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
)

// selectOp puts a channel of its input into each channel of its result.
type selectOp struct {
	in, out *value
	pick    []int // by channel of the result
}

func newSelect(b *builder, i int, in, out *value) *selectOp {
	o, index := &selectOp{in, out, make([]int, out.c)}, b.net.byNode[i][0]
	b.plan.packers = append(b.plan.packers, func() {
		for k, v := range index.Data {
			if o.pick[k] = 0; isIndex(v, in.c) {
				o.pick[k] = int(v)
			}
		}
	})
	return o
}

func newShuffle(op graph.Shuffle, in, out *value) *selectOp {
	o := &selectOp{in, out, make([]int, out.c)}
	for k := range o.pick {
		o.pick[k] = k%op.Groups*(out.c/op.Groups) + k/op.Groups
	}
	return o
}

func isIndex(v float32, channels int) bool {
	return v >= 0 && v < float32(channels) && v == float32(int(v))
}

// CheckIndices returns an error unless the indices of every [graph.Select] are numbers of channels. Forward takes others for
// 0, so check what comes from elsewhere. The error wraps graph.ErrGraph.
func (n *Net) CheckIndices() error {
	for _, t := range n.tensors {
		if t.Role != graph.Index {
			continue
		}
		channels := n.g.Nodes[n.g.Nodes[t.Node].In[0]].Shape.C
		for i, v := range t.Data {
			if !isIndex(v, channels) {
				return fmt.Errorf("%w: %s: number %d is %v (allowed: whole numbers from 0 to %d)", graph.ErrGraph, t.Name, i, v, channels-1)
			}
		}
	}
	return nil
}

func (o *selectOp) forward(b *builder) {
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			src, stride := in.pixels(w, i, 0)
			dst := v.at(w, i)
			for p := range v.px {
				to, from := dst[p*v.stride:][:v.c], src[p*stride:][:in.c]
				for k, c := range o.pick {
					to[k] = from[c]
				}
			}
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

func (o *selectOp) backward(b *builder) {
	in, v := o.in, o.out
	dst, add, ok := b.contribute(in, v.node)
	if !ok {
		return
	}
	g := v.grad
	b.emit(task{
		run: func(w *worker, i int) {
			d, s := dst.at(w, i), g.at(w, i)
			if !add {
				zeroRows(d, dst.stride, in.px, in.c)
			}
			for p := range v.px {
				to, from := d[p*dst.stride:][:in.c], s[p*g.stride:][:v.c]
				for k, c := range o.pick {
					to[c] += from[k]
				}
			}
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}
