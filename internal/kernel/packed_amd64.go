//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func runsVector(dst, sums []uint64, from, to []int) int {
	n := inDoubles(len(dst))
	switch {
	case n == 0 || len(from) == 0:
		return 0
	case level >= cpu.AVX512:
		runsAVX512(&dst[0], &sums[0], &from[0], &to[0], len(from), n)
	default:
		runsAVX2(&dst[0], &sums[0], &from[0], &to[0], len(from), n)
	}
	return n
}

func addBitsVector(dst []float64, src []uint64, shift, mask uint64, weight float64) int {
	n := inDoubles(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		addBitsAVX512(&dst[0], &src[0], n, shift, mask, weight)
	default:
		addBitsAVX2(&dst[0], &src[0], n, shift, mask, weight)
	}
	return n
}
