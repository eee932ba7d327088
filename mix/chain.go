package mix

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// maxStages bounds a chain; a chain with p pair methods makes 2^p images where partners are fetched one by one.
const (
	maxStages = 8
	maxPairs  = 2
)

// Chain applies methods one after the other: its spec is theirs joined by '+', "pixmix-k4-b3+cutmix". Values stay
// float32 from one stage to the next where the one makes fractions and the other takes them (AugMix, PixMix and noise
// make them; occlusions, noise and pair methods take them); otherwise an image is rounded to 8 bits between stages.
type Chain struct {
	stages []Mixer
}

// Compose returns the methods in their order as one. One method is itself; chains among them are taken apart. The error
// wraps [ErrSpec].
func Compose(methods ...Mixer) (Mixer, error) {
	var stages []Mixer
	for _, m := range methods {
		stages = append(stages, Stages(m)...)
	}
	switch pairs := countPairs(stages); {
	case len(stages) == 0 || len(stages) > maxStages:
		return nil, fmt.Errorf("%w: %d methods in a row (allowed: 1 to %d)", ErrSpec, len(stages), maxStages)
	case pairs > maxPairs:
		return nil, fmt.Errorf("%w: %d methods of two images in a row (allowed: up to %d)", ErrSpec, pairs, maxPairs)
	case len(stages) == 1:
		return stages[0], nil
	}
	return &Chain{stages}, nil
}

// Stages returns the methods of a chain, or m alone if it is none. The slice may be shared: do not change it.
func Stages(m Mixer) []Mixer {
	if c, ok := m.(*Chain); ok {
		return c.stages
	}
	return []Mixer{m}
}

// stagesOf is Stages without an allocation.
func (s *Scratch) stagesOf(m Mixer) []Mixer {
	if c, ok := m.(*Chain); ok {
		return c.stages
	}
	s.alone[0] = m
	return s.alone[:]
}

// String returns the specs of the stages, joined by '+'.
func (c *Chain) String() string {
	specs := make([]string, len(c.stages))
	for i, st := range c.stages {
		specs[i] = st.String()
	}
	return strings.Join(specs, "+")
}

// Apply implements [Mixer]. It panics if a stage is a [Pair].
func (c *Chain) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	for i, st := range c.stages {
		f.step(st, wantsFloat(c.stages, i, nil), nil, r, s)
	}
	f.toImage(dst, s)
}

// ApplyPlanes implements [Mixer]. It panics if a stage is a [Pair].
func (c *Chain) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	for i, st := range c.stages {
		f.step(st, wantsFloat(c.stages, i, n), n, r, s)
	}
	f.toPlanes(dst, n, s)
}

// refiner is a method that changes float32 values in place, so that a chain need not round before it.
type refiner interface {
	Mixer
	// refine changes v, 3*h*w values in [0, 1] in planes. n is the normalisation that will follow, nil when the result
	// will be 8-bit.
	refine(v []float32, w, h int, n *Norm, r *rng.Rand, s *Scratch)
}

// takesFloat reports whether a stage works on float32 values.
func takesFloat(m Mixer) bool {
	switch m.(type) {
	case refiner, Pair:
		return true
	}
	return false
}

// wantsFloat reports whether the result of stage i is used as float32: by the next stage, or as the result in planes.
func wantsFloat(stages []Mixer, i int, n *Norm) bool {
	if i+1 < len(stages) {
		return takesFloat(stages[i+1])
	}
	return n != nil
}

// flow is an image on its way through a chain: 8-bit as img, or values in [0, 1] as planes.
type flow struct {
	img    *raster.Image // the source or a buffer of the scratch
	planes []float32     // nil while the image is 8-bit
	w, h   int
}

// begin starts the way of src, which is never changed.
func (s *Scratch) begin(src *raster.Image) flow { return flow{img: src, w: src.W, h: src.H} }

// step applies one stage. float says that its result is used as float32; n is the normalisation that follows in the
// end, nil for an 8-bit result.
func (f *flow) step(m Mixer, float bool, n *Norm, r *rng.Rand, s *Scratch) {
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
func (f *flow) pair(p Pair, g *flow, d *PairDraw, s, o *Scratch) {
	if f.planes == nil && g.planes == nil && d.Weight < 1 && d.Box.W > 0 { // a box of pixels stays a box of pixels
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

// toImage ends the way in dst.
func (f *flow) toImage(dst *raster.Image, s *Scratch) {
	if f.planes == nil {
		dst.CopyFrom(f.img)
		return
	}
	dst.Reset(f.w, f.h)
	kernel.PlanesToBytes(dst.Pix, f.planes)
}

// toPlanes ends the way in dst, normalised.
func (f *flow) toPlanes(dst []float32, n *Norm, s *Scratch) {
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

// planesOf writes an image as normalised planes.
func (s *Scratch) planesOf(dst []float32, src *raster.Image, n *Norm) {
	s.sources = append(s.sources[:0], src.Pix)
	s.weights = append(s.weights[:0], 1)
	scale, bias := n.affine()
	kernel.MixPlanes(dst, s.sources, s.weights, &scale, &bias)
}

// apply normalises values in [0, 1]. dst may be src.
func (n *Norm) apply(dst, src []float32) {
	plane := len(src) / 3
	scale, bias := n.unit()
	for c := range 3 {
		kernel.ScaleBias(dst[c*plane:][:plane], src[c*plane:][:plane], scale[c], bias[c])
	}
}

// applyRefiner and applyRefinerPlanes are the methods of Mixer for a refiner.
func applyRefiner(m refiner, dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.toFloat(s)
	m.refine(f.planes, f.w, f.h, nil, r, s)
	f.toImage(dst, s)
}

func applyRefinerPlanes(m refiner, dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.toFloat(s)
	m.refine(f.planes, f.w, f.h, n, r, s)
	f.toPlanes(dst, n, s)
}
