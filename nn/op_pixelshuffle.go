package nn

// pixelShuffleOp turns channels into pixels.
type pixelShuffleOp struct {
	by      int
	in, out *value
}

// each calls f with the place of every number of the result and of the one of the input that it is.
func (o *pixelShuffleOp) each(f func(pixel, channel, fromPixel, fromChannel int)) {
	width, n := o.out.shape.W, o.by
	for p := range o.out.px {
		y, x := p/width, p%width
		for c := range o.out.c {
			f(p, c, y/n*o.in.shape.W+x/n, c*n*n+y%n*n+x%n)
		}
	}
}

func (o *pixelShuffleOp) forward(b *builder) {
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			src, stride := in.pixels(w, i, 0)
			dst := v.at(w, i)
			o.each(func(p, c, from, k int) { dst[p*v.stride+c] = src[from*stride+k] })
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

func (o *pixelShuffleOp) backward(b *builder) {
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
			o.each(func(p, c, from, k int) { d[from*dst.stride+k] += s[p*g.stride+c] })
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}
