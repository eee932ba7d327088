package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Sample is one image to augment by itself, with what a [BatchMix] needs to know of it and of others.
type Sample struct {
	Image *raster.Image
	Label int     // class, or negative for none
	Key   rng.Key // of the sample, its epoch and view
	// Partner fetches another sample of the data set, chosen by key alone, into dst, with the size of Image, and
	// returns its label. nil where the method needs no partner. Its allocations are not counted as the method's.
	Partner func(dst *raster.Image, key rng.Key) (label int, err error)

	// Shared makes one mixture of several views of a sample, so that one soft label is right for all: partners and how
	// they are mixed come from this key, the same for all views, and the augmentations of each view from its own Key. A
	// [Standard] that comes first crops all of them alike, as in [Batch.Views]. The zero key means that there is but one
	// view.
	Shared rng.Key
	View   int  // of several: the number of the view. A view whose Key is Shared gets the partner of a single view.
	Clean  bool // of several: leave out the augmentations, not the partners
}

// pairKey returns the key of the partners and of how they are mixed.
func (in *Sample) pairKey() rng.Key {
	if in.Shared == (rng.Key{}) {
		return in.Key
	}
	return in.Shared
}

// partnerOf makes s the partner of in at stage j. Its own augmentations differ from view to view.
func (in *Sample) partnerOf(s *Sample, j int) {
	key := in.pairKey().Str("partner").Uint(uint64(j))
	s.Key, s.Partner = key, in.Partner
	if in.Shared == (rng.Key{}) {
		return
	}
	s.Shared, s.View, s.Clean = key, in.View, in.Clean
	if in.Key != in.Shared {
		s.Key = key.Str("view").Uint(uint64(in.View))
	}
}

// Apply augments one sample and returns its soft label, for which it reuses t. The result is written to dst as 8-bit
// values. dst must not be in.Image.
//
// Streams: the method draws from in.Key itself, exactly as its Augmentation does if it needs no partner. The partner at
// stage j has the key in.Key.Str("partner").Uint(j). The stages before j are applied to it with that key, so that both
// images of a mixture were augmented independently of each other. How the two are mixed is drawn from
// in.Key.Str("pair").Uint(j).
//
// The error is Partner's, or wraps [ErrPartner].
func (m *Method) Apply(dst *raster.Image, in *Sample, t Target, s *Scratch) (Target, error) {
	f := s.begin(in.Image)
	t, err := s.sample(&f, m.stages, len(m.stages), in, nil, t)
	if err == nil {
		f.toImage(dst, s)
	}
	return t, err
}

// ApplyPlanes is Apply with normalized float32 planes, as [Augmentation].ApplyPlanes writes them.
func (m *Method) ApplyPlanes(dst []float32, in *Sample, n *Normalization, t Target, s *Scratch) (Target, error) {
	f := s.begin(in.Image)
	t, err := s.sample(&f, m.stages, len(m.stages), in, n, t)
	if err == nil {
		f.toPlanes(dst, n, s)
	}
	return t, err
}

// sample takes the image f through the first stages, up to end. n is nil when the result is to be 8-bit.
func (s *Scratch) sample(f *flow, stages []stage, end int, in *Sample, n *Normalization, t Target) (Target, error) {
	t = t.Hard(in.Label)
	s.sampleRand.Seed(in.Key)
	for j, st := range stages[:end] {
		if s.sharedStage(f, stages, j, in) || st.one != nil && in.Clean {
			continue
		}
		if st.one != nil {
			f.step(st.one, wantsFloat(stages, j, n), n, &s.sampleRand, s)
			continue
		}
		var err error
		if t, err = s.samplePair(f, stages, j, in, n, t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// sharedStage applies stage j if all views of a sample do it alike.
func (s *Scratch) sharedStage(f *flow, stages []stage, j int, in *Sample) bool {
	name := sharedName(stages, j)
	if name == "" || in.Shared == (rng.Key{}) {
		return false
	}
	s.rand.Seed(in.Shared.Str(name))
	f.step(stages[j].one, false, nil, &s.rand, s)
	return true
}

// samplePair mixes f with its partner by stage j. The stages before j have been applied to the partner, in a scratch of
// its own.
func (s *Scratch) samplePair(f *flow, stages []stage, j int, in *Sample, n *Normalization, t Target) (Target, error) {
	p := stages[j].pair
	if in.Partner == nil {
		return t, fmt.Errorf("%w: %s makes one image of two, and the sample has no Partner", ErrPartner, p)
	}
	if s.partner == nil {
		s.partner = new(Scratch)
	}
	o := s.partner
	other := &o.in // not on the stack, from where it would escape
	*other = Sample{Image: &o.fetched}
	in.partnerOf(other, j)
	var err error
	if other.Label, err = in.Partner(other.Image, other.pairKey()); err != nil {
		return t, err
	}
	if other.Image.W != f.w || other.Image.H != f.h {
		return t, fmt.Errorf("%w that fits: %s of an image of %dx%d and one of %dx%d "+
			"(allowed: one size; crop or resize first)", ErrPartner, p, f.w, f.h, other.Image.W, other.Image.H)
	}
	g := o.begin(other.Image)
	if o.target, err = o.sample(&g, stages, j, other, n, o.target); err != nil {
		return t, err
	}
	s.rand.Seed(in.pairKey().Str("pair").Uint(uint64(j)))
	s.pairDraw = p.DrawPair(f.w, f.h, &s.rand)
	f.pair(p, &g, &s.pairDraw, s, o)
	return t.Blend(o.target, s.pairDraw.Weight), nil
}
