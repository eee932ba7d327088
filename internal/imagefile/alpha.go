package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/augmix-go/augmix/raster"
)

// ErrAlpha: an image with transparent pixels where these are refused.
var ErrAlpha = errors.New("transparent pixels")

// decodeStd decodes a file of a format that can have an alpha channel.
func decodeStd(file []byte, format string) (image.Image, error) {
	decode := map[string]func(io.Reader) (image.Image, error){"png": png.Decode, "tiff": tiff.Decode, "webp": webp.Decode}[format]
	if decode == nil {
		return nil, fmt.Errorf("%w: no alpha channel is read of it (allowed: PNG, TIFF, WebP)", ErrUnsupported)
	}
	return decode(bytes.NewReader(file))
}

// checkOpaque returns ErrAlpha for an image with a pixel that is not opaque. It decodes the file once more.
func checkOpaque(file []byte, format string) error {
	m, err := decodeStd(file, format)
	if err != nil {
		return err
	}
	if o, ok := m.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		return fmt.Errorf("%w, which would be lost", ErrAlpha)
	}
	return nil
}

// alphaOf returns the decoder of the alpha channels of a format.
func alphaOf(format string) decoder {
	return func(dst *raster.Image, file []byte) error {
		m, err := decodeStd(file, format)
		if err != nil {
			return err
		}
		b := m.Bounds()
		if err := raster.CheckSize(b.Dx(), b.Dy()); err != nil {
			return err
		}
		dst.Reset(b.Dx(), b.Dy())
		plain, fast := m.(*image.NRGBA)
		for y := range dst.H {
			for x := range dst.W {
				var v uint8
				if fast {
					v = plain.Pix[y*plain.Stride+4*x+3]
				} else {
					_, _, _, a := m.At(b.Min.X+x, b.Min.Y+y).RGBA()
					v = uint8(a >> 8)
				}
				d := dst.Pix[4*(y*dst.W+x):][:4]
				d[0], d[1], d[2], d[3] = v, v, v, 255
			}
		}
		return nil
	}
}

// CheckOpaque returns an error for an image with an alpha channel, which a kind of file cannot hold.
func CheckOpaque(m *raster.Image, kind string) error {
	if m.Alpha != nil {
		return fmt.Errorf("%w: an alpha channel, which %s cannot hold (allowed: PNG files)", ErrUnsupported, kind)
	}
	return nil
}

// appendAlphaPNG is EncodePNG of an image with an alpha channel: of color type 6, or 4 where it is marked Gray.
func appendAlphaPNG(dst []byte, m *raster.Image, e *png.Encoder) ([]byte, error) {
	if len(m.Alpha) != m.W*m.H {
		return dst, fmt.Errorf("%w: %d bytes of alpha for %dx%d pixels", raster.ErrSize, len(m.Alpha), m.W, m.H)
	}
	scratch := grays.Get().(*[]uint8)
	defer grays.Put(scratch)
	pix := (*scratch)[:0]
	if m.Gray {
		for i, a := range m.Alpha {
			pix = append(pix, m.Pix[4*i], a)
		}
	} else {
		pix = append(pix, m.Pix...)
		for i, a := range m.Alpha {
			pix[4*i+3] = a
		}
	}
	*scratch = pix
	out := appender(dst)
	if !m.Gray {
		return out, e.Encode(&out, translucent{&image.NRGBA{Pix: pix, Stride: 4 * m.W, Rect: m.Bounds()}})
	}
	// The encoder knows no gray with alpha. Filters and compression see bytes: what it makes of 16-bit gray is such a file but for what
	// its header says.
	if err := e.Encode(&out, &image.Gray16{Pix: pix, Stride: 2 * m.W, Rect: m.Bounds()}); err != nil {
		return dst, err
	}
	ihdr := out[len(dst)+8+4:] // behind the signature and the chunk's length: a name, sizes, depth, color type, three more bytes, a sum
	ihdr[12], ihdr[13] = 8, 4
	binary.BigEndian.PutUint32(ihdr[17:], crc32.ChecksumIEEE(ihdr[:17]))
	return out, nil
}

// translucent is an image whose alpha channel is encoded even where all of it is opaque.
type translucent struct{ *image.NRGBA }

func (translucent) Opaque() bool { return false }
