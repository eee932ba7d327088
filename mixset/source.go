package mixset

import (
	"fmt"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/raster"
)

// Sides of the images of a [Source].
const (
	MinSide = procedural.MinSide
	MaxSide = procedural.MaxSide
)

// Source is a data set of generated images: sample i is image i of a kind. Package generate writes it to files, as any
// other data set. Reading a sample generates the image, so Read on several goroutines uses as many cores.
type Source struct {
	kind   *procedural.Kind
	n      int
	side   int
	seed   uint64
	cursor data.Cursor
	state  sync.Pool
}

var _ data.Indexed = (*Source)(nil)

// sourceScratch is what one goroutine keeps from sample to sample.
type sourceScratch struct {
	generator procedural.Generator
	image     raster.Image
}

// NewSource returns the first n images of a kind, side by side pixels each. The error wraps [ErrSpec] and says what is
// allowed.
func NewSource(kind string, n, side int, seed uint64) (*Source, error) {
	k, err := procedural.ByName(kind)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	case n < 1 || n > MaxCount:
		return nil, fmt.Errorf("%w: %d images (allowed: 1 to %d)", ErrSpec, n, MaxCount)
	case side < MinSide || side > MaxSide:
		return nil, fmt.Errorf("%w: images of side %d (allowed: %d to %d)", ErrSpec, side, MinSide, MaxSide)
	}
	s := &Source{kind: k, n: n, side: side, seed: seed}
	s.state.New = func() any { return new(sourceScratch) }
	return s, nil
}

// Info returns the name of the kind as the format.
func (s *Source) Info() data.Info { return data.Info{Format: s.kind.Name, Len: s.n} }

// Len returns the number of images.
func (s *Source) Len() int { return s.n }

// Next reads the next sample.
func (s *Source) Next(dst *data.Sample) error { return s.cursor.Next(s, dst) }

// Read makes image i, from 0 to Len()-1. Its key is the number, six digits or more.
func (s *Source) Read(i int, dst *data.Sample) error {
	k := s.state.Get().(*sourceScratch)
	defer s.state.Put(k)
	k.generator.Generate(&k.image, s.kind, s.seed, i, s.side)
	dst.Key, dst.Index, dst.Label = fmt.Sprintf("%06d", i), i, data.NoLabel
	dst.Name = fmt.Sprintf("image %d of %s", i, s.kind.Name)
	dst.Ext, dst.Form, dst.W, dst.H = "", data.RGB, s.side, s.side
	dst.Data = k.image.AppendRGB(dst.Data[:0])
	return nil
}

// Close does nothing.
func (s *Source) Close() error { return nil }
