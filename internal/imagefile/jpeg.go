package imagefile

import (
	"bytes"
	"errors"
	stdjpeg "image/jpeg"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

// JPEG files are decoded by the project's own codec, which gives Pillow's pixels and does not change with the Go release.
// What it does not cover and the standard library does (progressive files of which early scans are missing) is left to
// that one; its chroma is less smooth, by up to some tens of levels.

func decodeJPEG(dst *raster.Image, file []byte) error {
	err := jpeg.Decode(dst, file)
	if !errors.Is(err, jpeg.ErrUnsupported) {
		return err
	}
	m, stdErr := stdjpeg.Decode(bytes.NewReader(file))
	if stdErr != nil {
		return err
	}
	return fromStd(dst, m)
}

func inspectJPEG(file []byte) (Info, error) {
	c, err := jpeg.DecodeConfig(file)
	if err != nil {
		return Info{}, err
	}
	return Info{
		W: c.Width, H: c.Height, Orientation: max(c.Orientation, 1),
		// Every 8x8 block of the finest component costs at least one bit, the shortest Huffman code of its DC
		// difference.
		pixelsPerByte: 8 * 64,
	}, nil
}
