//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func sumPairsVector(dst, src []float64, lo, hi []int, w []float64) int {
	switch n := len(dst); {
	case level >= cpu.AVX512 && n >= 8:
		n &^= 7
		sumPairsAVX512(&dst[0], &src[0], &lo[0], &hi[0], &w[0], len(w), n)
		return n
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		sumPairsAVX2(&dst[0], &src[0], &lo[0], &hi[0], &w[0], len(w), n)
		return n
	}
	return 0
}

func sumTapsVector(dst, src []float64, off []int, w []float64) int {
	switch n := len(dst); {
	case len(w) == 0:
		return 0
	case level >= cpu.AVX512 && n >= 8:
		n &^= 7
		sumTapsAVX512(&dst[0], &src[0], &off[0], &w[0], len(w), n)
		return n
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		sumTapsAVX2(&dst[0], &src[0], &off[0], &w[0], len(w), n)
		return n
	}
	return 0
}

func matMulVector(dst, p, q []float64, m, w int) int {
	switch n := w; {
	case m == 0:
		return 0
	case level >= cpu.AVX512 && n >= 8:
		n &^= 7
		matMulAVX512(&dst[0], &p[0], &q[0], m, w, n)
		return n
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		matMulAVX2(&dst[0], &p[0], &q[0], m, w, n)
		return n
	}
	return 0
}

func lerpRowsVector(dst, a, b []float64, e, f float64) int {
	weights := [2]float64{e, f}
	switch n := len(dst); {
	case level >= cpu.AVX512 && n >= 8:
		n &^= 7
		lerpRowsAVX512(&dst[0], &a[0], &b[0], &weights, n)
		return n
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		lerpRowsAVX2(&dst[0], &a[0], &b[0], &weights, n)
		return n
	}
	return 0
}

func addStretchedVector(sums []float32, line []float64, index []int32, frac []float64) int {
	switch n := len(sums); {
	case level >= cpu.AVX512:
		n &^= 7
		for n > 0 && int(index[n-8])+16 > len(line) { // it would read past the end of line
			n -= 8
		}
		if n > 0 {
			addStretchedAVX512(&sums[0], &line[0], &index[0], &frac[0], n)
		}
		return n
	case level >= cpu.AVX2 && n >= 4:
		n &^= 3
		addStretchedAVX2(&sums[0], &line[0], &index[0], &frac[0], n)
		return n
	}
	return 0
}
