package kernel

import "math"

// WarpNearest resamples the w by h image src through m into dst, of the same size, taking the pixel each source position
// lies in, as Pillow's NEAREST does; positions outside give fill. dst must not overlap src.
//
// Maps without rotation or shear (B = D = 0) use float64 coordinates, stepped by addition. All others use Pillow's 16.16 fixed point: the
// coefficients and the position of the first pixel center are rounded to 1/65536 and stepped by addition.
func WarpNearest(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) {
	mustSame(dst, src)
	if !m.finite() {
		fillPixels(dst, fill)
		return
	}
	if m.B == 0 && m.D == 0 {
		scaleNearest(dst, src, w, h, m, fill)
		return
	}
	fix := func(v float64) int64 { return int64(math.Floor(float64(v*65536) + 0.5)) }
	a, b, d, e := fix(m.A), fix(m.B), fix(m.D), fix(m.E)
	x0 := fix(m.C + float64(m.A*0.5) + float64(m.B*0.5))
	y0 := fix(m.F + float64(m.D*0.5) + float64(m.E*0.5))
	for y := range h {
		xs, ys := x0, y0
		out := dst[4*y*w:][:4*w]
		for x := range w {
			pickPixel(out[4*x:][:4], src, w, h, xs>>16, ys>>16, fill)
			xs += a
			ys += d
		}
		x0 += b
		y0 += e
	}
}

func scaleNearest(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) {
	ys := m.F + float64(m.E*0.5)
	for y := range h {
		xs := m.C + float64(m.A*0.5)
		out := dst[4*y*w:][:4*w]
		for x := range w {
			pickPixel(out[4*x:][:4], src, w, h, int64(math.Floor(xs)), int64(math.Floor(ys)), fill)
			xs += m.A // Pillow steps by addition, rounding and all
		}
		ys += m.E
	}
}

func pickPixel(dst, src []uint8, w, h int, x, y int64, fill [4]uint8) {
	if uint64(x) >= uint64(w) || uint64(y) >= uint64(h) {
		copy(dst, fill[:])
		return
	}
	copy(dst, src[4*(int(y)*w+int(x)):][:4])
}
