//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func impulsesVector(dst []uint8, words []uint64, cut uint32) int {
	n := len(words) &^ 3
	if level < cpu.AVX2 || n == 0 {
		return 0
	}
	impulsesAVX2(&dst[0], &words[0], 2*n, int32(cut))
	return n
}

// addImpulsesVector reads sixteen impulses for twelve.
func addImpulsesVector(dst, src, impulses []uint8) int {
	n := (len(impulses) - 4) / 12 * 4
	if level < cpu.AVX2 || n <= 0 {
		return 0
	}
	addImpulsesAVX2(&dst[0], &src[0], &impulses[0], n)
	return n
}
