package kernel

// Table is a look-up table for each channel: red at 0, green at 256, blue at 512.
type Table [768]uint8

// Lookup writes t[channel][v] for every value v of src. The fourth byte is copied. dst may be src.
func Lookup(dst, src []uint8, t *Table) {
	mustSame(dst, src)
	n := lookupVector(dst, src, t)
	lookupScalar(dst[n:], src[n:], t)
}

func lookupScalar(dst, src []uint8, t *Table) {
	r, g, b := (*[256]uint8)(t[:256]), (*[256]uint8)(t[256:512]), (*[256]uint8)(t[512:])
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		d, s := dst[i:i+4:i+4], src[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = r[s[0]], g[s[1]], b[s[2]], s[3]
	}
}

// MinMax returns the smallest and the largest value of each channel of src, which must not be empty.
func MinMax(src []uint8) (lo, hi [3]uint8) {
	mustSame(src, src)
	lo = [3]uint8{255, 255, 255}
	n := minMaxVector(src, &lo, &hi)
	for s := src[n:]; len(s) >= 4; s = s[4:] {
		for c := range 3 {
			lo[c], hi[c] = min(lo[c], s[c]), max(hi[c], s[c])
		}
	}
	return lo, hi
}

// Histogram counts the values of each channel of src into h, which it clears first.
func Histogram(h *[3][256]uint32, src []uint8) {
	mustSame(src, src)
	*h = [3][256]uint32{}
	// Neighboring pixels are often equal, and a counter that was just written stalls the next increment; two sets of
	// counters keep them apart.
	var odd [3][256]uint32
	for ; len(src) >= 8; src = src[8:] {
		s := src[:8:8]
		h[0][s[0]]++
		h[1][s[1]]++
		h[2][s[2]]++
		odd[0][s[4]]++
		odd[1][s[5]]++
		odd[2][s[6]]++
	}
	if len(src) >= 4 {
		h[0][src[0]]++
		h[1][src[1]]++
		h[2][src[2]]++
	}
	for c := range 3 {
		for i := range 256 {
			h[c][i] += odd[c][i]
		}
	}
}

// Luma returns Pillow's gray value of a color (since Pillow 7.0): the ITU-R 601-2 luma in 16-bit fixed point, rounded.
func Luma(r, g, b uint8) uint8 {
	return uint8((19595*uint32(r) + 38470*uint32(g) + 7471*uint32(b) + 0x8000) >> 16)
}

// LumaSum returns the sum of the gray values of all pixels of src.
func LumaSum(src []uint8) uint64 {
	mustSame(src, src)
	n, sum := lumaSumVector(src)
	for s := src[n:]; len(s) >= 4; s = s[4:] {
		sum += uint64(Luma(s[0], s[1], s[2]))
	}
	return sum
}

// Gray writes the gray value of every pixel of src into all three channels of dst. dst may be src.
func Gray(dst, src []uint8) {
	mustSame(dst, src)
	for i := grayVector(dst, src); i+3 < len(src); i += 4 {
		v := Luma(src[i], src[i+1], src[i+2])
		dst[i], dst[i+1], dst[i+2], dst[i+3] = v, v, v, 255
	}
}
