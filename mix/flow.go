package mix

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// refiner is an augmentation that changes float32 values in place, so that nothing is rounded before it.
type refiner interface {
	Augmentation
	// refine changes v, 3*h*w values in [0, 1] in planes. n is the normalization that will follow, nil when the
	// result will be 8-bit.
	refine(v []float32, w, h int, n *Normalization, r *rng.Rand, s *Scratch)
}

// takesFloat reports whether a stage works on float32 values.
func takesFloat(st stage) bool {
	if st.pair != nil {
		return true
	}
	_, ok := st.one.(refiner)
	return ok
}

// wantsFloat reports whether the result of stage i is used as float32: by the next stage, or as the result in planes.
func wantsFloat(stages []stage, i int, n *Normalization) bool {
	if i+1 < len(stages) {
		return takesFloat(stages[i+1])
	}
	return n != nil
}

// flow is an image between two stages of a method: 8-bit as img, or values in [0, 1] as planes.
type flow struct {
	img    *raster.Image // the source or a buffer of the scratch
	planes []float32     // nil while the image is 8-bit
	w, h   int
}

// begin returns src before the first stage. src is never changed.
func (s *Scratch) begin(src *raster.Image) flow { return flow{img: src, w: src.W, h: src.H} }

// run applies augmentations, one after the other.
func (f *flow) run(stages []stage, n *Normalization, r *rng.Rand, s *Scratch) {
	for i, st := range stages {
		f.step(st.one, wantsFloat(stages, i, n), n, r, s)
	}
}

// step applies one augmentation. float says that its result is used as float32; n is the normalization that follows in
// the end, nil for an 8-bit result.
func (f *flow) step(m Augmentation, float bool, n *Normalization, r *rng.Rand, s *Scratch) {
	if rf, ok := m.(refiner); ok && (float || f.planes != nil || n != nil) {
		f.toFloat(s)
		rf.refine(f.planes, f.w, f.h, n, r, s)
		return
	}
	f.toBytes(s)
	if float {
		out := s.unitPlanes(f)
		m.ApplyPlanes(out, f.img, &Unit, r, s)
		f.planes = out
		return
	}
	out := s.otherImage(f.img)
	m.Apply(out, f.img, r, s)
	f.img = out
}

// pair mixes f with g, which lives in the scratch o. The result is f.
func (f *flow) pair(p BatchMix, g *flow, d *PairDraw, s, o *Scratch) {
	if f.planes == nil && g.planes == nil && d.Weight < 1 && !d.Box.Empty() { // pixels of a box are copied, not mixed
		out := s.otherImage(f.img)
		p.ApplyPair(out, f.img, g.img, d)
		f.img = out
		return
	}
	f.toFloat(s)
	g.toFloat(o)
	p.ApplyPairPlanes(f.planes, f.planes, g.planes, f.w, f.h, d)
}

// toFloat takes the values to [0, 1].
func (f *flow) toFloat(s *Scratch) {
	if f.planes == nil {
		f.planes = s.unitPlanes(f)
		s.planesOf(f.planes, f.img, &Unit)
	}
}

// toBytes rounds to 8 bits.
func (f *flow) toBytes(s *Scratch) {
	if f.planes == nil {
		return
	}
	out := s.otherImage(f.img)
	out.Reset(f.w, f.h)
	kernel.PlanesToBytes(out.Pix, f.planes)
	f.img, f.planes = out, nil
}

// toImage writes the result to dst.
func (f *flow) toImage(dst *raster.Image, s *Scratch) {
	if f.planes == nil {
		dst.CopyFrom(f.img)
		return
	}
	dst.Reset(f.w, f.h)
	kernel.PlanesToBytes(dst.Pix, f.planes)
}

// toPlanes writes the result to dst, normalized.
func (f *flow) toPlanes(dst []float32, n *Normalization, s *Scratch) {
	if f.planes == nil {
		s.planesOf(dst, f.img, n)
		return
	}
	n.apply(dst, f.planes)
}

// unitPlanes returns the scratch's planes with the size of f.
func (s *Scratch) unitPlanes(f *flow) []float32 {
	s.planes = buffer.Resize(s.planes, 3*f.w*f.h)
	return s.planes
}

// otherImage returns a buffer that is not cur.
func (s *Scratch) otherImage(cur *raster.Image) *raster.Image {
	if cur == &s.images[0] {
		return &s.images[1]
	}
	return &s.images[0]
}

// planesOf writes an image as normalized planes.
func (s *Scratch) planesOf(dst []float32, src *raster.Image, n *Normalization) {
	s.sources = append(s.sources[:0], src.Pix)
	s.weights = append(s.weights[:0], 1)
	scale, bias := n.affine()
	kernel.MixPlanes(dst, s.sources, s.weights, &scale, &bias)
}

// applyRefiner and applyRefinerPlanes are Apply and ApplyPlanes of a refiner.
func applyRefiner(m refiner, dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.toFloat(s)
	m.refine(f.planes, f.w, f.h, nil, r, s)
	f.toImage(dst, s)
}

func applyRefinerPlanes(m refiner, dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.toFloat(s)
	m.refine(f.planes, f.w, f.h, n, r, s)
	f.toPlanes(dst, n, s)
}
