package nn

import "github.com/augmix-go/augmix/nn/internal/vec"

// shakeOp is Shake-Shake: a sum of two branches whose weights are drawn for each image, others for the gradient.
type shakeOp struct {
	in    [2]*value
	out   *value
	draws []float32 // batch x [alpha, beta]
	net   *Net
}

func newShakeOp(b *builder, x, y, out *value) *shakeOp {
	o := &shakeOp{in: [2]*value{x, y}, out: out, net: b.net, draws: make([]float32, 2*b.net.opt.Batch)}
	for i := range o.draws {
		o.draws[i] = 0.5
	}
	return o
}

func (o *shakeOp) forward(b *builder) {
	v, x, y := o.out, o.in[0], o.in[1]
	train := b.train
	b.emit(task{
		run: func(w *worker, i int) {
			if train {
				o.draw(i)
			}
			alpha := o.draws[2*i]
			dst := v.at(w, i)
			x.write(dst, v.stride, w, i)
			src, stride := y.pixels(w, i, 0)
			for p := range v.px {
				row := dst[p*v.stride:][:v.c]
				vec.Scale(row, alpha)
				vec.AddScaled(row, src[p*stride:][:v.c], 1-alpha)
			}
		},
		uses: []*buffer{v.buf, x.stored().buf, y.stored().buf},
	})
}

// draw names the stream by the step, the layer and the image, so that workers do not matter.
func (o *shakeOp) draw(i int) {
	r := o.net.mode.Key.Str("shake").Uint(uint64(o.out.node)).Uint(uint64(i)).Rand()
	o.draws[2*i], o.draws[2*i+1] = float32(r.Float64()), float32(r.Float64())
}

func (o *shakeOp) backward(b *builder) {
	g := o.out.grad
	for k, x := range o.in {
		dst, add, ok := b.contribute(x, o.out.node)
		if !ok {
			continue
		}
		b.emit(task{
			run: func(w *worker, i int) {
				part := o.draws[2*i+1]
				if k == 1 {
					part = 1 - part
				}
				d, s := dst.at(w, i), g.at(w, i)
				if !add {
					zeroRows(d, dst.stride, x.px, x.c)
				}
				for p := range x.px {
					vec.AddScaled(d[p*dst.stride:][:x.c], s[p*g.stride:][:x.c], part)
				}
			},
			uses: []*buffer{dst.buf, g.buf},
		})
	}
}
