package kernel

import "fmt"

// Color is a pixel of three float32 samples; the fourth is padding.
type Color [4]float32

// Tones makes dst the pixels of src, every byte v as float32(v)/255.
func Tones(dst []Color, src []uint8) {
	if len(src) != bytesPerPixel*len(dst) {
		panic(fmt.Sprintf("kernel: %d bytes of pixels into %d colors", len(src), len(dst)))
	}
	for i := tonesVector(dst, src); i < len(dst); i++ {
		d, p := &dst[i], src[4*i:][:4:4]
		d[0], d[1], d[2], d[3] = float32(p[0])/255, float32(p[1])/255, float32(p[2])/255, float32(p[3])/255
	}
}

// ColorsToBytes makes pixels of colors: every sample times 255 in float32, truncated and cut to 0…255. Samples lie between
// -2^22 and 2^22.
func ColorsToBytes(dst []uint8, src []Color) {
	if len(dst) != bytesPerPixel*len(src) {
		panic(fmt.Sprintf("kernel: %d colors into %d bytes of pixels", len(src), len(dst)))
	}
	for i := colorsToBytesVector(dst, src); i < len(src); i++ {
		d, c := dst[4*i:][:4:4], &src[i]
		d[0], d[1], d[2], d[3] = toneToByte(c[0]), toneToByte(c[1]), toneToByte(c[2]), 255
	}
}

func toneToByte(v float32) uint8 { return uint8(min(max(int32(v*255), 0), 255)) }

// MoveColors sets dst[i] to src at ((x+xs[i])>>5, (y+ys[i])>>5), in 1/32 pixel, interpolated bilinearly in float32 with
// weights that are exact. It does as many as it can from the first on, until one of the four neighbors of a place lies
// outside of src, w by h pixels, and returns how many.
func MoveColors(dst, src []Color, w, h int, xs, ys []int32, x, y int32) int {
	if len(src) != w*h || len(xs) != len(dst) || len(ys) != len(dst) {
		panic(fmt.Sprintf("kernel: %dx%d in %d colors, %d and %d places for %d", w, h, len(src), len(xs), len(ys), len(dst)))
	}
	for i := moveColorsVector(dst, src, w, h, xs, ys, x, y); i < len(dst); i++ {
		fx, fy := (x+xs[i])>>5, (y+ys[i])>>5
		left, top := int(fx>>5), int(fy>>5)
		if uint(left) >= uint(w-1) || uint(top) >= uint(h-1) {
			return i
		}
		at := top*w + left
		BlendColors(&dst[i], &src[at], &src[at+1], &src[at+w], &src[at+w+1], float32(fx&31)/32, float32(fy&31)/32)
	}
	return len(dst)
}

// BlendColors sets dst to the four neighbors a b of the upper row and c d of the lower row, weighed by u to the right and v
// downward.
func BlendColors(dst, a, b, c, d *Color, u, v float32) {
	w0, w1 := float32((1-v)*(1-u)), float32((1-v)*u)
	w2, w3 := float32(v*(1-u)), float32(v*u)
	for k := range 3 {
		s := float32(a[k]*w0) + float32(b[k]*w1)
		s += float32(c[k] * w2)
		s += float32(d[k] * w3)
		dst[k] = s
	}
}

// Displace sets dst[i] to src at (x+i+dx[i], y+dy[i]), interpolated bilinearly in float64 and rounded. It does as many as it
// can from the first on, as MoveColors does, and returns how many.
func Displace(dst, src []Color, w, h, x, y int, dx, dy []float32) int {
	if len(src) != w*h || len(dx) != len(dst) || len(dy) != len(dst) {
		panic(fmt.Sprintf("kernel: %dx%d in %d colors, %d and %d places for %d", w, h, len(src), len(dx), len(dy), len(dst)))
	}
	for i := displaceVector(dst, src, w, h, x, y, dx, dy); i < len(dst); i++ {
		sx, sy := float64(x+i)+float64(dx[i]), float64(y)+float64(dy[i])
		if !(sx >= 0 && sx < float64(w-1) && sy >= 0 && sy < float64(h-1)) {
			return i
		}
		left, top := int(sx), int(sy)
		at := top*w + left
		BlendColors64(&dst[i], &src[at], &src[at+1], &src[at+w], &src[at+w+1], sx-float64(left), sy-float64(top))
	}
	return len(dst)
}

// BlendColors64 is BlendColors in float64: each neighbor times the weight of its row, then that of its column.
func BlendColors64(dst, a, b, c, d *Color, u, v float64) {
	e, f := 1-u, 1-v
	for k := range 3 {
		s := float64(float64(a[k])*f*e) + float64(float64(b[k])*f*u)
		s += float64(float64(c[k]) * v * e)
		s += float64(float64(d[k]) * v * u)
		dst[k] = float32(s)
	}
}
