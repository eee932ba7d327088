// Package transform says what to make of an image: a training image (resize, crop, flip, operations, a mix), or all
// corrupted or perturbed forms of it.
//
// A plan is a plain struct: [Pipeline], [Corruptions], [Perturbations]. It is made ready for one worker by its method
// Transform, and may be shared by all of them as long as nobody changes it. The result is a [Transform], which makes one
// image for each view, a [SoftTransform], which mixes labels too, or a [MultiTransform], which makes images of many data
// sets at once. None of them knows where images come from or where they go: package generate runs them over a data set
// and writes what they make, package train feeds a network with it, package eval measures a model on it.
//
// What is drawn for an image depends on the seed, the sample's key, the epoch and the view alone. The functions
// [SampleKey], [EpochKey] and [ViewKey] are that rule; whoever needs the same draws elsewhere calls them.
package transform

import (
	"context"
	"errors"
	"image"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrOption is wrapped by errors about the text or the use of an option: a crop, an operation, a list of severities.
var ErrOption = errors.New("bad option")

// Transform makes the output images of one input image. It keeps scratch memory, so that it serves one goroutine.
type Transform interface {
	// Apply writes one image into each of dst, which has as many entries as there are views. key is the sample's, see
	// [SampleKey]; the Transform narrows it further by what it draws for. An error means that nothing can be made of this
	// image; the next may be tried.
	Apply(dst []*raster.Image, src *raster.Image, key rng.Key) error
}

// SoftTransform is a Transform that mixes labels too.
type SoftTransform interface {
	Transform
	// ApplySoft is Apply that also writes the soft label of every image to targets, which has the length of dst and whose
	// memory it reuses. label is the sample's.
	ApplySoft(dst []*raster.Image, targets []mix.Target, src *raster.Image, label int, key rng.Key) error
}

// PartialDecoder is a Transform that needs only a part of some images, which spares decoding the rest; see [Decode].
type PartialDecoder interface {
	Transform
	// Part returns the part that is needed of a w by h image. It may be called twice for one image; Apply, called next
	// with the same key, gets that part as src.
	Part(w, h int, key rng.Key) image.Rectangle
}

// Weigher is a transform that knows how many bytes Apply takes for a w by h image at most, besides that image.
type Weigher interface{ Memory(w, h int) int64 }

// MultiTransform makes the images of many data sets, the variants, of one input image, which is read and decoded once.
// Like a Transform it serves one goroutine.
type MultiTransform interface {
	// Apply adds every image to dst, variants in order, frames of a variant in order. key and errors are those of
	// Transform.
	Apply(dst *Parts, src *raster.Image, key rng.Key) error
}

// Decode decodes s into dst for t, which may be nil: of a file only the part that t needs, where t is a
// [PartialDecoder]. t.Apply must come next, with the same key.
func Decode(dst *raster.Image, s *data.Sample, t Transform, key rng.Key) error {
	return s.DecodeWith(dst, decodeOptions(s, t, key))
}

// DecodeBy is [Decode] by a decoder, which must be told when dst is not needed any more. What a [Weigher] says that t takes is counted
// until then. t may be a [MultiTransform] too. The error is that of d.Decode.
func DecodeBy(ctx context.Context, d *data.Decoder, dst *raster.Image, s *data.Sample, t any, key rng.Key) error {
	return d.Decode(ctx, dst, s, decodeOptions(s, t, key))
}

func decodeOptions(s *data.Sample, t any, key rng.Key) data.DecodeOptions {
	var o data.DecodeOptions
	if p, ok := t.(PartialDecoder); ok && s.Form == data.Encoded {
		o.Part = func(w, h int) image.Rectangle { return p.Part(w, h, key) }
	}
	if w, ok := t.(Weigher); ok {
		o.Work = w.Memory
	}
	return o
}
