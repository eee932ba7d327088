package data

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// DecodeOptions changes how an encoded image becomes pixels; the zero value is the default.
type DecodeOptions struct {
	// KeepOrientation leaves the pixels as they are stored. By default an image whose EXIF data says that it is turned
	// or flipped is set upright, which PIL.Image.open of the reference code does not do.
	KeepOrientation bool
	// Sound refuses a JPEG file that is damaged in a way that libjpeg, and with it Pillow and torchvision, reads on past: by
	// default it gives the image that they give.
	Sound bool
	// Alpha decodes the alpha channel in place of the colors, as a gray image; a sample that HasAlpha does not report is ErrUnsupported.
	Alpha bool
	// Part, if not nil, is given the image's size in pixels and returns the part of it that is wanted, which must lie
	// within it; it may be called twice. Decoding a part of a JPEG file is faster, and damage below the part goes
	// unnoticed.
	Part func(w, h int) image.Rectangle
	// Work, if not nil, is given the size of an image file in pixels and returns how many bytes it takes to work on the whole image.
	// They count into the memory of [DecodeLimits] with the image that a [Decoder] makes, until its Release.
	Work func(w, h int) int64
}

// Decode makes dst the image of s, whatever its form, and reuses the memory of dst. An error is a *[SampleError] that
// wraps [ErrFormat], [ErrUnsupported] or [raster.ErrSize]; dst is then unspecified.
func (s *Sample) Decode(dst *raster.Image) error { return s.DecodeWith(dst, DecodeOptions{}) }

// DecodeWith is [Sample.Decode] with options.
func (s *Sample) DecodeWith(dst *raster.Image, o DecodeOptions) error {
	return s.decodeHeld(context.Background(), nil, dst, o)
}

// Decoder decodes for one goroutine. The image that it made last counts into the memory of [DecodeLimits] until Release, so
// that many goroutines with large images take turns. The zero value is ready.
type Decoder struct{ hold imagefile.Hold }

// Decode is s.DecodeWith. Where it waits for memory it ends with the cause of ctx, which is then its error as it is.
func (d *Decoder) Decode(ctx context.Context, dst *raster.Image, s *Sample, o DecodeOptions) error {
	return s.decodeHeld(ctx, &d.hold, dst, o)
}

// Release says that the image in dst, which Decode made, is not needed any more. It is to be called after every Decode.
func (d *Decoder) Release(dst *raster.Image) { d.hold.Release(dst) }

func (s *Sample) decodeHeld(ctx context.Context, h *imagefile.Hold, dst *raster.Image, o DecodeOptions) error {
	err := s.decode(ctx, h, dst, o)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	if err == nil && o.Part != nil && s.Form != Encoded {
		cropInPlace(dst, o.Part(s.W, s.H))
	}
	if err != nil {
		return &SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	return nil
}

// cropInPlace leaves a part of an image, whose rows move to the front of its memory.
func cropInPlace(m *raster.Image, at image.Rectangle) {
	w, width := 4*at.Dx(), 4*m.W
	for y := range at.Dy() {
		copy(m.Pix[y*w:][:w], m.Pix[(at.Min.Y+y)*width+4*at.Min.X:])
	}
	m.Reset(at.Dx(), at.Dy())
}

func (s *Sample) decode(ctx context.Context, h *imagefile.Hold, dst *raster.Image, o DecodeOptions) error {
	if s.Form == Encoded {
		options := imagefile.Options{KeepOrientation: o.KeepOrientation || s.AsStored, Sound: o.Sound, Alpha: o.Alpha, Part: o.Part, Work: o.Work}
		if s.Reading != nil {
			options.Window, options.Opaque = s.Reading.Window, s.Reading.Opaque
		}
		err := options.DecodeHeld(ctx, h, dst, s.Data)
		if err != nil && (ctx.Err() == nil || !errors.Is(err, context.Cause(ctx))) {
			return decodeError(err)
		}
		return err
	}
	if o.Alpha {
		return fmt.Errorf("%w: pixels without an alpha channel", ErrUnsupported)
	}
	if s.Form == Channels {
		return fmt.Errorf("%w: %d channels that are images of their own (allowed: three or one)", ErrUnsupported, s.C)
	}
	if err := raster.CheckSize(s.W, s.H); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	bytesPerPixel := 3
	if s.Form == GrayForm {
		bytesPerPixel = 1
	}
	if want := bytesPerPixel * s.W * s.H; len(s.Data) != want {
		return fmt.Errorf("%w: %d bytes of pixels for a %dx%d image, want %d", ErrFormat, len(s.Data), s.W, s.H, want)
	}
	switch s.Form {
	case RGB:
		dst.SetRGB(s.W, s.H, s.Data)
	case Planar:
		dst.SetPlanar(s.W, s.H, s.Data)
	case GrayForm:
		dst.SetGray(s.W, s.H, s.Data)
	default:
		return fmt.Errorf("%w: sample form %d", ErrUnsupported, s.Form)
	}
	return nil
}

// decodeError gives an error of package imagefile the sentinel of this package.
func decodeError(err error) error {
	if errors.Is(err, imagefile.ErrUnsupported) || errors.Is(err, ErrWindow) || errors.Is(err, imagefile.ErrAlpha) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// SniffImage returns the image format that the first bytes of a file belong to ("jpeg", "png", "webp", "bmp", "gif"
// or "tiff"), "" for none of those that are read. 12 bytes suffice.
func SniffImage(head []byte) string { return imagefile.Sniff(head) }
