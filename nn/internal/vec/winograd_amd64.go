//go:build !noasm

package vec

import "github.com/augmix-go/augmix/internal/cpu"

func winogradInputVector(dst []float32, pos int, src []float32, row, n, c int) bool {
	if !winogradFits(dst, pos, src, row, 4, 2, n, c) {
		return false
	}
	f := winogradInputAVX2
	if level == cpu.AVX512 {
		f = winogradInputAVX512
	}
	f(&dst[0], 4*pos, &src[0], 4*row, n, 4*c)
	return true
}

func winogradOutputVector(dst []float32, row int, src []float32, pos, n, c int, bias []float32, add bool) bool {
	if !winogradFits(src, pos, dst, row, 2, 0, n, c) {
		return false
	}
	bias = bias[:c]
	f := [...]func(dst *float32, row int, src *float32, pos, n, c int, bias *float32){
		winogradOutputAVX2, winogradOutputAddAVX2, winogradOutputAVX512, winogradOutputAddAVX512,
	}
	k := 0
	if level == cpu.AVX512 {
		k = 2
	}
	if add {
		k++
	}
	f[k](&dst[0], 4*row, &src[0], 4*pos, n, 4*c, &bias[0])
	return true
}

func winogradOutputGradVector(dst []float32, pos int, src []float32, row, n, c int) bool {
	if !winogradFits(dst, pos, src, row, 2, 0, n, c) {
		return false
	}
	f := winogradOutputGradAVX2
	if level == cpu.AVX512 {
		f = winogradOutputGradAVX512
	}
	f(&dst[0], 4*pos, &src[0], 4*row, n, 4*c)
	return true
}

// kernelsFit returns how many of n kernels are whole vectors, and checks that they fit their arrays.
func kernelsFit(tiles []float32, pos int, planes []float32, plane, n int) int {
	n = whole(n)
	if n > 0 {
		_, _ = tiles[:15*pos+n], planes[:8*plane+n]
	}
	return n
}

func winogradKernelVector(dst []float32, pos int, src []float32, plane, n int) int {
	n = kernelsFit(dst, pos, src, plane, n)
	switch {
	case n == 0:
	case level == cpu.AVX512:
		winogradKernelAVX512(&dst[0], 4*pos, &src[0], 4*plane, n)
	default:
		winogradKernelAVX2(&dst[0], 4*pos, &src[0], 4*plane, n)
	}
	return n
}

func winogradKernelGradVector(dst []float32, plane int, src []float32, pos, n int) int {
	n = kernelsFit(src, pos, dst, plane, n)
	switch {
	case n == 0:
	case level == cpu.AVX512:
		winogradKernelGradAVX512(&src[0], 4*pos, &dst[0], 4*plane, n)
	default:
		winogradKernelGradAVX2(&src[0], 4*pos, &dst[0], 4*plane, n)
	}
	return n
}

func winogradInputGradVector(dst []float32, row int, src []float32, pos, n, c int) bool {
	if !winogradFits(src, pos, dst, row, 4, 2, n, c) {
		return false
	}
	f := winogradInputGradAVX2
	if level == cpu.AVX512 {
		f = winogradInputGradAVX512
	}
	f(&dst[0], 4*row, &src[0], 4*pos, n, 4*c)
	return true
}
