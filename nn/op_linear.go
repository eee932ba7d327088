package nn

import (
	"github.com/augmix-go/augmix/nn/internal/conv"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// linearOp is a matrix over vectors. It takes all images of a worker at once, as a matrix product.
type linearOp struct {
	in, out      *value
	weight, bias *Tensor // bias may be nil
	x            view    // the input of the whole batch without gaps: the input's own memory, or a copy
	g            view    // the same of the result's gradient
	turned       []float32
	share        func(w *worker) // weightShare, bound once
	net          *Net
}

func newLinearOp(b *builder, i int, in, out *value) *linearOp {
	ts := b.net.byNode[i]
	o := &linearOp{in: in, out: out, weight: ts[0], net: b.net}
	if len(ts) > 1 {
		o.bias = ts[1]
	}
	return o
}

func (o *linearOp) forward(b *builder) {
	in, v := o.in, o.out
	if !in.virtual() && in.dense() {
		o.x = in.view
	} else {
		o.x = view{b.newBuffer(in.n()), 0, in.c}
		b.emit(task{
			run:  func(w *worker, i int) { in.write(o.x.at(w, i), in.c, w, i) },
			uses: []*buffer{o.x.buf, in.stored().buf},
		})
	}
	// A result that is a part of a concatenation has gaps.
	y := v.view
	if !v.dense() {
		y = view{b.newBuffer(v.n()), 0, v.c}
	}
	b.emit(task{
		whole: func(w *worker, i0, i1 int) {
			dst := y.buf.span(w, i0, i1)
			conv.Gemm(dst, o.x.buf.span(w, i0, i1), o.weight.Data, i1-i0, v.c, in.c, false, true, false)
			if o.bias == nil {
				return
			}
			for i := range i1 - i0 {
				vec.Add(dst[i*v.c:][:v.c], o.bias.Data)
			}
		},
		uses: []*buffer{o.x.buf, y.buf},
	})
	if y.buf != v.buf {
		b.emit(task{
			run:  func(w *worker, i int) { copy(v.at(w, i)[:v.c], y.at(w, i)) },
			uses: []*buffer{v.buf, y.buf},
		})
	}
}

func (o *linearOp) backward(b *builder) {
	in, v := o.in, o.out
	o.g = v.grad
	if v.grad.stride != v.c {
		o.g = view{b.newBuffer(v.n()), 0, v.c}
		from := v.grad
		b.emit(task{
			run:  func(w *worker, i int) { copy(o.g.at(w, i), from.at(w, i)[:v.c]) },
			uses: []*buffer{o.g.buf, from.buf},
		})
	}
	dst, add, ok := b.contribute(in, v.node)
	dx := dst
	if ok && dst.stride != in.c {
		dx = view{b.newBuffer(in.n()), 0, in.c}
	}
	t := task{
		uses: []*buffer{o.g.buf},
		whole: func(w *worker, i0, i1 int) {
			if ok {
				to, from := dx.buf.span(w, i0, i1), o.g.buf.span(w, i0, i1)
				conv.Gemm(to, from, o.weight.Data, i1-i0, in.c, v.c, false, false, add && dx == dst)
			}
		},
	}
	if ok {
		t.uses = append(t.uses, dx.buf)
	}
	if b.train {
		o.turned = make([]float32, b.net.opt.Batch*v.c)
		t.end, o.share = o.weightGrad, o.weightShare
		t.uses = append(t.uses, o.x.buf)
	}
	b.emit(t)
	if ok && dx != dst {
		b.emit(task{
			run: func(w *worker, i int) {
				if add {
					vec.Add(dst.at(w, i)[:in.c], dx.at(w, i))
				} else {
					copy(dst.at(w, i)[:in.c], dx.at(w, i))
				}
			},
			uses: []*buffer{dst.buf, dx.buf},
		})
	}
}

// weightGrad computes the parameters' gradients over the batch. Each worker takes some outputs, so that no partial sums
// are needed.
func (o *linearOp) weightGrad() {
	batch, out := o.net.batch, o.out.c
	w0 := o.net.pool.workers[0]
	g := o.g.buf.span(w0, 0, batch)
	for j := range out {
		row := o.turned[j*batch:][:batch]
		var sum float64
		for i := range row {
			row[i] = g[i*out+j]
			sum += float64(row[i])
		}
		if o.bias != nil {
			o.bias.Grad[j] = float32(sum)
		}
	}
	o.net.pool.do(o.share)
}

func (o *linearOp) weightShare(w *worker) {
	batch, in := o.net.batch, o.in.c
	from, to := share(o.out.c, w.index, len(o.net.pool.workers))
	if from < to {
		x := o.x.buf.span(o.net.pool.workers[0], 0, batch)
		conv.Gemm(o.weight.Grad[from*in:to*in], o.turned[from*batch:to*batch], x, to-from, in, batch, false, false, false)
	}
}
