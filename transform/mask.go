package transform

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Masker is a Transform or MultiTransform that can prepare a mask of an image, such as its alpha channel, as it prepares the image: all of
// this package are.
type Masker interface {
	// Mask makes dst of src, an image of the size of the one that Apply gets with the same key, by the same resize, crop, flip and shared
	// affine, and by nothing that comes after them. Where these look beyond the image it is black.
	Mask(dst, src *raster.Image, key rng.Key) error
}

// Mask implements [Masker].
func (a *applier) Mask(dst, src *raster.Image, key rng.Key) error {
	if a.wholeFor != key {
		a.whole = [2]int{}
	}
	return a.mask(dst, src, EpochKey(key, a.pipeline.Epoch))
}

func (a *applier) mask(dst, src *raster.Image, epoch rng.Key) error {
	m, err := a.geometry(src, epoch, raster.RGB{})
	if err == nil {
		dst.CopyFrom(m)
	}
	return err
}

// Mask implements [Masker].
func (t *corruptor) Mask(dst, src *raster.Image, key rng.Key) error {
	return t.prepare.mask(dst, src, key)
}

// Mask implements [Masker]. It does not know what profiles other than Auto and P32 do to images.
func (e *perturber) Mask(dst, src *raster.Image, key rng.Key) error {
	return e.prepare.mask(dst, src, key)
}

// Mask implements [Masker] where the pipeline's Transform does.
func (s *single) Mask(dst, src *raster.Image, key rng.Key) error {
	return s.transform.(Masker).Mask(dst, src, key)
}

// DecodeAlpha makes dst the alpha channel of s, which has one, as a gray image prepared by t as the image is: a [Masker], otherwise the
// error wraps ErrOption. scratch is memory for the channel as it lies in the file, which d counts. What t needs to know of the sample
// comes after, in [DecodeBy].
func DecodeAlpha(ctx context.Context, d *data.Decoder, dst, scratch *raster.Image, s *data.Sample, t any, key rng.Key) error {
	m, ok := t.(Masker)
	if !ok {
		return fmt.Errorf("%w: %T does not say what becomes of an alpha channel (allowed: a Masker)", ErrOption, t)
	}
	o := decodeOptions(s, t, key)
	o.Alpha = true
	if err := d.Decode(ctx, scratch, s, o); err != nil {
		return err
	}
	return m.Mask(dst, scratch, key)
}
