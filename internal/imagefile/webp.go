package imagefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"

	"golang.org/x/image/webp"

	"github.com/augmix-go/augmix/raster"
)

func isWebP(file []byte) bool {
	return len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP"
}

func inspectWebP(file []byte) (Info, error) {
	if x := webpChunk(file, "VP8X"); len(x) > 0 && x[0]&2 != 0 {
		return Info{}, fmt.Errorf("%w: an animation", ErrUnsupported)
	}
	c, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return Info{}, err
	}
	// Lossy: luma and chroma of whole macroblocks. Lossless: the pixels, and once more where a transform packs them.
	// A compressed alpha channel is a lossless image, of which one byte a pixel is kept.
	perPixel := int64(4 + 2)
	if c.ColorModel == color.NRGBAModel {
		perPixel = 4 + 4 + 4
	} else if webpChunk(file, "ALPH") != nil {
		perPixel += 4 + 4 + 1
	}
	return Info{
		Alpha: c.ColorModel == color.NRGBAModel && webpAlpha(file) || webpChunk(file, "ALPH") != nil,
		W:     c.Width, H: c.Height, Orientation: exifOrientation(bytes.TrimPrefix(webpChunk(file, "EXIF"),
			[]byte("Exif\x00\x00"))),
		// Lossy: the prediction modes of a macroblock of 256 pixels have fixed probabilities and cost more than one
		// bit. Lossless: a file can describe an image of one color in a few bytes whatever its size; twice the lossy
		// bound leaves all others.
		pixelsPerByte: 2 * 8 * 256,
		memory:        perPixel * area(c.Width, c.Height),
	}, nil
}

// webpAlpha reports whether a lossless image says that it has an alpha channel: a bit behind its signature and two sizes of 14 bits.
func webpAlpha(file []byte) bool {
	b := webpChunk(file, "VP8L")
	return len(b) > 4 && b[4]&0x10 != 0
}

// webpChunk returns the body of the first chunk of that name, or nil.
func webpChunk(file []byte, name string) []byte {
	for p := file[12:]; len(p) >= 8; {
		n := uint64(binary.LittleEndian.Uint32(p[4:]))
		if 8+n > uint64(len(p)) {
			return nil
		}
		if string(p[:4]) == name {
			return p[8 : 8+n]
		}
		p = p[min(8+n+n&1, uint64(len(p))):]
	}
	return nil
}

func decodeWebP(dst *raster.Image, file []byte) error {
	m, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	switch s := m.(type) {
	case *image.YCbCr:
		fromVP8(dst, s)
	case *image.NYCbCrA:
		fromVP8(dst, &s.YCbCr)
	default:
		return fromStd(dst, m)
	}
	return nil
}

// fromVP8 converts the components of a lossy WebP image. Unlike a JPEG's they are BT.601 in its narrow range (black
// is 16, white 235), which the type image.YCbCr cannot say; and chroma is interpolated, 9:3:3:1 between the four
// nearest samples. Both are done in libwebp's integer arithmetic, so that the result is the one that Pillow gives.
func fromVP8(dst *raster.Image, s *image.YCbCr) {
	w, h := s.Rect.Dx(), s.Rect.Dy()
	dst.Reset(w, h)
	n, last := (w+1)/2, (h-1)/2
	for y := range h {
		near := y / 2
		far := near + 1
		if y%2 == 0 {
			far = near - 1
		}
		far = min(max(far, 0), last)
		row := func(plane []uint8, i int) []uint8 { return plane[i*s.CStride:][:n] }
		rowVP8(dst.Pix[4*y*w:][:4*w], s.Y[y*s.YStride:][:w],
			row(s.Cb, near), row(s.Cb, far), row(s.Cr, near), row(s.Cr, far))
	}
}

// rowVP8 converts one row from its luma and the nearest and second nearest chroma rows.
func rowVP8(dst, luma, u0, u1, v0, v1 []uint8) {
	for x, y := range luma {
		i := x / 2
		j := i + 1
		if x%2 == 0 {
			j = i - 1
		}
		var u, v int
		if j < 0 || x == len(luma)-1 && x%2 == 1 { // the outermost columns have no second neighbor
			u, v = edge(u0[i], u1[i]), edge(v0[i], v1[i])
		} else {
			u, v = blend(u0[i], u0[j], u1[i], u1[j]), blend(v0[i], v0[j], v1[i], v1[j])
		}
		l := 19077 * int(y) >> 8
		_ = dst[3]
		dst[0] = clamp6(l + 26149*v>>8 - 14234)
		dst[1] = clamp6(l - 6419*u>>8 - 13320*v>>8 + 8708)
		dst[2] = clamp6(l + 33050*u>>8 - 17685)
		dst[3] = 255
		dst = dst[4:]
	}
}

// blend weighs the nearest sample 9/16, its neighbors along and across 3/16 each, the diagonal one 1/16, with the
// rounding of libwebp's two steps.
func blend(near, along, across, diagonal uint8) int {
	n := int(near)
	return ((n+3*int(along)+3*int(across)+int(diagonal)+8)>>3 + n) >> 1
}

func edge(near, across uint8) int { return (3*int(near) + int(across) + 2) >> 2 }

// clamp6 returns v/64 within 0 to 255.
func clamp6(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
