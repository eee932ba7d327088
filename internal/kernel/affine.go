package kernel

import (
	"fmt"
	"math"
)

// maxWarp is more than the sides of images that are warped in vectors.
const maxWarp = 1 << 14

// Affine is an affine map from the center of an output pixel to a source position:
//
//	xs = A*(x+0.5) + B*(y+0.5) + C
//	ys = D*(x+0.5) + E*(y+0.5) + F
//
// in float64, summed from the left, as Pillow computes it.
type Affine struct{ A, B, C, D, E, F float64 }

// Warp resamples the w by h image src through m into dst, of the same size, as Pillow's bilinear filter does: a source
// position outside the image gives fill, one within half a pixel of the border repeats the border, all others
// interpolate between four pixels in float64; the result is truncated. dst must not overlap src.
//
// Assembly computes an estimate with a proven error bound and leaves the few values that lie within that bound of a whole
// number, where truncation would decide, to the same float64 expressions; so its bytes are those of the plain code.
func Warp(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) {
	mustSame(dst, src)
	if len(src) != w*h*bytesPerPixel {
		panic(fmt.Sprintf("kernel: %d bytes are no %dx%d image", len(src), w, h))
	}
	if warpVector(dst, src, w, h, m, fill) {
		return
	}
	warpScalar(dst, src, w, h, m, fill)
}

func warpScalar(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) {
	for y := range h {
		warpSpan(dst, src, w, h, m, fill, y, 0, w)
	}
}

// warpSpan does the pixels lo to hi-1 of row y.
func warpSpan(dst, src []uint8, w, h int, m *Affine, fill [4]uint8, y, lo, hi int) {
	yin := float64(y) + 0.5
	bx, by := float64(m.B*yin), float64(m.E*yin)
	fw, fh := float64(w), float64(h)
	row := dst[4*y*w:][:4*w]
	for x := lo; x < hi; x++ {
		xin := float64(x) + 0.5
		xs := float64(m.A*xin) + bx + m.C
		ys := float64(m.D*xin) + by + m.F
		out := row[4*x:][:4:4]
		// Written so that a position that is not a number is outside.
		if !(xs >= 0 && xs < fw && ys >= 0 && ys < fh) {
			out[0], out[1], out[2], out[3] = fill[0], fill[1], fill[2], fill[3]
			continue
		}
		xs -= 0.5
		ys -= 0.5
		x0, y0 := floorFromHalf(xs), floorFromHalf(ys)
		dx, dy := xs-float64(x0), ys-float64(y0)
		x1, y1 := min(x0+1, w-1), min(y0+1, h-1)
		x0, y0 = max(x0, 0), max(y0, 0)
		a, b := src[4*(y0*w+x0):][:4:4], src[4*(y0*w+x1):][:4:4]
		c, d := src[4*(y1*w+x0):][:4:4], src[4*(y1*w+x1):][:4:4]
		out[0] = bilinear(a[0], b[0], c[0], d[0], dx, dy)
		out[1] = bilinear(a[1], b[1], c[1], d[1], dx, dy)
		out[2] = bilinear(a[2], b[2], c[2], d[2], dx, dy)
		out[3] = 255
	}
}

// floorFromHalf is the floor of a number that is at least -0.5.
func floorFromHalf(v float64) int {
	if v < 0 {
		return -1
	}
	return int(v)
}

func bilinear(a, b, c, d uint8, dx, dy float64) uint8 {
	top := float64(a) + float64(float64(int(b)-int(a))*dx)
	bottom := float64(c) + float64(float64(int(d)-int(c))*dx)
	return uint8(int(top + float64((bottom-top)*dy)))
}

// Shift moves the w by h image src by whole pixels: dst(x, y) = src(x+tx, y+ty), and fill where that lies outside. It
// is what Warp gives for a translation by whole pixels. dst must not overlap src.
func Shift(dst, src []uint8, w, h, tx, ty int, fill [4]uint8) {
	mustSame(dst, src)
	stride := 4 * w
	lo := min(max(-tx, 0), w) // first column with a source
	hi := max(min(w-tx, w), lo)
	for y := range h {
		out := dst[y*stride:][:stride]
		if sy := y + ty; sy < 0 || sy >= h || hi <= lo {
			fillPixels(out, fill)
		} else {
			fillPixels(out[:4*lo], fill)
			copy(out[4*lo:4*hi], src[sy*stride+4*(lo+tx):])
			fillPixels(out[4*hi:], fill)
		}
	}
}

func fillPixels(dst []uint8, c [4]uint8) {
	if len(dst) < 4 {
		return
	}
	n := copy(dst, c[:])
	for n < len(dst) { // doubling copies: memmove speed
		n += copy(dst[n:], dst[:n])
	}
}

// finite reports whether every coefficient is a number with a magnitude that float64 pixel arithmetic can bear.
func (m *Affine) finite() bool {
	for _, v := range [...]float64{m.A, m.B, m.C, m.D, m.E, m.F} {
		if !(math.Abs(v) < 1<<40) {
			return false
		}
	}
	return true
}
