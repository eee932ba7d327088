package raster

import (
	"bytes"
	"testing"
)

func TestLayouts(t *testing.T) {
	rgb := []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}
	planar := []uint8{1, 4, 7, 10, 13, 16, 2, 5, 8, 11, 14, 17, 3, 6, 9, 12, 15, 18}
	a, b := New(9, 9), new(Image)
	a.SetRGB(3, 2, rgb)
	b.SetPlanar(3, 2, planar)
	want := []uint8{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255, 13, 14, 15, 255, 16, 17, 18, 255}
	if !bytes.Equal(a.Pix, want) || !bytes.Equal(b.Pix, want) || a.W != 3 || b.H != 2 {
		t.Errorf("interleaved %v, planar %v, want %v", a.Pix, b.Pix, want)
	}
	if got := a.AppendRGB([]uint8{99}); !bytes.Equal(got, append([]uint8{99}, rgb...)) {
		t.Errorf("AppendRGB: %v", got)
	}
	if got := a.AppendPlanar([]uint8{99}); !bytes.Equal(got, append([]uint8{99}, planar...)) {
		t.Errorf("AppendPlanar: %v", got)
	}
	if a.SetGray(2, 1, []uint8{7, 200}); !bytes.Equal(a.Pix, []uint8{7, 7, 7, 255, 200, 200, 200, 255}) {
		t.Errorf("SetGray: %v", a.Pix)
	}
}
