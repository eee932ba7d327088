package imagefile

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"slices"

	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/raster"
)

func isTIFF(file []byte) bool {
	return bytes.HasPrefix(file, []byte("II*\x00")) || bytes.HasPrefix(file, []byte("MM\x00*"))
}

// decodeTIFF reads the first page.
func decodeTIFF(dst *raster.Image, file []byte) error {
	m, err := tiff.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if err := fromStd(dst, m); err != nil {
		return err
	}
	// A white run of a fax code is a row of zero bits, and what zero means the file says, as in libtiff. The decoder
	// has made it white in both cases.
	compression, _ := tiffTag(file, tagCompression)
	photometric, _ := tiffTag(file, tagPhotometric)
	if (compression == tiffGroup3 || compression == tiffGroup4) && photometric == blackIsZero {
		for i := range dst.Pix {
			if i%4 != 3 {
				dst.Pix[i] = 255 - dst.Pix[i]
			}
		}
	}
	return nil
}

// Tags and values of TIFF 6.0, and the most bytes that one byte of a compressed strip stands for.
const (
	tagCompression  = 259
	tagPhotometric  = 262
	tagRowsPerStrip = 278
	tagTileWidth    = 322
	tagTileLength   = 323
	tagExtraSamples = 338
	tagSampleFormat = 339
	blackIsZero     = 1 // of the photometric interpretation

	tiffNone     = 1
	tiffGroup3   = 3
	tiffGroup4   = 4
	tiffLZW      = 5
	tiffDeflate  = 8
	tiffPackBits = 32773
	tiffOldZip   = 32946

	// lzwRatio: a code of 12 bits stands for at most 4096 bytes.
	lzwRatio = 4096 * 8 / 12
	// packBitsRatio: two bytes stand for at most 128.
	packBitsRatio = 64
	// faxRatio: fax codes turn a run of up to 2560 pixels into 12 bits, a whole line like the one above into one bit;
	// lines as wide as the widest scanners make them leave this much.
	faxRatio = 1 << 16
)

func inspectTIFF(file []byte) (Info, error) {
	if format, ok := tiffSingle(file, tagSampleFormat); ok && format > 1 {
		return Info{}, fmt.Errorf("%w: floats or signed numbers (read are unsigned ones of 8 and 16 bits; arrays may be of floats)", ErrUnsupported)
	}
	c, err := tiff.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, err
	}
	info := Info{W: c.Width, H: c.Height, Orientation: exifOrientation(file)}
	_, _, info.Alpha = tiffEntry(file, tagExtraSamples)
	info.Gray = c.ColorModel == color.GrayModel || c.ColorModel == color.Gray16Model
	info.deep = slices.Contains([]color.Model{color.Gray16Model, color.RGBA64Model, color.NRGBA64Model}, c.ColorModel)
	compression, _ := tiffTag(file, tagCompression)
	// At least one bit a pixel before compression.
	switch compression {
	case 0, tiffNone:
		info.pixelsPerByte = 8
	case tiffLZW:
		info.pixelsPerByte = 8 * lzwRatio
	case tiffDeflate, tiffOldZip:
		info.pixelsPerByte = 8 * deflateRatio
	case tiffPackBits:
		info.pixelsPerByte = 8 * packBitsRatio
	default:
		info.pixelsPerByte = faxRatio
	}
	info.memory = tiffMemory(file, c, compression)
	return info, nil
}

// tiffMemory is the most that decoding takes: the decoder's image, ours, and the strip or tile in hand. A strip is read
// until it ends or has eight bytes a pixel, whatever its pixels are, into a buffer that doubles.
func tiffMemory(file []byte, c image.Config, compression uint32) int64 {
	decoded := int64(1)
	switch c.ColorModel {
	case color.Gray16Model:
		decoded = 2
	case color.RGBAModel, color.NRGBAModel:
		decoded = 4
	case color.RGBA64Model, color.NRGBA64Model:
		decoded = 8
	}
	const perPixel, growth = 8, 3 // old and doubled buffer
	w, h := c.Width, c.Height
	if tw, ok := tiffSingle(file, tagTileWidth); ok && tw > 0 {
		// The decoder takes tiles up to 16 larger than the image, or up to 1024.
		w, h = max(w+16, 1024), max(h+16, 1024)
		if th, ok := tiffSingle(file, tagTileLength); ok {
			w, h = min(w, clampInt(tw)), min(h, clampInt(th))
		}
	} else if rows, ok := tiffSingle(file, tagRowsPerStrip); ok && rows > 0 {
		h = min(h, clampInt(rows))
	}
	block := perPixel * area(w, h)
	if compression == 0 || compression == tiffNone {
		block = min(block, int64(len(file)))
	}
	return (decoded+4)*area(c.Width, c.Height) + growth*block
}
