//go:build !noasm

package kernel

func runsVector(dst, sums []uint64, from, to []int) int {
	n := whole(len(dst), 2)
	if n == 0 || len(from) == 0 {
		return 0
	}
	runsNEON(&dst[0], &sums[0], &from[0], &to[0], len(from), n)
	return n
}

func addBitsVector(dst []float64, src []uint64, shift, mask uint64, weight float64) int {
	n := whole(len(dst), 2)
	if n > 0 {
		addBitsNEON(&dst[0], &src[0], n, -int(shift), mask, weight)
	}
	return n
}
