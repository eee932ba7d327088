package imagefile

import (
	"fmt"
	"image"
	"image/color"

	"github.com/augmix-go/augmix/raster"
)

// fromStd copies a decoder's image into dst. Each concrete type that the decoders return has a loop of its own.
func fromStd(dst *raster.Image, src image.Image) error {
	b := src.Bounds()
	if err := raster.CheckSize(b.Dx(), b.Dy()); err != nil {
		return err
	}
	dst.Reset(b.Dx(), b.Dy())
	switch s := src.(type) {
	case *image.YCbCr:
		fromYCbCr(dst, s)
	case *image.Gray:
		eachRow(dst, s.Pix, s.Stride, 1, rowGray)
	case *image.RGBA:
		eachRow(dst, s.Pix, s.Stride, 4, rowRGBA)
	case *image.NRGBA:
		eachRow(dst, s.Pix, s.Stride, 4, rowNRGBA)
	case *image.RGBA64:
		eachRow(dst, s.Pix, s.Stride, 8, rowRGBA64)
	case *image.NRGBA64:
		eachRow(dst, s.Pix, s.Stride, 8, rowNRGBA64)
	case *image.CMYK:
		eachRow(dst, s.Pix, s.Stride, 4, rowCMYK)
	case *image.Paletted:
		return fromPaletted(dst, s)
	default:
		return fmt.Errorf("%w: pixels of type %T", ErrUnsupported, src)
	}
	return nil
}

// eachRow calls f on every row of dst with the row of pix, size bytes a pixel, that belongs to it.
func eachRow(dst *raster.Image, pix []uint8, stride, size int, f func(dst, src []uint8)) {
	for y := range dst.H {
		f(dst.Pix[4*y*dst.W:][:4*dst.W], pix[y*stride:][:size*dst.W])
	}
}

func rowGray(dst, src []uint8) {
	for _, v := range src {
		_ = dst[3]
		dst[0], dst[1], dst[2], dst[3] = v, v, v, 255
		dst = dst[4:]
	}
}

func rowNRGBA(dst, src []uint8) {
	copy(dst, src)
	for i := 3; i < len(dst); i += 4 {
		dst[i] = 255
	}
}

// rowRGBA takes colors multiplied by their alpha (associated alpha of a TIFF; opaque ones of every format) and divides
// them as Pillow does: floor(255*c/a), at most 255; black where alpha is 0.
func rowRGBA(dst, src []uint8) {
	copy(dst, src)
	for i := 3; i < len(dst); i += 4 {
		if a := int(dst[i]); a != 255 {
			p := dst[i-3 : i]
			for c, v := range p {
				if a == 0 {
					p[c] = 0
				} else {
					p[c] = uint8(min(255*int(v)/a, 255))
				}
			}
			dst[i] = 255
		}
	}
}

func rowNRGBA64(dst, src []uint8) {
	for ; len(src) >= 8; dst, src = dst[4:], src[8:] {
		_, _ = dst[3], src[5]
		dst[0], dst[1], dst[2], dst[3] = src[0], src[2], src[4], 255
	}
}

// rowRGBA64 is rowRGBA on the high bytes.
func rowRGBA64(dst, src []uint8) {
	out := dst
	for ; len(src) >= 8; dst, src = dst[4:], src[8:] {
		dst[0], dst[1], dst[2], dst[3] = src[0], src[2], src[4], src[6]
	}
	rowRGBA(out, out)
}

// rowCMYK converts ink amounts (0 none, 255 full; a JPEG stores them inverted, as Adobe does, and the decoder has
// turned them back) by Pillow's rule: (255-K) - c*(255-K)/255, the quotient rounded to nearest.
func rowCMYK(dst, src []uint8) {
	for ; len(src) >= 4; dst, src = dst[4:], src[4:] {
		white := 255 - uint32(src[3])
		for c := range 3 {
			t := uint32(src[c])*white + 128
			dst[c] = uint8(white - (t+t>>8)>>8)
		}
		dst[3] = 255
	}
}

// fromPaletted looks colors up as they are stored, whatever their alpha. An index beyond the palette is an error.
func fromPaletted(dst *raster.Image, s *image.Paletted) error {
	var table [256]raster.RGB
	for i, c := range s.Palette[:min(len(s.Palette), 256)] {
		table[i] = storedColor(c)
	}
	return fromIndices(dst, s.Pix, s.Stride, table[:min(len(s.Palette), 256)])
}

// storedColor returns the color that a decoder's palette entry stands for, without its alpha.
func storedColor(c color.Color) raster.RGB {
	switch v := c.(type) {
	case color.NRGBA:
		return raster.RGB{R: v.R, G: v.G, B: v.B}
	case color.RGBA:
		return raster.RGB{R: v.R, G: v.G, B: v.B}
	}
	v := color.NRGBA64Model.Convert(c).(color.NRGBA64)
	return raster.RGB{R: uint8(v.R >> 8), G: uint8(v.G >> 8), B: uint8(v.B >> 8)}
}

// fromIndices looks up every index of pix, whose rows are as wide as dst, in palette.
func fromIndices(dst *raster.Image, pix []uint8, stride int, palette []raster.RGB) error {
	for y := range dst.H {
		d := dst.Pix[4*y*dst.W:][:4*dst.W]
		for _, i := range pix[y*stride:][:dst.W] {
			if int(i) >= len(palette) {
				return fmt.Errorf("%w: color %d of a palette of %d", ErrFormat, i, len(palette))
			}
			c := &palette[i]
			_ = d[3]
			d[0], d[1], d[2], d[3] = c.R, c.G, c.B, 255
			d = d[4:]
		}
	}
	return nil
}
