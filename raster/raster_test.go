package raster

import (
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// numbered returns an image whose pixels are all different.
func numbered(w, h int) *Image {
	m := New(w, h)
	for y := range h {
		for x := range w {
			m.Set(x, y, RGB{uint8(x), uint8(y), uint8(x * y)})
		}
	}
	return m
}

func panics(f func()) (what string) {
	defer func() { what, _ = recover().(string) }()
	f()
	return ""
}

func TestCheckSize(t *testing.T) {
	for _, c := range []struct {
		w, h int
		ok   bool
	}{
		{1, 1, true},
		{MaxPixels, 1, true},
		{1, MaxPixels, true},
		{1 << 14, 1 << 14, true},
		{1<<14 + 1, 1 << 14, false},
		{MaxPixels, 2, false},
		{0, 1, false},
		{1, 0, false},
		{-1, -1, false},
		{math.MaxInt, math.MaxInt, false},
	} {
		err := CheckSize(c.w, c.h)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrSize) {
			t.Errorf("%dx%d: %v", c.w, c.h, err)
		}
	}
	for name, f := range map[string]func(){
		"New":       func() { New(0, 3) },
		"Reset":     func() { new(Image).Reset(3, -1) },
		"SetRGB":    func() { new(Image).SetRGB(2, 2, make([]uint8, 11)) },
		"SetPlanar": func() { new(Image).SetPlanar(2, 2, make([]uint8, 13)) },
		"SetGray":   func() { new(Image).SetGray(2, 2, make([]uint8, 3)) },
		"At":        func() { New(2, 3).At(2, 0) },
		"At left":   func() { New(2, 3).At(-1, 0) },
		"Set":       func() { New(2, 3).Set(0, 3, RGB{}) },
	} {
		if what := panics(f); !strings.HasPrefix(what, "raster: ") {
			t.Errorf("%s: panic %q, want one of the package", name, what)
		}
	}
}

func TestNewIsBlackAndOpaque(t *testing.T) {
	m := New(3, 2)
	if len(m.Pix) != 24 || m.W != 3 || m.H != 2 || m.Bounds() != image.Rect(0, 0, 3, 2) {
		t.Fatalf("%d bytes, %dx%d, bounds %v", len(m.Pix), m.W, m.H, m.Bounds())
	}
	for i, v := range m.Pix {
		if want := uint8(255 * (i % 4 / 3)); v != want {
			t.Errorf("byte %d is %d, want %d", i, v, want)
		}
	}
	m.Fill(RGB{1, 2, 3})
	if m.At(2, 1) != (RGB{1, 2, 3}) || m.Pix[23] != 255 {
		t.Errorf("filled: %v", m.Pix)
	}
}

func TestResetKeepsMemory(t *testing.T) {
	m := New(4, 4)
	first := &m.Pix[0]
	for _, size := range [][2]int{{2, 2}, {4, 4}, {16, 1}} {
		m.Reset(size[0], size[1])
		if len(m.Pix) != 4*size[0]*size[1] || &m.Pix[0] != first {
			t.Errorf("%v: %d bytes, other memory %v", size, len(m.Pix), &m.Pix[0] != first)
		}
	}
	if m.Reset(17, 1); len(m.Pix) != 68 {
		t.Errorf("%d bytes, want 68", len(m.Pix))
	}
}

func TestCloneAndEqual(t *testing.T) {
	m := numbered(5, 4)
	c := m.Clone()
	if !Equal(m, c) || &m.Pix[0] == &c.Pix[0] {
		t.Fatal("a clone is not an equal image with memory of its own")
	}
	for x, change := range []RGB{{1, 2, 1}, {0, 2, 1}, {1, 1, 1}} { // of (0, 2, 0), (1, 2, 2), (2, 2, 4)
		c.CopyFrom(m)
		if c.Set(x, 2, change); Equal(m, c) {
			t.Errorf("column %d: %v counts as %v", x, change, m.At(x, 2))
		}
	}
	c.CopyFrom(m)
	if c.Pix[3] = 7; !Equal(m, c) {
		t.Error("the fourth byte is compared")
	}
	if Equal(New(2, 3), New(3, 2)) {
		t.Error("images of 2x3 and 3x2 are equal")
	}
}

func TestCopyRect(t *testing.T) {
	src := numbered(10, 8)
	whole := src.Bounds()
	for _, c := range []struct {
		name string
		dp   image.Point
		sr   image.Rectangle
		want image.Rectangle // of dst, 6 by 5, that is written
		from image.Point     // of src, its corner
	}{
		{"inside", image.Pt(1, 2), image.Rect(3, 4, 6, 6), image.Rect(1, 2, 4, 4), image.Pt(3, 4)},
		{"one pixel", image.Pt(5, 4), image.Rect(9, 7, 10, 8), image.Rect(5, 4, 6, 5), image.Pt(9, 7)},
		{"all of dst", image.Pt(0, 0), whole, image.Rect(0, 0, 6, 5), image.Pt(0, 0)},
		{"beyond dst on the right and below", image.Pt(4, 3), whole, image.Rect(4, 3, 6, 5), image.Pt(0, 0)},
		{"beyond dst on the left and above", image.Pt(-2, -3), whole, image.Rect(0, 0, 6, 5), image.Pt(2, 3)},
		{"beyond src on the left and above", image.Pt(0, 0), image.Rect(-2, -1, 3, 3), image.Rect(2, 1, 5, 4), image.Pt(0, 0)},
		{"beyond src on the right and below", image.Pt(0, 0), image.Rect(8, 6, 99, 99), image.Rect(0, 0, 2, 2), image.Pt(8, 6)},
		{"beyond both", image.Pt(-1, 2), image.Rect(-3, 5, 20, 9), image.Rect(2, 2, 6, 5), image.Pt(0, 5)},
		{"outside src", image.Pt(0, 0), image.Rect(10, 0, 12, 4), image.Rectangle{}, image.Point{}},
		{"outside dst", image.Pt(6, 0), whole, image.Rectangle{}, image.Point{}},
		{"far above dst", image.Pt(0, -8), whole, image.Rectangle{}, image.Point{}},
		{"empty", image.Pt(0, 0), image.Rect(2, 2, 2, 5), image.Rectangle{}, image.Point{}},
		{"inside out", image.Pt(0, 0), image.Rectangle{Min: image.Pt(5, 5), Max: image.Pt(2, 2)}, image.Rectangle{}, image.Point{}},
	} {
		dst := New(6, 5)
		back := RGB{200, 201, 202}
		dst.Fill(back)
		CopyRect(dst, c.dp, src, c.sr)
		for y := range dst.H {
			for x := range dst.W {
				want := back
				if p := image.Pt(x, y); p.In(c.want) {
					q := p.Sub(c.want.Min).Add(c.from)
					want = src.At(q.X, q.Y)
				}
				if got := dst.At(x, y); got != want {
					t.Fatalf("%s: pixel (%d,%d) is %v, want %v", c.name, x, y, got, want)
				}
			}
		}
	}
}

// CopyRect against its definition, pixel by pixel.
func TestCopyRectAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side, place := rapid.IntRange(1, 9), rapid.IntRange(-12, 12)
		src := numbered(side.Draw(t, "sw"), side.Draw(t, "sh"))
		got := New(side.Draw(t, "dw"), side.Draw(t, "dh"))
		got.Fill(RGB{200, 201, 202})
		want := got.Clone()
		dp := image.Pt(place.Draw(t, "dx"), place.Draw(t, "dy"))
		sr := image.Rectangle{
			Min: image.Pt(place.Draw(t, "x0"), place.Draw(t, "y0")), Max: image.Pt(place.Draw(t, "x1"), place.Draw(t, "y1")),
		}
		for y := sr.Min.Y; y < sr.Max.Y; y++ {
			for x := sr.Min.X; x < sr.Max.X; x++ {
				from := image.Pt(x, y)
				to := from.Sub(sr.Min).Add(dp)
				if from.In(src.Bounds()) && to.In(want.Bounds()) {
					want.Set(to.X, to.Y, src.At(x, y))
				}
			}
		}
		CopyRect(got, dp, src, sr)
		if !Equal(got, want) {
			t.Fatalf("%v of %v to %v in %v", sr, src.Bounds(), dp, got.Bounds())
		}
	})
}
