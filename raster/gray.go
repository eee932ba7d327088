package raster

// SetLuma makes m, which may be src, the gray form of src: the luma of ITU-R 601 in all three channels,
// (19595 R + 38470 G + 7471 B + 2^15) / 2^16 rounded down, as Pillow's convert("L") has it. A pixel of equal channels stays
// as it is. m is marked Gray.
func (m *Image) SetLuma(src *Image) {
	if m != src {
		m.Reset(src.W, src.H)
	}
	in, out := src.Pix, m.Pix
	for len(in) >= 4 && len(out) >= 4 {
		v := uint8((19595*uint32(in[0]) + 38470*uint32(in[1]) + 7471*uint32(in[2]) + 1<<15) >> 16)
		out[0], out[1], out[2], out[3] = v, v, v, 255
		in, out = in[4:], out[4:]
	}
	m.Gray = true
}

// Channels is the number of channels that the image is written with: 1 where it is marked Gray, otherwise 3.
func (m *Image) Channels() int {
	if m.Gray {
		return 1
	}
	return 3
}

// AppendPixels appends the image to dst, row by row, and returns the longer slice: a byte a pixel where it is marked Gray,
// otherwise three, as AppendRGB.
func (m *Image) AppendPixels(dst []uint8) []uint8 {
	if !m.Gray {
		return m.AppendRGB(dst)
	}
	for i := 0; i < len(m.Pix); i += 4 {
		dst = append(dst, m.Pix[i])
	}
	return dst
}
