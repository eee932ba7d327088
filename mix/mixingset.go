package mix

import (
	"errors"
	"fmt"
	"image"

	"github.com/augmix-go/augmix/raster"
)

// ErrMixingSet is wrapped by every error about a mixing set: there is none where a method needs one, it is empty, its
// images are too small.
var ErrMixingSet = errors.New("mixing set")

// MixingSet is a mixing set: the images that PixMix and IPMix mix in. Package mixset generates some and reads others.
//
// Every image is at least as large, on both sides, as the training images. Len is positive and constant. All methods
// are safe for concurrent use, and Image(i) has the same pixels whenever it is called: the output of a run depends on
// nothing else.
type MixingSet interface {
	// String names the set, for records and errors.
	String() string
	// Len returns the number of images.
	Len() int
	// Image returns image i, from 0 to Len()-1, which must not be changed.
	Image(i int) *raster.Image
}

// rectCopier is a MixingSet whose images may lie in a file that becomes shorter: it fills dst with a part of one all the same.
type rectCopier interface {
	CopyRect(dst *raster.Image, i int, at image.Point)
}

// cropSet makes dst a crop of image i of a set, as [crop] does of an image.
func cropSet(dst *raster.Image, set MixingSet, i int, x, y float64, w, h int) {
	src := set.Image(i)
	c, ok := set.(rectCopier)
	if !ok || src.W < w || src.H < h {
		crop(dst, src, x, y, w, h)
		return
	}
	dst.Reset(w, h)
	c.CopyRect(dst, i, image.Pt(position(x, src.W-w), position(y, src.H-h)))
}

// check returns an error that wraps ErrMixingSet unless the method can use the set.
func (o Options) check(method fmt.Stringer) error {
	if o.MixingSet == nil {
		return fmt.Errorf("%w: %s mixes images in and got none (give it a mixing set)", ErrMixingSet, method)
	}
	n := o.MixingSet.Len()
	if n < 1 {
		return fmt.Errorf("%w: %s is empty (allowed: one image and more)", ErrMixingSet, o.MixingSet)
	}
	if o.Size > 0 {
		if p := o.MixingSet.Image(0); min(p.W, p.H) < o.Size {
			return fmt.Errorf("%w: %s has images of %dx%d, smaller than the training images "+
				"(allowed: %d and more on both sides)", ErrMixingSet, o.MixingSet, p.W, p.H, o.Size)
		}
	}
	return nil
}
