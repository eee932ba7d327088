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
