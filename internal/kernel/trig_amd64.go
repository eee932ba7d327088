//go:build !noasm

package kernel

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

// inDoubles returns how many of n float64 assembly does: as many as fill whole registers.
func inDoubles(n int) int { return inLanes(2*n) / 2 }

func sinVector(dst, src []float64, a, b float64) int {
	n := inDoubles(len(src))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		sinAVX512(&dst[0], &src[0], n, a, b)
	default:
		sinAVX2(&dst[0], &src[0], n, a, b)
	}
	return n
}

func sinCosVector(sin, cos, src []float64, a float64) int {
	n := inDoubles(len(src))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		sinCosAVX512(&sin[0], &cos[0], &src[0], n, a)
	default:
		sinCosAVX2(&sin[0], &cos[0], &src[0], n, a)
	}
	return n
}

func angleVector(dst, v []float64, u, b, low, high, inv float64) int {
	n := inDoubles(len(v))
	var left uint64
	if u < 0 {
		left--
	}
	switch turn := math.Float64frombits(left); {
	case n == 0:
	case level >= cpu.AVX512:
		angleAVX512(&dst[0], &v[0], n, b, low, high, inv, turn)
	default:
		angleAVX2(&dst[0], &v[0], n, b, low, high, inv, turn)
	}
	return n
}
