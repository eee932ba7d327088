package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Source is the data set of a stream: its sample i is what lies at position i, corrupted, under the key KeyOf(i). An image
// is the one that augmix corrupt makes of the sample with the same seed.
type Source struct {
	base     data.Indexed
	order    Order
	plan     *transform.Corruptions
	known    map[string]corrupt.Corruption
	samples  Samples // of base, where they are known already
	spec     string
	settings Settings
	seed     uint64
	key      rng.Key // of the seed
	cursor   data.Cursor
	workers  sync.Pool
}

var _ data.Indexed = (*Source)(nil)

// NewSource returns the stream of src in an order of one's own; [Open] makes those of this package. plan says how images are prepared
// and which parameters corruptions have; its Names are those of the order, and its Severities are not used. Closing the stream closes
// src. The error is that of a name that does not exist, or as of [Open] for what is nil.
func NewSource(src data.Indexed, order Order, plan *transform.Corruptions, seed uint64) (*Source, error) {
	if err := given(src, plan); err != nil {
		return nil, err
	}
	if order == nil {
		return nil, fmt.Errorf("%w: the order is nil", ErrOrder)
	}
	s := &Source{
		base: src, order: order, plan: plan, known: map[string]corrupt.Corruption{}, settings: settingsOf(plan), seed: seed, key: rng.NewKey(seed),
	}
	for _, name := range plan.Names {
		c, err := plan.Corruption(name)
		if err != nil {
			return nil, err
		}
		s.known[name] = c
	}
	s.workers.New = func() any {
		return &worker{prepare: transform.Prepared(plan.Size, plan.Filter, plan.Crop).Transform()}
	}
	return s, nil
}

// worker is the memory of one image.
type worker struct {
	decoder  data.Decoder
	prepare  transform.Transform
	src      raster.Image
	image    [2]raster.Image
	scratch  corrupt.Scratch
	original data.Sample
}

// KeyOf is the key of a position: the number, so that names are in order.
func KeyOf(position int) string { return fmt.Sprintf("%08d", position) }

// Order is the order of the stream.
func (s *Source) Order() Order { return s.order }

// Spec is the spec of the order with all its options, or "" where the order came from a manifest or from the caller.
func (s *Source) Spec() string { return s.spec }

// Seed is the seed of every random choice.
func (s *Source) Seed() uint64 { return s.seed }

// Corruptions are the names of those that the stream may have, in the order of continual streams.
func (s *Source) Corruptions() []string { return s.plan.Names }

// WriteManifest writes the stream down, see [WriteManifest].
func (s *Source) WriteManifest(w io.Writer) error {
	samples := s.samples
	if samples.Keys == nil {
		var err error
		if samples, err = Describe(s.base); err != nil {
			return err
		}
	}
	return WriteManifest(w, s.order, samples, s.seed, s.settings)
}

// Info implements [data.Source].
func (s *Source) Info() data.Info {
	info := s.base.Info()
	info.Len = s.order.Len()
	return info
}

// Len implements [data.Indexed].
func (s *Source) Len() int { return s.order.Len() }

// Next implements [data.Source].
func (s *Source) Next(dst *data.Sample) error { return s.cursor.Next(s, dst) }

// Files are those of the data set.
func (s *Source) Files() []string { return data.Files(s.base) }

// MakesImages marks a source that makes what it reads: plans of package generate read some images before they take the time, for
// textures of frost that are drawn once.
func (s *Source) MakesImages() {}

// Close implements [data.Source].
func (s *Source) Close() error { return s.base.Close() }

// inside panics at a position that the stream does not have, as other sources do.
func (s *Source) inside(i int) {
	if n := s.order.Len(); i < 0 || i >= n {
		panic(fmt.Sprintf("stream: sample %d of %d", i, n))
	}
}

// Describe implements [data.Describer].
func (s *Source) Describe(i int, dst *data.Sample) {
	s.inside(i)
	w := s.workers.Get().(*worker)
	defer s.workers.Put(w)
	if err := data.Describe(s.base, s.order.At(i).Sample, &w.original); err != nil {
		w.original.Label = data.NoLabel
	}
	dst.Key, dst.Index, dst.Label, dst.Name, dst.Ext = KeyOf(i), i, w.original.Label, w.original.Name, ""
}

// Read implements [data.Indexed].
func (s *Source) Read(i int, dst *data.Sample) error {
	s.inside(i)
	w := s.workers.Get().(*worker)
	defer s.workers.Put(w)
	step := s.order.At(i)
	var of *data.SampleError // an error of one sample says its own key
	err := s.base.Read(step.Sample, &w.original)
	if errors.As(err, &of) {
		return &data.SampleError{Name: of.Name, Key: KeyOf(i), Err: of.Err}
	}
	if err != nil {
		return err
	}
	m, err := s.make(w, step)
	if errors.As(err, &of) {
		err = of.Err
	}
	if err != nil {
		return &data.SampleError{Name: w.original.Name, Key: KeyOf(i), Err: err}
	}
	dst.Key, dst.Index, dst.Label, dst.Name, dst.Ext = KeyOf(i), i, w.original.Label, w.original.Name, ""
	dst.Form, dst.Reading, dst.Multi = data.RGB, w.original.Reading, w.original.Multi
	if w.original.KeepsGray() {
		m.SetLuma(m)
		dst.Form = data.GrayForm
	}
	dst.W, dst.H, dst.Data = m.W, m.H, m.AppendPixels(dst.Data[:0])
	return nil
}

// make returns the image of a step, which is w's.
func (s *Source) make(w *worker, step Step) (*raster.Image, error) {
	defer w.decoder.Release(&w.src)
	if err := w.decoder.Decode(context.Background(), &w.src, &w.original, data.DecodeOptions{}); err != nil {
		return nil, err
	}
	key := transform.SampleKey(s.key, w.original.Key)
	m, other := &w.image[0], &w.image[1]
	if err := w.prepare.Apply([]*raster.Image{m}, &w.src, key); err != nil {
		return nil, err
	}
	for _, c := range step.Changes {
		if c.Corruption == "" {
			continue
		}
		if err := transform.CheckMemory(s.known[c.Corruption], m.W, m.H); err != nil {
			return nil, err
		}
		r := transform.CorruptionKey(key, c.Corruption, c.Severity).Rand()
		if err := s.known[c.Corruption].Apply(other, m, c.Severity, &r, &w.scratch); err != nil {
			return nil, err
		}
		m, other = other, m
	}
	return m, nil
}
