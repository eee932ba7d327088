package fvis

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// Source is a data set of feature visualizations. They are made in blocks; Read makes the block that its image is in, and
// readers of the same block wait for it. It is safe for concurrent use.
type Source struct {
	ctx     context.Context
	n, side int
	next    int

	mu         sync.Mutex
	visualizer *Visualizer
	blocks     map[int]*madeBlock
	used       int // counts reads, for the age of blocks
}

// madeBlock is a block that is kept.
type madeBlock struct {
	images []*raster.Image
	last   int // the read that last used it
}

// Kind is the name of these images, beside the kinds of package mixset.
const Kind = "fvis"

// NewSource returns the first n images of p. When ctx is canceled Read fails.
func NewSource(ctx context.Context, p *Visualizer, n int) *Source {
	return &Source{ctx: ctx, visualizer: p, n: n, side: p.o.Side, blocks: map[int]*madeBlock{}}
}

// keptBlocks is more than readers that go on in order look at.
const keptBlocks = 4

var _ data.Indexed = (*Source)(nil)

// Info returns the name of the kind as the format.
func (s *Source) Info() data.Info { return data.Info{Format: Kind, Len: s.n} }

// Len returns the number of images.
func (s *Source) Len() int { return s.n }

// Next reads the next sample.
func (s *Source) Next(dst *data.Sample) error {
	if s.next >= s.n {
		return io.EOF
	}
	s.next++
	return s.Read(s.next-1, dst)
}

// Read makes image i.
func (s *Source) Read(i int, dst *data.Sample) error {
	m, err := s.image(i)
	if err != nil {
		return err
	}
	dst.Key, dst.Index, dst.Label = fmt.Sprintf("%06d", i), i, data.NoLabel
	dst.Name = fmt.Sprintf("image %d of %s", i, Kind)
	dst.Ext, dst.Form, dst.W, dst.H = "", data.RGB, s.side, s.side
	dst.Data = m.AppendRGB(dst.Data[:0])
	return nil
}

func (s *Source) image(i int) (*raster.Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.visualizer.BlockSize()
	b := s.blocks[i/size]
	if b == nil {
		b = &madeBlock{}
		if len(s.blocks) >= keptBlocks { // the images of the oldest may still be read: it is left to them
			oldest := -1
			for k, old := range s.blocks {
				if oldest < 0 || old.last < s.blocks[oldest].last {
					oldest = k
				}
			}
			delete(s.blocks, oldest)
		}
		for range size {
			b.images = append(b.images, new(raster.Image))
		}
		if _, err := s.visualizer.Block(s.ctx, b.images, i/size); err != nil {
			return nil, err
		}
		s.blocks[i/size] = b
	}
	s.used++
	b.last = s.used
	return b.images[i%size], nil
}

// Close does nothing.
func (s *Source) Close() error { return nil }
