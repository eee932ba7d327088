package augment

import (
	"math"
	"math/bits"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// AutoContrast stretches each channel linearly so that its darkest value becomes 0 and its lightest 255 (Pillow's
// ImageOps.autocontrast with cutoff 0). A channel of one value stays as it is. dst may be src. Parity: exact.
func AutoContrast(dst, src *raster.Image) {
	lo, hi := kernel.MinMax(src.Pix)
	var t kernel.Table
	for c := range 3 {
		autoContrastTable((*[256]uint8)(t[256*c:]), int(lo[c]), int(hi[c]))
	}
	lookup(dst, src, &t)
}

func autoContrastTable(t *[256]uint8, lo, hi int) {
	if hi <= lo {
		for i := range t {
			t[i] = uint8(i)
		}
		return
	}
	scale := 255.0 / float64(hi-lo)
	offset := float64(-float64(lo) * scale)
	for i := range t {
		t[i] = uint8(min(max(int(float64(float64(i)*scale)+offset), 0), 255))
	}
}

// Equalize flattens the histogram of each channel (Pillow's ImageOps.equalize without mask). dst may be src.
// Parity: exact.
func Equalize(dst, src *raster.Image) {
	var h [3][256]uint32
	kernel.Histogram(&h, src.Pix)
	var t kernel.Table
	for c := range 3 {
		equalizeTable((*[256]uint8)(t[256*c:]), &h[c], src.W*src.H)
	}
	lookup(dst, src, &t)
}

func equalizeTable(t *[256]uint8, h *[256]uint32, total int) {
	used, last := 0, 0
	for i, n := range h {
		if n != 0 {
			used, last = used+1, i
		}
	}
	step := (total - int(h[last])) / 255
	if used <= 1 || step == 0 {
		for i := range t {
			t[i] = uint8(i)
		}
		return
	}
	// Values above 255 are clipped, as Pillow clips them when it installs the table; with small images, where step is
	// one to four, that is common.
	n := uint32(step) / 2
	if step == 1 {
		for i := range t {
			t[i] = uint8(min(n, 255))
			n += h[i]
		}
		return
	}
	// n/step as the high word of n * ceil(2^64/step): exact while n*step < 2^64, and both are below 2^29.
	inverse := math.MaxUint64/uint64(step) + 1
	for i := range t {
		q, _ := bits.Mul64(uint64(n), inverse)
		t[i] = uint8(min(q, 255))
		n += h[i]
	}
}

// Posterize keeps the top bits (0 to 8) of every value. dst may be src. Parity: exact.
func Posterize(dst, src *raster.Image, bits int) {
	dst.Reset(src.W, src.H)
	kernel.And(dst.Pix, src.Pix, uint8(0xFF<<(8-min(max(bits, 0), 8))))
}

// Solarize inverts every value at or above threshold; 256 and more change nothing, 0 inverts all. dst may be src.
// Parity: exact.
func Solarize(dst, src *raster.Image, threshold int) {
	dst.Reset(src.W, src.H)
	if threshold > 255 {
		copy(dst.Pix, src.Pix)
		return
	}
	kernel.InvertFrom(dst.Pix, src.Pix, uint8(max(threshold, 0)))
}

// Invert replaces every value v by 255-v. dst may be src. Parity: exact.
func Invert(dst, src *raster.Image) {
	Solarize(dst, src, 0)
}

// Grayscale replaces every pixel by its gray value, the ITU-R 601-2 luma rounded as Pillow rounds it since 7.0. dst may
// be src. Parity: exact.
func Grayscale(dst, src *raster.Image) {
	dst.Reset(src.W, src.H)
	kernel.Gray(dst.Pix, src.Pix)
}

// Color scales saturation: 0 gives the gray image, 1 the original, more than 1 stronger color (Pillow's
// ImageEnhance.Color). dst may be src. Parity: exact.
func Color(dst, src *raster.Image, factor float64) {
	dst.Reset(src.W, src.H)
	if float32(factor) == 1 {
		copy(dst.Pix, src.Pix)
		return
	}
	kernel.ColorBlend(dst.Pix, src.Pix, float32(factor))
}

// Contrast scales the distance of every value from the image's mean gray: 0 gives a flat image, 1 the original
// (Pillow's ImageEnhance.Contrast). dst may be src. Parity: exact.
func Contrast(dst, src *raster.Image, factor float64) {
	mean := float64(kernel.LumaSum(src.Pix)) / float64(src.W*src.H)
	blendWithLevel(dst, src, uint8(mean+0.5), factor)
}

// Brightness scales every value: 0 gives black, 1 the original (Pillow's ImageEnhance.Brightness). dst may be src.
// Parity: exact.
func Brightness(dst, src *raster.Image, factor float64) {
	blendWithLevel(dst, src, 0, factor)
}

func blendWithLevel(dst, src *raster.Image, level uint8, factor float64) {
	f := float32(factor)
	var t kernel.Table
	for i := range 256 {
		t[i] = kernel.Extrapolate(level, uint8(i), f)
	}
	copy(t[256:512], t[:256])
	copy(t[512:], t[:256])
	lookup(dst, src, &t)
}

// Sharpness moves the image between its smoothed version (0), itself (1) and a sharpened one (more than 1) as Pillow's
// ImageEnhance.Sharpness does: a 3x3 smoothing filter that leaves the outermost pixels alone. Parity: exact.
func Sharpness(dst, src *raster.Image, factor float64) {
	dst.Reset(src.W, src.H)
	kernel.Sharpen(dst.Pix, src.Pix, src.W, src.H, float32(factor))
}

// Matrix is an affine map. It takes the center of the output pixel (x, y) to the position (xs, ys) of the source:
//
//	xs = A*(x+0.5) + B*(y+0.5) + C
//	ys = D*(x+0.5) + E*(y+0.5) + F
//
// in float64, summed from the left, as in Pillow.
type Matrix struct{ A, B, C, D, E, F float64 }

// Then returns the map of m followed by next, as if the image went through m first: it takes a position of the last image to where next
// has it, and from there to the source.
func (m Matrix) Then(next Matrix) Matrix {
	return Matrix{
		A: float64(m.A*next.A) + float64(m.B*next.D), B: float64(m.A*next.B) + float64(m.B*next.E),
		C: float64(m.A*next.C) + float64(m.B*next.F) + m.C,
		D: float64(m.D*next.A) + float64(m.E*next.D), E: float64(m.D*next.B) + float64(m.E*next.E),
		F: float64(m.D*next.C) + float64(m.E*next.F) + m.F,
	}
}

// Affine resamples src through m, bilinear, keeping its size; positions outside give fill (Pillow's
// Image.transform(size, AFFINE, ..., BILINEAR)). Parity: exact.
func Affine(dst, src *raster.Image, m Matrix, fill raster.RGB) {
	dst.Reset(src.W, src.H)
	if m.A == 1 && m.B == 0 && m.D == 0 && m.E == 1 && isShift(m.C) && isShift(m.F) {
		kernel.Shift(dst.Pix, src.Pix, src.W, src.H, int(m.C), int(m.F), opaque(fill))
		return
	}
	kernel.Warp(dst.Pix, src.Pix, src.W, src.H, (*kernel.Affine)(&m), opaque(fill))
}

// AffineNearest is Affine with Pillow's NEAREST sampling: every output pixel is one source pixel or fill. Parity:
// exact.
func AffineNearest(dst, src *raster.Image, m Matrix, fill raster.RGB) {
	dst.Reset(src.W, src.H)
	kernel.WarpNearest(dst.Pix, src.Pix, src.W, src.H, (*kernel.Affine)(&m), opaque(fill))
}

func isShift(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < 1<<30 }

func opaque(c raster.RGB) [4]uint8 { return [4]uint8{c.R, c.G, c.B, 255} }

// Rotate turns src about its center by degrees, counter-clockwise, bilinear, keeping its size; corners that come from
// outside the image become fill (Pillow's Image.rotate without expand). Multiples of 360 copy, 180 and, for square
// images, 90 and 270 move whole pixels. Parity: exact.
func Rotate(dst, src *raster.Image, degrees float64, fill raster.RGB) {
	rotate(dst, src, degrees, fill, Affine)
}

// rotate rotates with the sampling of affine.
func rotate(
	dst, src *raster.Image, degrees float64, fill raster.RGB,
	affine func(dst, src *raster.Image, m Matrix, fill raster.RGB),
) {
	deg := math.Mod(degrees, 360)
	if deg < 0 {
		deg += 360
	}
	switch {
	case deg == 0 || deg == 360:
		dst.CopyFrom(src)
	case deg == 180, src.W == src.H && (deg == 90 || deg == 270):
		turn(dst, src, int(deg))
	default:
		affine(dst, src, rotation(deg, src.W, src.H), fill)
	}
}

// turn rotates by 90, 180 or 270 degrees counter-clockwise.
func turn(dst, src *raster.Image, deg int) {
	w, h := src.W, src.H
	dst.Reset(w, h)
	for y := range h {
		for x := range w {
			sx, sy := w-1-x, h-1-y
			switch deg {
			case 90:
				sx, sy = w-1-y, x
			case 270:
				sx, sy = y, h-1-x
			}
			copy(dst.Pix[4*(y*w+x):][:4], src.Pix[4*(sy*w+sx):][:4])
		}
	}
}

// ShearX slants src horizontally: the affine map (1, s, 0, 0, 1, 0), bilinear. Parity: exact.
func ShearX(dst, src *raster.Image, s float64, fill raster.RGB) {
	Affine(dst, src, Matrix{A: 1, B: s, E: 1}, fill)
}

// ShearY slants src vertically: the affine map (1, 0, 0, s, 1, 0), bilinear. Parity: exact.
func ShearY(dst, src *raster.Image, s float64, fill raster.RGB) {
	Affine(dst, src, Matrix{A: 1, D: s, E: 1}, fill)
}

// TranslateX moves the content t pixels to the left; a negative t moves it to the right. Fractions of a pixel are
// interpolated. Parity: exact.
func TranslateX(dst, src *raster.Image, t float64, fill raster.RGB) {
	Affine(dst, src, Matrix{A: 1, C: t, E: 1}, fill)
}

// TranslateY moves the content t pixels up; a negative t moves it down. Fractions of a pixel are interpolated.
// Parity: exact.
func TranslateY(dst, src *raster.Image, t float64, fill raster.RGB) {
	Affine(dst, src, Matrix{A: 1, E: 1, F: t}, fill)
}

func lookup(dst, src *raster.Image, t *kernel.Table) {
	dst.Reset(src.W, src.H)
	kernel.Lookup(dst.Pix, src.Pix, t)
}
