//go:build !noasm

package kernel

import (
	"os"

	"golang.org/x/sys/cpu"
)

// hasAVX512 says whether the assembly may run: AVX-512 F, BW, VL, DQ and VBMI (byte permutes), which Intel has since Ice
// Lake and AMD since Zen 4.
var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ &&
	cpu.X86.HasAVX512VBMI && cpu.X86.HasBMI2 && os.Getenv("AUGMIX_NOASM") == ""

// Features names the instruction sets that the assembly in use needs; empty when none is used.
func Features() string {
	if hasAVX512 {
		return "avx512-vbmi"
	}
	return ""
}

// whole returns how many of n bytes the assembly does: whole blocks of 64, or none.
func whole(n int) int {
	if !hasAVX512 {
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
	n := whole(len(dst))
	if n > 0 {
		mixBytesAVX512(&dst[0], n, &srcs[0], &weights[0], len(srcs))
	}
	return n
}

func mixPlanesVector(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) int {
	plane := len(dst) / 3
	n := whole(4 * plane)
	if n > 0 {
		mixPlanesAVX512(&dst[0], n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
	}
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
	if !hasAVX512 {
		return 0
	}
	n := len(row) - 4
	sharpenAVX512(&dst[4], &up[4], &row[4], &down[4], n-4, &f)
	return n
}
