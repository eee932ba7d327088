//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

// level is the instruction set of the assembly in use. Tests lower it.
var level = cpu.Select("pixels", cpu.AVX2, cpu.AVX512)

// whole returns how many of n bytes AVX-512 code does: whole blocks of 64, or none.
func whole(n int) int {
	if level < cpu.AVX512 {
		return 0
	}
	return n &^ 63
}

func lookupVector(dst, src []uint8, t *Table) int {
	n := whole(len(src))
	if n > 0 {
		lookupAVX512(&dst[0], &src[0], n, t)
	}
	return n
}

func minMaxVector(src []uint8, lo, hi *[3]uint8) int {
	n := whole(len(src))
	if n > 0 {
		var l, h [64]uint8
		minMaxAVX512(&src[0], n, &l, &h)
		for i := 0; i < 64; i += 4 {
			for c := range 3 {
				lo[c], hi[c] = min(lo[c], l[i+c]), max(hi[c], h[i+c])
			}
		}
	}
	return n
}

func andVector(dst, src []uint8, mask uint8) int {
	n := whole(len(src))
	if n > 0 {
		andAVX512(&dst[0], &src[0], n, 0xff000000|0x010101*uint32(mask))
	}
	return n
}

func invertFromVector(dst, src []uint8, threshold uint8) int {
	n := whole(len(src))
	if n > 0 {
		invertFromAVX512(&dst[0], &src[0], n, threshold)
	}
	return n
}

func mixBytesVector(dst []uint8, srcs [][]uint8, weights []float32) int {
	if n := whole(len(dst)); n > 0 {
		mixBytesAVX512(&dst[0], n, &srcs[0], &weights[0], len(srcs))
		return n
	}
	n := len(dst) &^ 31
	if level < cpu.AVX2 || n == 0 {
		return 0
	}
	mixBytesAVX2(&dst[0], n, &srcs[0], &weights[0], len(srcs))
	return n
}

func mixPlanesVector(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) int {
	plane := len(dst) / 3
	if n := whole(4 * plane); n > 0 {
		mixPlanesAVX512(&dst[0], n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
		return n / 4
	}
	n := 4 * plane &^ 31
	if level < cpu.AVX2 || n == 0 {
		return 0
	}
	mixPlanesAVX2(&dst[0], n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
	return n / 4
}

func lumaSumVector(src []uint8) (int, uint64) {
	n := whole(len(src))
	var sum uint64
	if n > 0 {
		var parts [16]uint32
		lumaSumAVX512(&src[0], n, &parts)
		for _, p := range parts {
			sum += uint64(p)
		}
	}
	return n, sum
}

func colorBlendVector(dst, src []uint8, f float32) int {
	n := whole(len(src))
	if n > 0 {
		colorBlendAVX512(&dst[0], &src[0], n, &f)
	}
	return n
}

// sharpenVector does all bytes of a row but its first and last pixel, and returns where it stopped.
func sharpenVector(dst, up, row, down []uint8, f float32) int {
	if level < cpu.AVX512 {
		return 0
	}
	n := len(row) - 4
	sharpenAVX512(&dst[4], &up[4], &row[4], &down[4], n-4, &f)
	return n
}

// Plainly runs f without assembly, for tests that compare both. Nothing else of this package may run meanwhile.
func Plainly(f func()) {
	old := level
	level = cpu.Plain
	defer func() { level = old }()
	f()
}
