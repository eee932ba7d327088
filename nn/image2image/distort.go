package image2image

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// leastBody is the least number of channels, in and out, of a layer that [Network.Distort] changes: first and last layers,
// which take colors apart and put them together, are left alone.
const leastBody = 16

// change is what is different about a layer for one image: its weights, or what comes out of it.
type change struct {
	of  *layer
	w   []float32
	act func(s *Scratch, x feature) feature
}

// changed returns the weights that a layer has instead of its own, and what is done to its output; nil: nothing.
func (s *Scratch) changed(l *layer) (w []float32, act func(s *Scratch, x feature) feature) {
	for i := range s.changes {
		if c := &s.changes[i]; c.of == l {
			if c.act != nil {
				act = c.act
			} else {
				w = c.w
			}
		}
	}
	return w, act
}

// Distort runs the network on an image as [Network.Apply] does, with weights and activations that are distorted for this
// image alone, after DeepAugment (Hendrycks et al., The Many Faces of Robustness, ICCV 2021): so many times a layer is drawn
// and one of twelve transformations of its filters, each filter being transformed with a probability that is drawn too; with
// probability one half, what comes out of one more layer is distorted by one of six. Before it all the image's colors are
// swapped, a twentieth of its values is blanked, a fortieth negated, or nothing, each as likely. The result is clipped to
// [0, 1]. The shares and probabilities are ours.
//
// A network without a layer of at least 16 channels, in and out, is not distorted, the image is.
func (n *Network) Distort(v []float32, w, h, times int, r *rng.Rand, s *Scratch) {
	distortValues(v, r)
	s.changes = s.changes[:0]
	if len(n.body) > 0 {
		for i := range times {
			s.distortWeights(n.body[r.IntN(len(n.body))], i, r)
		}
		if r.Bool() {
			s.changes = append(s.changes, change{of: n.body[r.IntN(len(n.body))], act: activations[r.IntN(len(activations))]})
		}
	}
	n.Apply(v, w, h, s)
	s.changes = s.changes[:0]
}

// distortValues changes an image in planes.
func distortValues(v []float32, r *rng.Rand) {
	switch r.IntN(4) {
	case 0:
		order, n := [3]int{0, 1, 2}, len(v)/3
		r.Perm(order[:])
		for i := range n {
			was := [3]float32{v[i], v[n+i], v[2*n+i]}
			v[i], v[n+i], v[2*n+i] = was[order[0]], was[order[1]], was[order[2]]
		}
	case 1:
		for i := range v {
			if r.Float64() < 0.05 {
				v[i] = 0
			}
		}
	case 2:
		for i := range v {
			if r.Float64() < 0.025 {
				v[i] = 1 - v[i]
			}
		}
	}
}

// distortWeights transforms the filters of a layer, or what an earlier change of this image made of them.
func (s *Scratch) distortWeights(l *layer, i int, r *rng.Rand) {
	w, _ := s.changed(l)
	if w == nil {
		for len(s.fresh) <= i {
			s.fresh = append(s.fresh, nil)
		}
		w = buffer.Resize(s.fresh[i], len(l.w))
		s.fresh[i] = w
		copy(w, l.w)
		s.changes = append(s.changes, change{of: l, w: w})
	}
	f := filters[r.IntN(len(filters))]
	share, each := max(r.Float64(), r.Float64()), len(w)/l.out
	for o := range l.out {
		if r.Float64() < share {
			f(w[o*each:][:each], l.k, r)
		}
	}
}

// filters are the transformations of a filter: kernels of k by k weights, one an input channel.
var filters = [...]func(w []float32, k int, r *rng.Rand){
	func(w []float32, _ int, _ *rng.Rand) { // negated
		for i := range w {
			w[i] = -w[i]
		}
	},
	func(w []float32, _ int, _ *rng.Rand) { clear(w) },
	func(w []float32, _ int, r *rng.Rand) { // scaled
		f := float32(r.Uniform(0, 2))
		for i := range w {
			w[i] *= f
		}
	},
	func(w []float32, k int, _ *rng.Rand) { // mirrored
		eachKernel(w, k, func(t []float32, i int) float32 { return t[i/k*k+k-1-i%k] })
	},
	func(w []float32, k int, _ *rng.Rand) { // upside down
		eachKernel(w, k, func(t []float32, i int) float32 { return t[(k-1-i/k)*k+i%k] })
	},
	func(w []float32, k int, _ *rng.Rand) { // turned by 90 degrees
		eachKernel(w, k, func(t []float32, i int) float32 { return t[(k-1-i%k)*k+i/k] })
	},
	func(w []float32, k int, r *rng.Rand) { // shifted, what leaves on one side comes in on the other
		dy, dx := r.IntN(k), r.IntN(k)
		eachKernel(w, k, func(t []float32, i int) float32 { return t[(i/k+dy)%k*k+(i+dx)%k] })
	},
	func(w []float32, _ int, r *rng.Rand) { // some weights left out
		for i := range w {
			if r.Float64() < 0.25 {
				w[i] = 0
			}
		}
	},
	func(w []float32, _ int, r *rng.Rand) { // some weights negated
		for i := range w {
			if r.Float64() < 0.1 {
				w[i] = -w[i]
			}
		}
	},
	func(w []float32, _ int, r *rng.Rand) { // noise of the filter's own size
		sum := 0.0
		for _, v := range w {
			sum += float64(float64(v) * float64(v))
		}
		reach := math.Sqrt(3 * sum / float64(len(w)))
		for i := range w {
			w[i] += float32(r.Uniform(-reach, reach))
		}
	},
	func(w []float32, k int, _ *rng.Rand) { // only the largest weight of a kernel is kept
		eachKernel(w, k, func(t []float32, i int) float32 {
			most := 0
			for j := range t {
				if abs(t[j]) > abs(t[most]) {
					most = j
				}
			}
			if i == most {
				return t[i]
			}
			return 0
		})
	},
	func(w []float32, k int, r *rng.Rand) { // the sum of a kernel is spread anew, mostly over few weights
		var shares [maxTaps]float64
		r.Dirichlet(shares[:k*k], 0.1)
		eachKernel(w, k, func(t []float32, i int) float32 {
			sum := float32(0)
			for _, v := range t {
				sum += v
			}
			return sum * float32(shares[i])
		})
	},
}

// maxTaps is the number of weights of the largest kernel that is transformed: 3x3 in all networks here.
const maxTaps = 9

// eachKernel replaces weight i of every kernel by f of the kernel as it was.
func eachKernel(w []float32, k int, f func(kernel []float32, i int) float32) {
	var was [maxTaps]float32
	for ; len(w) > 0; w = w[k*k:] {
		t := was[:k*k]
		copy(t, w)
		for i := range t {
			w[i] = f(t, i)
		}
	}
}

func abs(v float32) float32 { return max(v, -v) }

// activations are the distortions of what comes out of a layer.
var activations = [...]func(s *Scratch, x feature) feature{
	func(_ *Scratch, x feature) feature { // negated
		for i := range x.v {
			x.v[i] = -x.v[i]
		}
		return x
	},
	func(_ *Scratch, x feature) feature { return relu(x) },
	func(_ *Scratch, x feature) feature { // GELU
		for i, v := range x.v {
			x.v[i] = float32(v * float32(1/(1+detmath.Exp(-1.702*float64(v)))))
		}
		return x
	},
	func(_ *Scratch, x feature) feature { // channels in the reverse order
		for p := 0; p < len(x.v); p += x.c {
			for i, j := 0, x.c-1; i < j; i, j = i+1, j-1 {
				x.v[p+i], x.v[p+j] = x.v[p+j], x.v[p+i]
			}
		}
		return x
	},
	func(_ *Scratch, x feature) feature { // mirrored, halves of the channels only
		for y := range x.h {
			row := x.v[y*x.w*x.c:][:x.w*x.c]
			for i, j := 0, x.w-1; i < j; i, j = i+1, j-1 {
				for c := range x.c / 2 {
					row[i*x.c+c], row[j*x.c+c] = row[j*x.c+c], row[i*x.c+c]
				}
			}
		}
		return x
	},
	func(_ *Scratch, x feature) feature { // every fourth channel left out
		for i := 0; i < len(x.v); i += 4 {
			x.v[i] = 0
		}
		return x
	},
}
