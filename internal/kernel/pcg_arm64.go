//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func pcgVector(p *PCG, n int) bool {
	if level < cpu.NEON || n == 0 {
		return false
	}
	pcgNEON(&p.Word[0], &p.Hi[0], &p.Lo[0], n, &p.lanes.hi[0], &p.lanes.lo[0])
	return true
}
