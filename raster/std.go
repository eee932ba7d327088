package raster

import (
	"fmt"
	"image"
	"image/color"
)

// RGBA returns m as an image of the standard library. Both share the pixels: what is drawn on one is seen in the other,
// and what is drawn on it must leave every pixel opaque.
func (m *Image) RGBA() *image.RGBA {
	return &image.RGBA{Pix: m.Pix, Stride: 4 * m.W, Rect: m.Bounds()}
}

// FromImage returns an image of the standard library as an Image, whose column 0 and row 0 are the left column and the
// top row of src.Bounds().
//
// It shares the pixels of src, which must not change in ways that this package does not allow, if src is an [image.RGBA]
// or [image.NRGBA] that is opaque and has no gap between rows (Stride is four times the width). It copies every other
// image, by the rules of [Image.SetImage]. The error is that of SetImage.
func FromImage(src image.Image) (*Image, error) {
	b, err := bounds(src)
	if err != nil {
		return nil, err
	}
	if pix, stride, ok := opaque(src); ok && stride == 4*b.Dx() {
		n := stride * b.Dy()
		return &Image{Pix: pix[:n:n], W: b.Dx(), H: b.Dy()}, nil
	}
	m := new(Image)
	return m, m.SetImage(src)
}

// bounds returns the bounds of an image that can become an Image.
func bounds(src image.Image) (image.Rectangle, error) {
	if src == nil {
		return image.Rectangle{}, fmt.Errorf("%w: the image is nil", ErrSize)
	}
	b := src.Bounds()
	return b, CheckSize(b.Dx(), b.Dy())
}

// opaque returns the pixels of an image from its first one on, if they are four bytes as Image has them.
func opaque(src image.Image) (pix []uint8, stride int, ok bool) {
	b := src.Bounds()
	switch s := src.(type) {
	case *image.RGBA:
		if s.Opaque() {
			return s.Pix[s.PixOffset(b.Min.X, b.Min.Y):], s.Stride, true
		}
	case *image.NRGBA:
		if s.Opaque() {
			return s.Pix[s.PixOffset(b.Min.X, b.Min.Y):], s.Stride, true
		}
	}
	return nil, 0, false
}

// SetImage makes m a copy of any image of the standard library. Transparency is dropped as Pillow's convert("RGB") drops
// it: the stored color is kept and the alpha channel ignored. 16-bit channels keep their high byte. It returns an error
// that wraps [ErrSize], and leaves m alone, when src is nil, empty or above [MaxPixels].
func (m *Image) SetImage(src image.Image) error {
	b, err := bounds(src)
	if err != nil {
		return err
	}
	m.Reset(b.Dx(), b.Dy())
	if pix, stride, ok := opaque(src); ok {
		for y := range m.H {
			copy(m.Pix[4*y*m.W:][:4*m.W], pix[y*stride:])
		}
		return nil
	}
	switch s := src.(type) {
	case *image.NRGBA:
		for y := range m.H {
			copyOpaque(m.Pix[4*y*m.W:][:4*m.W], s.Pix[s.PixOffset(b.Min.X, b.Min.Y+y):])
		}
	case *image.Gray:
		for y := range m.H {
			row := s.Pix[s.PixOffset(b.Min.X, b.Min.Y+y):][:m.W]
			for x, v := range row {
				i := 4 * (y*m.W + x)
				m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = v, v, v, 255
			}
		}
	default:
		for y := range m.H {
			for x := range m.W {
				c := color.NRGBA64Model.Convert(src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
				m.Set(x, y, RGB{uint8(c.R >> 8), uint8(c.G >> 8), uint8(c.B >> 8)})
			}
		}
	}
	return nil
}

func copyOpaque(dst, src []uint8) {
	copy(dst, src[:len(dst)])
	for i := 3; i < len(dst); i += 4 {
		dst[i] = 255
	}
}
