//go:build !noasm

package vec

import "github.com/augmix-go/augmix/internal/cpu"

// winogradFits reports whether c channels are whole vectors, and checks that n tiles fit their arrays: sixteen values
// pos apart, and rows of 2n pixels and so many more.
func winogradFits(tiles []float32, pos int, pixels []float32, row, rows, more, n, c int) bool {
	if level == cpu.Plain || n < 1 || c < 1 || c%lanes() != 0 {
		return false
	}
	_, _ = tiles[:15*pos+n*c], pixels[:(rows-1)*row+(2*n+more)*c]
	return true
}

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
