//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

// whole returns how many of n elements assembly does: as many as are a multiple of step, a power of two; 0 in plain Go.
func whole(n, step int) int {
	if level < cpu.NEON {
		return 0
	}
	return n &^ (step - 1)
}

func lookupVector(dst, src []uint8, t *Table) int {
	n := whole(len(src), 64)
	const block = 8192 // stays in the nearest cache while the channels take turns
	for i := 0; i < n; i += block {
		lookupNEON(&dst[i], &src[i], min(block, n-i), t)
	}
	return n
}

func minMaxVector(src []uint8, lo, hi *[3]uint8) int {
	n := whole(len(src), 64)
	if n == 0 {
		return 0
	}
	var l, h [16]uint8
	minMaxNEON(&src[0], n, &l, &h)
	for i := range 4 {
		for c := range 3 {
			lo[c], hi[c] = min(lo[c], l[4*i+c]), max(hi[c], h[4*i+c])
		}
	}
	return n
}

func andVector(dst, src []uint8, mask uint8) int {
	n := whole(len(src), 64)
	if n > 0 {
		andNEON(&dst[0], &src[0], n, 0xff000000|0x010101*uint32(mask))
	}
	return n
}

func invertFromVector(dst, src []uint8, threshold uint8) int {
	n := whole(len(src), 64)
	if n > 0 {
		invertFromNEON(&dst[0], &src[0], n, threshold)
	}
	return n
}

func lumaSumVector(src []uint8) (n int, sum uint64) {
	if n = whole(len(src), 64); n > 0 {
		sum = lumaSumNEON(&src[0], n)
	}
	return n, sum
}

func grayVector(dst, src []uint8) int {
	n := whole(len(src), 64)
	if n > 0 {
		grayNEON(&dst[0], &src[0], n)
	}
	return n
}

func colorBlendVector(dst, src []uint8, f float32) int {
	n := whole(len(src), 64)
	if n > 0 {
		colorBlendNEON(&dst[0], &src[0], n, f)
	}
	return n
}

// sharpenVector does all bytes of a row but its first and last pixel, or none, and returns where it stopped.
func sharpenVector(dst, up, row, down []uint8, f float32) int {
	n := len(row) - 8
	if whole(n, 16) < 16 {
		return 0
	}
	sharpenNEON(&dst[4], &up[4], &row[4], &down[4], n, f)
	return n + 4
}

func mixBytesVector(dst []uint8, srcs [][]uint8, weights []float32) int {
	n := whole(len(dst), 64)
	if n > 0 {
		mixBytesNEON(&dst[0], n, &srcs[0], &weights[0], len(srcs))
	}
	return n
}

func mixPlanesVector(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) int {
	plane := len(dst) / 3
	n := whole(plane, 16)
	if n > 0 {
		mixPlanesNEON(&dst[0], 4*n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
	}
	return n
}
