//go:build !amd64 || noasm

package kernel

// What only amd64 has assembly for.

func jpegBlocksVector(d []uint8, ds int, s []uint8, ss, n int, t *JPEGTable) bool { return false }

func escapeVector(m *EscapeMap, o *Orbits) bool { return false }
