//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func chamferVector(dst, near, far []int32, side, corner, knight int32) int {
	n := inLanes(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		chamferAVX512(&dst[0], &near[0], &far[0], n, side, corner, knight)
	default:
		chamferAVX2(&dst[0], &near[0], &far[0], n, side, corner, knight)
	}
	return n
}
