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
