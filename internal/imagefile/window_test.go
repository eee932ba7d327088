package imagefile

import (
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/raster"
)

// deepFiles are PNG and TIFF files of a row of 16-bit pixels.
func deepFiles(t *testing.T, src image.Image) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"png":  encoded(t, func(w io.Writer) error { return png.Encode(w, src) }),
		"tiff": encoded(t, func(w io.Writer) error { return tiff.Encode(w, src, nil) }),
	}
}

// TestWindow holds hand-worked levels: floor((v-LO)*255/(HI-LO) + 1/2), clipped.
func TestWindow(t *testing.T) {
	values := []uint16{0, 1, 1000, 2048, 4095, 5000, 65535}
	gray := image.NewGray16(image.Rect(0, 0, len(values), 1))
	color := image.NewNRGBA64(gray.Rect)
	for i, v := range values {
		binary.BigEndian.PutUint16(gray.Pix[2*i:], v)
		for c, w := range []uint16{v, 0, 65535 - v, 3} {
			binary.BigEndian.PutUint16(color.Pix[8*i+2*c:], w)
		}
	}
	for _, c := range []struct {
		window       Window
		levels, blue []uint8
	}{
		// 1000*255/4095 = 62.27, 2048*255/4095 = 127.53; blue 65535-5000 and so on are all above.
		{Window{0, 4095}, []uint8{0, 0, 62, 128, 255, 255, 255}, []uint8{255, 255, 255, 255, 255, 255, 0}},
		// (1000-1000)/1096 = 0, 1048*255/1096 = 243.83; halves up: 1*255/510 = 0.5.
		{Window{1000, 2096}, []uint8{0, 0, 0, 244, 255, 255, 255}, nil},
		{Window{0, 510}, []uint8{0, 1, 255, 255, 255, 255, 255}, nil},
		// 1000/257 = 3.89, 2048/257 = 7.97, 4095/257 = 15.93, 5000/257 = 19.46.
		{Window{0, 65535}, []uint8{0, 0, 4, 8, 16, 19, 255}, []uint8{255, 255, 251, 247, 239, 236, 0}},
	} {
		for format, file := range deepFiles(t, gray) {
			var m raster.Image
			err := Options{Window: &c.window}.Decode(&m, file)
			if m.SetLuma(&m); err != nil || string(m.AppendPixels(nil)) != string(c.levels) {
				t.Errorf("%s in %s: %v, %v; want %v", format, c.window, m.AppendPixels(nil), err, c.levels)
			}
		}
		for format, file := range deepFiles(t, color) {
			var m raster.Image
			if err := (Options{Window: &c.window}).Decode(&m, file); err != nil {
				t.Errorf("%s of color in %s: %v", format, c.window, err)
				continue
			}
			for x, want := range c.levels {
				if got := m.At(x, 0); got.R != want || c.blue != nil && got.B != c.blue[x] || m.Pix[4*x+3] != 255 {
					t.Errorf("%s of color in %s: pixel %d is %v of alpha %d", format, c.window, x, got, m.Pix[4*x+3])
				}
			}
		}
	}
}

func TestWindowErrors(t *testing.T) {
	gray := image.NewGray16(image.Rect(0, 0, 2, 1))
	copy(gray.Pix, []uint8{0x20, 0, 0x10, 0}) // 8192, 4096
	for format, file := range deepFiles(t, gray) {
		var m raster.Image
		if err := Decode(&m, file); !errors.Is(err, ErrWindow) || !strings.Contains(err.Error(), format) {
			t.Errorf("no window: %v", err)
		}
		err := Options{Window: &Window{0, 4095}}.Decode(&m, file)
		if !errors.Is(err, ErrWindow) || !strings.Contains(err.Error(), "0:4095 clips all, which are 4096 to 8192") {
			t.Errorf("a window below all values: %v", err)
		}
		if err := (Options{Window: &Window{0, 4096}}).Decode(&m, file); err != nil || m.At(0, 0).R != 255 {
			t.Errorf("a window that one value is in: %v", err)
		}
	}
	if err := (Window{0, 1}).Levels(make([]uint8, 2), 2, func(i int) float64 { return []float64{0.5, math.NaN()}[i] }); !errors.Is(err, ErrFormat) ||
		!strings.Contains(err.Error(), "value 1") {
		t.Errorf("not a number: %v", err)
	}
	for _, s := range []string{"", "1", "1:", ":1", "5:5", "6:5", "a:b", "0:NaN", "-Inf:0", "-1e308:1e308", "0:1:2"} {
		if w, err := ParseWindow(s); err == nil {
			t.Errorf("%q: %v", s, w)
		}
	}
	if w, err := ParseWindow("-160:240.5"); err != nil || w != (Window{-160, 240.5}) || w.String() != "-160:240.5" {
		t.Errorf("%v, %v", w, err)
	}
}
