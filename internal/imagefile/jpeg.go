package imagefile

import (
	"bytes"
	"fmt"
	stdjpeg "image/jpeg"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// JPEG files are decoded by the project's own codec, which gives Pillow's pixels and does not change with the Go release.
// What it does not cover and the standard library does (progressive files of which early scans are missing) is left to
// that one; its chroma is less smooth, by up to some tens of levels.

// decodeSoundJPEG refuses what libjpeg warns of.
func decodeSoundJPEG(dst *raster.Image, file []byte) error {
	warnings, err := jpeg.DecodeCounting(dst, file)
	if err == nil && warnings > 0 {
		return fmt.Errorf("%w: damaged in %d places, which are read on past as libjpeg does", ErrFormat, warnings)
	}
	return err
}

// decodeStdJPEG decodes by the standard library.
func decodeStdJPEG(dst *raster.Image, file []byte) error {
	m, err := stdjpeg.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return fromStd(dst, m)
}

func inspectJPEG(file []byte) (Info, error) {
	c, err := jpeg.DecodeConfig(file)
	if err != nil {
		return Info{}, err
	}
	image := 4 * area(c.Width, c.Height)
	info := Info{
		W: c.Width, H: c.Height, Orientation: max(c.Orientation, 1), Gray: c.Components == 1,
		// Every 8x8 block of the finest component costs at least one bit, the shortest Huffman code of its DC
		// difference.
		pixelsPerByte: 8 * 64,
		// The entropy-coded bytes without their stuffing, in a buffer that grows, and two bytes a coefficient that is kept.
		memory: image + 2*int64(len(file)) + 2*c.Coefficients,
	}
	if c.Progressive {
		// What was kept before, the standard library's four bytes a coefficient, and its samples.
		info.again = image + (2+4+1)*c.Coefficients
	}
	return info, nil
}
