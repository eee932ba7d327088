package corrupt

import (
	"image"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Image returns a corrupted copy of an image of the standard library. It is for a few images: memory is new every time, and
// the images of a data set want Apply. Equal seeds give equal images; give each image its own seed. Transparency is dropped,
// as [raster.FromImage] does. Errors are those of [Op.Apply] and of FromImage.
func (c Op) Image(img image.Image, severity float64, seed uint64) (image.Image, error) {
	if err := c.check(severity); err != nil {
		return nil, err
	}
	return Image(c, img, severity, seed)
}

// Image is [Op.Image] for any corruption. Its draws come from the stream rng.NewKey(seed), narrowed by "corrupt", the name
// and the severity. A corruption that is nil is an error that wraps [ErrUnknown].
func Image(c Corruption, img image.Image, severity float64, seed uint64) (image.Image, error) {
	if c == nil {
		return nil, corruption.ErrNone
	}
	src, err := raster.FromImage(img)
	if err != nil {
		return nil, err
	}
	r := rng.NewKey(seed).Str("corrupt").Str(c.Name()).Number(severity).Rand()
	dst := new(raster.Image)
	if err := c.Apply(dst, src, severity, &r, new(Scratch)); err != nil {
		return nil, err
	}
	return dst.RGBA(), nil
}
