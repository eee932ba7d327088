package nn

import (
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/conv"
	"github.com/augmix-go/augmix/nn/internal/vec"
	"github.com/augmix-go/augmix/nn/internal/winograd"
)

// kernel is an algorithm of a convolution. Forward does one of several parts of the output's rows. Backward gathers the
// weights' gradient in dw and the input's in dsrc; either may be nil.
type kernel interface {
	Pack(w []float32)
	Scratch() int
	GradLen() int
	UnpackGrad(dst, dw []float32)
	Forward(dst, src, bias []float32, add bool, part, parts int, scratch []float32)
	Backward(dw, dsrc, src, ddst []float32, add bool, scratch []float32)
}

// grouper is a kernel that takes less time for several images at once, with the same bits: its weights go through memory once for
// all of them.
type grouper interface {
	Images() int // at a time; 1 where it makes no difference
	ForwardImages(dst, src, bias []float32, add bool, n int, scratch []float32)
	BackwardImages(dw, dsrc, src, ddst []float32, add bool, n int, scratch []float32)
}

func newKernel(s conv.Shape, inputGrad bool) kernel {
	if winograd.Fits(s) {
		c := winograd.New(s)
		c.NeedInputGrad = inputGrad
		return c
	}
	c := conv.New(s)
	c.NeedInputGrad = inputGrad
	return direct{c}
}

// direct is the sum as it is written.
type direct struct{ *conv.Conv }

func (d direct) Forward(dst, src, bias []float32, add bool, part, parts int, scratch []float32) {
	y0, y1 := share(d.OutH(), part, parts)
	d.Conv.Forward(dst, src, bias, add, y0, y1, scratch)
}

func (d direct) Backward(dw, dsrc, src, ddst []float32, add bool, scratch []float32) {
	if dw != nil {
		d.WeightGrad(dw, src, ddst, 0, d.OutH(), scratch)
	}
	if dsrc != nil {
		d.InputGrad(dsrc, ddst, add, 0, d.H, scratch)
	}
}

// convOp is a convolution, with the batch norm behind it folded in, or with the other terms of the sum it ends in.
type convOp struct {
	kernel
	groups       grouper // the kernel, or nil where it takes images one by one
	in, out      *value
	addends      []*value
	weight, bias *Tensor // bias may be nil
	fold         *norm
	folded       []float32 // weights times the norm's scale
	offset       []float32 // bias in use; nil: none
	pool         *pool
	train        bool
}

func newConvOp(b *builder, i int, op graph.Conv, in, out *value) *convOp {
	c := &convOp{in: in, out: out, pool: b.net.pool, train: b.train}
	c.kernel = newKernel(conv.Shape{
		H: in.shape.H, W: in.shape.W, In: in.c, Out: op.Out, KH: op.KH, KW: op.KW,
		Stride: op.Stride, Pad: op.Pad, Groups: op.Groups,
	}, b.plan.backward && in.need)
	if g, ok := c.kernel.(grouper); ok && g.Images() > 1 {
		c.groups = g
	}
	ts := b.net.byNode[i]
	c.weight = ts[0]
	if op.Bias {
		c.bias = ts[1]
	}
	b.plan.scratch = max(b.plan.scratch, c.Scratch())
	b.plan.packers = append(b.plan.packers, c.packWeights)
	return c
}

func (c *convOp) packWeights() {
	if c.bias != nil {
		c.offset = c.bias.Data
	}
	if c.fold == nil {
		c.Pack(c.weight.Data)
		return
	}
	c.fold.useRunning()
	if c.folded == nil {
		c.folded, c.offset = make([]float32, len(c.weight.Data)), nil
	}
	each := len(c.folded) / c.out.c
	offset := make([]float32, c.out.c)
	for o, s := range c.fold.sets[0].scale {
		for k := o * each; k < (o+1)*each; k++ {
			c.folded[k] = s * c.weight.Data[k]
		}
		offset[o] = c.fold.sets[0].shift[o]
		if c.bias != nil {
			offset[o] += float32(s * c.bias.Data[o])
		}
	}
	c.offset = offset
	c.Pack(c.folded)
}

func (c *convOp) forward(b *builder) {
	uses := []*buffer{c.in.stored().buf, c.out.buf}
	for _, a := range c.addends {
		uses = append(uses, a.stored().buf)
	}
	t := task{run: c.run, conv: c, uses: uses, heavy: true}
	if c.groups != nil && c.out.dense() {
		t.whole = c.runImages
	}
	b.emit(t)
}

// runImages is run for several images, as many at once as the kernel takes and temporary memory holds.
func (c *convOp) runImages(w *worker, i0, i1 int) {
	for i := i0; i < i1; {
		n := c.group(w, i1-i)
		for k := range n {
			c.sumAddends(w, i+k)
		}
		src := c.in.loadImages(w, i, n, 0)
		c.groups.ForwardImages(c.out.buf.span(w, i, i+n), src, c.offset, len(c.addends) > 0, n, w.scratch)
		i += n
	}
}

// group returns how many of n images to do at once.
func (c *convOp) group(w *worker, n int) int {
	return min(n, c.groups.Images(), len(w.tmp[0])/c.in.n())
}

func (c *convOp) run(w *worker, i int) {
	j := c.prepare(w, i)
	c.Forward(j.dst, j.src, c.offset, j.add, 0, 1, w.scratch)
	c.finish(w, i, j)
}

// convJob is an image made ready for the kernel.
type convJob struct {
	dst, src []float32
	add      bool
}

// sumAddends writes the sum of the addends to the output.
func (c *convOp) sumAddends(w *worker, i int) {
	v := c.out
	dst := v.at(w, i)
	for k, a := range c.addends {
		if k == 0 {
			a.write(dst, v.stride, w, i)
			continue
		}
		vec.AddRows(dst, v.stride, a.load(w, i, 0), v.c, v.px, v.c)
	}
}

// prepare sums the addends and loads the input.
func (c *convOp) prepare(w *worker, i int) convJob {
	c.sumAddends(w, i)
	v := c.out
	j := convJob{src: c.in.load(w, i, 0)}
	if v.dense() {
		j.dst, j.add = v.at(w, i)[:v.n()], len(c.addends) > 0
	} else {
		j.dst = w.tmp[1][:v.n()]
	}
	return j
}

// finish puts a result where it belongs if it has gaps there.
func (c *convOp) finish(w *worker, i int, j convJob) {
	v := c.out
	switch {
	case v.dense():
	case len(c.addends) > 0:
		vec.AddRows(v.at(w, i), v.stride, j.dst, v.c, v.px, v.c)
	default:
		vec.CopyRows(v.at(w, i), v.stride, j.dst, v.c, v.px, v.c)
	}
}

func (c *convOp) backward(b *builder) {
	dst, add, ok := b.contribute(c.in, c.out.node)
	t := task{heavy: true, uses: []*buffer{c.out.grad.buf}}
	if ok {
		t.uses = append(t.uses, dst.buf)
	}
	if b.train {
		t.uses = append(t.uses, c.in.stored().buf)
		t.sums, t.chunk, t.end = c.sums(), c.chunk(), c.unpack
	}
	out, in := c.out, c.in
	t.run = func(w *worker, i int) {
		g := out.loadGrad(w, i, 0)
		var dw, src, d, whole []float32
		if c.train {
			src = in.load(w, i, 1)
			dw = w.dw[:c.GradLen()]
			if c.bias != nil {
				vec.ColumnSums(w.dw[len(dw):], g, out.c, out.px, out.c)
			}
		}
		if ok {
			d = dst.at(w, i)
			whole = w.tmp[2][:in.n()]
			if dst.stride == in.c {
				whole = d[:in.n()]
			}
		}
		c.Backward(dw, whole, src, g, add && dst.stride == in.c, w.scratch)
		if ok && dst.stride != in.c {
			vec.AddRows(d, dst.stride, whole, in.c, in.px, in.c) // gaps come from a concatenation, which has contributed
		}
	}
	if c.groups != nil && out.grad.dense(out) && (!ok || dst.dense(in)) {
		t.whole = func(w *worker, i0, i1 int) {
			for i := i0; i < i1; {
				n := c.group(w, i1-i)
				c.backwardImages(w, dst, add, ok, i, n)
				i += n
			}
		}
	}
	b.emit(t)
}

// backwardImages does images i to i+n, which are dense: the weights' gradient in training, and with ok the input's, to dst.
func (c *convOp) backwardImages(w *worker, dst view, add, ok bool, i, n int) {
	g := c.out.grad.buf.span(w, i, i+n)
	var dw, src, d []float32
	if c.train {
		src, dw = c.in.loadImages(w, i, n, 1), w.dw[:c.GradLen()]
		for k := 0; c.bias != nil && k < n; k++ {
			vec.ColumnSums(w.dw[len(dw):], g[k*c.out.n():(k+1)*c.out.n()], c.out.c, c.out.px, c.out.c)
		}
	}
	if ok {
		d = dst.buf.span(w, i, i+n)
	}
	c.groups.BackwardImages(dw, d, src, g, add, n, w.scratch)
}

// sums returns how many floats are added up over images: the weight's gradient, then the bias's.
func (c *convOp) sums() int {
	n := c.GradLen()
	if c.bias != nil {
		n += c.out.c
	}
	return n
}

// chunk returns how many images are added up before their sum goes to that of the batch. Few, so that there is work for
// many workers; more where that way through memory costs much: with small images, and sums that leave the cache.
func (c *convOp) chunk() int {
	if c.GradLen() >= 1<<18 {
		return 8
	}
	return min(max(4096/c.out.px, 1), 4)
}

// unpack hands out the sums.
func (c *convOp) unpack() {
	n := c.GradLen()
	c.UnpackGrad(c.weight.Grad, c.pool.sum[:n])
	if c.bias != nil {
		copy(c.bias.Grad, c.pool.sum[n:])
	}
}
