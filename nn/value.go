package nn

import (
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// buffer is memory for one array of every image of a batch, or, when no step but one touches it, of the one image
// that a worker has in hand.
type buffer struct {
	n           int  // floats an image
	first, last int  // steps that touch it; first is -1 before any does
	whole       bool // some task takes all its images at once
	local       bool // one step only: one image a worker
	off         int  // in the arena, or in each worker's local memory
}

func (b *buffer) at(w *worker, i int) []float32 {
	if b.local {
		return w.local[b.off : b.off+b.n : b.off+b.n]
	}
	k := b.off + (i-w.base)*b.n
	return w.arena[k : k+b.n : k+b.n]
}

// span returns images i0 to i1, which a whole task may ask for.
func (b *buffer) span(w *worker, i0, i1 int) []float32 {
	return w.arena[b.off+(i0-w.base)*b.n : b.off+(i1-w.base)*b.n]
}

// view is where an array of pixels lies in a buffer: channels off, off+1, ... of pixels that are stride channels wide.
type view struct {
	buf         *buffer
	off, stride int
}

// dense reports whether the array is all that the buffer holds.
func (v view) dense(of *value) bool { return v.buf.n == of.n() }

func (v view) at(w *worker, i int) []float32 { return v.buf.at(w, i)[v.off:] }

// act is the activation of a virtual value.
type act int

const (
	noAct act = iota
	relu
	gelu
	geluSigmoid
)

func (a act) smooth() bool { return a == gelu || a == geluSigmoid }

// value is the result of a node. It is stored, or virtual: computed from another value each time it is needed, which
// costs less than to write it to memory and read it back. Virtual values are element-wise: an optional batch norm, then
// an optional activation, or a dropout.
type value struct {
	node    int // the node whose backward tasks read the gradient last
	shape   graph.Shape
	px, c   int
	view            // stored: where
	inPlace *value  // stored: of what it is made by change in place
	from    *value  // virtual: of what
	norm    *norm   // virtual: normalize
	act     act     // virtual: then activate
	drop    *dropOp // virtual: zero some

	need  bool   // some parameter, or the input's gradient, depends on its gradient
	grad  view   // where the gradient gathers
	terms int    // contributions so far
	share *class // others that use the memory of grad

	parts   []*value // of a concatenation that lie in its memory, in order and without gaps
	moments *moments // batch statistics, once some batch norm asked
}

func (v *value) n() int { return v.px * v.c }

func (v *value) virtual() bool { return v.from != nil }

// stored returns the value that a chain of virtual ones starts from.
func (v *value) stored() *value {
	for v.virtual() {
		v = v.from
	}
	return v
}

func (v *value) dense() bool { return v.buf.n == v.n() }

// load returns image i without gaps: in place if it is stored so, else in the worker's temporary image number slot.
func (v *value) load(w *worker, i, slot int) []float32 {
	if !v.virtual() && v.dense() {
		return v.at(w, i)[:v.n()]
	}
	dst := w.tmp[slot][:v.n()]
	v.write(dst, v.c, w, i)
	return dst
}

// loadImages is load for n images that follow each other, which the buffer holds all at once.
func (v *value) loadImages(w *worker, i, n, slot int) []float32 {
	if !v.virtual() && v.dense() {
		return v.buf.span(w, i, i+n)
	}
	dst := w.tmp[slot][:n*v.n()]
	for k := range n {
		v.write(dst[k*v.n():][:v.n()], v.c, w, i+k)
	}
	return dst
}

// pixels returns image i where it is stored, with the distance of its pixels, or if it is virtual in temporary
// image number slot.
func (v *value) pixels(w *worker, i, slot int) (x []float32, stride int) {
	if v.virtual() {
		return v.load(w, i, slot), v.c
	}
	return v.at(w, i), v.stride
}

// write writes image i to dst, whose pixels are ds floats apart. A chain of virtual values is computed there link by
// link; a batch norm of a stored value reads that where it lies.
func (v *value) write(dst []float32, ds int, w *worker, i int) {
	if !v.virtual() {
		vec.CopyRows(dst, ds, v.at(w, i), v.stride, v.px, v.c)
		return
	}
	src, ss := dst, ds
	switch {
	case !v.from.virtual() && v.norm != nil:
		src, ss = v.from.at(w, i), v.from.stride
	default:
		v.from.write(dst, ds, w, i)
	}
	if v.norm != nil {
		s := v.norm.of(i)
		vec.Affine(dst, ds, src, ss, v.px, v.c, s.scale, s.shift, v.act == relu)
	} else if v.act == relu {
		eachRow(dst, ds, v.px, v.c, func(row []float32) { vec.ReLU(row) })
	}
	if v.act.smooth() {
		sigmoid := v.act == geluSigmoid
		eachRow(dst, ds, v.px, v.c, func(row []float32) { vec.GELU(row, sigmoid) })
	}
	if v.drop != nil {
		v.drop.apply(dst, ds, i)
	}
}

// eachRow calls f for all pixels at once if they have no gaps, else for each.
func eachRow(x []float32, stride, px, c int, f func(row []float32)) {
	if stride == c {
		f(x[:px*c])
		return
	}
	for p := range px {
		f(x[p*stride:][:c])
	}
}

// loadGrad returns the gradient of image i without gaps, as load does.
func (v *value) loadGrad(w *worker, i, slot int) []float32 {
	if v.grad.stride == v.c {
		return v.grad.at(w, i)[:v.n()]
	}
	dst := w.tmp[slot][:v.n()]
	vec.CopyRows(dst, v.c, v.grad.at(w, i), v.grad.stride, v.px, v.c)
	return dst
}

// class holds values whose gradients lie in the same memory, because the gradient of a sum is that of each term.
type class struct{ members []*value }

// overlaps reports whether the gradients of two members of a class share elements.
func overlaps(a, b *value) bool {
	return a.grad.buf == b.grad.buf && a.grad.off < b.grad.off+b.c && b.grad.off < a.grad.off+a.c
}

// writable reports whether the gradient of v may change while the backward tasks of node c are written: nobody else who
// reads the memory may be left. Nodes after c are through. With itself, the node's own result is also through: it is
// being changed in place.
func (v *value) writable(c int, itself bool) bool {
	if v.share == nil {
		return true
	}
	for _, m := range v.share.members {
		if m == v || !overlaps(m, v) || m.node > c || itself && m.node == c {
			continue
		}
		return false
	}
	return true
}
