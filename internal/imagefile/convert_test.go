package imagefile

import (
	"errors"
	"image"
	"image/color"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
)

// TestYCbCrIsStandard: every luma and chroma gives what color.YCbCrToRGB gives.
func TestYCbCrIsStandard(t *testing.T) {
	luma := make([]uint8, 256)
	for i := range luma {
		luma[i] = uint8(i)
	}
	dst := make([]uint8, 4*256)
	for cb := range 256 {
		for cr := range 256 {
			for y := range luma {
				rowYCbCr(dst[4*y:4*y+4], luma[y:y+1], []uint8{uint8(cb)}, []uint8{uint8(cr)}, 0)
				r, g, b := color.YCbCrToRGB(uint8(y), uint8(cb), uint8(cr))
				if dst[4*y] != r || dst[4*y+1] != g || dst[4*y+2] != b || dst[4*y+3] != 255 {
					t.Fatalf("(%d,%d,%d) gives %v, want [%d %d %d 255]", y, cb, cr, dst[4*y:4*y+4], r, g, b)
				}
			}
		}
	}
}

// TestSubsampling: at every ratio and size each pixel takes the chroma sample that the standard library takes for it.
func TestSubsampling(t *testing.T) {
	ratios := []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 13).Draw(t, "w"), rapid.IntRange(1, 9).Draw(t, "h")
		s := image.NewYCbCr(image.Rect(0, 0, w, h), rapid.SampledFrom(ratios).Draw(t, "ratio"))
		seed := rapid.Uint8().Draw(t, "seed")
		for _, plane := range [][]uint8{s.Y, s.Cb, s.Cr} {
			for i := range plane {
				seed = seed*5 + 77
				plane[i] = seed ^ uint8(i)
			}
		}
		var m raster.Image
		if err := fromStd(&m, s); err != nil {
			t.Fatal(err)
		}
		for y := range h {
			for x := range w {
				r, g, b, _ := s.At(x, y).RGBA()
				want := raster.RGB{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8)}
				if got := m.At(x, y); got != want {
					t.Fatalf("%v at (%d,%d): %v, want %v", s.SubsampleRatio, x, y, got, want)
				}
			}
		}
	})
}

// onePixel is a 1x1 image of every type that decoders return, and what it becomes.
var onePixel = []struct {
	name string
	src  image.Image
	want raster.RGB
}{
	{"gray", &image.Gray{Pix: []uint8{7}, Stride: 1, Rect: unit}, raster.RGB{R: 7, G: 7, B: 7}},
	{"alpha is dropped", &image.NRGBA{Pix: []uint8{1, 2, 3, 0}, Stride: 4, Rect: unit}, raster.RGB{R: 1, G: 2, B: 3}},
	{
		"alpha is dropped, 16 bits", &image.NRGBA64{Pix: []uint8{1, 255, 2, 255, 3, 255, 0, 1}, Stride: 8, Rect: unit},
		raster.RGB{R: 1, G: 2, B: 3},
	},
	{"opaque", &image.RGBA{Pix: []uint8{1, 2, 3, 255}, Stride: 4, Rect: unit}, raster.RGB{R: 1, G: 2, B: 3}},
	// 255*50/100 = 127.5, 255*100/100 = 255, 255*101/100 is more than 255.
	{"multiplied", &image.RGBA{Pix: []uint8{50, 100, 101, 100}, Stride: 4, Rect: unit}, raster.RGB{
		R: 127, G: 255,
		B: 255,
	}},
	{"multiplied by 0", &image.RGBA{Pix: []uint8{50, 100, 101, 0}, Stride: 4, Rect: unit}, raster.RGB{}},
	{
		"multiplied, 16 bits", &image.RGBA64{Pix: []uint8{50, 9, 100, 9, 25, 9, 100, 9}, Stride: 8, Rect: unit},
		raster.RGB{R: 127, G: 255, B: 63},
	},
	// 215 - 200*215/255 = 46.4, 215 - 30*215/255 = 189.7, 215 - 90*215/255 = 139.1.
	{"ink", &image.CMYK{Pix: []uint8{200, 30, 90, 40}, Stride: 4, Rect: unit}, raster.RGB{R: 46, G: 190, B: 139}},
	{"no ink", &image.CMYK{Pix: []uint8{0, 0, 0, 0}, Stride: 4, Rect: unit}, raster.RGB{R: 255, G: 255, B: 255}},
	{"black ink", &image.CMYK{Pix: []uint8{0, 9, 255, 255}, Stride: 4, Rect: unit}, raster.RGB{}},
	{
		"palette with alpha",
		&image.Paletted{Pix: []uint8{1}, Stride: 1, Rect: unit, Palette: color.Palette{
			color.Black, color.NRGBA{R: 9, G: 8, B: 7, A: 0},
		}},
		raster.RGB{R: 9, G: 8, B: 7},
	},
	{
		"palette of 16 bits",
		&image.Paletted{Pix: []uint8{0}, Stride: 1, Rect: unit, Palette: color.Palette{
			color.RGBA64{R: 0x12ff, G: 0x3400, B: 0x5678, A: 0xffff},
		}},
		raster.RGB{R: 0x12, G: 0x34, B: 0x56},
	},
}

var unit = image.Rect(0, 0, 1, 1)

func TestEveryType(t *testing.T) {
	for _, c := range onePixel {
		m := raster.New(3, 3) // memory larger than needed and not clear
		m.Fill(raster.RGB{R: 99, G: 99, B: 99})
		if err := fromStd(m, c.src); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := m.At(0, 0); got != c.want || m.W != 1 || m.H != 1 || m.Pix[3] != 255 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestBadIndex(t *testing.T) {
	var m raster.Image
	err := fromStd(&m, &image.Paletted{Pix: []uint8{2}, Stride: 1, Rect: unit, Palette: color.Palette{color.Black}})
	if !errors.Is(err, ErrFormat) {
		t.Errorf("index beyond the palette: %v", err)
	}
}

// TestOrient works every orientation on
//
//	1 2 3
//	4 5 6
//
// by hand, from the definition: which side of the image the first row and the first column of the file are.
func TestOrient(t *testing.T) {
	src := grid([][]uint8{{1, 2, 3}, {4, 5, 6}})
	for o, rows := range map[int][][]uint8{
		1: {{1, 2, 3}, {4, 5, 6}},   // first row top, first column left
		2: {{3, 2, 1}, {6, 5, 4}},   // top, right
		3: {{6, 5, 4}, {3, 2, 1}},   // bottom, right
		4: {{4, 5, 6}, {1, 2, 3}},   // bottom, left
		5: {{1, 4}, {2, 5}, {3, 6}}, // left, top
		6: {{4, 1}, {5, 2}, {6, 3}}, // right, top
		7: {{6, 3}, {5, 2}, {4, 1}}, // right, bottom
		8: {{3, 6}, {2, 5}, {1, 4}}, // left, bottom
	} {
		got := raster.New(5, 5)
		orient(got, src, o)
		if want := grid(rows); !raster.Equal(got, want) {
			t.Errorf("orientation %d gives %v, want %v", o, got.Pix, want.Pix)
		}
	}
}

func grid(rows [][]uint8) *raster.Image {
	m := raster.New(len(rows[0]), len(rows))
	for y, row := range rows {
		for x, v := range row {
			m.Set(x, y, raster.RGB{R: v, G: 10 * v, B: 255 - v})
		}
	}
	return m
}
