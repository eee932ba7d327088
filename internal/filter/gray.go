package filter

import "math"

// BoxSums3 sets dst to the sums over the 3x3 neighborhoods of src, w by h samples, border reflect101. dst must not
// share memory with src.
func BoxSums3[T uint8 | int32](dst []int32, src []T, w, h int) {
	for y := range h {
		up, mid, down := rowsAround(src, y, w, h)
		column := func(x int) int32 { return int32(up[x]) + int32(mid[x]) + int32(down[x]) }
		left, here := column(Reflect101.At(-1, w)), column(0)
		last := column(Reflect101.At(w, w))
		out := dst[y*w:][:w]
		for x := range w - 1 {
			right := int32(up[x+1]) + int32(mid[x+1]) + int32(down[x+1])
			out[x] = left + here + right
			left, here = here, right
		}
		out[w-1] = left + here + last
	}
}

// rowsAround returns row y of src and the rows above and below it.
func rowsAround[T any](src []T, y, w, h int) (up, mid, down []T) {
	row := func(y int) []T { return src[Reflect101.At(y, h)*w:][:w:w] }
	return row(y - 1), row(y), row(y + 1)
}

// Box3 replaces every byte of a w by h gray image by the mean of its 3x3 neighborhood, rounded to the nearest,
// border reflect101 (OpenCV's blur on bytes). sums is scratch space for w·h numbers.
func Box3(pix []uint8, w, h int, sums []int32) {
	BoxSums3(sums, pix, w, h)
	for i, s := range sums[:w*h] {
		pix[i] = uint8(uint32(2*s+9) / 18) // a sum of bytes over 9 never falls on a half
	}
}

// BoxTrunc3 sets dst to the mean of the 3x3 neighborhood of src, 16.16 fixed-point numbers up to 256, truncated,
// border reflect101 (OpenCV's blur on float32, where sums of such numbers are exact, then a cast). sums is scratch
// space for w·h numbers.
func BoxTrunc3(dst []uint8, src []int32, w, h int, sums []int32) {
	BoxSums3(sums, src, w, h)
	for i, s := range sums[:w*h] {
		dst[i] = uint8(float32(float64(s) * 0x1p-16 * (1.0 / 9)))
	}
}

// Emboss3 correlates a w by h gray image with the rows (-2 -1 0), (-1 1 1), (0 1 2) and cuts the result to bytes,
// border reflect101. dst must not share memory with src.
func Emboss3(dst, src []uint8, w, h int) {
	for y := range h {
		up, mid, down := rowsAround(src, y, w, h)
		out := dst[y*w:][:w]
		for x := range w {
			l, r := x-1, x+1
			if l < 0 || r == w {
				l, r = Reflect101.At(l, w), Reflect101.At(r, w)
			}
			v := -2*int32(up[l]) - int32(up[x]) - int32(mid[l]) + int32(mid[x]) + int32(mid[r]) + int32(down[x]) +
				2*int32(down[r])
			out[x] = uint8(min(max(v, 0), 255))
		}
	}
}

// EqualizeHist spreads the gray values of pix in place as OpenCV's equalizeHist does: value v becomes
// round(255/(N-n₀)·Σ n_j), the sum over the values j above the lowest that occurs up to v, in float32, halves to even;
// n₀ is the count of the lowest. An image of one value stays as it is.
func EqualizeHist(pix []uint8) {
	var hist [256]int
	for _, v := range pix {
		hist[v]++
	}
	low := 0
	for low < 255 && hist[low] == 0 {
		low++
	}
	if hist[low] == len(pix) {
		return
	}
	scale := float32(255) / float32(len(pix)-hist[low])
	var lut [256]uint8
	sum := 0
	for v := low + 1; v < 256; v++ {
		sum += hist[v]
		lut[v] = uint8(min(math.RoundToEven(float64(float32(sum)*scale)), 255))
	}
	for i, v := range pix {
		pix[i] = lut[v]
	}
}
