//go:build !amd64 || noasm

package kernel

// What only amd64 has assembly for.

func escapeVector(m *EscapeMap, o *Orbits, n int) bool { return false }
