//go:build !noasm

package kernel

func bytesToNumbersVector(dst []float64, src []uint8, white float64) int {
	n := whole(len(src)/bytesPerPixel, 4)
	if n > 0 {
		bytesToNumbersNEON(&dst[0], &src[0], n, white, 1/white)
	}
	return n
}

func scaleAddVector(dst []float64, src []float32, scale, add float64) int {
	n := whole(len(dst), 8)
	if n > 0 {
		scaleAddNEON(&dst[0], &src[0], n, scale, add)
	}
	return n
}

func round32Vector(dst []float32, src []float64, scale float64) int {
	n := whole(len(dst), 8)
	if n > 0 {
		round32NEON(&dst[0], &src[0], n, scale)
	}
	return n
}

func uniformsVector(dst []float32, words []uint64) int {
	n := whole(len(words), 8)
	if n > 0 {
		uniformsNEON(&dst[0], &words[0], 2*n)
	}
	return n
}

func quantumToBytesVector(dst []uint8, src []float64) int {
	n := whole(len(dst)/bytesPerPixel, 8)
	if n > 0 {
		quantumToBytesNEON(&dst[0], &src[0], n)
	}
	return n
}

func tonePlanesVector(dst []float64, src []uint8) int {
	plane := len(src) / bytesPerPixel
	n := whole(plane, 16)
	if n > 0 {
		tonePlanesNEON(&dst[0], &src[0], n, 8*plane)
	}
	return n
}

func meanToBytesVector(dst []uint8, x []float64, sums []float32, count float32) int {
	plane := len(dst) / bytesPerPixel
	n := whole(plane, 16)
	if n > 0 {
		meanToBytesNEON(&dst[0], &x[0], &sums[0], n, 8*plane, 4*plane, count)
	}
	return n
}
