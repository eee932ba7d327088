package imagefile

import (
	"encoding/base64"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// webpFiles were encoded by libwebp from images with R = 20x, G = 37y, B = 11xy. sum is the CRC-32 of the RGB bytes
// that libwebp decodes them to (through Pillow 9.4, convert("RGB")).
var webpFiles = []struct {
	name string
	w, h int
	sum  uint32
	file string
}{
	{
		"lossy", 9, 7, 0x9c249300,
		"UklGRlwAAABXRUJQVlA4IFAAAADwAQCdASoJAAcAAoBCJbACdLoAAwhAW5AA/vijIpdTiyeU/xYz5rRWtX28WVF+pxM0pp5yOM/ycmKj" +
			"lmT/8X/9zD73Gzjmx4IP7SXsDzgAAA==",
	},
	{
		"lossy, alpha", 9, 7, 0xfbbdf366,
		"UklGRqoAAABXRUJQVlA4WAoAAAAQAAAACAAABgAAQUxQSBkAAAABFzB/EREGgQAFbXHGPaNtiOh/D1I6Lb4AAFZQOCBqAAAA8AEAnQEq" +
			"CQAHAAKAQiWwAnS6AAK0n8joAP7zOWkQCjzJf+f4ATEoVNrR9YRFWEri1JkrrJTGpnhw+YJe+yeqVUZlWA+X18F3uWCKzHQ1QP7OTP4N" +
			"6M4s79zf+DP3Whov+fG1R/HUbRg0AA==",
	},
	{
		"lossy, even", 8, 6, 0xbd8db6da,
		"UklGRlYAAABXRUJQVlA4IEoAAADQAQCdASoIAAYAAoBCJbACdAEPDuS5wAD++KMil1MCDadbBWLEqWY2S0fH175cHmNxnAW/7N+53X77" +
			"399/cAdUUkbnVH+veEUAAA==",
	},
	{
		"lossy, one pixel", 1, 1, 0xff41d912,
		"UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAoBCJaQAA3AA/vnQQAA=",
	},
	{
		"lossless", 9, 7, 0x863205d4,
		"UklGRkAAAABXRUJQVlA4TDQAAAAvCIABAJkyRPQ/NhHR/4CCtm0Ykyl/krsMhsJM27bR/Lm6DVVRLCYApA2w/eALjiIWFJEA",
	},
	{
		"lossless, alpha", 9, 7, 0x863205d4,
		"UklGRlQAAABXRUJQVlA4TEcAAAAvCIABEJkyRPQ/NhHR/zAQCEJ0xv+TjDAUaNo2cjS7p7t/VI/iCSRtvhe3utA0SbLkH5S5vRTBEJQ+" +
			"A4gOkwW/AhdvgyNgBgA=",
	},
}

// turnedWebP is the lossless image with EXIF orientation 6.
const turnedWebP = "UklGRnQAAABXRUJQVlA4WAoAAAAIAAAACAAABgAAVlA4TDQAAAAvCIABAJkyRPQ/NhHR/4CCtm0Ykyl/krsMhsJM27bR" +
	"/Lm6DVVRLCYApA2w/eALjiIWFJEARVhJRhoAAABNTQAqAAAACAABARIAAwAAAAEABgAAAAAAAA=="

// animatedWebP has two frames of 3x2 pixels.
const animatedWebP = "UklGRrAAAABXRUJQVlA4WAoAAAASAAAAAgAAAQAAQU5JTQYAAAAAAAAAAABBTk1GRAAAAAAAAAAAAAIAAAEAAAAAAAJW" +
	"UDhMLAAAAC8CQAAALyAQSJbJH2ixoSDStikfv3+T5/MfEQ75MVDINgIcutfjFC6i/7G8QU5NRjgAAAAAAAAAAAACAAABAAAAAAAAVlA4TC" +
	"AAAAAvAkAAECcgEEiS2R9osUEZi/kPwHASCCRt8bY/ov8xHw=="

func fromBase64(t testing.TB, s string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestWebPIsLibwebp(t *testing.T) {
	var m raster.Image
	for _, f := range webpFiles {
		if err := Decode(&m, fromBase64(t, f.file)); err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if m.W != f.w || m.H != f.h {
			t.Errorf("%s: %dx%d, want %dx%d", f.name, m.W, m.H, f.w, f.h)
		}
		if sum := crc32.ChecksumIEEE(m.AppendRGB(nil)); sum != f.sum {
			t.Errorf("%s: CRC %#08x, want libwebp's %#08x", f.name, sum, f.sum)
		}
	}
}

func TestWebPOrientation(t *testing.T) {
	var stored, upright, want raster.Image
	file := fromBase64(t, turnedWebP)
	if err := (Options{KeepOrientation: true}).Decode(&stored, file); err != nil {
		t.Fatal(err)
	}
	if err := Decode(&upright, file); err != nil {
		t.Fatal(err)
	}
	orient(&want, &stored, 6)
	if stored.W != 9 || !raster.Equal(&upright, &want) {
		t.Error("the EXIF chunk of a WebP file is not applied")
	}
}

func TestWebPAnimation(t *testing.T) {
	var m raster.Image
	if err := Decode(&m, fromBase64(t, animatedWebP)); !errors.Is(err, ErrUnsupported) {
		t.Errorf("animation: %v, want ErrUnsupported", err)
	}
}

// TestChromaInterpolation holds the weights against values worked by hand.
func TestChromaInterpolation(t *testing.T) {
	for _, c := range []struct {
		near, along, across, diagonal uint8
		want                          int
	}{
		{0, 0, 0, 0, 0},
		{255, 255, 255, 255, 255},
		{160, 0, 0, 0, 90}, // 160*9/16
		{0, 160, 0, 0, 30}, // 160*3/16
		{0, 0, 160, 0, 30},
		{0, 0, 0, 160, 10}, // 160/16
		{1, 0, 0, 0, 1},    // ((1+8)>>3 + 1) >> 1
		{0, 1, 1, 1, 0},    // ((3+3+1+8)>>3) >> 1
		{0, 2, 1, 0, 1},    // ((6+3+8)>>3) >> 1
	} {
		if got := blend(c.near, c.along, c.across, c.diagonal); got != c.want {
			t.Errorf("blend(%d, %d, %d, %d) = %d, want %d", c.near, c.along, c.across, c.diagonal, got, c.want)
		}
	}
	if got := edge(100, 60); got != 90 { // (300+60+2)/4
		t.Errorf("edge(100, 60) = %d, want 90", got)
	}
	// Narrow range: luma 16 is black and 235 white where chroma is neutral.
	dst := make([]uint8, 8)
	neutral := []uint8{128}
	rowVP8(dst, []uint8{16, 235}, neutral, neutral, neutral, neutral)
	if got := [8]uint8(dst); got != [8]uint8{0, 0, 0, 255, 255, 255, 255, 255} {
		t.Errorf("luma 16 and 235 give %v", got)
	}
}
