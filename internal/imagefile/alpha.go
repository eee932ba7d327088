package imagefile

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// ErrAlpha: an image with transparent pixels where these are refused.
var ErrAlpha = errors.New("transparent pixels")

// checkOpaque returns ErrAlpha for an image with a pixel that is not opaque. It decodes the file once more.
func checkOpaque(file []byte, format string) error {
	decode := map[string]func(io.Reader) (image.Image, error){"png": png.Decode, "tiff": tiff.Decode, "webp": webp.Decode}[format]
	m, err := decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if o, ok := m.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		return fmt.Errorf("%w, which would be lost", ErrAlpha)
	}
	return nil
}
