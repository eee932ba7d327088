package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
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

// TestWrittenAlpha: an alpha channel, opaque ones too, comes back with the colors of clear pixels, from color and from gray, at every level.
func TestWrittenAlpha(t *testing.T) {
	m := testImage(13, 9)
	for _, gray := range []bool{false, true} {
		if gray {
			m.SetLuma(m)
		}
		for _, opaque := range []bool{false, true} {
			alpha := make([]uint8, 13*9)
			for i := range alpha {
				if alpha[i] = uint8(3 * i); opaque {
					alpha[i] = 255
				}
			}
			for level := LevelDefault; level <= LevelBest; level++ {
				m.Alpha = alpha
				file, err := EncodePNG([]byte("before"), m, level)
				if err != nil {
					t.Fatal(err)
				}
				file, want := file[6:], byte(6)
				if gray {
					want = 4
				}
				decoded, err := png.Decode(bytes.NewReader(file))
				if err != nil || file[24] != 8 || file[25] != want {
					t.Fatalf("gray %v: depth %d, color type %d, want %d (%v)", gray, file[24], file[25], want, err)
				}
				for i, a := range alpha {
					p := m.Pix[4*i:]
					if got := decoded.At(i%13, i/13); got != (color.NRGBA{R: p[0], G: p[1], B: p[2], A: a}) {
						t.Fatalf("gray %v, pixel %d: %v", gray, i, got)
					}
				}
				var back raster.Image
				if err := (Options{Alpha: true}).Decode(&back, file); err != nil || back.Pix[4*5] != alpha[5] || back.Pix[4*5+2] != alpha[5] {
					t.Fatalf("alpha channel read by itself: %v", err)
				}
			}
		}
	}
	m.Alpha = m.Alpha[1:]
	if _, err := EncodePNG(nil, m, LevelDefault); !errors.Is(err, raster.ErrSize) {
		t.Errorf("too short: %v", err)
	}
	if _, err := EncodeJPEG(nil, m, 95); !errors.Is(err, ErrUnsupported) {
		t.Errorf("as JPEG: %v", err)
	}
	file, err := EncodeJPEG(nil, testImage(9, 9), 95)
	if err == nil {
		err = (Options{Alpha: true}).Decode(m, file)
	}
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("alpha channel of a JPEG file: %v", err)
	}
}

// TestAlphaDepths: of 16 bits the high byte, of palettes and transparent colors what the file says.
func TestAlphaDepths(t *testing.T) {
	r := image.Rect(0, 0, 2, 1)
	deep, palette := image.NewNRGBA64(r), image.NewPaletted(r, color.Palette{color.Black, color.NRGBA{R: 9, A: 70}})
	deep.SetNRGBA64(0, 0, color.NRGBA64{R: 1, A: 0x12ff})
	palette.Pix[1] = 1
	clear := encoded(t, func(w io.Writer) error { return png.Encode(w, &image.Gray{Pix: []uint8{4, 5}, Stride: 2, Rect: r}) })
	chunk := append([]byte("tRNS"), 0, 5)
	chunk = binary.BigEndian.AppendUint32(append([]byte{0, 0, 0, 2}, chunk...), crc32.ChecksumIEEE(chunk))
	clear = slices.Insert(clear, 8+12+13, chunk...)
	for name, c := range map[string]struct {
		file []byte
		want [2]uint8
	}{
		"16 bits":              {encoded(t, func(w io.Writer) error { return png.Encode(w, deep) }), [2]uint8{0x12, 0}},
		"16 bits, TIFF":        {encoded(t, func(w io.Writer) error { return tiff.Encode(w, deep, nil) }), [2]uint8{0x12, 0}},
		"palette":              {encoded(t, func(w io.Writer) error { return png.Encode(w, palette) }), [2]uint8{255, 70}},
		"gray with tRNS":       {clear, [2]uint8{255, 0}},
		"gray with tRNS, EXIF": {withEXIF(clear, exif(binary.BigEndian, 2)), [2]uint8{0, 255}},
	} {
		var m raster.Image
		if err := (Options{Alpha: true}).Decode(&m, c.file); err != nil || m.Pix[0] != c.want[0] || m.Pix[5] != c.want[1] {
			t.Errorf("%s: %v, want %v (%v)", name, m.Pix, c.want, err)
		}
	}
}
