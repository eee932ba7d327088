package nn

import (
	"math"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// maxPool keeps the largest of a window, and for the gradient which one it was: the first in reading order, as PyTorch.
type maxPool struct {
	graph.MaxPool
	in, out *value
	won     []uint16 // batch x result: index in the window; nil without a backward pass
}

func newMaxPool(b *builder, op graph.MaxPool, in, out *value) *maxPool {
	o := &maxPool{MaxPool: op, in: in, out: out}
	if b.plan.backward {
		o.won = make([]uint16, b.net.opt.Batch*out.n())
	}
	return o
}

// window returns the part of window number i along an axis of n pixels that lies in the image.
func (o *maxPool) window(i, n int) (from, to int) {
	from = i*o.Stride - o.Pad
	return max(from, 0), min(from+o.K, n)
}

func (o *maxPool) forward(b *builder) {
	b.emit(task{run: o.run, uses: []*buffer{o.out.buf, o.in.stored().buf}})
}

func (o *maxPool) run(w *worker, i int) {
	in, v := o.in, o.out
	src, stride := in.pixels(w, i, 0)
	dst := v.at(w, i)
	for y := range v.shape.H {
		y0, y1 := o.window(y, in.shape.H)
		for x := range v.shape.W {
			x0, x1 := o.window(x, in.shape.W)
			at := y*v.shape.W + x
			row := dst[at*v.stride:][:v.c]
			if o.won == nil {
				copy(row, src[(y0*in.shape.W+x0)*stride:])
				for yy := y0; yy < y1; yy++ {
					for xx := x0; xx < x1; xx++ {
						vec.Max(row, src[(yy*in.shape.W+xx)*stride:][:v.c])
					}
				}
				continue
			}
			won := o.won[i*v.n()+at*v.c:][:v.c]
			fill(row, float32(math.Inf(-1)))
			for yy := y0; yy < y1; yy++ {
				for xx := x0; xx < x1; xx++ {
					k := (yy-y*o.Stride+o.Pad)*o.K + xx - x*o.Stride + o.Pad
					vec.MaxIndex(row, won, src[(yy*in.shape.W+xx)*stride:][:v.c], uint16(k))
				}
			}
		}
	}
}

func fill(x []float32, v float32) {
	for i := range x {
		x[i] = v
	}
}

func (o *maxPool) backward(b *builder) {
	in, v := o.in, o.out
	dst, add, ok := b.contribute(in, v.node)
	if !ok {
		return
	}
	b.emit(task{
		run: func(w *worker, i int) {
			d, g := dst.at(w, i), v.loadGrad(w, i, 0)
			if !add {
				zeroRows(d, dst.stride, in.px, in.c)
			}
			for y := range v.shape.H {
				for x := range v.shape.W {
					at := (y*v.shape.W + x) * v.c
					won := o.won[i*v.n()+at:][:v.c]
					for j, gv := range g[at:][:v.c] {
						k := int(won[j])
						yy, xx := y*o.Stride-o.Pad+k/o.K, x*o.Stride-o.Pad+k%o.K
						d[(yy*in.shape.W+xx)*dst.stride+j] += gv
					}
				}
			}
		},
		uses: []*buffer{dst.buf, v.grad.buf},
	})
}

// linearPool is a pooling whose result is a weighted sum of pixels with fixed weights: average, blur, shift and
// upsampling.
type linearPool struct {
	in, out *value
	// terms lists for every pixel of the result the pixels it sums and their weights.
	terms [][]term
	even  bool // all weights of a pixel are equal
}

type term struct {
	pixel  int
	weight float32
}

func newAvgPool(op graph.AvgPool, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out, even: true}
	for y := range out.shape.H {
		for x := range out.shape.W {
			o.window(y*op.Stride, y*op.Stride+op.K, x*op.Stride, x*op.Stride+op.K)
		}
	}
	return o
}

func newAdaptivePool(op graph.AdaptivePool, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out, even: true}
	bound := func(i, n, size int) (from, to int) { return i * size / n, ((i+1)*size + n - 1) / n }
	for y := range op.H {
		y0, y1 := bound(y, op.H, in.shape.H)
		for x := range op.W {
			x0, x1 := bound(x, op.W, in.shape.W)
			o.window(y0, y1, x0, x1)
		}
	}
	return o
}

// window appends a pixel that is the mean of a rectangle.
func (o *linearPool) window(y0, y1, x0, x1 int) {
	var t []term
	weight := 1 / float32((y1-y0)*(x1-x0))
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			t = append(t, term{y*o.in.shape.W + x, weight})
		}
	}
	o.terms = append(o.terms, t)
}

func newBlurPool(op graph.BlurPool, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out}
	row := op.Row()
	reflect := func(i, n int) int {
		if i < 0 {
			i = -i
		}
		if i >= n {
			i = 2*(n-1) - i
		}
		return i
	}
	before := (op.Taps - 1) / 2
	for y := range out.shape.H {
		for x := range out.shape.W {
			var t []term
			for j, wy := range row {
				for k, wx := range row {
					yy := reflect(y*op.Stride+j-before, in.shape.H)
					xx := reflect(x*op.Stride+k-before, in.shape.W)
					t = append(t, term{yy*in.shape.W + xx, float32(wy * wx)})
				}
			}
			o.terms = append(o.terms, t)
		}
	}
	return o
}

func newShift(op graph.Shift, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out}
	for y := op.By; y < in.shape.H+op.By; y++ {
		for x := op.By; x < in.shape.W+op.By; x++ {
			var t []term
			if y < in.shape.H && x < in.shape.W {
				t = []term{{y*in.shape.W + x, 1}}
			}
			o.terms = append(o.terms, t)
		}
	}
	return o
}

func newUpsample(op graph.Upsample, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out}
	for y := range out.shape.H {
		for x := range out.shape.W {
			o.terms = append(o.terms, []term{{y/op.By*in.shape.W + x/op.By, 1}})
		}
	}
	return o
}

func newScale(op graph.Scale, in, out *value) *linearPool {
	o := &linearPool{in: in, out: out, terms: make([][]term, out.px)}
	for p := range o.terms {
		o.terms[p] = []term{{p, float32(op.Factor)}}
	}
	return o
}

func (o *linearPool) forward(b *builder) {
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			src, stride := in.pixels(w, i, 0)
			dst := v.at(w, i)
			for p, terms := range o.terms {
				row := dst[p*v.stride:][:v.c]
				clear(row)
				for _, t := range terms {
					if o.even {
						vec.Add(row, src[t.pixel*stride:][:v.c])
					} else {
						vec.AddScaled(row, src[t.pixel*stride:][:v.c], t.weight)
					}
				}
				if o.even {
					vec.Scale(row, terms[0].weight)
				}
			}
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

func (o *linearPool) backward(b *builder) {
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
			for p, terms := range o.terms {
				row := s[p*g.stride:][:v.c]
				for _, t := range terms {
					vec.AddScaled(d[t.pixel*dst.stride:][:v.c], row, t.weight)
				}
			}
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}
