//go:build !noasm

package kernel

func addNormalsVector(dst, src []uint8, z []float32, sigma, share float64) int {
	n := whole(len(dst)/bytesPerPixel, 4)
	if n > 0 {
		addNormalsNEON(&dst[0], &src[0], &z[0], n, sigma, share)
	}
	return n
}

func snowVector(dst, src, flakes []uint8, mix, rest float32) int {
	n := whole(len(flakes), 4)
	if n > 0 {
		snowNEON(&dst[0], &src[0], &flakes[0], &flakes[len(flakes)-4], n, mix, rest)
	}
	return n
}

func fogVector(dst, src []uint8, cloud []float64, amount, top, all float64) int {
	n := whole(len(cloud), 4)
	if n > 0 {
		fogNEON(&dst[0], &src[0], &cloud[0], n, amount, top, all)
	}
	return n
}

func mudVector(dst, src []uint8, weight []float64, color *[3]float32) int {
	n := whole(len(weight), 4)
	if n > 0 {
		mudNEON(&dst[0], &src[0], &weight[0], n, color)
	}
	return n
}

func waterVector(dst, src, a, b []uint8, top, strength float32, color *[3]float32) int {
	n := whole(len(a), 4)
	if n > 0 {
		waterNEON(&dst[0], &src[0], &a[0], &b[0], n, top, strength, color)
	}
	return n
}
