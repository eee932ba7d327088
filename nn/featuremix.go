package nn

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
	"github.com/augmix-go/augmix/rng"
)

// FeatureMix mixes the activations of each image with those of another at one place of the network, as manifold mixup does
// (Verma et al., ICML 2019), and adds noise, as noisy feature mixup (Lim et al., ICLR 2022): x becomes
// (Lambda·x + (1-Lambda)·partner)·(1 + Multiply·n) + Add·n', with n and n' normal and independent for each number.
type FeatureMix struct {
	Place    int     // index of a place of [Net.Places]
	Partner  []int   // of each image of the batch: a permutation of the images
	Lambda   float32 // share of the image's own activations, 0 to 1
	Add      float32 // standard deviations of the noise
	Multiply float32
	Key      rng.Key // of the noise; image i draws from Key.Uint(i)
}

// Places returns the nodes of a graph after which features can be mixed: the input, and the last node of each resolution
// through which everything goes that is computed of the image. Behind an early exit there is none.
func Places(g *graph.Graph) []int {
	last := make([]int, len(g.Nodes)) // reader of each node
	for i, n := range g.Nodes {
		for _, k := range n.In {
			last[k] = i
		}
	}
	for _, k := range g.Outputs() {
		last[k] = len(g.Nodes)
	}
	places := []int{0}
	until := 0 // the last reader of the nodes before
	for i, n := range g.Nodes {
		s := n.Shape
		if i > 0 && until <= i && s.H*s.W > 1 && joins(n.Op) {
			if p := g.Nodes[places[len(places)-1]].Shape; len(places) > 1 && p.H == s.H && p.W == s.W {
				places = places[:len(places)-1]
			}
			places = append(places, i)
		}
		until = max(until, last[i])
	}
	return places
}

// joins reports whether a node is the end of a block or a layer.
func joins(op graph.Op) bool {
	switch op.(type) {
	case graph.Add, graph.ReLU, graph.GELU, graph.MaxPool, graph.AvgPool, graph.Concat:
		return true
	}
	return false
}

// Places returns [Places] of the network's graph with Options.Places, else nil.
func (n *Net) Places() []int { return n.places }

// mustMix checks a FeatureMix and finds who each image is the partner of.
func (n *Net) mustMix(m *FeatureMix) {
	if m == nil {
		return
	}
	if !n.mode.Train || m.Place < 0 || m.Place >= len(n.places) || len(m.Partner) != n.batch {
		panic(fmt.Sprintf("nn: features of %d images at place %d, with partners of %d (allowed: training with Options.Places, places below %d)",
			n.batch, m.Place, len(m.Partner), len(n.places)))
	}
	for len(n.partnerOf) < n.opt.Batch {
		n.partnerOf = append(n.partnerOf, 0)
	}
	for i := range n.batch {
		n.partnerOf[i] = -1
	}
	for i, k := range m.Partner {
		if k < 0 || k >= n.batch || n.partnerOf[k] >= 0 {
			panic(fmt.Sprintf("nn: image %d has the partner %d, which is no image or another's (allowed: a permutation)", i, k))
		}
		n.partnerOf[k] = i
	}
}

// mixOp follows a node: it hands the node's value on, mixed where Mode.Mix says so.
type mixOp struct {
	in, out *value
	place   int
	net     *Net
}

// active returns how values are mixed in this pass, nil for not at all.
func (o *mixOp) active() *FeatureMix {
	if m := o.net.mode.Mix; m != nil && m.Place == o.place {
		return m
	}
	return nil
}

// fence makes everything before come to an end, for all images.
func (b *builder) fence() {
	if len(b.tasks) > 0 {
		b.tasks[len(b.tasks)-1].fence = true
	}
}

func (o *mixOp) forward(b *builder) {
	b.fence()
	in, v := o.in, o.out
	b.emit(task{
		run: func(w *worker, i int) {
			m := o.active()
			if m == nil {
				in.write(v.at(w, i), v.stride, w, i)
				return
			}
			x, y, t := in.load(w, i, 0), in.load(w, m.Partner[i], 1), w.tmp[2][:v.n()]
			for k := range t {
				t[k] = float32(m.Lambda*x[k]) + float32((1-m.Lambda)*y[k])
			}
			m.multiply(t, w.tmp[1][:v.n()], i)
			if m.Add != 0 {
				noise := w.tmp[1][:v.n()]
				r := m.Key.Uint(uint64(i)).Str("add").Rand()
				r.FillNormal32(noise)
				for k, e := range noise {
					t[k] += float32(m.Add * e)
				}
			}
			vec.CopyRows(v.at(w, i), v.stride, t, v.c, v.px, v.c)
		},
		uses: []*buffer{v.buf, in.stored().buf},
	})
}

// multiply multiplies t by the noise of image i.
func (m *FeatureMix) multiply(t, noise []float32, i int) {
	if m.Multiply == 0 {
		return
	}
	r := m.Key.Uint(uint64(i)).Str("multiply").Rand()
	r.FillNormal32(noise)
	for k, e := range noise {
		t[k] *= 1 + float32(m.Multiply*e)
	}
}

func (o *mixOp) backward(b *builder) {
	in, v := o.in, o.out
	dst, add, ok := b.contribute(in, v.node)
	if !ok {
		return
	}
	b.fence()
	g := v.grad
	write := vec.CopyRows
	if add {
		write = vec.AddRows
	}
	b.emit(task{
		run: func(w *worker, i int) {
			m := o.active()
			if m == nil {
				write(dst.at(w, i), dst.stride, g.at(w, i), g.stride, v.px, v.c)
				return
			}
			own, t, noise := w.tmp[0][:v.n()], w.tmp[1][:v.n()], w.tmp[2][:v.n()]
			load := func(t []float32, i int) {
				vec.CopyRows(t, v.c, g.at(w, i), g.stride, v.px, v.c)
				m.multiply(t, noise, i)
			}
			load(own, i)
			load(t, o.net.partnerOf[i])
			for k, e := range t {
				t[k] = float32(m.Lambda*own[k]) + float32((1-m.Lambda)*e)
			}
			write(dst.at(w, i), dst.stride, t, v.c, v.px, v.c)
		},
		uses: []*buffer{dst.buf, g.buf},
	})
}
