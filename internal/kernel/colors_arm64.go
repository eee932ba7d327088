//go:build !noasm

package kernel

func tonesVector(dst []Color, src []uint8) int {
	n := whole(len(dst), 4)
	if n > 0 {
		tonesNEON(&dst[0][0], &src[0], 4*n)
	}
	return n
}

func colorsToBytesVector(dst []uint8, src []Color) int {
	n := whole(len(src), 4)
	if n > 0 {
		colorsToBytesNEON(&dst[0], &src[0][0], n)
	}
	return n
}

func moveColorsVector(dst, src []Color, w, h int, xs, ys []int32, x, y int32) int {
	n := whole(len(dst), 4)
	if n == 0 || len(src) == 0 {
		return 0
	}
	return moveColorsNEON(&dst[0][0], &src[0][0], &xs[0], &ys[0], n, x, y, int32(w-1), int32(h-1), int32(w))
}

func displaceVector(dst, src []Color, w, h, x, y int, dx, dy []float32) int {
	n := whole(len(dst), 2)
	if n == 0 || len(src) == 0 {
		return 0
	}
	return displaceNEON(&dst[0][0], &src[0][0], &dx[0], &dy[0], n, float64(x), float64(y), float64(w-1), float64(h-1), w)
}
