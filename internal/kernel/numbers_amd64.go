//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func bytesToNumbersVector(dst []float64, src []uint8, white float64) int {
	n := inUnits(len(src) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		bytesToNumbersAVX512(&dst[0], &src[0], n, white, 1/white)
	default:
		bytesToNumbersAVX2(&dst[0], &src[0], n, white, 1/white)
	}
	return n
}

func scaleAddVector(dst []float64, src []float32, scale, add float64) int {
	n := inDoubles(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		scaleAddAVX512(&dst[0], &src[0], n, scale, add)
	default:
		scaleAddAVX2(&dst[0], &src[0], n, scale, add)
	}
	return n
}

func round32Vector(dst []float32, src []float64, scale float64) int {
	n := inDoubles(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		round32AVX512(&dst[0], &src[0], n, scale)
	default:
		round32AVX2(&dst[0], &src[0], n, scale)
	}
	return n
}

func uniformsVector(dst []float32, words []uint64) int {
	n := inDoubles(len(words))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		uniformsAVX512(&dst[0], &words[0], 2*n)
	default:
		uniformsAVX2(&dst[0], &words[0], 2*n)
	}
	return n
}

func quantumToBytesVector(dst []uint8, src []float64) int {
	n := inUnits(len(dst) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		quantumToBytesAVX512(&dst[0], &src[0], n)
	default:
		quantumToBytesAVX2(&dst[0], &src[0], n)
	}
	return n
}

func tonePlanesVector(dst []float64, src []uint8) int {
	plane := len(src) / bytesPerPixel
	n := inDoubles(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		tonePlanesAVX512(&dst[0], &src[0], n, 8*plane)
	default:
		tonePlanesAVX2(&dst[0], &src[0], n, 8*plane)
	}
	return n
}

func meanToBytesVector(dst []uint8, x []float64, sums []float32, count float32) int {
	plane := len(dst) / bytesPerPixel
	n := inDoubles(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		meanToBytesAVX512(&dst[0], &x[0], &sums[0], n, plane, count)
	default:
		meanToBytesAVX2(&dst[0], &x[0], &sums[0], n, plane, count)
	}
	return n
}
