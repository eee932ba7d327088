//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func pixAddVector(cur []float32, other []uint8, a, b, c float32) int {
	plane := len(cur) / 3
	n := inLanes(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		pixAddAVX512(&cur[0], &other[0], n, 4*plane, a, b, c)
	default:
		pixAddAVX2(&cur[0], &other[0], n, 4*plane, a, b, c)
	}
	return n
}

func pixMultiplyVector(cur []float32, other []uint8, a, b, c float32) int {
	plane := len(cur) / 3
	n := inLanes(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		pixMultiplyAVX512(&cur[0], &other[0], n, 4*plane, a, b, c)
	default:
		pixMultiplyAVX2(&cur[0], &other[0], n, 4*plane, a, b, c)
	}
	return n
}

func scaleBiasVector(dst, src []float32, scale, bias float32) int {
	n := inLanes(len(src))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		scaleBiasAVX512(&dst[0], &src[0], n, scale, bias)
	default:
		scaleBiasAVX2(&dst[0], &src[0], n, scale, bias)
	}
	return n
}

func blendVector(dst, v, u []float32, a, b float32) int {
	n := inLanes(len(dst))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		blendAVX512(&dst[0], &v[0], &u[0], n, a, b)
	default:
		blendAVX2(&dst[0], &v[0], &u[0], n, a, b)
	}
	return n
}

func planesToBytesVector(dst []uint8, src []float32) int {
	plane := len(src) / 3
	n := inLanes(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		planesToBytesAVX512(&dst[0], &src[0], n, 4*plane)
	default:
		planesToBytesAVX2(&dst[0], &src[0], n, 4*plane)
	}
	return n
}
