package filter

import (
	"bytes"
	"image"
	"testing"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// FuzzResizeTwins compares the assembly with the plain passes.
func FuzzResizeTwins(f *testing.F) {
	f.Add(uint64(1), uint16(50), uint16(37), uint16(22), uint16(80), uint8(1))
	f.Add(uint64(2), uint16(1), uint16(300), uint16(17), uint16(3), uint8(3))
	f.Add(uint64(3), uint16(224), uint16(5), uint16(56), uint16(224), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, sw, sh, w, h uint16, kind uint8) {
		src := noise(1+int(sw%400), 1+int(sh%100), seed)
		filter := Filter(kind) % filters
		crop := image.Rect(int(seed%uint64(src.W)), int(seed>>8%uint64(src.H)), src.W, src.H)
		resize := func() *raster.Image {
			var z Resizer
			dst := new(raster.Image)
			z.ResizeCrop(dst, src, 1+int(w%400), 1+int(h%200), crop, filter)
			return dst
		}
		var want *raster.Image
		kernel.EachLevel(func(level string) {
			got := resize()
			if want == nil {
				want = got
			}
			if !bytes.Equal(got.Pix, want.Pix) {
				t.Fatalf("%dx%d %v to %dx%d by %v: %s and plain code differ", src.W, src.H, crop, got.W, got.H, filter, level)
			}
		})
	})
}
