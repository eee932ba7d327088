//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool {
	switch n := len(dst); {
	case level >= cpu.AVX512 && n > 0:
		resizeRowAVX512(&dst[0], &src[0], stride, &w[0], len(w), n)
	case level >= cpu.AVX2 && n >= 8:
		resizeRowAVX2(&dst[0], &src[0], stride, &w[0], len(w), n)
	default:
		return false
	}
	return true
}

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool {
	n := len(dst) / bytesPerPixel
	switch {
	case level >= cpu.AVX512 && n > 0:
		resizeColumnsAVX512(&dst[0], &src[0], &start[0], &w[0], taps, n)
	case level >= cpu.AVX2 && n > 0:
		resizeColumnsAVX2(&dst[0], &src[0], &start[0], &w[0], taps, n)
	default:
		return false
	}
	return true
}
