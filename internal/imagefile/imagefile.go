// Package imagefile turns whole image files into images and back. The format is told from the bytes, never from a
// name: JPEG, PNG, WebP, BMP, GIF (its first frame) and TIFF are read, PNG and JPEG are written.
//
// Every image becomes 8-bit RGB as Pillow's Image.open(...).convert("RGB") makes it, with the differences named here:
//
//   - 16-bit color channels keep their high byte, as in Pillow. 16-bit gray, which Pillow clips at 255, needs a [Window].
//   - An image with an EXIF orientation is set upright, which Pillow does only on request (ImageOps.exif_transpose).
//   - A JPEG file of a kind that package internal/jpeg does not cover is left to the standard library, whose inverse DCT
//     and chroma upsampling are not libjpeg's. All other JPEG files are exact, and so are PNG, GIF, BMP, TIFF and WebP. The
//     tests hold hand-worked tables for each rule.
//
// Transparency is dropped, not blended: the stored color stays and the alpha channel is ignored; it can be decoded by itself and
// written again (Options.Alpha, raster.Image.Alpha). Color profiles and gamma chunks are ignored.
//
// Nothing is allocated on the word of a header: a declared size must be within a limit and must be one that a file of
// that many bytes can hold, and what decoding takes at most, in bytes, is taken from one budget of the process before it
// begins: see [Limits].
package imagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// Sentinel errors. Every error of [Decode] and [Inspect] wraps one of them; a bad size wraps [raster.ErrSize] as well.
var (
	// ErrFormat: the bytes are not an image, or a truncated or corrupt one.
	ErrFormat = errors.New("bad image file")
	// ErrUnsupported: a valid image in a format, or with a feature, that is not read.
	ErrUnsupported = errors.New("unsupported image file")
)

// Options changes what Decode does; the zero value is the default.
type Options struct {
	// KeepOrientation leaves the pixels as they are stored whatever the EXIF orientation says.
	KeepOrientation bool
	// Sound refuses JPEG files with damage that is read on past otherwise, as libjpeg, and with it Pillow and torchvision, does:
	// the image is there, and some of it is not what was stored.
	Sound bool
	// MaxPixels is the largest image accepted, if it is below that of [SetLimits] and not 0.
	MaxPixels int
	// Window makes 8 bits of PNG and TIFF files of 16 bits a channel, gray and color. Without, gray is refused (ErrWindow), and color
	// keeps its high bytes, as Pillow does. Files of 8 bits are taken as they are.
	Window *Window
	// Opaque refuses an image that has a pixel which is not opaque (ErrAlpha), rather than to drop its alpha channel.
	Opaque bool
	// Alpha decodes the alpha channel in place of the colors, as an image of three equal channels, the high bytes of one of 16 bits. An
	// image that has none (Info.Alpha) is ErrUnsupported.
	Alpha bool
	// Part, if not nil, is given the size of the upright image in pixels and returns the part of it that is wanted, which
	// must lie within it; it may be called twice. Of a JPEG file with an end marker the transforms
	// outside the part are skipped, and damage below it goes unnoticed.
	Part func(w, h int) image.Rectangle
	// Work, if not nil, is given the size of the upright image in pixels, whatever Part is, and returns how many bytes the caller
	// takes to work on it. DecodeHeld counts them as long as the image.
	Work func(w, h int) int64
}

// Info is what a file's header says.
type Info struct {
	Format      string // "jpeg", "png", "webp", "bmp", "gif" or "tiff"
	W, H        int    // in pixels, as stored: before the orientation is applied
	Orientation int    // EXIF orientation, 1 (upright) to 8
	Gray        bool   // one channel of color is stored: a gray JPEG, PNG or TIFF, no palette
	Alpha       bool   // an alpha channel, or a transparent color, is stored: of PNG, WebP and TIFF
	deep        bool   // 16 bits a channel

	// pixelsPerByte bounds how many pixels one byte of a file of this kind can stand for.
	pixelsPerByte float64
	// memory is the most that decoding allocates, in bytes, the image included; again is that of the decoder that takes
	// over where the first does not know a kind of file, 0 for none.
	memory, again int64
	// held is what the image and the work on it take afterwards, in bytes; 0 where Options.Work does not say.
	held int64
}

// Upright returns the size of the image in pixels once the orientation is applied.
func (i Info) Upright() (w, h int) {
	if i.Orientation > 4 { // it lies on its side
		return i.H, i.W
	}
	return i.W, i.H
}

// most is the most that the image takes at a time, where decoding takes bytes.
func (i Info) most(bytes int64) int64 { return max(bytes, i.held) }

// Decode makes dst the image in file, upright, and reuses the memory of dst. After an error dst is unspecified. It is
// Options{}.Decode.
func Decode(dst *raster.Image, file []byte) error { return Options{}.Decode(dst, file) }

// Decode makes dst the image in file and reuses the memory of dst. After an error dst is unspecified. The error wraps [ErrFormat],
// [ErrUnsupported], or [ErrWindow] for 16 bits of gray without a window or outside of it.
func (o Options) Decode(dst *raster.Image, file []byte) error {
	return o.DecodeHeld(context.Background(), nil, dst, file)
}

// DecodeHeld is Decode for an image that counts into the limits until h.Release, or the next DecodeHeld by h, which may be nil.
// Where it waits for memory it ends with the cause of ctx.
func (o Options) DecodeHeld(ctx context.Context, h *Hold, dst *raster.Image, file []byte) error {
	if h != nil {
		h.Release(dst)
	}
	c, info, err := o.inspect(file)
	if err != nil {
		return err
	}
	decode := func() error { return o.decode(dst, file, c, info, false) }
	err = memory.decode(ctx, h, info, info.most(info.memory), dst, decode)
	if info.again > 0 && errors.Is(err, ErrUnsupported) {
		again := func() error { return o.decode(dst, file, c, info, true) }
		if e := memory.decode(ctx, h, info, info.most(info.again), dst, again); e == nil || errors.Is(e, ErrLimit) || ctx.Err() != nil {
			return e
		}
	}
	return err
}

// decode is Decode by one decoder of the format, the other one if again is set, once its memory is granted.
func (o Options) decode(dst *raster.Image, file []byte, c *codec, info Info, again bool) error {
	by := c.decode
	if o.Alpha {
		by = alphaOf(c.name)
	} else if again {
		by = c.again
	} else if o.Sound && c.name == "jpeg" {
		by = decodeSoundJPEG
	} else if info.deep && (info.Gray || o.Window != nil) {
		by = o.deep(c.name)
	}
	if o.Opaque && info.Alpha {
		if err := checkOpaque(file, c.name); err != nil {
			return fmt.Errorf("%s: %w", c.name, classify(err))
		}
	}
	upright := o.KeepOrientation || info.Orientation == 1
	if o.Part == nil && upright {
		return c.run(by, dst, file, info)
	}
	if o.Part != nil && upright && c.name == "jpeg" && !again && endsJPEG(file) {
		if err := jpeg.DecodeCrop(dst, file, o.Part(info.W, info.H)); err != nil {
			return fmt.Errorf("%s: %w", c.name, classify(err))
		}
		return nil
	}
	stored := scratch.Get().(*raster.Image)
	defer giveScratch(stored)
	if err := c.run(by, stored, file, info); err != nil {
		return err
	}
	if o.Part == nil {
		orient(dst, stored, info.Orientation)
		return nil
	}
	whole := stored
	if !upright {
		whole = scratch.Get().(*raster.Image)
		defer giveScratch(whole)
		orient(whole, stored, info.Orientation)
	}
	r := o.Part(whole.W, whole.H)
	dst.Reset(r.Dx(), r.Dy())
	raster.CopyRect(dst, image.Point{}, whole, r)
	return nil
}

// endsJPEG reports whether a JPEG file has its end marker, near the end. One that has not is decoded whole, to find out
// whether it is truncated.
func endsJPEG(file []byte) bool {
	return bytes.Contains(file[max(0, len(file)-64):], []byte{0xff, 0xd9})
}

// scratch holds images for the stored form of turned ones, and for whole ones of which a part is wanted.
var scratch = sync.Pool{New: func() any { return new(raster.Image) }}

// giveScratch keeps an image for the next file, unless it is so large that it would count against the budget.
func giveScratch(m *raster.Image) {
	if cap(m.Pix) <= CurrentLimits().keep() {
		scratch.Put(m)
	}
}

// Inspect reads the header of file and checks the size it declares, by the same rules as Decode.
func Inspect(file []byte) (Info, error) {
	_, info, err := Options{}.inspect(file)
	return info, err
}

func (o Options) inspect(file []byte) (*codec, Info, error) {
	c := sniff(file)
	if c == nil {
		return nil, Info{}, unknown(file)
	}
	info, err := c.inspect(file)
	if err != nil {
		return nil, Info{}, fmt.Errorf("%s header: %w", c.name, classify(err))
	}
	info.Format = c.name
	info.memory += int64(len(file))
	if turned := !o.KeepOrientation && info.Orientation != 1; turned || o.Part != nil {
		copies := int64(1)
		if turned && o.Part != nil {
			copies = 2
		}
		info.memory += copies * 4 * int64(info.W) * int64(info.H)
	}
	if o.Work != nil {
		w, h := info.W, info.H
		if !o.KeepOrientation {
			w, h = info.Upright()
		}
		info.held = 4*int64(w)*int64(h) + o.Work(w, h)
	}
	if err := o.checkSize(info, len(file)); err != nil {
		return nil, Info{}, fmt.Errorf("%s header: %w: %w", c.name, ErrFormat, err)
	}
	return c, info, nil
}

// tolerance is the number of pixels up to which an image is tried however short its file is: 16 MiB once decoded.
const tolerance = 1 << 22

// checkSize refuses sizes that are not positive, above the limit, or more than n bytes can hold.
func (o Options) checkSize(info Info, n int) error {
	check := CheckSize
	if o.MaxPixels > 0 {
		check = raster.CheckSize
	}
	if err := check(info.W, info.H); err != nil {
		return err
	}
	px := info.W * info.H
	if o.MaxPixels > 0 && px > o.MaxPixels {
		return fmt.Errorf("%w: %dx%d (allowed: at most %d pixels)", raster.ErrSize, info.W, info.H, o.MaxPixels)
	}
	if px > tolerance && float64(px) > info.pixelsPerByte*float64(n) {
		return fmt.Errorf("%w: %dx%d is declared by a file of only %d bytes", raster.ErrSize, info.W, info.H, n)
	}
	return CurrentLimits().check(info)
}

// decoder is what turns a file into the image.
type decoder func(dst *raster.Image, file []byte) error

// codec is one readable format.
type codec struct {
	name    string
	match   func(file []byte) bool
	inspect func(file []byte) (Info, error)
	decode  decoder
	again   decoder // tried on what decode does not support
}

// run decodes by one of the decoders and holds the result against the header, so that no decoder can disagree with what was checked.
func (c *codec) run(by decoder, dst *raster.Image, file []byte, info Info) error {
	if err := by(dst, file); err != nil {
		return fmt.Errorf("%s: %w", c.name, classify(err))
	}
	if dst.W != info.W || dst.H != info.H {
		return fmt.Errorf("%s: %w: %dx%d pixels, the header says %dx%d", c.name, ErrFormat, dst.W, dst.H, info.W,
			info.H)
	}
	return nil
}

func magic(m string) func([]byte) bool {
	return func(file []byte) bool { return bytes.HasPrefix(file, []byte(m)) }
}

var codecs = [...]codec{
	{"jpeg", magic("\xff\xd8"), inspectJPEG, jpeg.Decode, decodeStdJPEG},
	{"png", magic("\x89PNG\r\n\x1a\n"), inspectPNG, decodePNG, nil},
	{"webp", isWebP, inspectWebP, decodeWebP, nil},
	{"gif", magic("GIF8"), inspectGIF, decodeGIF, nil},
	{"bmp", magic("BM"), inspectBMP, decodeBMP, nil},
	{"tiff", isTIFF, inspectTIFF, decodeTIFF, nil},
}

func sniff(file []byte) *codec {
	for i := range codecs {
		if codecs[i].match(file) {
			return &codecs[i]
		}
	}
	return nil
}

// Sniff returns the format that the first bytes of a file belong to, as in [Info], or "" for none. 12 bytes suffice.
func Sniff(file []byte) string {
	if c := sniff(file); c != nil {
		return c.name
	}
	return ""
}

// others are image formats that are recognized only to be refused by name.
var others = []struct {
	at    int
	magic string
	name  string
}{
	{4, "ftypavi", "AVIF"},
	{4, "ftyphei", "HEIF"},
	{4, "ftypmif1", "HEIF"},
	{4, "jP  \r\n\x87\n", "JPEG 2000"},
	{0, "\xffO\xffQ", "JPEG 2000"},
	{0, "\xff\x0a", "JPEG XL"},
	{4, "JXL ", "JPEG XL"},
	{0, "8BPS", "Photoshop"},
	{0, "P5", "PGM"},
	{0, "P6", "PPM"},
	{0, "\x00\x00\x01\x00", "ICO"},
	{0, "II+\x00", "BigTIFF"},
	{0, "MM\x00+", "BigTIFF"},
	{0, "<svg", "SVG"},
	{0, "<?xml", "SVG or other XML"},
}

func unknown(file []byte) error {
	if len(file) == 0 {
		return fmt.Errorf("%w: the file is empty", ErrFormat)
	}
	const allowed = "(read are JPEG, PNG, WebP, BMP, GIF and TIFF)"
	for _, f := range others {
		if len(file) >= f.at && bytes.HasPrefix(file[f.at:], []byte(f.magic)) {
			return fmt.Errorf("%w: %s %s", ErrUnsupported, f.name, allowed)
		}
	}
	return fmt.Errorf("%w: no known format begins with % x %s", ErrFormat, file[:min(len(file), 8)], allowed)
}
