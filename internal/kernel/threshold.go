package kernel

// And keeps the bits of mask in every channel of every pixel. The fourth byte is copied. dst may be src.
func And(dst, src []uint8, mask uint8) {
	mustSame(dst, src)
	n := andVector(dst, src, mask)
	for i := n; i+3 < len(src) && i+3 < len(dst); i += 4 {
		d, s := dst[i:i+4:i+4], src[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = s[0]&mask, s[1]&mask, s[2]&mask, s[3]
	}
}

// InvertFrom replaces every value v >= threshold by 255-v. The fourth byte is copied. dst may be src.
func InvertFrom(dst, src []uint8, threshold uint8) {
	mustSame(dst, src)
	n := invertFromVector(dst, src, threshold)
	var t [256]uint8
	if n < len(src) {
		for v := range t {
			t[v] = uint8(v)
			if uint8(v) >= threshold {
				t[v] = 255 - uint8(v)
			}
		}
	}
	for i := n; i+3 < len(src) && i+3 < len(dst); i += 4 {
		d, s := dst[i:i+4:i+4], src[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = t[s[0]], t[s[1]], t[s[2]], s[3]
	}
}
