//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func addNormalsVector(dst, src []uint8, z []float32, sigma, share float64) int {
	n := inUnits(len(dst) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		addNormalsAVX512(&dst[0], &src[0], &z[0], n, sigma, share)
	default:
		addNormalsAVX2(&dst[0], &src[0], &z[0], n, sigma, share)
	}
	return n
}

func snowVector(dst, src, flakes []uint8, mix, rest float32) int {
	n := inDoubles(len(flakes))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		snowAVX512(&dst[0], &src[0], &flakes[0], &flakes[len(flakes)-8], n, mix, rest)
	default:
		snowAVX2(&dst[0], &src[0], &flakes[0], &flakes[len(flakes)-4], n, mix, rest)
	}
	return n
}

func fogVector(dst, src []uint8, cloud []float64, amount, top, all float64) int {
	n := inDoubles(len(cloud))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		fogAVX512(&dst[0], &src[0], &cloud[0], n, amount, top, all)
	default:
		fogAVX2(&dst[0], &src[0], &cloud[0], n, amount, top, all)
	}
	return n
}

func mudVector(dst, src []uint8, weight []float64, color *[3]float32) int {
	n := inDoubles(len(weight))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		mudAVX512(&dst[0], &src[0], &weight[0], n, color)
	default:
		mudAVX2(&dst[0], &src[0], &weight[0], n, color)
	}
	return n
}

func waterVector(dst, src, a, b []uint8, top, strength float32, color *[3]float32) int {
	n := inLanes(len(a))
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		waterAVX512(&dst[0], &src[0], &a[0], &b[0], n, top, strength, color)
	default:
		waterAVX2(&dst[0], &src[0], &a[0], &b[0], n, top, strength, color)
	}
	return n
}
