package jpeg

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// TestGrayIsPillows: an image that is marked Gray is the file that Pillow 9.4 saves of one of mode L.
func TestGrayIsPillows(t *testing.T) {
	m := raster.New(37, 21)
	for y := range m.H {
		for x := range m.W {
			v := uint8(7*x + 13*y + x*y%31)
			m.Set(x, y, raster.RGB{R: v, G: v, B: v})
		}
	}
	m.SetLuma(m)
	for _, c := range []struct {
		o      Options
		sha256 string
	}{
		{Options{Quality: 85}, "82b93b84d510d58c0c9d6117de685a149c303973a8e5bea95d57a1eb90412b0e"},
		{Options{Quality: 85, Optimize: true}, "689e8f1a654c9e036e20f0609b937551ffacd411cb16e74602553912dd54d46c"},
		{Options{Quality: 40}, "bffced7ad96c69109a5437f085c7ea7b777dafda1d929a5b1b6334120868dcce"},
		{Options{Quality: 40, Optimize: true, Subsampling: S444}, "8f7db84d1b580fa0f8473024c49d6f337c32921b7f2a42a86d2fefce09b865ff"},
	} {
		file := Encode(nil, m, c.o)
		if got := fmt.Sprintf("%x", sha256.Sum256(file)); got != c.sha256 {
			t.Errorf("%+v: SHA-256 %s, want %s", c.o, got, c.sha256)
		}
		if config, err := DecodeConfig(file); err != nil || config.Components != 1 {
			t.Errorf("%+v: %d components, %v", c.o, config.Components, err)
		}
	}
}
