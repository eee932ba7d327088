//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func pcgVector(p *PCG, n int) bool {
	switch {
	case level >= cpu.AVX512:
		pcgAVX512(&p.Word[0], &p.Hi[0], &p.Lo[0], n, &p.lanes)
	case level >= cpu.AVX2:
		pcgAVX2(&p.Word[0], &p.Hi[0], &p.Lo[0], n, &p.lanes)
	default:
		return false
	}
	return true
}
