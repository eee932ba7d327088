package raster

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// canvas returns an opaque image of the standard library at a place of its own.
func canvas(r image.Rectangle) *image.RGBA {
	m := image.NewRGBA(r)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.SetRGBA(x, y, color.RGBA{uint8(10 * x), uint8(7 * y), uint8(x + y), 255})
		}
	}
	return m
}

func TestRGBAShares(t *testing.T) {
	m := numbered(4, 3)
	s := m.RGBA()
	if s.Bounds() != image.Rect(0, 0, 4, 3) || s.RGBAAt(2, 1) != (color.RGBA{2, 1, 2, 255}) || !s.Opaque() {
		t.Errorf("%v with %v at (2, 1)", s.Bounds(), s.At(2, 1))
	}
	draw.Draw(s, image.Rect(1, 1, 2, 2), image.NewUniform(color.White), image.Point{}, draw.Src)
	if m.At(1, 1) != (RGB{255, 255, 255}) {
		t.Errorf("after drawing on the shared image the pixel is %v", m.At(1, 1))
	}
	back, err := FromImage(s)
	if err != nil || &back.Pix[0] != &m.Pix[0] || !Equal(back, m) {
		t.Errorf("there and back: %v", err)
	}
}

func TestFromImage(t *testing.T) {
	whole := canvas(image.Rect(-1, 2, 9, 10))
	translucent := canvas(image.Rect(0, 0, 4, 4))
	translucent.SetRGBA(2, 2, color.RGBA{50, 60, 70, 128})
	upright := image.NewNRGBA(image.Rect(0, 0, 5, 6))
	draw.Draw(upright, upright.Bounds(), whole, image.Point{}, draw.Src)
	upright.SetNRGBA(0, 0, color.NRGBA{9, 8, 7, 100})
	opaque := image.NewNRGBA(image.Rect(0, 0, 3, 3))
	draw.Draw(opaque, opaque.Bounds(), image.NewUniform(color.RGBA{1, 2, 3, 255}), image.Point{}, draw.Src)
	narrow := whole.SubImage(image.Rect(2, 3, 5, 7)).(*image.RGBA)
	rows := whole.SubImage(image.Rect(-1, 4, 9, 6)).(*image.RGBA)
	paletted := image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black, color.RGBA{255, 0, 9, 255}})
	paletted.SetColorIndex(1, 0, 1)
	gray := image.NewGray(image.Rect(3, 3, 6, 5))
	gray.SetGray(4, 4, color.Gray{77})
	deep := image.NewNRGBA64(image.Rect(0, 0, 2, 1))
	deep.SetNRGBA64(1, 0, color.NRGBA64{0x12ff, 0x3400, 0x56ab, 0x8000})
	for _, c := range []struct {
		name   string
		src    image.Image
		shared *uint8 // the first byte of the memory that is shared, nil for a copy
	}{
		{"RGBA", whole, &whole.Pix[0]},
		{"whole rows of RGBA", rows, &whole.Pix[2*whole.Stride]},
		{"narrow part of RGBA", narrow, nil},
		{"translucent RGBA", translucent, nil},
		{"opaque NRGBA", opaque, &opaque.Pix[0]},
		{"NRGBA", upright, nil},
		{"paletted", paletted, nil},
		{"gray", gray, nil},
		{"16 bits", deep, nil},
	} {
		m, err := FromImage(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		b := c.src.Bounds()
		if m.Bounds() != image.Rect(0, 0, b.Dx(), b.Dy()) || len(m.Pix) != 4*m.W*m.H {
			t.Errorf("%s: %d bytes for %v from %v", c.name, len(m.Pix), m.Bounds(), b)
		}
		for y := range m.H {
			for x := range m.W {
				n := color.NRGBA64Model.Convert(c.src.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
				want := RGB{uint8(n.R >> 8), uint8(n.G >> 8), uint8(n.B >> 8)}
				if got := m.At(x, y); got != want || m.Pix[4*(y*m.W+x)+3] != 255 {
					t.Errorf("%s: pixel (%d,%d) is %v, want %v, opaque", c.name, x, y, got, want)
				}
			}
		}
		if shared := &m.Pix[0] == c.shared; shared != (c.shared != nil) {
			t.Errorf("%s: memory shared: %v", c.name, shared)
		}
		copied := New(9, 9)
		if err := copied.SetImage(c.src); err != nil || !Equal(copied, m) {
			t.Errorf("%s: SetImage gives another image, %v", c.name, err)
		}
		if &copied.Pix[0] == c.shared {
			t.Errorf("%s: SetImage shares memory", c.name)
		}
	}
}

// What is shared ends with the image: a larger one gets memory of its own.
func TestFromImageLeavesTheRest(t *testing.T) {
	whole := canvas(image.Rect(0, 0, 4, 4))
	m, err := FromImage(whole.SubImage(image.Rect(0, 0, 4, 2)))
	if err != nil {
		t.Fatal(err)
	}
	m.Reset(4, 3)
	m.Fill(RGB{})
	if got := whole.RGBAAt(3, 2); got != (color.RGBA{30, 14, 5, 255}) {
		t.Errorf("the row below the part has become %v", got)
	}
}

func TestFromImageRefuses(t *testing.T) {
	m := numbered(2, 2)
	for _, src := range []image.Image{
		image.NewRGBA(image.Rectangle{}), image.NewGray(image.Rect(0, 0, 4, 0)),
		image.NewUniform(color.White), // without end
		nil,
	} {
		if _, err := FromImage(src); !errors.Is(err, ErrSize) {
			t.Errorf("%T: %v", src, err)
		}
		if err := m.SetImage(src); !errors.Is(err, ErrSize) || !Equal(m, numbered(2, 2)) {
			t.Errorf("%T: %v, or the image has changed", src, err)
		}
	}
}

func TestConversionsAllocateNothing(t *testing.T) {
	src, m := canvas(image.Rect(0, 0, 8, 8)), New(8, 8)
	part := src.SubImage(image.Rect(1, 1, 7, 7))
	if n := testing.AllocsPerRun(10, func() { _ = m.SetImage(part) }); n != 0 {
		t.Errorf("SetImage: %v allocations", n)
	}
}
