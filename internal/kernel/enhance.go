package kernel

// Extrapolate is Pillow's blend of two 8-bit values: a + f*(b-a) in float32, clipped to 0..255 and truncated. Inside
// 0 <= f <= 1 the clip never acts, so one expression serves both of Pillow's branches.
func Extrapolate(a, b uint8, f float32) uint8 {
	v := float32(a) + float32(f*float32(int(b)-int(a)))
	if v <= 0 {
		return 0
	}
	if v >= 255 {
		return 255
	}
	return uint8(v)
}

// ColorBlend moves every pixel of src from its own gray value (f = 0) towards itself (f = 1) and beyond. dst may be src.
func ColorBlend(dst, src []uint8, f float32) {
	mustSame(dst, src)
	n := colorBlendVector(dst, src, f)
	for i := n; i+3 < len(src); i += 4 {
		l := Luma(src[i], src[i+1], src[i+2])
		dst[i] = Extrapolate(l, src[i], f)
		dst[i+1] = Extrapolate(l, src[i+1], f)
		dst[i+2] = Extrapolate(l, src[i+2], f)
		dst[i+3] = 255
	}
}

// Sharpen moves every pixel of the w by h image src from its 3x3 smoothed value (f = 0) towards itself (f = 1) and
// beyond. The smoothing kernel is Pillow's SMOOTH, [1 1 1; 1 5 1; 1 1 1]/13; the outermost pixels are not smoothed, nor
// is an image with fewer than three rows or columns. dst must not overlap src.
//
// Pillow sums in float32 and adds 0.5 before it truncates. The sum of 13 weighted bytes is a whole number of thirteenths,
// never within 1/26 of a rounding boundary, so integer arithmetic gives the same byte.
func Sharpen(dst, src []uint8, w, h int, f float32) {
	mustSame(dst, src)
	copy(dst, src)
	if w < 3 || h < 3 {
		return
	}
	stride := 4 * w
	for y := 1; y < h-1; y++ {
		up, row, down := src[(y-1)*stride:][:stride], src[y*stride:][:stride], src[(y+1)*stride:][:stride]
		out := dst[y*stride:][:stride]
		n := sharpenVector(out, up, row, down, f)
		for i := max(4, n); i < stride-4; i++ {
			if i&3 == 3 {
				continue
			}
			s := int(up[i-4]) + int(up[i]) + int(up[i+4]) + int(row[i-4]) + 5*int(row[i]) + int(row[i+4]) +
				int(down[i-4]) + int(down[i]) + int(down[i+4])
			out[i] = Extrapolate(uint8((2*s+13)/26), row[i], f)
		}
	}
}
