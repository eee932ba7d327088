package corrupt

// fogBytes is what fog takes for each point of its map, besides its bytes of each pixel: a random number and a height.
const fogBytes = 4 + 8

// Memory returns how many bytes [Op.Apply] takes at most for a w by h image where dst and the Scratch are new, so that a program can
// hold large images back. What is made once, such as the textures of frost, does not count. The bytes of a pixel are measured; a test
// holds them to what is allocated.
func (c Op) Memory(w, h int) int64 {
	n := int64(c.row.bytes) * int64(w) * int64(h)
	if c.row.name == "fog" {
		side := int64(Fog{}.mapSide(w, h))
		n += fogBytes * side * side
	}
	return n
}
