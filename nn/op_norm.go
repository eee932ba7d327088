package nn

import (
	"math"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// moments are the mean and the variance over a batch of a value's channels, or of those of one part of a concatenation.
type moments struct {
	v        *value
	perImage []float32    // batch x [first pixel, sum, sum of squares] of differences from the first pixel
	mean, m2 [2][]float64 // by set of images; m2: sum of squared differences from the mean
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
		for k := range m.mean {
			m.mean[k], m.m2[k] = make([]float64, v.c), make([]float64, v.c)
		}
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
	for set := range m.mean {
		if from, to := m.net.set(set); from < to {
			m.reduceSet(m.mean[set], m.m2[set], from, to)
		}
	}
}

func (m *moments) reduceSet(means, m2 []float64, from, to int) {
	c, px := m.v.c, float64(m.v.px)
	clear(means)
	clear(m2)
	for i := from; i < to; i++ {
		s := m.perImage[i*3*c:][:3*c]
		for j := range means {
			means[j] += float64(s[j]) + float64(s[c+j])/px
		}
	}
	for j := range means {
		means[j] /= float64(to - from)
	}
	for i := from; i < to; i++ {
		s := m.perImage[i*3*c:][:3*c]
		for j, mean := range means {
			sum := float64(s[c+j])
			d := float64(s[j]) + sum/px - mean
			m2[j] += float64(s[2*c+j]) - float64(sum*sum/px) + float64(px*d*d)
		}
	}
}

// norm is a batch norm.
type norm struct {
	out           *value
	eps, momentum float64
	sets          []*normSet // one, or with Options.AuxNorm two
	perImage      []float32  // batch x [sum of dz, sum of dz*(x-center)]
	parts         []*moments
	net           *Net
}

// normSet is what a batch norm has for one set of images.
type normSet struct {
	gamma, beta, mean, vrn *Tensor
	scale, shift           []float32 // x*scale + shift is the result
	center                 []float32 // the mean in use
	inv                    []float64 // 1/sqrt(variance + eps)
	a, b, k                []float32 // gradient: a*dz + b*x + k
}

// of returns what image i goes through.
func (n *norm) of(i int) *normSet {
	if i < n.net.aux {
		return n.sets[0]
	}
	return n.sets[1]
}

func newNorm(b *builder, i int, op graph.BatchNorm, in, out *value) *norm {
	n := &norm{out: out, eps: op.Eps, momentum: op.Momentum, net: b.net}
	for _, ts := range [][]*Tensor{b.net.byNode[i], b.net.auxByNode[i]} {
		if ts == nil {
			continue
		}
		s := &normSet{gamma: ts[0], beta: ts[1], mean: ts[2], vrn: ts[3], inv: make([]float64, in.c)}
		for _, p := range []*[]float32{&s.scale, &s.shift, &s.center, &s.a, &s.b, &s.k} {
			*p = make([]float32, in.c)
		}
		n.sets = append(n.sets, s)
	}
	if b.train {
		n.perImage = make([]float32, b.net.opt.Batch*2*in.c)
	}
	return n
}

// use sets what the result is computed from to a mean and a variance a channel.
func (n *normSet) use(j int, mean, variance, eps float64) {
	inv := 1 / math.Sqrt(variance+eps)
	scale := float64(n.gamma.Data[j]) * inv
	n.inv[j], n.center[j] = inv, float32(mean)
	n.scale[j], n.shift[j] = float32(scale), float32(float64(n.beta.Data[j])-float64(mean*scale))
}

// useRunning takes the running averages.
func (n *norm) useRunning() {
	for _, s := range n.sets {
		for j := range s.inv {
			s.use(j, float64(s.mean.Data[j]), float64(s.vrn.Data[j]), n.eps)
		}
		copy(s.a, s.scale) // constants as they are, the gradient is scale*dz
	}
}

// useBatch takes the batch's statistics and adds them to the running ones: the variance there is the unbiased one, as
// in PyTorch.
func (n *norm) useBatch() {
	for set, s := range n.sets {
		from, to := n.net.set(set)
		if from == to {
			continue
		}
		j := 0
		for _, m := range n.parts {
			count := float64(to-from) * float64(m.v.px)
			for k, mean := range m.mean[set] {
				variance := max(m.m2[set][k]/count, 0)
				s.use(j, mean, variance, n.eps)
				unbiased := variance * count / max(count-1, 1)
				r, v := float64(s.mean.Data[j]), float64(s.vrn.Data[j])
				s.mean.Data[j] = float32(r + float64(n.momentum*(mean-r)))
				s.vrn.Data[j] = float32(v + float64(n.momentum*(unbiased-v)))
				j++
			}
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
				s := n.of(i)
				vec.NormGrad(dst.at(w, i), dst.stride, g.at(w, i), g.stride, p, stride, v.px, v.c, s.a, s.b, s.k, add)
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
	s := v.norm.of(i)
	vec.Affine(u, v.c, x, stride, v.px, v.c, s.scale, s.shift, false)
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
	s, set := n.perImage[i*2*v.c:][:2*v.c], n.of(i)
	vec.NormSums(s[:v.c], s[v.c:], g, x, stride, v.px, v.c, set.scale, set.shift, set.center, v.act == relu)
}

// reduce adds the images' sums in float64 and derives the gradients of the parameters and the line a*dz + b*x + k
// that gives the gradient of the input.
func (n *norm) reduce() {
	c := n.out.c
	for set, at := range n.sets {
		from, to := n.net.set(set)
		count := float64(max(to-from, 1)) * float64(n.out.px)
		for j := range c {
			var sum, dot float64
			for i := from; i < to; i++ {
				s := n.perImage[i*2*c:]
				sum += float64(s[j])
				dot += float64(s[c+j])
			}
			inv := at.inv[j]
			at.beta.Grad[j] = float32(sum)
			at.gamma.Grad[j] = float32(dot * inv)
			a := float64(at.gamma.Data[j]) * inv
			slope := -a * inv * inv * dot / count
			at.a[j], at.b[j] = float32(a), float32(slope)
			at.k[j] = float32(float64(-a*sum/count) - float64(slope*float64(at.center[j])))
		}
	}
}
