//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool {
	if level < cpu.AVX512 || len(dst) == 0 {
		return false
	}
	resizeRowAVX512(&dst[0], &src[0], stride, &w[0], len(w), len(dst))
	return true
}

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool {
	if level < cpu.AVX512 || len(dst) == 0 {
		return false
	}
	resizeColumnsAVX512(&dst[0], &src[0], &start[0], &w[0], taps, len(dst)/bytesPerPixel)
	return true
}
