package perturb

import (
	"hash/crc32"
	"testing"
)

// The bytes of a key are a promise: they must not change from release to release, nor from one architecture to another.
// The numbers are check sums (CRC-32, IEEE) of all frames of a sequence from a 36x33 image with Auto, seed 42.
func TestPinned(t *testing.T) {
	want := map[string]uint32{
		"gaussian_noise": 0x986630c2,
		"shot_noise":     0xc3836d28,
		"motion_blur":    0x37e6ae01,
		"zoom_blur":      0x139d831a,
		"snow":           0xc9cd4fbf,
		"brightness":     0x3cede835,
		"translate":      0x9a375d3b,
		"rotate":         0x767c1573,
		"tilt":           0xccd574b7,
		"scale":          0xc503bab0,
		"speckle_noise":  0xf906c110,
		"gaussian_blur":  0x2a7d28fa,
		"spatter":        0x0482ed1c,
		"shear":          0x1f7aaf38,
	}
	var s Scratch
	for _, name := range Names() {
		sum := uint32(0)
		for _, m := range frames(t, name, testImage(36, 33), 1, Auto, 42, &s) {
			sum = crc32.Update(sum, crc32.IEEETable, m.Pix)
		}
		if sum != want[name] {
			t.Errorf("%q: %#08x,", name, sum)
		}
	}
}
