package data_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// damaged returns a JPEG file of 64x64 pixels and the same with bytes in the last quarter of its scan flipped; both have
// their end marker.
func damaged(t *testing.T) (sound, bad []byte) {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		m.Set(i%64, i/64, color.RGBA{uint8(i * 7), uint8(i * i / 64), uint8(i / 3), 255})
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	sound, bad = b.Bytes(), bytes.Clone(b.Bytes())
	for i := range 8 {
		bad[len(bad)*7/8+i] ^= 0x55
	}
	return sound, bad
}

// TestDamageInJPEG: a file that libjpeg reads on past is an image for whoever wants one, whole or a part above the damage, and
// is found by Check.
func TestDamageInJPEG(t *testing.T) {
	sound, bad := damaged(t)
	var m, part raster.Image
	top := func(int, int) image.Rectangle { return image.Rect(8, 0, 40, 24) }
	s := data.Sample{Key: "k", Name: "bad.jpg", Data: bad}
	if err := s.Decode(&m); err != nil {
		t.Errorf("as libjpeg: %v", err)
	}
	if err := s.DecodeWith(&part, data.DecodeOptions{Part: top}); err != nil {
		t.Errorf("a part above the damage: %v", err)
	}
	whole := data.Sample{Name: "sound.jpg", Data: sound}
	var want raster.Image
	if err := whole.DecodeWith(&want, data.DecodeOptions{Part: top, Sound: true}); err != nil || !raster.Equal(&part, &want) {
		t.Errorf("the part above the damage is another; %v", err)
	}
	if err := whole.DecodeWith(&m, data.DecodeOptions{Sound: true}); err != nil {
		t.Errorf("a sound file: %v", err)
	}
	for name, file := range map[string][]byte{"sound": sound, "bad": bad} {
		n, found, err := data.Check(t.Context(), &same{file, 2}, 1, nil)
		if err != nil || n != 2 || (len(found) == 2) != (name == "bad") || len(found) > 0 && !strings.Contains(found[0].Reason, "damaged in") {
			t.Errorf("%s: %d samples, %v, %v", name, n, found, err)
		}
	}
}
