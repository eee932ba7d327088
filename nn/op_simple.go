package nn

import (
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
	"github.com/augmix-go/augmix/rng"
)

// inputOp turns planes into pixels.
type inputOp struct{ out *value }

func (o *inputOp) forward(b *builder) {
	n, v := b.net, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			interleave(v.at(w, i), v.stride, n.x[i*v.n():(i+1)*v.n()], v.px, v.c)
		},
		uses: []*buffer{v.buf},
	})
}

func (o *inputOp) backward(b *builder) {
	n, v := b.net, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			separate(n.planes[i*v.n():(i+1)*v.n()], v.grad.at(w, i), v.grad.stride, v.px, v.c)
		},
		uses: []*buffer{v.grad.buf},
	})
}

// interleave turns c planes of px values into pixels that are ds apart.
func interleave(dst []float32, ds int, planes []float32, px, c int) {
	for k := range c {
		for p, x := range planes[k*px : (k+1)*px] {
			dst[p*ds+k] = x
		}
	}
}

// separate is the reverse.
func separate(planes, src []float32, ss, px, c int) {
	for k := range c {
		plane := planes[k*px : (k+1)*px]
		for p := range plane {
			plane[p] = src[p*ss+k]
		}
	}
}

// activationOp changes a stored value in place.
type activationOp struct {
	in, out *value
	act     act
	done    bool // by the sum before it
}

func (o *activationOp) forward(b *builder) {
	v := o.out
	if o.done {
		return
	}
	b.emit(task{
		run: func(w *worker, i int) {
			eachRow(v.at(w, i), v.stride, v.px, v.c, o.apply)
		},
		uses: []*buffer{v.buf},
	})
}

func (o *activationOp) apply(row []float32) {
	if o.act == relu {
		vec.ReLU(row)
	} else {
		vec.GELU(row, o.act == geluSigmoid)
	}
}

// backward is that of ReLU: others are stored in place only where there is none.
func (o *activationOp) backward(b *builder) {
	v := o.out
	if !o.in.need {
		return
	}
	if !v.writable(v.node, true) {
		b.unshare(v)
	}
	g := v.grad
	b.emit(task{
		run: func(w *worker, i int) {
			x, y := g.at(w, i), v.at(w, i)
			if g.stride == v.c && v.stride == v.c {
				vec.ReLUGrad(x[:v.n()], x, y)
				return
			}
			for p := range v.px {
				row := x[p*g.stride:][:v.c]
				vec.ReLUGrad(row, row, y[p*v.stride:])
			}
		},
		uses: []*buffer{g.buf, v.buf},
	})
	b.passOn(o.in, v, 0, v.node)
}

// virtualActOp is an activation that is computed where it is needed.
type virtualActOp struct{ out *value }

func (o *virtualActOp) forward(*builder) {}

func (o *virtualActOp) backward(b *builder) {
	v := o.out
	if !v.from.need {
		return
	}
	if !v.writable(v.node, true) || v.grad.stride != v.c {
		b.unshare(v)
	}
	g := v.grad
	b.emit(task{
		run: func(w *worker, i int) {
			x, u := g.at(w, i)[:v.n()], v.from.load(w, i, 0)
			if v.act == relu {
				vec.ReLUGrad(x, x, u)
			} else {
				vec.GELUGrad(x, u, v.act == geluSigmoid)
			}
		},
		uses: []*buffer{g.buf, v.from.stored().buf},
	})
	b.passOn(v.from, v, 0, v.node)
}

// dropOp is dropout. Which values stay is drawn in the forward pass and kept as one bit each.
type dropOp struct {
	out   *value
	keep  []uint64 // batch x words
	words int
	limit uint64 // a draw of 32 bits below it drops
	scale float32
	net   *Net
}

func newDropOp(b *builder, _ int, p float64, out *value) *dropOp {
	words := (out.n() + 63) / 64
	return &dropOp{
		out: out, words: words, keep: make([]uint64, b.net.opt.Batch*words),
		limit: uint64(p * (1 << 32)), scale: float32(1 / (1 - p)), net: b.net,
	}
}

func (o *dropOp) forward(b *builder) { b.emit(task{run: o.draw}) }

// draw names the stream by the step, the layer and the image, so that workers do not matter.
func (o *dropOp) draw(_ *worker, i int) {
	r := o.key(i).Rand()
	bits := o.keep[i*o.words:][:o.words]
	for k := range bits {
		var word uint64
		for j := 0; j < 64; j += 2 {
			u := r.Uint64()
			if u>>32 >= o.limit {
				word |= 1 << j
			}
			if u&0xffffffff >= o.limit {
				word |= 2 << j
			}
		}
		bits[k] = word
	}
}

func (o *dropOp) key(i int) rng.Key {
	return o.net.mode.Key.Str("dropout").Uint(uint64(o.out.node)).Uint(uint64(i))
}

// apply zeroes what was drawn in image i and scales the rest.
func (o *dropOp) apply(x []float32, stride, i int) {
	bits := o.keep[i*o.words:][:o.words]
	at, c := 0, o.out.c
	for p := range o.out.px {
		row := x[p*stride:][:c]
		for j := range row {
			// Multiplying by a factor of 0 or scale has no branch to mispredict.
			row[j] *= o.scale * float32(bits[at>>6]>>(at&63)&1)
			at++
		}
	}
}

func (o *dropOp) backward(b *builder) {
	v := o.out
	if !v.from.need {
		return
	}
	if !v.writable(v.node, true) {
		b.unshare(v)
	}
	g := v.grad
	b.emit(task{
		run:  func(w *worker, i int) { o.apply(g.at(w, i), g.stride, i) },
		uses: []*buffer{g.buf},
	})
	b.passOn(v.from, v, 0, v.node)
}

// addOp is a sum that no convolution computes.
type addOp struct {
	in   []*value
	out  *value
	relu bool // and then the ReLU behind it
}

func (o *addOp) forward(b *builder) {
	v := o.out
	uses := []*buffer{v.buf}
	for _, x := range o.in {
		uses = append(uses, x.stored().buf)
	}
	b.emit(task{
		run: func(w *worker, i int) {
			dst := v.at(w, i)
			if n := o.in[0]; len(o.in) == 2 && n.norm != nil && n.act == noAct && !n.from.virtual() {
				y, stride := o.in[1].pixels(w, i, 0)
				x, s := n.from, n.norm.of(i)
				vec.AffineAdd(dst, v.stride, x.at(w, i), x.stride, y, stride, v.px, v.c, s.scale, s.shift, o.relu)
				return
			}
			o.in[0].write(dst, v.stride, w, i)
			for _, x := range o.in[1:] {
				src, stride := x.pixels(w, i, 0)
				vec.AddRows(dst, v.stride, src, stride, v.px, v.c)
			}
			if o.relu {
				eachRow(dst, v.stride, v.px, v.c, vec.ReLU)
			}
		},
		uses: uses,
	})
}

func (o *addOp) backward(b *builder) {
	for _, x := range o.in {
		b.passOn(x, o.out, 0, o.out.node)
	}
}

// mergedAdd is a sum that its last term's convolution computes; that convolution reads the gradient itself.
type mergedAdd struct {
	c  *convOp
	at int // the sum's node
}

func (o *mergedAdd) forward(*builder) {}

func (o *mergedAdd) backward(b *builder) {
	for _, x := range o.c.addends {
		b.passOn(x, o.c.out, 0, o.at)
	}
}

// concatOp joins channels. Parts that could be placed in its memory when they were computed need nothing more.
type concatOp struct {
	in   []*value
	out  *value
	copy []bool
}

// place puts the parts into the whole's memory where they have none yet.
func (o *concatOp) place() {
	o.copy = make([]bool, len(o.in))
	off, all := o.out.off, true
	for k, p := range o.in {
		if p.virtual() || p.buf != nil || p.node == 0 {
			o.copy[k], all = true, false
		} else {
			p.view = view{o.out.buf, off, o.out.stride}
		}
		off += p.c
	}
	if all {
		o.out.parts = o.in
	}
}

func (o *concatOp) forward(b *builder) {
	off := 0
	v := o.out
	for k, p := range o.in {
		if o.copy[k] {
			at := off
			b.emit(task{
				run:  func(w *worker, i int) { p.write(v.at(w, i)[at:], v.stride, w, i) },
				uses: []*buffer{v.buf, p.stored().buf},
			})
		}
		off += p.c
	}
}

func (o *concatOp) backward(b *builder) {
	off := 0
	for _, p := range o.in {
		b.passOn(p, o.out, off, o.out.node)
		off += p.c
	}
}

// flattenOp turns pixels into a vector in the order channels, rows, columns.
type flattenOp struct{ in, out *value }

func (o *flattenOp) forward(b *builder) {
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			src, stride := in.pixels(w, i, 0)
			separate(v.at(w, i)[:v.n()], src, stride, in.px, in.c)
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

func (o *flattenOp) backward(b *builder) {
	in, v := o.in, o.out
	dst, add, ok := b.contribute(in, v.node)
	if !ok {
		return
	}
	b.emit(task{
		run: func(w *worker, i int) {
			g := v.grad.at(w, i)[:v.n()]
			if !add {
				interleave(dst.at(w, i), dst.stride, g, in.px, in.c)
				return
			}
			tmp := w.tmp[0][:v.n()]
			interleave(tmp, in.c, g, in.px, in.c)
			vec.AddRows(dst.at(w, i), dst.stride, tmp, in.c, in.px, in.c)
		},
		uses: []*buffer{dst.buf, v.grad.buf},
	})
}

// subsampleOp keeps every Stride-th pixel and surrounds the channels with zeros.
type subsampleOp struct {
	graph.Subsample
	in, out *value
}

// each calls f with the indices of a pixel of the result and of the input.
func (o *subsampleOp) each(f func(to, from int)) {
	for y := range o.out.shape.H {
		for x := range o.out.shape.W {
			f(y*o.out.shape.W+x, y*o.Stride*o.in.shape.W+x*o.Stride)
		}
	}
}

func (o *subsampleOp) forward(b *builder) {
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			src, stride := in.pixels(w, i, 0)
			dst := v.at(w, i)
			o.each(func(to, from int) {
				row := dst[to*v.stride:][:v.c]
				clear(row[:o.Before])
				copy(row[o.Before:], src[from*stride:][:in.c])
				clear(row[o.Before+in.c:])
			})
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

func (o *subsampleOp) backward(b *builder) {
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
			o.each(func(to, from int) {
				vec.Add(d[from*dst.stride:][:in.c], s[to*g.stride+o.Before:][:in.c])
			})
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}

func zeroRows(x []float32, stride, px, c int) {
	for p := range px {
		clear(x[p*stride:][:c])
	}
}
