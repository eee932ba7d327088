//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool {
	n := len(dst)
	if whole(n, 32) == 0 {
		return false
	}
	resizeRowNEON(&dst[0], &src[0], stride, &w[0], len(w), n)
	return true
}

func resizeColumnsVector(dst, src []uint8, start, w []int32, taps int) bool {
	n := len(dst) / bytesPerPixel
	if level < cpu.NEON || n == 0 {
		return false
	}
	resizeColumnsNEON(&dst[0], &src[0], &start[0], &w[0], taps, n)
	return true
}
