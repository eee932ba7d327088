// Package raster holds the one image type that every package of the project passes around: 8-bit RGB, packed four bytes
// a pixel so that vector code can move whole pixels and so that the standard library's encoders take it as it is.
package raster

import (
	"errors"
	"fmt"
	"image"
	"image/color"
)

// MaxPixels is the largest image, in pixels, that the project's readers accept: 2^28, a gigabyte once decoded. A file
// that declares more is refused before anything is allocated.
const MaxPixels = 1 << 28

// ErrSize is returned for a width or height that is not positive, or a product above [MaxPixels].
var ErrSize = errors.New("raster: bad image size")

// Image is an 8-bit RGB image of W columns and H rows.
//
// Pix holds 4*W*H bytes in row order: red, green, blue and a fourth byte that is always 255, with no gap between rows. It
// is the layout of [image.RGBA] with every pixel opaque. Values are sRGB-encoded as they came from the file; nothing in
// this project linearises them.
type Image struct {
	Pix  []uint8
	W, H int
}

// New returns a black image of w by h pixels. It panics if the size is not valid (see [CheckSize]).
func New(w, h int) *Image {
	m := new(Image)
	m.Reset(w, h)
	m.Fill(RGB{})
	return m
}

// CheckSize returns an error that wraps [ErrSize] and names the size unless w and h are positive and w*h is at most
// [MaxPixels]. Readers call it on a declared size before they allocate.
func CheckSize(w, h int) error {
	if w <= 0 || h <= 0 || w > MaxPixels/h {
		return fmt.Errorf("%w: %dx%d (allowed: at least 1x1, at most %d pixels)", ErrSize, w, h, MaxPixels)
	}
	return nil
}

// Reset gives m the size w by h and reuses its memory where that suffices. The pixels are unspecified afterwards: the
// caller writes all of them. It panics if the size is not valid.
func (m *Image) Reset(w, h int) {
	if err := CheckSize(w, h); err != nil {
		panic(err.Error())
	}
	n := 4 * w * h
	if cap(m.Pix) < n {
		m.Pix = make([]uint8, n)
	}
	m.Pix, m.W, m.H = m.Pix[:n], w, h
}

// RGB is a colour, 0 to 255 a channel.
type RGB struct{ R, G, B uint8 }

// Fill sets every pixel to c.
func (m *Image) Fill(c RGB) {
	for i := 0; i+3 < len(m.Pix); i += 4 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = c.R, c.G, c.B, 255
	}
}

// At returns the pixel in column x, row y; it panics outside the image.
func (m *Image) At(x, y int) RGB {
	m.check(x, y)
	i := 4 * (y*m.W + x)
	return RGB{m.Pix[i], m.Pix[i+1], m.Pix[i+2]}
}

// Set writes the pixel in column x, row y; it panics outside the image.
func (m *Image) Set(x, y int, c RGB) {
	m.check(x, y)
	i := 4 * (y*m.W + x)
	m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = c.R, c.G, c.B, 255
}

func (m *Image) check(x, y int) {
	if uint(x) >= uint(m.W) || uint(y) >= uint(m.H) {
		panic(fmt.Sprintf("raster: pixel (%d,%d) outside %dx%d", x, y, m.W, m.H))
	}
}

// CopyFrom makes m a copy of src, size and pixels.
func (m *Image) CopyFrom(src *Image) {
	m.Reset(src.W, src.H)
	copy(m.Pix, src.Pix)
}

// Clone returns a copy of m that shares no memory with it.
func (m *Image) Clone() *Image {
	c := new(Image)
	c.CopyFrom(m)
	return c
}

// Equal reports whether a and b have the same size and the same red, green and blue everywhere.
func Equal(a, b *Image) bool {
	if a.W != b.W || a.H != b.H {
		return false
	}
	for i := 0; i < len(a.Pix); i += 4 {
		if a.Pix[i] != b.Pix[i] || a.Pix[i+1] != b.Pix[i+1] || a.Pix[i+2] != b.Pix[i+2] {
			return false
		}
	}
	return true
}

// CopyRect copies the w by h pixels of src whose top left corner is (sx, sy) to (dx, dy) in dst. Parts outside either
// image are left out.
func CopyRect(dst *Image, dx, dy int, src *Image, sx, sy, w, h int) {
	cut := func(d, s, n, dn, sn int) (int, int, int) {
		if lo := min(d, s); lo < 0 {
			d, s, n = d-lo, s-lo, n+lo
		}
		return d, s, min(n, dn-d, sn-s)
	}
	dx, sx, w = cut(dx, sx, w, dst.W, src.W)
	dy, sy, h = cut(dy, sy, h, dst.H, src.H)
	if w <= 0 {
		return
	}
	for y := range max(h, 0) {
		copy(dst.Pix[4*((dy+y)*dst.W+dx):][:4*w], src.Pix[4*((sy+y)*src.W+sx):])
	}
}

// Std returns a view of m as a standard library image; both share the pixels.
func (m *Image) Std() *image.RGBA {
	return &image.RGBA{Pix: m.Pix, Stride: 4 * m.W, Rect: image.Rect(0, 0, m.W, m.H)}
}

// FromStd copies any standard library image into m. Transparency is dropped as Pillow's convert("RGB") drops it: the
// stored colour is kept and the alpha channel ignored. 16-bit channels keep their high byte. It returns an error that
// wraps [ErrSize] when the image is empty or above [MaxPixels].
func (m *Image) FromStd(src image.Image) error {
	b := src.Bounds()
	if err := CheckSize(b.Dx(), b.Dy()); err != nil {
		return err
	}
	m.Reset(b.Dx(), b.Dy())
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
				i := 4 * (y*m.W + x)
				m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8), 255
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

// SetRGB makes m a w by h image from interleaved bytes, three a pixel (the NHWC layout of NumPy image arrays). It
// panics unless len(src) is 3*w*h.
func (m *Image) SetRGB(w, h int, src []uint8) {
	m.Reset(w, h)
	mustLen(len(src), 3*w*h)
	for i, j := 0, 0; i < len(m.Pix); i, j = i+4, j+3 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = src[j], src[j+1], src[j+2], 255
	}
}

// SetPlanar makes m a w by h image from three planes, red, green, blue (the layout of CIFAR's files). It panics unless
// len(src) is 3*w*h.
func (m *Image) SetPlanar(w, h int, src []uint8) {
	m.Reset(w, h)
	n := w * h
	mustLen(len(src), 3*n)
	r, g, b := src[:n], src[n:2*n], src[2*n:]
	for j := range n {
		i := 4 * j
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = r[j], g[j], b[j], 255
	}
}

// SetGray makes m a w by h image from one plane, its value in all three channels. It panics unless len(src) is w*h.
func (m *Image) SetGray(w, h int, src []uint8) {
	m.Reset(w, h)
	mustLen(len(src), w*h)
	for j, v := range src {
		i := 4 * j
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = v, v, v, 255
	}
}

// AppendRGB appends the pixels to dst as interleaved bytes, three a pixel, and returns the longer slice.
func (m *Image) AppendRGB(dst []uint8) []uint8 {
	for i := 0; i < len(m.Pix); i += 4 {
		dst = append(dst, m.Pix[i], m.Pix[i+1], m.Pix[i+2])
	}
	return dst
}

// AppendPlanar appends the pixels to dst as three planes, red, green, blue, and returns the longer slice.
func (m *Image) AppendPlanar(dst []uint8) []uint8 {
	for c := range 3 {
		for i := c; i < len(m.Pix); i += 4 {
			dst = append(dst, m.Pix[i])
		}
	}
	return dst
}

func mustLen(got, want int) {
	if got != want {
		panic(fmt.Sprintf("raster: %d bytes of pixels, want %d", got, want))
	}
}
