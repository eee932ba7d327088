//go:build !noasm

package kernel

func pixAddVector(cur []float32, other []uint8, a, b, c float32) int {
	plane := len(cur) / 3
	n := whole(plane, 16)
	if n > 0 {
		pixAddNEON(&cur[0], &other[0], n, 4*plane, a, b, c)
	}
	return n
}

func pixMultiplyVector(cur []float32, other []uint8, a, b, c float32) int {
	plane := len(cur) / 3
	n := whole(plane, 4)
	if n > 0 {
		pixMultiplyNEON(&cur[0], &other[0], n, 4*plane, a, b, c, &pixLogs)
	}
	return n
}

func scaleBiasVector(dst, src []float32, scale, bias float32) int {
	n := whole(len(src), 16)
	if n > 0 {
		scaleBiasNEON(&dst[0], &src[0], n, scale, bias)
	}
	return n
}

func blendVector(dst, v, u []float32, a, b float32) int {
	n := whole(len(dst), 16)
	if n > 0 {
		blendNEON(&dst[0], &v[0], &u[0], n, a, b)
	}
	return n
}

func planesToBytesVector(dst []uint8, src []float32) int {
	plane := len(src) / 3
	n := whole(plane, 16)
	if n > 0 {
		planesToBytesNEON(&dst[0], &src[0], n, 4*plane)
	}
	return n
}

func sumPairsVector(dst, src []float64, lo, hi []int, w []float64) int {
	n := whole(len(dst), 2)
	if n > 0 {
		sumPairsNEON(&dst[0], &src[0], &lo[0], &hi[0], &w[0], len(w), n)
	}
	return n
}

func sumTapsVector(dst, src []float64, off []int, w []float64) int {
	n := whole(len(dst), 2)
	if n == 0 || len(w) == 0 {
		return 0
	}
	sumTapsNEON(&dst[0], &src[0], &off[0], &w[0], len(w), n)
	return n
}

func matMulVector(dst, p, q []float64, m, w int) int {
	n := whole(w, 2)
	if n == 0 || m == 0 {
		return 0
	}
	matMulNEON(&dst[0], &p[0], &q[0], m, w, n)
	return n
}

func lerpRowsVector(dst, a, b []float64, e, f float64) int {
	n := whole(len(dst), 2)
	if n > 0 {
		lerpRowsNEON(&dst[0], &a[0], &b[0], e, f, n)
	}
	return n
}

func addStretchedVector(sums []float32, line []float64, index []int32, frac []float64) int {
	n := whole(len(sums), 4)
	if n > 0 {
		addStretchedNEON(&sums[0], &line[0], &index[0], &frac[0], n)
	}
	return n
}

func sinVector(dst, src []float64, a, b float64) int {
	n := whole(len(src), 2)
	if n > 0 {
		sinNEON(&dst[0], &src[0], n, a, b)
	}
	return n
}

func sinCosVector(sin, cos, src []float64, a float64) int {
	n := whole(len(src), 2)
	if n > 0 {
		sinCosNEON(&sin[0], &cos[0], &src[0], n, a)
	}
	return n
}

func angleVector(dst, v []float64, u, b, low, high, inv float64) int {
	n := whole(len(v), 2)
	var left uint64
	if u < 0 {
		left--
	}
	if n > 0 {
		angleNEON(&dst[0], &v[0], n, b, low, high, inv, left)
	}
	return n
}

func unitToBytesVector(dst []uint8, src []float64) int {
	n := whole(len(dst)/bytesPerPixel, 8)
	if n > 0 {
		unitToBytesNEON(&dst[0], &src[0], n)
	}
	return n
}

func addFourVector(dst, a, b, c, d []uint64) int {
	n := whole(len(dst), 8)
	if n > 0 {
		addFourNEON(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
	}
	return n
}

func scaleHSVVector(dst, src []uint8, multiply, add, raise float64) int {
	n := whole(len(src)/bytesPerPixel, 2)
	if n > 0 {
		scaleHSVNEON(&dst[0], &src[0], n, multiply, add, raise)
	}
	return n
}
