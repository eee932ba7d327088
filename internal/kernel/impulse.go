package kernel

import "fmt"

// Impulses sets dst, two bytes for each word, by the halves of the words, the low half first: to 1 or 2, by the lowest bit, where
// the others are below cut, else to 0. cut is below 2^31.
func Impulses(dst []uint8, words []uint64, cut uint32) {
	if len(dst) != 2*len(words) || cut >= 1<<31 {
		panic(fmt.Sprintf("kernel: %d words into %d bytes by %d", len(words), len(dst), cut))
	}
	for i := impulsesVector(dst, words, cut); i < len(words); i++ {
		w := words[i]
		dst[2*i], dst[2*i+1] = Impulse(uint32(w), cut), Impulse(uint32(w>>32), cut)
	}
}

// Impulse is Impulses for half a word.
func Impulse(u, cut uint32) uint8 {
	hit := (u>>1 - cut) >> 31 // 1 if u>>1 < cut, for neither reaches the top bit
	return uint8(hit * (1 + u&1))
}

// AddImpulses sets dst to the pixels src but for channels, three a pixel, whose impulse is 1, which turn white, or 2, which turn
// black.
func AddImpulses(dst, src, impulses []uint8) {
	n := len(impulses) / 3
	mustMatch(dst, src, n)
	keep, set := [4]uint8{0: 255}, [4]uint8{1: 255}
	for i := addImpulsesVector(dst, src, impulses); i < n; i++ {
		d, p, m := dst[4*i:][:4:4], src[4*i:][:4:4], impulses[3*i:][:3:3]
		a, b, c := m[0]&3, m[1]&3, m[2]&3
		d[0], d[1], d[2], d[3] = p[0]&keep[a]|set[a], p[1]&keep[b]|set[b], p[2]&keep[c]|set[c], 255
	}
}
