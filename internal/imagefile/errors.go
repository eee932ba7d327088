package imagefile

import (
	"errors"
	"fmt"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/internal/jpeg"
)

// classify gives an error of a decoder the sentinel it lacks.
func classify(err error) error {
	if errors.Is(err, ErrFormat) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrWindow) || errors.Is(err, ErrAlpha) {
		return err
	}
	var p png.UnsupportedError
	var t tiff.UnsupportedError
	if errors.As(err, &p) || errors.As(err, &t) || errors.Is(err, bmp.ErrUnsupported) ||
		errors.Is(err, jpeg.ErrUnsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if errors.Is(err, jpeg.ErrTruncated) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		// Not wrapped: io.EOF has a meaning of its own to whoever reads a data set.
		return fmt.Errorf("%w: truncated", ErrFormat)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}
