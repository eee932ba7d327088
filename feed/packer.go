package feed

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Packer writes images that were made elsewhere, as they are, into memory that is laid out as a loader's batches: images,
// labels and index.
type Packer struct {
	options Options
	w, h    int
	slot    *Slot
	mixing  mix.Batch
	keys    []rng.Key // of no draw
}

// NewPacker returns a Packer for images of w by h pixels. Of the options it looks at Batch, DType, Layout, Norm and Workers. The
// error wraps [ErrOption].
func NewPacker(w, h int, o Options) (*Packer, error) {
	p := &Packer{w: w, h: h}
	p.options = Options{Batch: o.Batch, DType: o.DType, Layout: o.Layout, Norm: o.Norm, Workers: o.Workers}
	err := p.options.resolve()
	if err == nil {
		p.slot, err = p.options.layout(w, h, 0)
	}
	if err != nil {
		return nil, err
	}
	p.mixing.Workers = o.Workers
	return p, nil
}

// Layout says where the arrays of a batch lie.
func (p *Packer) Layout() *Slot { return p.slot }

// Pack writes a batch, one label and one index an image, to a slot of Layout().Bytes, whose beginning is a multiple of 8. It panics
// where there are more images than the batch has, or one of another size.
func (p *Packer) Pack(slot []byte, images []*raster.Image, labels, index []int) {
	n := len(images)
	if n > p.options.Batch || len(labels) != n || len(index) != n || len(slot) != p.slot.Bytes {
		panic(fmt.Sprintf("feed: %d images, %d labels, %d indices for a batch of %d, a slot of %d bytes, want %d", n, len(labels),
			len(index), p.options.Batch, len(slot), p.slot.Bytes))
	}
	out := p.slot.arrays(slot, n, 3*p.w*p.h*p.options.DType.size())
	for i, m := range images {
		if m.W != p.w || m.H != p.h {
			panic(fmt.Sprintf("feed: an image of %dx%d, want %dx%d", m.W, m.H, p.w, p.h))
		}
		putInt(out.labels, i, labels[i])
		putInt(out.index, i, index[i])
	}
	p.keys = buffer.Resize(p.keys, n)
	p.options.write(out, &p.mixing, mix.None{}, images, p.keys)
}
