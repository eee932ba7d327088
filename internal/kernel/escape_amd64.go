//go:build !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

func escapeVector(m *EscapeMap, o *Orbits) bool {
	switch {
	case level >= cpu.AVX512:
		escapeAVX512(m, o)
	case level >= cpu.AVX2:
		escapeAVX2(m, o)
	default:
		return false
	}
	return true
}
