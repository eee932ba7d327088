//go:build !noasm

package kernel

func resizeRowVector(dst, src []uint8, stride int, w []int32) bool {
	n := len(dst)
	if whole(n, 32) == 0 {
		return false
	}
	resizeRowNEON(&dst[0], &src[0], stride, &w[0], len(w), n)
	return true
}
