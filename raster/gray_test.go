package raster

import "testing"

// TestSetLuma holds values of Pillow's convert("L") and looks that an image made anew is not gray any more.
func TestSetLuma(t *testing.T) {
	src := New(3, 2)
	for i, c := range []RGB{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}, {77, 77, 77}, {10, 200, 30}} {
		src.Set(i%3, i/3, c)
	}
	var m Image
	m.SetLuma(src)
	want := []uint8{76, 150, 29, 255, 77, 124}
	if got := m.AppendPixels(nil); string(got) != string(want) || m.Channels() != 1 {
		t.Errorf("luma %v, want %v; %d channels", got, want, m.Channels())
	}
	if src.Gray || len(src.AppendPixels(nil)) != 18 {
		t.Error("the source has become gray")
	}
	if m.SetLuma(&m); !m.Clone().Gray {
		t.Error("a copy has lost the mark")
	}
	if m.Reset(3, 2); m.Gray {
		t.Error("the mark outlives the image")
	}
}
