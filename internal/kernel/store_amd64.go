//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

// inUnits returns how many of n pixels of three float64 assembly does: sixteen or four at a time.
func inUnits(n int) int {
	switch {
	case level >= cpu.AVX512:
		return n &^ 15
	case level >= cpu.AVX2:
		return n &^ 3
	}
	return 0
}

func unitToBytesVector(dst []uint8, src []float64) int {
	n := inUnits(len(dst) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		unitToBytesAVX512(&dst[0], &src[0], n)
	default:
		unitToBytesAVX2(&dst[0], &src[0], n)
	}
	return n
}

func addFourVector(dst, a, b, c, d []uint64) int {
	n := inDoubles(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		addFourAVX512(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
	default:
		addFourAVX2(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
	}
	return n
}
