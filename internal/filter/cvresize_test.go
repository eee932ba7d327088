package filter

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

func TestCVResizeGolden(t *testing.T) {
	golden.RunSome(t, "ops", map[string]golden.Func{
		"cv_resize_bilinear": func(t *testing.T, c *golden.Case) {
			dst := new(raster.Image)
			CVScaleBilinear(dst, c.Images(0)[0], c.Float("fx"), c.Float("fy"))
			if dst.W != c.Int("width") || dst.H != c.Int("height") {
				t.Fatalf("size %dx%d, want %dx%d", dst.W, dst.H, c.Int("width"), c.Int("height"))
			}
			golden.CompareImages(t, c, []*raster.Image{dst}, 0)
		},
	})
}

// TestCVHalve: exactly half the size averages squares; the sizes come out as OpenCV rounds them.
func TestCVHalve(t *testing.T) {
	src := new(raster.Image)
	src.SetGray(3, 3, []uint8{
		0, 1, 10,
		2, 3, 20,
		5, 8, 40,
	})
	dst := new(raster.Image)
	CVScaleBilinear(dst, src, 0.5, 0.5) // 1.5 rounds to 2: the right and lower squares are cut
	want := [][]uint8{{2, 15}, {6, 40}} // (0+1+2+3+2)/4; mean of 10, 20; 6.5 to even; 40
	if dst.W != 2 || dst.H != 2 {
		t.Fatalf("size %dx%d, want 2x2", dst.W, dst.H)
	}
	for y, row := range want {
		for x, v := range row {
			if got := dst.At(x, y).G; got != v {
				t.Errorf("(%d,%d) = %d, want %d", x, y, got, v)
			}
		}
	}
	src.SetGray(4, 2, []uint8{0, 1, 10, 20, 2, 3, 30, 41})
	CVResizeBilinear(dst, src, 2, 1)
	if a, b := dst.At(0, 0).R, dst.At(1, 0).R; a != 2 || b != 25 {
		t.Errorf("half of 4x2: %d and %d, want 2 and 25", a, b)
	}
}

// TestCVResizeTable is worked by hand: 2 columns to 4 lie at -0.25, 0.25, 0.75 and 1.25, so that the weights of the
// right one are 0, 512, 1536 and, the edge counting alone, 2048 of 2048.
func TestCVResizeTable(t *testing.T) {
	src, dst := new(raster.Image), new(raster.Image)
	src.SetGray(2, 1, []uint8{0, 100})
	CVResizeBilinear(dst, src, 4, 1)
	for x, v := range []uint8{0, 25, 75, 100} {
		if got := dst.At(x, 0).B; got != v {
			t.Errorf("column %d = %d, want %d", x, got, v)
		}
	}
}

func ExampleCVScaleBilinear() {
	src, dst := raster.New(97, 61), new(raster.Image)
	src.Fill(raster.RGB{R: 9})
	CVScaleBilinear(dst, src, 0.2, 0.2)
	fmt.Println(dst.W, dst.H, dst.At(3, 4))
	// Output: 19 12 {9 0 0}
}

func BenchmarkCVResize(b *testing.B) {
	src, dst := noise(900, 600, 1), new(raster.Image)
	for b.Loop() {
		CVScaleBilinear(dst, src, 0.2, 0.2)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
