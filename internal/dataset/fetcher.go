package dataset

import (
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Fetcher gets samples of a data set, resized, cropped, flipped and preprocessed, for one goroutine.
type Fetcher struct {
	set       *Set
	transform transform.Transform // nil: images stay as they are
	sample    data.Sample
	image     raster.Image
	one       [1]*raster.Image

	pre     preprocess.Method // nil: none
	cut     raster.Image      // what it is given
	scratch preprocess.Scratch
}

// About is what is known of a sample beside its image.
type About struct {
	Name, Key string  // as in data.Sample
	Label     int     // class number, or data.NoLabel
	Gray      bool    // it is a gray image that stays gray, see data.Reading
	Stream    rng.Key // [transform.SampleKey]
}

// Fetcher returns what gets samples for one goroutine. g is what is done to an image, nil for nothing; pre follows, nil
// for nothing.
func (d *Set) Fetcher(g *transform.Pipeline, pre preprocess.Method) *Fetcher {
	f := &Fetcher{set: d, pre: pre}
	if g != nil {
		f.transform = g.Transform()
	}
	return f
}

// Fetch writes sample i to dst, see [Fetcher.Image] and [Fetcher.Transform]. The error wraps [data.ErrLabel] where the
// label is none of the classes.
func (f *Fetcher) Fetch(dst *raster.Image, i, classes int, seed rng.Key) (About, error) {
	src, s, err := f.Image(i, seed)
	if err != nil {
		return s, err
	}
	if s.Label < 0 || s.Label >= classes {
		return s, fmt.Errorf("%w: %s has label %d (allowed: 0 to %d)", data.ErrLabel, s.Name, s.Label, classes-1)
	}
	return s, f.Transform(dst, src, &s)
}

// FetchUnlabeled is Fetch of a data set whose labels do not matter.
func (f *Fetcher) FetchUnlabeled(dst *raster.Image, i int, seed rng.Key) (About, error) {
	src, s, err := f.Image(i, seed)
	if err != nil {
		return s, err
	}
	return s, f.Transform(dst, src, &s)
}

// Image returns the decoded image of sample i, which is not to be changed and valid until the next call, or the part of it
// that Transform, called next with the same sample, needs.
func (f *Fetcher) Image(i int, seed rng.Key) (*raster.Image, About, error) {
	if f.set.samples != nil {
		return f.set.samples[i].about(seed)
	}
	if h := f.set.keptAt(i); h != nil {
		return h.about(seed)
	}
	if err := f.set.source.Read(i, &f.sample); err != nil {
		return nil, About{}, err
	}
	if f.set.mayKeep() {
		h, err := f.set.keep(i, &f.sample)
		if err != nil {
			return nil, About{}, err
		}
		return h.about(seed)
	}
	return f.Decode(&f.sample, seed)
}

// Decode is [Fetcher.Image] of a sample that is not of the set.
func (f *Fetcher) Decode(m *data.Sample, seed rng.Key) (*raster.Image, About, error) {
	s := About{Name: m.Name, Key: m.Key, Label: m.Label, Gray: m.KeepsGray(), Stream: transform.SampleKey(seed, m.Key)}
	return &f.image, s, transform.Decode(&f.image, m, f.transform, s.Stream)
}

// Transform writes what is made of the image of a sample to dst. An error is a *[data.SampleError].
func (f *Fetcher) Transform(dst, src *raster.Image, s *About) error {
	if f.transform == nil {
		dst.CopyFrom(src)
		return nil
	}
	f.one[0] = dst
	if f.pre != nil {
		f.one[0] = &f.cut
	}
	if err := f.transform.Apply(f.one[:], src, s.Stream); err != nil {
		return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	if f.pre != nil {
		f.pre.Apply(dst, &f.cut, &f.scratch)
	}
	return nil
}
