// Package jpeg decodes and encodes JPEG files with the arithmetic of libjpeg-turbo 2.1, bit for bit: what [Decode]
// returns is what Pillow 9.4 returns for the same file, and what [Encode] writes is what Pillow's Image.save writes
// for the same image. [RoundTrip] gives the image that decoding the encoded file would give, without the entropy
// coding; it is the jpeg_compression corruption of ImageNet-C.
//
// # Decoding
//
// Covered are 8-bit baseline, extended sequential and progressive files with Huffman coding, with one component
// (gray), three (YCbCr or RGB) or four (CMYK or YCCK), all integral sampling factors from 1 to 4, restart intervals,
// scans that hold one component each, and 8- and 16-bit quantization tables. The pieces are the slow integer inverse
// DCT, the triangle ("fancy") chroma upsampling and the 16-bit fixed-point color conversion. Parity: exact.
//
// Four-component files come out as Pillow's open(...).convert("RGB") gives them: every CMYK file is taken to be stored
// inverted, as Adobe stores it, and red is (255-C)(255-K)/255 rounded, likewise green from M and blue from Y.
//
// Everything else is refused with an error that wraps [ErrUnsupported]: arithmetic coding, lossless and hierarchical
// files, 12-bit samples, two components, sampling factors that do not divide the largest one, a height that is given
// by a DNL marker. So is the one case in which libjpeg smooths blocks: a progressive file whose scans leave some of
// the first nine AC coefficients of a component unsent or unrefined. A whole file never does that.
//
// Damaged files are treated as libjpeg treats them, because data sets hold some: bytes between markers are skipped, a
// missing or misplaced restart marker is resynchronized, an invalid Huffman code reads as zero, and what a marker
// cuts off is gray. [Decoder.Warnings] counts such places. A file that ends without a marker before its image is
// complete is an error that wraps [ErrTruncated], as it is in Pillow, and what follows the last scan must be sound
// markers. Where this package is more lenient than Pillow: the end-of-image marker of a sequential file may be
// missing (Pillow's outcome then depends on the last bits). Where it is stricter: a file too short to hold one bit a
// block (two for a single scan) is refused before any memory for the image is taken, more than 1000 scans are
// refused, and so are scans that visit more blocks than the file's bytes can account for; a progressive image may have
// at most 2^28 coefficients.
//
// # Encoding
//
// Encoding is baseline, 4:2:0 or 4:4:4, with the example quantization tables of ITU-T T.81 Annex K scaled by
// libjpeg's quality rule and either the example Huffman tables or optimized ones, in a JFIF 1.01 file.
package jpeg

import (
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/augmix-go/augmix/raster"
)

// Errors that those of this package wrap. A size that [raster.CheckSize] refuses wraps [raster.ErrSize] instead.
var (
	// ErrFormat means that the file breaks the JPEG syntax in a way libjpeg does not repair either.
	ErrFormat = errors.New("jpeg: invalid file")
	// ErrUnsupported means that the file may be sound but is of a kind this package does not decode.
	ErrUnsupported = errors.New("jpeg: unsupported kind of file")
	// ErrTruncated means that the file ends before its image is complete.
	ErrTruncated = errors.New("jpeg: truncated file")
)

// Config describes a file without its pixels.
type Config struct {
	Width, Height int
	Components    int  // 1, 3 or 4
	Progressive   bool // progressive rather than sequential
	Orientation   int  // EXIF orientation, 1 to 8 (1: as stored); 0 when the file gives none. Decoding ignores it
	// Coefficients is how many of them decoding keeps, two bytes each, until it has seen the last scan; 0 for a file
	// whose first scan holds all components.
	Coefficients int64
}

var (
	decoders = sync.Pool{New: func() any { return new(Decoder) }}
	encoders = sync.Pool{New: func() any { return new(Encoder) }}
)

// Decode decodes the file data into dst. After an error dst holds nothing useful. It is [Decoder.Decode] with a decoder
// from a pool, and may be called by several goroutines at once.
func Decode(dst *raster.Image, data []byte) error {
	d := decoders.Get().(*Decoder)
	defer giveBack(d)
	return d.Decode(dst, data)
}

// DecodeCounting is [Decode] that also returns [Decoder.Warnings].
func DecodeCounting(dst *raster.Image, data []byte) (warnings int, err error) {
	d := decoders.Get().(*Decoder)
	defer giveBack(d)
	err = d.Decode(dst, data)
	return d.Warnings(), err
}

// DecodeCrop decodes the part r of the file data into dst; see [Decoder.DecodeCrop].
func DecodeCrop(dst *raster.Image, data []byte, r image.Rectangle) error {
	d := decoders.Get().(*Decoder)
	defer giveBack(d)
	return d.DecodeCrop(dst, data, r)
}

// DecodeConfig reads the headers of the file data up to its first scan. It returns the errors that Decode would
// return for them.
func DecodeConfig(data []byte) (Config, error) {
	d := decoders.Get().(*Decoder)
	defer decoders.Put(d)
	defer d.release()
	if err := d.readHeader(data); err != nil {
		return Config{}, err
	}
	return d.cfg, nil
}

// giveBack keeps a decoder for the next file, without the memory of very large ones.
func giveBack(d *Decoder) {
	const keep = 64 << 20
	held := cap(d.clean)
	for i := range d.comps {
		held += 2 * cap(d.comps[i].coef)
	}
	if held <= keep {
		decoders.Put(d)
	}
}

// Encode appends the image img, encoded, to dst and returns the longer slice. It panics on options out of range and
// on an image wider or higher than 65500. It is [Encoder.Encode] with an encoder from a pool.
func Encode(dst []byte, img *raster.Image, o Options) []byte {
	e := encoders.Get().(*Encoder)
	defer encoders.Put(e)
	return e.Encode(dst, img, o)
}

// RoundTrip sets dst to what encoding src with 4:2:0 subsampling at the given quality, 1 to 100, and decoding the file
// again gives; see [Encoder.RoundTrip].
func RoundTrip(dst, src *raster.Image, quality int) {
	e := encoders.Get().(*Encoder)
	defer encoders.Put(e)
	e.RoundTrip(dst, src, quality)
}

func formatErr(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

func unsupportedErr(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrUnsupported}, args...)...)
}

func truncatedErr(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrTruncated}, args...)...)
}
