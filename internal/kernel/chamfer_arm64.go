//go:build !noasm

package kernel

func chamferVector(dst, near, far []int32, side, corner, knight int32) int {
	n := whole(len(dst), 4)
	if n > 0 {
		chamferNEON(&dst[0], &near[0], &far[0], n, side, corner, knight)
	}
	return n
}
