//go:build !noasm

package kernel

func unitToBytesVector(dst []uint8, src []float64) int {
	n := fitting(len(dst)/bytesPerPixel, 16)
	if n > 0 {
		unitToBytesAVX512(&dst[0], &src[0], n)
	}
	return n
}

func addFourVector(dst, a, b, c, d []uint64) int {
	n := fitting(len(dst), 8)
	if n > 0 {
		addFourAVX512(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
	}
	return n
}
