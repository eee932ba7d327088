package corrupt

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// FuzzScaleHSV compares the assembly with plain Go: on random, gray and saturated pixels, and on those in which two channels
// are equal.
func FuzzScaleHSV(f *testing.F) {
	for n := range uint8(40) {
		f.Add(uint64(n), n, float64(n)/2, float64(n%5)/10, float64(n%6)/10)
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint8, multiply, add, raise float64) {
		if !(multiply >= 0 && multiply < 100 && add >= 0 && add <= 1 && raise >= 0 && raise <= 1) {
			return // as the corruptions' parameters
		}
		r := rand.New(rand.NewPCG(seed, 13))
		src, dst := raster.New(1+int(size), 7), new(raster.Image)
		for i := range src.Pix {
			switch at := i % 4; {
			case at == 3:
				src.Pix[i] = 255
			case at > 0 && r.IntN(4) == 0:
				src.Pix[i] = src.Pix[i-1]
			case r.IntN(6) == 0:
				src.Pix[i] = uint8(-r.IntN(2))
			default:
				src.Pix[i] = uint8(r.Uint32())
			}
		}
		var want []uint8
		kernel.EachLevel(func(level string) {
			scaleHSV(dst, src, multiply, add, raise)
			if want == nil {
				want = bytes.Clone(dst.Pix)
			}
			for i, v := range dst.Pix {
				if v != want[i] {
					t.Fatalf("pixel %v with %v, %v, %v: value %d is %d with %s, want %d",
						src.Pix[i&^3:][:3], multiply, add, raise, i%4, v, level, want[i])
				}
			}
		})
	})
}

// TestScaleHSVOfAllColors goes through the colors of a grid that has all tones of every channel.
func TestScaleHSVOfAllColors(t *testing.T) {
	const steps = 18
	src, dst := raster.New(256, 3*steps*steps), new(raster.Image)
	for y := range src.H {
		a, b := uint8(y/3%steps*15), uint8(y/3/steps*15)
		for x := range src.W {
			v := [3]uint8{uint8(x), a, b}
			src.Set(x, y, raster.RGB{R: v[y%3], G: v[(y+1)%3], B: v[(y+2)%3]})
		}
	}
	for _, p := range [][3]float64{{1, 0, .3}, {20, .2, 0}, {.1, 0, 0}} {
		var want []uint8
		kernel.EachLevel(func(level string) {
			scaleHSV(dst, src, p[0], p[1], p[2])
			if want == nil {
				want = bytes.Clone(dst.Pix)
			}
			if !bytes.Equal(dst.Pix, want) {
				t.Errorf("%v: %s differs from plain Go", p, level)
			}
		})
	}
}
