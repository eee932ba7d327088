// Package raster holds the image type that all packages of the project pass around: 8-bit RGB, packed four bytes a pixel
// so that vector code can move whole pixels, and in the layout of [image.RGBA], so that images go to the standard library
// and come from it without a copy: see [Image.RGBA] and [FromImage]. Rectangles and points are those of package image.
package raster

import (
	"errors"
	"fmt"
	"image"
)

// MaxPixels is the largest image, in pixels, that the project's readers can accept: 2^28, a gigabyte once decoded. For
// image files data.SetDecodeLimits sets less, half of it by default. A file that declares more is refused before anything
// is allocated.
const MaxPixels = 1 << 28

// ErrSize is returned for a width or height that is not positive, or a product above [MaxPixels].
var ErrSize = errors.New("bad image size")

// Image is an 8-bit RGB image of W columns and H rows.
//
// Pix holds 4*W*H bytes in row order: red, green, blue and a fourth byte that is always 255, with no gap between rows.
// That is the layout of [image.RGBA] with every pixel opaque. Values are sRGB-encoded as they came from the file; nothing
// in this project linearizes them.
type Image struct {
	Pix  []uint8
	W, H int
	// Gray marks an image whose three channels are equal and that is to be written as one, see SetLuma. What makes an image
	// anew takes the mark away (Reset).
	Gray bool
	// Alpha, if not nil, is the alpha channel that is written beside the colors, W*H bytes in row order from 0, transparent, to 255. It is
	// set right before an image is encoded: nothing else looks at it, and what makes an image anew takes it away (Reset).
	Alpha []uint8
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
		panic("raster: " + err.Error())
	}
	n := 4 * w * h
	if cap(m.Pix) < n {
		m.Pix = make([]uint8, n)
	}
	m.Pix, m.W, m.H, m.Gray, m.Alpha = m.Pix[:n], w, h, false, nil
}

// Bounds returns the rectangle from (0, 0) to (W, H).
func (m *Image) Bounds() image.Rectangle { return image.Rect(0, 0, m.W, m.H) }

// RGB is a color, 0 to 255 a channel.
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

// CopyFrom makes m a copy of src: size, pixels and mark, without an alpha channel.
func (m *Image) CopyFrom(src *Image) {
	m.Reset(src.W, src.H)
	copy(m.Pix, src.Pix)
	m.Gray = src.Gray
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

// CopyRect copies the part sr of src to dst, its top left corner to dp. What lies outside either image is left out. dst
// and src may be the same image only where the two places do not overlap.
func CopyRect(dst *Image, dp image.Point, src *Image, sr image.Rectangle) {
	move := dp.Sub(sr.Min)
	r := sr.Intersect(src.Bounds()).Add(move).Intersect(dst.Bounds())
	if r.Empty() {
		return
	}
	from := r.Min.Sub(move)
	for y := range r.Dy() {
		d, s := (r.Min.Y+y)*dst.W+r.Min.X, (from.Y+y)*src.W+from.X
		copy(dst.Pix[4*d:][:4*r.Dx()], src.Pix[4*s:])
	}
}
