package imagefile

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/raster"
)

// TestAlpha: a header says whether there is an alpha channel; only an image with a pixel that is not opaque is refused.
func TestAlpha(t *testing.T) {
	r := image.Rect(0, 0, 2, 1)
	clear, opaque, plain := image.NewNRGBA(r), image.NewNRGBA(r), image.NewGray(r)
	for i := range opaque.Pix {
		opaque.Pix[i], clear.Pix[i] = 255, 255
	}
	clear.Pix[7] = 254
	palette := image.NewPaletted(r, color.Palette{color.Black, color.NRGBA{R: 9}})
	palette.Pix[1] = 1
	for _, c := range []struct {
		name           string
		file           []byte
		alpha, refused bool
	}{
		{"png with a clear pixel", encoded(t, func(w io.Writer) error { return png.Encode(w, clear) }), true, true},
		{"tiff with a clear pixel", encoded(t, func(w io.Writer) error { return tiff.Encode(w, clear, nil) }), true, true},
		{"tiff, opaque", encoded(t, func(w io.Writer) error { return tiff.Encode(w, opaque, nil) }), true, false},
		{"png with a clear color", encoded(t, func(w io.Writer) error { return png.Encode(w, palette) }), true, true},
		{"png, opaque", encoded(t, func(w io.Writer) error { return png.Encode(w, opaque) }), false, false}, // written without one
		{"gray png", encoded(t, func(w io.Writer) error { return png.Encode(w, plain) }), false, false},
		{"gray tiff", encoded(t, func(w io.Writer) error { return tiff.Encode(w, plain, nil) }), false, false},
	} {
		info, err := Inspect(c.file)
		if err != nil || info.Alpha != c.alpha {
			t.Errorf("%s: alpha %v, want %v (%v)", c.name, info.Alpha, c.alpha, err)
		}
		var m raster.Image
		if err := Decode(&m, c.file); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := (Options{Opaque: true}).Decode(&m, c.file); errors.Is(err, ErrAlpha) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: %v, refused: want %v", c.name, err, c.refused)
		}
	}
}
