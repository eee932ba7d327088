//go:build !noasm

package vec

func winogradInputVector(dst []float32, pos int, src []float32, row, n, c int) bool {
	if !winogradFits(dst, pos, src, row, 4, 2, n, c) {
		return false
	}
	winogradInputNEON(&dst[0], 4*pos, &src[0], 4*row, n, 4*c)
	return true
}

func winogradOutputVector(dst []float32, row int, src []float32, pos, n, c int, bias []float32, add bool) bool {
	if !winogradFits(src, pos, dst, row, 2, 0, n, c) {
		return false
	}
	bias = bias[:c]
	if add {
		winogradOutputAddNEON(&dst[0], 4*row, &src[0], 4*pos, n, 4*c, &bias[0])
	} else {
		winogradOutputNEON(&dst[0], 4*row, &src[0], 4*pos, n, 4*c, &bias[0])
	}
	return true
}

func winogradOutputGradVector(dst []float32, pos int, src []float32, row, n, c int) bool {
	if !winogradFits(dst, pos, src, row, 2, 0, n, c) {
		return false
	}
	winogradOutputGradNEON(&dst[0], 4*pos, &src[0], 4*row, n, 4*c)
	return true
}

func winogradInputGradVector(dst []float32, row int, src []float32, pos, n, c int) bool {
	if !winogradFits(src, pos, dst, row, 4, 2, n, c) {
		return false
	}
	winogradInputGradNEON(&dst[0], 4*row, &src[0], 4*pos, n, 4*c)
	return true
}
