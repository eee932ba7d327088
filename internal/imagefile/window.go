package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/raster"
)

// ErrWindow: values that only a window makes gray levels of, without one or with one that none of them lies in.
var ErrWindow = errors.New("window of values")

// Window says which values are black and white, in the units that are stored: Lo is 0, Hi is 255, what lies between is linear,
// rounded to nearest with halves up, and what lies outside is clipped.
type Window struct{ Lo, Hi float64 }

// ParseWindow reads "LO:HI", two numbers of which the second is greater.
func ParseWindow(s string) (Window, error) {
	lo, hi, ok := strings.Cut(s, ":")
	var w Window
	var err1, err2 error
	w.Lo, err1 = strconv.ParseFloat(lo, 64)
	w.Hi, err2 = strconv.ParseFloat(hi, 64)
	if width := w.Hi - w.Lo; !ok || err1 != nil || err2 != nil || !(width > 0) || math.IsInf(255*width, 0) {
		return Window{}, fmt.Errorf("window %q (allowed: LO:HI, the values of black and white, LO below HI, such as 0:4095)", s)
	}
	return w, nil
}

// UnmarshalText is ParseWindow.
func (w *Window) UnmarshalText(text []byte) (err error) {
	*w, err = ParseWindow(string(text))
	return err
}

// MarshalText returns the form that ParseWindow reads.
func (w Window) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// String returns "LO:HI".
func (w Window) String() string {
	return strconv.FormatFloat(w.Lo, 'g', -1, 64) + ":" + strconv.FormatFloat(w.Hi, 'g', -1, 64)
}

// Levels makes gray levels, or those of channels, of n values; dst may be the memory that value reads from, if its i-th does not
// lie before dst[i]. The error wraps ErrWindow where none of the values lies in the window, or ErrFormat where one is no number.
func (w Window) Levels(dst []uint8, n int, value func(i int) float64) error {
	least, most, inside := math.Inf(1), math.Inf(-1), false
	for i := range n {
		v := value(i)
		if v != v {
			return fmt.Errorf("%w: value %d is no number (NaN)", ErrFormat, i)
		}
		least, most = min(least, v), max(most, v)
		inside = inside || v >= w.Lo && v <= w.Hi
		dst[i] = uint8(math.Floor((min(max(v, w.Lo), w.Hi)-w.Lo)*255/(w.Hi-w.Lo) + 0.5)) // nothing to fuse

	}
	if !inside && n > 0 {
		return fmt.Errorf("%w: %s clips all, which are %g to %g", ErrWindow, w, least, most)
	}
	return nil
}

// deep decodes a PNG or TIFF file of 16 bits a channel by the window. Gray without a window is an error: its values may well be those
// of 12 bits or less, whose high bytes are nearly black.
func (o Options) deep(format string) decoder {
	return func(dst *raster.Image, file []byte) error {
		if o.Window == nil {
			return fmt.Errorf("%w: none is given for 16 bits of gray (such as 0:65535 or 0:4095, the values of black and white)", ErrWindow)
		}
		decode := tiff.Decode
		if format == "png" {
			decode = png.Decode
		}
		m, err := decode(bytes.NewReader(file))
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *image.Gray16:
			return o.Window.image(dst, m.Rect, m.Pix, m.Stride, 1)
		case *image.RGBA64:
			return o.Window.image(dst, m.Rect, m.Pix, m.Stride, 4)
		case *image.NRGBA64:
			return o.Window.image(dst, m.Rect, m.Pix, m.Stride, 4)
		}
		return fmt.Errorf("%w: pixels of type %T", ErrUnsupported, m)
	}
}

// image makes dst of 16-bit pixels, big endian, of 1 or 4 channels, the fourth of which is dropped.
func (w Window) image(dst *raster.Image, r image.Rectangle, pix []uint8, stride, channels int) error {
	dst.Reset(r.Dx(), r.Dy())
	err := w.Levels(dst.Pix, 4*dst.W*dst.H, func(i int) float64 {
		c, x, y := i%4, i/4%dst.W, i/4/dst.W
		c = min(c, channels-1, 2) // the fourth byte as the one before, until it becomes 255
		return float64(binary.BigEndian.Uint16(pix[y*stride+2*(x*channels+c):]))
	})
	for i := 3; i < len(dst.Pix); i += 4 {
		dst.Pix[i] = 255
	}
	return err
}
