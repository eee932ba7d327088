package eval

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// block is some of the clean images in a row, decoded and prepared, as a source.
type block struct {
	info    data.Info
	first   int // row of the first
	samples []data.Sample
	cursor  data.Cursor
}

// read reads the block of n images from row first; io.EOF says that there are none. What has all its answers is passed over.
func (p *pass) read(ctx context.Context, first, n int) (*block, error) {
	done := math.MaxInt
	for _, c := range p.list {
		done = min(done, slices.Min(c.done))
	}
	b := &block{info: p.src.Info(), first: first}
	part := data.Limit(p.src, n)
	if all, ok := p.src.(data.Indexed); ok {
		if first >= all.Len() {
			return nil, io.EOF
		}
		part = data.Slice(all, first, min(first+n, all.Len()))
	}
	if first+n <= done {
		return b, b.skip(part)
	}
	_, err := generate.Run(ctx, generate.Job{
		Source: part, Workers: p.e.Workers,
		Task: generate.Variants{
			Transform: p.prepare.expander,
			Open:      func([]byte) (generate.PartSink, error) { return b, nil },
		},
	})
	switch {
	case errors.Is(err, generate.ErrEmpty) && first == 0:
		return nil, ErrNothing
	case errors.Is(err, generate.ErrEmpty):
		return nil, io.EOF
	}
	return b, err
}

// skip reads a part of a source and leaves the block empty.
func (b *block) skip(part data.Source) error {
	if _, ok := part.(data.Indexed); ok {
		return nil
	}
	var s data.Sample
	for n := 0; ; n++ {
		if err := part.Next(&s); err != nil {
			if err == io.EOF && n > 0 {
				err = nil
			}
			return err
		}
	}
}

// AppendPart implements [generate.PartSink].
func (b *block) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	return m.AppendPixels(dst), nil
}

// PutParts implements [generate.PartSink].
func (b *block) PutParts(s *data.Sample, parts []transform.Part) error {
	for _, p := range parts {
		one := *s
		one.Form, one.W, one.H, one.Data = data.RGB, p.W, p.H, slices.Clone(p.Data)
		if len(p.Data) == p.W*p.H {
			one.Form = data.GrayForm
		}
		b.samples = append(b.samples, one)
	}
	return nil
}

// Checkpoint implements [generate.PartSink].
func (b *block) Checkpoint() ([]byte, error) { return nil, nil }

// Abort implements [generate.PartSink].
func (b *block) Abort() error { return nil }

// Info describes the block.
func (b *block) Info() data.Info {
	info := b.info
	info.Len = len(b.samples)
	return info
}

// Len returns the number of images.
func (b *block) Len() int { return len(b.samples) }

// Read reads image i.
func (b *block) Read(i int, s *data.Sample) error {
	file := s.Data
	*s = b.samples[i]
	s.Data = append(file[:0], b.samples[i].Data...)
	return nil
}

// Next reads the next image.
func (b *block) Next(s *data.Sample) error { return b.cursor.Next(b, s) }

// Close implements [data.Source] and [generate.PartSink].
func (b *block) Close() error { return nil }
