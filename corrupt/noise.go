package corrupt

import "github.com/augmix-go/augmix/internal/filter"

// tones holds v/255 for every byte v.
var tones = func() (t [256]float64) {
	for v := range t {
		t[v] = filter.Unit(uint8(v))
	}
	return t
}()

// addNormals adds to every channel value v/255 the number scale[v] times the next of z, three a pixel.
func addNormals(dst, src []uint8, z []float32, scale *[256]float64) {
	for len(src) >= 4 && len(dst) >= 4 && len(z) >= 3 {
		r, g, b := src[0], src[1], src[2]
		dst[0] = filter.Byte(tones[r] + float64(scale[r]*float64(z[0])))
		dst[1] = filter.Byte(tones[g] + float64(scale[g]*float64(z[1])))
		dst[2] = filter.Byte(tones[b] + float64(scale[b]*float64(z[2])))
		dst[3] = 255
		src, dst, z = src[4:], dst[4:], z[3:]
	}
}
