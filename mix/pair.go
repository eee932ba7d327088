package mix

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrPartner is wrapped by errors of [Apply] about the second image: there is none, or it has another size.
var ErrPartner = errors.New("mix: no partner")

// Pair is a method that makes one image of two and mixes their labels: Mixup, CutMix. It cannot work on one image
// alone: [Batch.Train] takes partners from the batch, [Apply] and [ApplyPlanes] from wherever the caller gets them. Its
// methods Apply and ApplyPlanes, which a Pair has because it is a [Mixer], panic; [NeedsPartner] tells beforehand.
type Pair interface {
	Mixer
	// DrawPair draws how an image of w by h pixels and its partner are mixed.
	DrawPair(w, h int, r *rng.Rand) PairDraw
	// ApplyPair writes the mixture of a and its partner b, both of one size, to dst as 8-bit values. dst must be
	// neither.
	ApplyPair(dst, a, b *raster.Image, d *PairDraw)
	// ApplyPairPlanes writes the mixture of a and b, each 3*H*W float32 values in planes w pixels wide. All three are
	// normalised alike, by whatever: these methods commute with a normalisation. dst may be a, not b.
	ApplyPairPlanes(dst, a, b []float32, w, h int, d *PairDraw)
	// EachSample reports whether every sample of a batch gets a draw of its own. Otherwise, as in the reference codes,
	// one draw serves the whole batch and only the partners differ.
	EachSample() bool
}

// PairDraw is everything random about how two images are mixed.
type PairDraw struct {
	// Weight is that of the image's own label; the partner's label has the rest. For Mixup it is the weight of the
	// pixels as well.
	Weight float32
	// Box is what CutMix takes from the partner; empty for Mixup.
	Box augment.Rect
}

// NeedsPartner reports whether m, or a stage of it, is a [Pair].
func NeedsPartner(m Mixer) bool { return countPairs(Stages(m)) > 0 }

func countPairs(stages []Mixer) int {
	n := 0
	for _, st := range stages {
		if _, ok := st.(Pair); ok {
			n++
		}
	}
	return n
}

// Sample is one image to augment by itself, with what a [Pair] needs to know of it and of others.
type Sample struct {
	Image *raster.Image
	Label int     // class, or negative for none
	Key   rng.Key // of the sample, its epoch and view
	// Partner fetches another sample of the data set, chosen by key alone, into dst, with the size of Image, and
	// returns its label. nil where the method needs no partner. What it allocates is its own affair.
	Partner func(dst *raster.Image, key rng.Key) (label int, err error)
}

// Apply augments one sample by any method and returns its soft label, for which it reuses t. The result is written to
// dst as 8-bit values.
//
// Streams: the method draws from in.Key itself, exactly as m.Apply does. The partner at stage j of a chain has the key
// in.Key.Str("partner").Uint(j); the stages before j are applied to it with that key, so that both images of a
// mixture were augmented independently of each other. How the two are mixed is drawn from in.Key.Str("pair").Uint(j).
//
// The error is Partner's, or wraps [ErrPartner].
func Apply(m Mixer, dst *raster.Image, in *Sample, t Target, s *Scratch) (Target, error) {
	f := s.begin(in.Image)
	stages := s.stagesOf(m)
	t, err := s.sample(&f, stages, len(stages), in, nil, t)
	if err == nil {
		f.toImage(dst, s)
	}
	return t, err
}

// ApplyPlanes is Apply with normalised float32 planes, as [Mixer].ApplyPlanes writes them.
func ApplyPlanes(m Mixer, dst []float32, in *Sample, n *Norm, t Target, s *Scratch) (Target, error) {
	f := s.begin(in.Image)
	stages := s.stagesOf(m)
	t, err := s.sample(&f, stages, len(stages), in, n, t)
	if err == nil {
		f.toPlanes(dst, n, s)
	}
	return t, err
}

// sample takes the image f through the first stages, up to end. n is nil when the result is to be 8-bit.
func (s *Scratch) sample(f *flow, stages []Mixer, end int, in *Sample, n *Norm, t Target) (Target, error) {
	t = t.Hard(in.Label)
	s.sampleRand.Seed(in.Key)
	for j, st := range stages[:end] {
		if _, ok := st.(Pair); !ok {
			f.step(st, wantsFloat(stages, j, n), n, &s.sampleRand, s)
			continue
		}
		var err error
		if t, err = s.samplePair(f, stages, j, in, n, t); err != nil {
			return t, err
		}
	}
	return t, nil
}

// samplePair mixes f with its partner as stage j says; to the partner, the stages before have been applied in a scratch
// of its own.
func (s *Scratch) samplePair(f *flow, stages []Mixer, j int, in *Sample, n *Norm, t Target) (Target, error) {
	p := stages[j].(Pair)
	if in.Partner == nil {
		return t, fmt.Errorf("%w: %s makes one image of two", ErrPartner, p)
	}
	if s.partner == nil {
		s.partner = new(Scratch)
	}
	o := s.partner
	other := &o.in // not on the stack, from where it would escape
	*other = Sample{Image: &o.fetched, Key: in.Key.Str("partner").Uint(uint64(j)), Partner: in.Partner}
	var err error
	if other.Label, err = in.Partner(other.Image, other.Key); err != nil {
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
	s.rand.Seed(in.Key.Str("pair").Uint(uint64(j)))
	s.pairDraw = p.DrawPair(f.w, f.h, &s.rand)
	f.pair(p, &g, &s.pairDraw, s, o)
	return t.Blend(o.target, s.pairDraw.Weight), nil
}
