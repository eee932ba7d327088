package imagefile

import (
	"bytes"

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
	tagCompression = 259
	tagPhotometric = 262
	blackIsZero    = 1 // of the photometric interpretation

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
	c, err := tiff.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, err
	}
	info := Info{W: c.Width, H: c.Height, Orientation: exifOrientation(file)}
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
	return info, nil
}
