package transform

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// mostPartners is the number of samples that are tried for a partner before a sample is rejected for want of one.
const mostPartners = 16

// partners fetches the second image of methods that make one of two, from anywhere in the data set, prepared as the
// first is: resized, cropped and flipped by draws of its own, then operated on.
type partners struct {
	n       int
	read    func(i int) (m *raster.Image, label int, err error)
	applier *applier // its own buffers
	rand    rng.Rand
}

// Partner returns the Partner of a [mix.Sample], for one goroutine: any of the n samples of a data set, each as likely.
// read gets a sample's image, which stays unchanged and must be valid until the next call, and its label. A sample for
// which it returns a *[data.SampleError] is passed over; another error is returned.
func (p *Pipeline) Partner(
	n int, read func(i int) (m *raster.Image, label int, err error),
) func(dst *raster.Image, key rng.Key) (label int, err error) {
	return (&partners{n: n, read: read, applier: newApplier(p)}).fetch
}

// partner is Partner with the samples of the Source.
func (p *Pipeline) partner() func(dst *raster.Image, key rng.Key) (label int, err error) {
	var s data.Sample
	var m raster.Image
	return p.Partner(p.Source.Len(), func(i int) (*raster.Image, int, error) {
		if err := p.Source.Read(i, &s); err != nil {
			if bad := (*data.SampleError)(nil); !errors.As(err, &bad) {
				err = &SourceError{err}
			}
			return nil, 0, err
		}
		return &m, s.Label, s.Decode(&m)
	})
}

// SourceError is an error that ended the [Pipeline]'s Source while a partner was read: it is none of the sample that was to be mixed
// with it.
type SourceError struct{ Err error }

func (e *SourceError) Error() string { return e.Err.Error() }

// Unwrap returns the source's error.
func (e *SourceError) Unwrap() error { return e.Err }

// fetch implements the Partner of mix.Sample.
func (p *partners) fetch(dst *raster.Image, key rng.Key) (label int, err error) {
	if p.n == 0 {
		return 0, fmt.Errorf("%w: no partner in an empty data set", data.ErrFormat)
	}
	which := key.Str("which").Rand()
	for range mostPartners {
		var m *raster.Image
		m, label, err = p.read(which.IntN(p.n))
		if bad := (*data.SampleError)(nil); errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return 0, err
		}
		clean, err := p.applier.geometry(m, key, p.applier.pipeline.Fill)
		if err != nil {
			return 0, err
		}
		p.rand.Seed(key.Str("ops"))
		dst.CopyFrom(p.applier.operate(dst, clean, &p.rand))
		return label, nil
	}
	return 0, fmt.Errorf("%w: %d samples in a row cannot be read, the last: %w", mix.ErrPartner, mostPartners, err)
}

// ApplySoft implements [SoftTransform].
func (a *applier) ApplySoft(
	dst []*raster.Image, targets []mix.Target, src *raster.Image, label int, key rng.Key,
) error {
	if a.wholeFor != key { // Part was called for a sample that could not be decoded
		a.whole = [2]int{}
	}
	epoch := EpochKey(key, a.pipeline.Epoch)
	clean, err := a.geometry(src, epoch, a.pipeline.Fill)
	if err != nil {
		return err
	}
	if len(dst) > 1 {
		dst[0].CopyFrom(clean)
		targets[0] = targets[0].Hard(label)
		dst, targets = dst[1:], targets[1:]
	}
	for i, d := range dst {
		if targets[i], err = a.softView(d, targets[i], clean, label, ViewKey(epoch, 1+i)); err != nil {
			return err
		}
	}
	return nil
}

// softView is view with soft labels: the result reuses t.
func (a *applier) softView(
	dst *raster.Image, t mix.Target, clean *raster.Image, label int, key rng.Key,
) (mix.Target, error) {
	a.rand.Seed(key)
	cur := a.operate(dst, clean, &a.rand)
	if cur == dst {
		spare := a.other(clean)
		spare.CopyFrom(cur)
		cur = spare
	}
	a.sample.Image, a.sample.Label, a.sample.Key = cur, label, key.Str("mix")
	if a.pipeline.Source != nil && a.sample.Partner == nil {
		a.sample.Partner = a.pipeline.partner()
	}
	method := a.pipeline.Mix
	if method == nil {
		method = new(mix.Method)
	}
	return method.Apply(dst, &a.sample, t, &a.scratch)
}
