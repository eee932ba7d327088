package jpeg

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// FuzzDecode feeds anything to a fresh decoder: no panic, no memory beyond what the input justifies, the same outcome
// again with a used decoder, parts equal to cutting, and the size that the standard library sees.
func FuzzDecode(f *testing.F) {
	for _, name := range pillowNames() {
		if data := pillowFiles()[name]; len(data) < 3000 {
			f.Add(data, uint32(0x01020304))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, part uint32) {
		if c, err := DecodeConfig(data); err == nil && c.Width*c.Height > 1<<20 {
			t.Skip("large")
		}
		var d Decoder
		var m, again, cut raster.Image
		var err error
		allocatesAtMost(t, len(data), func() { err = d.Decode(&m, data) })
		warnings := d.Warnings()
		if err2 := d.Decode(&again, data); (err == nil) != (err2 == nil) {
			t.Fatalf("first %v, then %v", err, err2)
		}
		if err != nil {
			return
		}
		if !raster.Equal(&m, &again) || warnings != d.Warnings() {
			t.Fatal("another result the second time")
		}
		x, y := int(part)&0xFF%m.W, int(part>>8)&0xFF%m.H
		r := image.Rect(x, y, x+1+int(part>>16)&0xFF%(m.W-x), y+1+int(part>>24)&0xFF%(m.H-y))
		if err := d.DecodeCrop(&cut, data, r); err != nil {
			t.Fatalf("part %v: %v", r, err)
		}
		want := raster.New(r.Dx(), r.Dy())
		raster.CopyRect(want, image.Point{}, &m, r)
		if !raster.Equal(&cut, want) {
			t.Fatalf("part %v differs", r)
		}
		if std, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && (std.Width != m.W || std.Height != m.H) {
			t.Fatalf("%dx%d, the standard library sees %dx%d", m.W, m.H, std.Width, std.Height)
		}
	})
}

// FuzzRoundTrip compares RoundTrip with the long way on arbitrary images.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(1), uint8(75))
	f.Add(bytes.Repeat([]byte{0, 255, 13, 77}, 300), uint8(17), uint8(3))
	f.Add(bytes.Repeat([]byte{255, 0, 0, 0, 0, 255}, 300), uint8(20), uint8(100))
	f.Fuzz(func(t *testing.T, pix []byte, width, quality uint8) {
		w, q := int(width)%64+1, int(quality)%100+1
		h := len(pix) / 3 / w
		if h == 0 || h > 200 {
			t.Skip("no row, or large")
		}
		var src, got, want raster.Image
		src.SetRGB(w, h, pix[:3*w*h])
		RoundTrip(&got, &src, q)
		if err := Decode(&want, Encode(nil, &src, Options{Quality: q})); err != nil {
			t.Fatal(err)
		}
		mustEqual(t, "round trip", &got, &want)
	})
}

// FuzzTransforms compares the fast inverse transforms with the saturating one on any coefficients within their limits.
func FuzzTransforms(f *testing.F) {
	f.Add([]byte{1, 0, 0xFF, 0xFF, 0x7F})
	f.Add(bytes.Repeat([]byte{0x0C, 0xCC}, 64))
	f.Add(bytes.Repeat([]byte{0xF3, 0x34, 0x0C, 0xCC}, 32))
	f.Fuzz(func(t *testing.T, data []byte) {
		var w block
		last := 0
		for k := 0; k < 64 && len(data) >= 2; k, data = k+1, data[2:] {
			v := int64(int16(binary.BigEndian.Uint16(data)))
			if v < -maxTame || v > maxTame {
				v >>= 4
			}
			w[zigzag[k]/2] += v << (32 * (zigzag[k] & 1))
			if v != 0 {
				last = k
			}
		}
		var got, want [64]byte
		idctSaturating(want[:], 8, &w)
		idct(got[:], 8, &w, last, false)
		if got != want {
			t.Fatalf("last %d: got %v, want %v", last, got, want)
		}
	})
}
