package raster

import "fmt"

// SetRGB makes m a w by h image from interleaved bytes, three a pixel (the NHWC layout of NumPy image arrays). It
// panics unless len(src) is 3*w*h.
func (m *Image) SetRGB(w, h int, src []uint8) {
	m.Reset(w, h)
	mustLen(len(src), 3*w*h)
	for i, j := 0, 0; i < len(m.Pix); i, j = i+4, j+3 {
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = src[j], src[j+1], src[j+2], 255
	}
}

// SetPlanar makes m a w by h image from three planes, red, green, blue (the layout of CIFAR's files). It panics unless
// len(src) is 3*w*h.
func (m *Image) SetPlanar(w, h int, src []uint8) {
	m.Reset(w, h)
	n := w * h
	mustLen(len(src), 3*n)
	r, g, b := src[:n], src[n:2*n], src[2*n:]
	for j := range n {
		i := 4 * j
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = r[j], g[j], b[j], 255
	}
}

// SetGray makes m a w by h image from one plane, its value in all three channels. It panics unless len(src) is w*h.
func (m *Image) SetGray(w, h int, src []uint8) {
	m.Reset(w, h)
	mustLen(len(src), w*h)
	for j, v := range src {
		i := 4 * j
		m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = v, v, v, 255
	}
}

// AppendRGB appends the pixels to dst as interleaved bytes, three a pixel, and returns the longer slice.
func (m *Image) AppendRGB(dst []uint8) []uint8 {
	for i := 0; i < len(m.Pix); i += 4 {
		dst = append(dst, m.Pix[i], m.Pix[i+1], m.Pix[i+2])
	}
	return dst
}

// AppendPlanar appends the pixels to dst as three planes, red, green, blue, and returns the longer slice.
func (m *Image) AppendPlanar(dst []uint8) []uint8 {
	for c := range 3 {
		for i := c; i < len(m.Pix); i += 4 {
			dst = append(dst, m.Pix[i])
		}
	}
	return dst
}

func mustLen(got, want int) {
	if got != want {
		panic(fmt.Sprintf("raster: %d bytes of pixels, want %d", got, want))
	}
}
