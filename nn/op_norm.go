package nn

import (
	"math"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// moments are the mean and the variance over a batch of a value's channels, or of those of one part of a concatenation.
type moments struct {
	v        *value
	perImage []float32 // batch x [first pixel, sum, sum of squares] of differences from the first pixel
	mean, m2 []float64 // m2: sum of squared differences from the mean
	net      *Net
}

// momentsOf returns the moments of all parts of a value in the order of their channels, and emits the tasks that
// compute those which do not exist yet.
func (b *builder) momentsOf(v *value) []*moments {
	if v.parts != nil {
		var all []*moments
		for _, p := range v.parts {
			all = append(all, b.momentsOf(p)...)
		}
		return all
	}
	if v.moments == nil {
		m := &moments{v: v, net: b.net}
		m.perImage = make([]float32, b.net.opt.Batch*3*v.c)
		m.mean, m.m2 = make([]float64, v.c), make([]float64, v.c)
		v.moments = m
		b.emit(task{run: m.run, end: m.reduce, fence: true, uses: []*buffer{v.stored().buf}})
	}
	return []*moments{v.moments}
}

func (m *moments) run(w *worker, i int) {
	c := m.v.c
	s := m.perImage[i*3*c:][:3*c]
	x, stride := m.v.pixels(w, i, 0)
	copy(s[:c], x[:c])
	vec.Moments(s[c:2*c], s[2*c:], x, stride, m.v.px, c)
}

// reduce combines the images' sums in float64.
func (m *moments) reduce() {
	c, batch, px := m.v.c, m.net.batch, float64(m.v.px)
	clear(m.mean)
	clear(m.m2)
	for i := range batch {
		s := m.perImage[i*3*c:][:3*c]
		for j := range m.mean {
			m.mean[j] += float64(s[j]) + float64(s[c+j])/px
		}
	}
	for j := range m.mean {
		m.mean[j] /= float64(batch)
	}
	for i := range batch {
		s := m.perImage[i*3*c:][:3*c]
		for j, mean := range m.mean {
			sum := float64(s[c+j])
			d := float64(s[j]) + sum/px - mean
			m.m2[j] += float64(s[2*c+j]) - float64(sum*sum/px) + float64(px*d*d)
		}
	}
}

// norm is a batch norm.
type norm struct {
	out                    *value
	eps, momentum          float64
	gamma, beta, mean, vrn *Tensor
	scale, shift           []float32 // x*scale + shift is the result
	center                 []float32 // the mean in use
	inv                    []float64 // 1/sqrt(variance + eps)
	a, b, k                []float32 // gradient: a*dz + b*x + k
	perImage               []float32 // batch x [sum of dz, sum of dz*(x-center)]
	parts                  []*moments
	net                    *Net
}

func newNorm(b *builder, i int, op graph.BatchNorm, in, out *value) *norm {
	ts := b.net.byNode[i]
	n := &norm{
		out: out, eps: op.Eps, momentum: op.Momentum, net: b.net,
		gamma: ts[0], beta: ts[1], mean: ts[2], vrn: ts[3],
		inv: make([]float64, in.c),
	}
	for _, p := range []*[]float32{&n.scale, &n.shift, &n.center, &n.a, &n.b, &n.k} {
		*p = make([]float32, in.c)
	}
	if b.train {
		n.perImage = make([]float32, b.net.opt.Batch*2*in.c)
	}
	return n
}

// use sets what the result is computed from to a mean and a variance a channel.
func (n *norm) use(j int, mean, variance float64) {
	inv := 1 / math.Sqrt(variance+n.eps)
	scale := float64(n.gamma.Data[j]) * inv
	n.inv[j], n.center[j] = inv, float32(mean)
	n.scale[j], n.shift[j] = float32(scale), float32(float64(n.beta.Data[j])-float64(mean*scale))
}

// useRunning takes the running averages.
func (n *norm) useRunning() {
	for j := range n.inv {
		n.use(j, float64(n.mean.Data[j]), float64(n.vrn.Data[j]))
	}
	copy(n.a, n.scale) // constants as they are, the gradient is scale*dz
}

// useBatch takes the batch's statistics and adds them to the running ones: the variance there is the unbiased one, as
// in PyTorch.
func (n *norm) useBatch() {
	j := 0
	for _, m := range n.parts {
		count := float64(n.net.batch) * float64(m.v.px)
		for k, mean := range m.mean {
			variance := max(m.m2[k]/count, 0)
			n.use(j, mean, variance)
			unbiased := variance * count / max(count-1, 1)
			r, v := float64(n.mean.Data[j]), float64(n.vrn.Data[j])
			n.mean.Data[j] = float32(r + float64(n.momentum*(mean-r)))
			n.vrn.Data[j] = float32(v + float64(n.momentum*(unbiased-v)))
			j++
		}
	}
}

func (n *norm) forward(b *builder) {
	if !b.train {
		b.plan.packers = append(b.plan.packers, n.useRunning)
		return
	}
	n.parts = b.momentsOf(n.out.from)
	// After the end of the step in which the last part was computed, in a task of its own without work on images.
	b.atEnd(n.useBatch)
}

// atEnd runs f once after everything emitted so far.
func (b *builder) atEnd(f func()) {
	last := &b.tasks[len(b.tasks)-1]
	end := last.end
	last.fence = true
	last.end = func() {
		if end != nil {
			end()
		}
		f()
	}
}

func (n *norm) backward(b *builder) {
	v, x := n.out, n.out.from
	if v.act != noAct && (!v.writable(v.node, true) || v.grad.stride != v.c) {
		b.unshare(v)
	}
	g := v.grad
	uses := []*buffer{g.buf, x.stored().buf}
	if b.train || v.act != noAct {
		t := task{uses: uses, run: n.sums}
		if b.train {
			t.end, t.fence = n.reduce, true
		} else {
			t.run = n.actGrad
		}
		b.emit(t)
	}
	if dst, add, ok := b.contribute(x, v.node); ok {
		b.emit(task{
			uses: append([]*buffer{dst.buf}, uses...),
			run: func(w *worker, i int) {
				p, stride := x.pixels(w, i, 0)
				vec.NormGrad(dst.at(w, i), dst.stride, g.at(w, i), g.stride, p, stride, v.px, v.c, n.a, n.b, n.k, add)
			},
		})
	}
}

// actGrad takes the gradient back through the activation.
func (n *norm) actGrad(w *worker, i int) {
	v := n.out
	g := v.grad.at(w, i)[:v.n()]
	u := v.normalized(w, i)
	if v.act == relu {
		vec.ReLUGrad(g, g, u)
		return
	}
	vec.GELUGrad(g, u, v.act == geluSigmoid)
}

// normalized returns a virtual value before its activation.
func (v *value) normalized(w *worker, i int) []float32 {
	x, stride := v.from.pixels(w, i, 1)
	u := w.tmp[1][:v.n()]
	vec.Affine(u, v.c, x, stride, v.px, v.c, v.norm.scale, v.norm.shift, false)
	return u
}

// sums takes the gradient back through the activation and adds up what the batch norm's gradient needs.
func (n *norm) sums(w *worker, i int) {
	v := n.out
	if v.act.smooth() {
		n.actGrad(w, i)
	}
	g := v.loadGrad(w, i, 2)
	x, stride := v.from.pixels(w, i, 0)
	s := n.perImage[i*2*v.c:][:2*v.c]
	vec.NormSums(s[:v.c], s[v.c:], g, x, stride, v.px, v.c, n.scale, n.shift, n.center, v.act == relu)
}

// reduce adds the images' sums in float64 and derives the gradients of the parameters and the line a*dz + b*x + k
// that gives the gradient of the input.
func (n *norm) reduce() {
	c, batch := n.out.c, n.net.batch
	count := float64(batch) * float64(n.out.px)
	for j := range c {
		var sum, dot float64
		for i := range batch {
			s := n.perImage[i*2*c:]
			sum += float64(s[j])
			dot += float64(s[c+j])
		}
		inv := n.inv[j]
		n.beta.Grad[j] = float32(sum)
		n.gamma.Grad[j] = float32(dot * inv)
		a := float64(n.gamma.Data[j]) * inv
		slope := -a * inv * inv * dot / count
		n.a[j], n.b[j] = float32(a), float32(slope)
		n.k[j] = float32(float64(-a*sum/count) - float64(slope*float64(n.center[j])))
	}
}
