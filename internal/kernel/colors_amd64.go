//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func tonesVector(dst []Color, src []uint8) int {
	n := inLanes(len(src))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		tonesAVX512(&dst[0][0], &src[0], n)
	default:
		tonesAVX2(&dst[0][0], &src[0], n)
	}
	return n / 4
}

func colorsToBytesVector(dst []uint8, src []Color) int {
	n := len(src) &^ 3
	if level < cpu.AVX2 || n == 0 {
		return 0
	}
	colorsToBytesAVX2(&dst[0], &src[0][0], n)
	return n
}

// colorPlace is where Displace looks: right and bottom are the last column and row.
type colorPlace struct {
	x, y, right, bottom float64
	width               int64
}

func moveColorsVector(dst, src []Color, w, h int, xs, ys []int32, x, y int32) int {
	n := len(dst) &^ 7
	if level < cpu.AVX2 || n == 0 || len(src) == 0 {
		return 0
	}
	return moveColorsAVX2(&dst[0][0], &src[0][0], &xs[0], &ys[0], n, x, y, int32(w-1), int32(h-1), int32(w))
}

func displaceVector(dst, src []Color, w, h, x, y int, dx, dy []float32) int {
	n := len(dst) &^ 3
	if level < cpu.AVX2 || n == 0 || len(src) == 0 {
		return 0
	}
	p := colorPlace{float64(x), float64(y), float64(w - 1), float64(h - 1), int64(w)}
	return displaceAVX2(&dst[0][0], &src[0][0], &dx[0], &dy[0], n, &p)
}
