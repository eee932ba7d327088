package augment

import (
	"fmt"
	"image"

	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Filter is the weight function of a resize.
type Filter = filter.Filter

// The filters of a [Resizer], Pillow's.
const (
	Box      = filter.Box
	Bilinear = filter.Bilinear
	Bicubic  = filter.Bicubic
	Lanczos  = filter.Lanczos
)

// ParseFilter returns the filter of a name (box, bilinear, bicubic, lanczos), or an error that wraps [ErrOp] and lists them.
func ParseFilter(name string) (Filter, error) {
	f, err := filter.ParseFilter(name)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrOp, err)
	}
	return f, nil
}

// Resizer resizes images as Pillow does. It keeps tables and temporaries from one image to the next: use one for each
// goroutine. The zero value is ready. Parity: exact.
type Resizer struct{ z filter.Resizer }

// Resize makes dst the image src in the size w by h (Pillow's Image.resize, antialiased). dst must not be src.
func (z *Resizer) Resize(dst, src *raster.Image, w, h int, f Filter) {
	z.z.Resize(dst, src, w, h, f)
}

// ResizeBox makes dst the part b of src in the size w by h, as if src were cropped to b first (torchvision's
// resized_crop). dst must not be src.
func (z *Resizer) ResizeBox(dst, src *raster.Image, b image.Rectangle, w, h int, f Filter) {
	z.z.ResizeCrop(dst, src, w, h, b, f)
}
