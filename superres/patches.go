package superres

import (
	"fmt"
	"image"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// margin is how many small pixels around a patch the bicubic filter reads at most: two, and one more where sizes do not divide.
const margin = 3

// patches makes the batches: patches of images, and the same made smaller.
type patches struct {
	set          *dataset.Set
	config       *Config
	workers      int
	small, large []float32 // [batch, 3, patch, patch] and scale times as large, values from 0 to 255
	each         []*patcher
}

// patcher is the working memory of one goroutine.
type patcher struct {
	fetcher *dataset.Fetcher
	resizer augment.Resizer
	small   raster.Image
}

func newPatches(set *dataset.Set, c *Config, workers int) *patches {
	p := &patches{set: set, config: c, workers: workers}
	n := 3 * c.Batch * c.Patch * c.Patch
	p.small, p.large = make([]float32, n), make([]float32, n*c.Network.Scale*c.Network.Scale)
	for range p.workers {
		p.each = append(p.each, &patcher{fetcher: set.Fetcher(nil, nil)})
	}
	return p
}

// fill makes the batch of a step.
func (p *patches) fill(step int) error {
	key := rng.NewKey(p.config.Seed).Str("patch").Uint(uint64(step))
	return parallel.Try(p.config.Batch, p.workers, func(worker, i int) error {
		n := len(p.small) / p.config.Batch
		scale := p.config.Network.Scale
		r := key.Uint(uint64(i)).Rand()
		return p.each[worker].cut(p.small[i*n:][:n], p.large[i*n*scale*scale:][:n*scale*scale], p.set.Len(), p.config, &r)
	})
}

// checkSize returns an error about an image that no patch can be cut out of.
func (c *Config) checkSize(w, h int) error {
	if side := c.Patch * c.Network.Scale; w < side || h < side {
		return fmt.Errorf("%w: an image of %dx%d for patches of %d (allowed: larger images, or a smaller patch)", raster.ErrSize, w, h, side)
	}
	return nil
}

// cut draws an image, a place and one of eight orientations.
func (p *patcher) cut(small, large []float32, images int, c *Config, r *rng.Rand) error {
	m, about, err := p.fetcher.Image(r.IntN(images), rng.NewKey(c.Seed))
	if err != nil {
		return err
	}
	scale, side := c.Network.Scale, c.Patch
	w, h := m.W/scale, m.H/scale
	if err := c.checkSize(m.W, m.H); err != nil { // Run has looked; a file may be another since
		return &data.SampleError{Name: about.Name, Key: about.Key, Err: err}
	}
	x, y, turn := r.IntN(w-side+1), r.IntN(h-side+1), r.IntN(8)
	// As much around the patch as the filter reads is made smaller with it, so that it is that part of the whole image made smaller.
	around := image.Rect(x-margin, y-margin, x+side+margin, y+side+margin).Intersect(image.Rect(0, 0, w, h))
	p.resizer.ResizeBox(&p.small, m, image.Rectangle{around.Min.Mul(scale), around.Max.Mul(scale)}, around.Dx(), around.Dy(), augment.Bicubic)
	planes(small, &p.small, x-around.Min.X, y-around.Min.Y, side, turn)
	planes(large, m, x*scale, y*scale, side*scale, turn)
	return nil
}

// planes writes a square of an image as planes, flipped and transposed as the bits of turn say.
func planes(dst []float32, m *raster.Image, left, top, side, turn int) {
	area := side * side
	for p := range area {
		x, y := p%side, p/side
		if turn&1 != 0 {
			x = side - 1 - x
		}
		if turn&2 != 0 {
			y = side - 1 - y
		}
		if turn&4 != 0 {
			x, y = y, x
		}
		pixel := m.Pix[4*((top+y)*m.W+left+x):]
		dst[p], dst[area+p], dst[2*area+p] = float32(pixel[0]), float32(pixel[1]), float32(pixel[2])
	}
}
