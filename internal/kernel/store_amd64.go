//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func unitToBytesVector(dst []uint8, src []float64) int {
	n := len(dst) / bytesPerPixel
	switch {
	case level >= cpu.AVX512 && n >= 16:
		n &^= 15
		unitToBytesAVX512(&dst[0], &src[0], n)
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		unitToBytesAVX2(&dst[0], &src[0], n)
	default:
		return 0
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
