package imagefile

import (
	"bytes"

	"golang.org/x/image/bmp"

	"github.com/augmix-go/augmix/raster"
)

func decodeBMP(dst *raster.Image, file []byte) error {
	m, err := bmp.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return fromStd(dst, m)
}

func inspectBMP(file []byte) (Info, error) {
	c, err := bmp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, err
	}
	// Uncompressed, at least one bit a pixel. The decoder makes up to four bytes of it.
	return Info{W: c.Width, H: c.Height, Orientation: 1, pixelsPerByte: 8, memory: 8 * area(c.Width, c.Height)}, nil
}
