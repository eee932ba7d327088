package data

import (
	"errors"
	"io"
	"iter"

	"github.com/augmix-go/augmix/raster"
)

// Image is a sample whose image is decoded.
type Image struct {
	Key   string // as Sample.Key
	Index int    // as Sample.Index
	Label int    // class number, or NoLabel
	*raster.Image
}

// Images ranges over the images of a source from where it is to its end, decoded and prepared:
//
//	for img, err := range data.Images(src, transform.Prepare(256, augment.Bilinear, 224)) {
//		if err != nil {
//			return err
//		}
//		... img.Label, img.RGBA()
//	}
//
// prep makes dst of src, which it may change; nil leaves images as they are. Each image has memory of its own. An error that
// wraps *[SampleError] concerns that sample alone, whose Key is given and whose Image is nil: a loop that goes on gets the
// next one. An error of prep is made one. After any other error, which is the source's, there is nothing more. Images does
// not close the source, and runs on one goroutine; [Scan] uses several.
func Images(src Source, prep func(dst, src *raster.Image) error) iter.Seq2[Image, error] {
	return func(yield func(Image, error) bool) {
		var s Sample
		for {
			err := src.Next(&s)
			if err == io.EOF {
				return
			}
			var one *SampleError
			if alone := errors.As(err, &one); err != nil {
				img := Image{Label: NoLabel}
				if alone {
					img.Key = one.Key
				}
				if !yield(img, err) || !alone {
					return
				}
				continue
			}
			img := Image{Key: s.Key, Index: s.Index, Label: s.Label}
			if img.Image, err = prepared(&s, prep); err != nil {
				img.Image = nil
			}
			if !yield(img, err) {
				return
			}
		}
	}
}

// prepared decodes and prepares a sample. The error is a *SampleError.
func prepared(s *Sample, prep func(dst, src *raster.Image) error) (*raster.Image, error) {
	m := new(raster.Image)
	if err := s.Decode(m); err != nil || prep == nil {
		return m, err
	}
	dst := new(raster.Image)
	if err := prep(dst, m); err != nil {
		return nil, &SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	return dst, nil
}
