//go:build !noasm

package kernel

func impulsesVector(dst []uint8, words []uint64, cut uint32) int {
	n := whole(len(words), 8)
	if n > 0 {
		impulsesNEON(&dst[0], &words[0], 2*n, cut)
	}
	return n
}

func addImpulsesVector(dst, src, impulses []uint8) int {
	n := whole(len(impulses)/3, 16)
	if n > 0 {
		addImpulsesNEON(&dst[0], &src[0], &impulses[0], n)
	}
	return n
}
