//go:build !noasm

package kernel

import (
	"math"
	"math/bits"

	"github.com/augmix-go/augmix/internal/cpu"
)

// lanes returns how many float32 the instruction set in use has in a register, 0 for none.
func lanes() int { return [...]int{cpu.AVX2: 8, cpu.AVX512: 16}[level] }

// inLanes returns how many of n numbers assembly does: as many as fill whole registers.
func inLanes(n int) int {
	if l := lanes(); l > 0 {
		return n &^ (l - 1)
	}
	return 0
}

func lookupVector(dst, src []uint8, t *Table) int {
	n := len(src) &^ 127
	switch {
	case level >= cpu.AVX512 && len(src) >= 64:
		n = len(src) &^ 63
		lookupAVX512(&dst[0], &src[0], n, t)
	case level == cpu.AVX2 && n > 0:
		lookupAVX2(&dst[0], &src[0], n, t)
	default:
		return 0
	}
	return n
}

func minMaxVector(src []uint8, lo, hi *[3]uint8) int {
	n := inLanes(len(src)/4) * 4
	if n == 0 {
		return 0
	}
	var l, h [64]uint8
	if level >= cpu.AVX512 {
		minMaxAVX512(&src[0], n, &l, &h)
	} else {
		minMaxAVX2(&src[0], n, &l, &h)
	}
	for i := 0; i < 4*lanes(); i += 4 {
		for c := range 3 {
			lo[c], hi[c] = min(lo[c], l[i+c]), max(hi[c], h[i+c])
		}
	}
	return n
}

func andVector(dst, src []uint8, mask uint8) int {
	n := inLanes(len(src)/4) * 4
	switch whole := 0xff000000 | 0x010101*uint32(mask); {
	case n == 0:
	case level >= cpu.AVX512:
		andAVX512(&dst[0], &src[0], n, whole)
	default:
		andAVX2(&dst[0], &src[0], n, whole)
	}
	return n
}

func invertFromVector(dst, src []uint8, threshold uint8) int {
	n := inLanes(len(src)/4) * 4
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		invertFromAVX512(&dst[0], &src[0], n, threshold)
	default:
		invertFromAVX2(&dst[0], &src[0], n, threshold)
	}
	return n
}

func mixBytesVector(dst []uint8, srcs [][]uint8, weights []float32) int {
	n := inLanes(len(dst)/4) * 4
	if n == 0 {
		return 0
	}
	start, decided := mixMargin(weights)
	if level >= cpu.AVX512 {
		mixBytesAVX512(&dst[0], n, &srcs[0], &weights[0], len(srcs), &start, decided)
	} else {
		mixBytesAVX2(&dst[0], n, &srcs[0], &weights[0], len(srcs), &start, decided)
	}
	return n
}

// mixMargin returns what the fused sums of MixBytes start with, 256.5 and a margin, times 2^8 for green and 2^16 for blue; and
// the bits of their mantissas of which one is set where the estimate is decided: none where the weights are negative or
// add up to more than 1, so that sums could leave 256 to 512.
//
// Every step of the estimate rounds by at most 2^-16, as sums are below 512; every product, every sum and the last addition of
// MixBytes by at most 2^-17. With k images they differ by less than (2k+1)/2^16, which the margin is at least. Where an
// estimate is further than the margin from every whole number, both truncate to the same.
func mixMargin(weights []float32) (start [3]float32, decided uint32) {
	var sum float64
	for _, w := range weights {
		if !(w >= 0) {
			return start, 0
		}
		sum += float64(w)
	}
	if sum > 1+1./1024 {
		return start, 0
	}
	room := bits.Len(uint(2*len(weights) + 1))
	for c := range start {
		start[c] = float32(math.Ldexp(256.5+math.Ldexp(1, room-16), 8*c))
	}
	return start, 1<<15 - 1<<room
}

func mixPlanesVector(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) int {
	plane := len(dst) / 3
	n := inLanes(plane)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		mixPlanesAVX512(&dst[0], 4*n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
	default:
		mixPlanesAVX2(&dst[0], 4*n, 4*plane, &srcs[0], &weights[0], len(srcs), scale, bias)
	}
	return n
}

func lumaSumVector(src []uint8) (n int, sum uint64) {
	n = inLanes(len(src)/4) * 4
	var parts [16]uint32
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		lumaSumAVX512(&src[0], n, &parts)
	default:
		lumaSumAVX2(&src[0], n, &parts)
	}
	for _, p := range parts {
		sum += uint64(p)
	}
	return n, sum
}

func grayVector(dst, src []uint8) int {
	n := inLanes(len(src)/4) * 4
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		grayAVX512(&dst[0], &src[0], n)
	default:
		grayAVX2(&dst[0], &src[0], n)
	}
	return n
}

func colorBlendVector(dst, src []uint8, f float32) int {
	n := inLanes(len(src)/4) * 4
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		colorBlendAVX512(&dst[0], &src[0], n, &f)
	default:
		colorBlendAVX2(&dst[0], &src[0], n, &f)
	}
	return n
}

func scaleHSVVector(dst, src []uint8, multiply, add, raise float64) int {
	n := inDoubles(len(src) / bytesPerPixel)
	switch {
	case n == 0:
	case level >= cpu.AVX512:
		scaleHSVAVX512(&dst[0], &src[0], n, multiply, add, raise)
	default:
		scaleHSVAVX2(&dst[0], &src[0], n, multiply, add, raise)
	}
	return n
}

// sharpenVector does all bytes of a row but its first and last pixel, or none, and returns where it stopped.
func sharpenVector(dst, up, row, down []uint8, f float32) int {
	n := len(row) - 8
	switch {
	case lanes() == 0 || n < 2*lanes():
		return 0
	case level >= cpu.AVX512:
		sharpenAVX512(&dst[4], &up[4], &row[4], &down[4], n, &f)
	default:
		sharpenAVX2(&dst[4], &up[4], &row[4], &down[4], n, &f)
	}
	return n + 4
}
