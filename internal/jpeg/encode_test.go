package jpeg

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
)

// drawImage draws an image of noise, flat parts and extremes.
func drawImage(t *rapid.T) *raster.Image {
	m := raster.New(rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h"))
	seed := rapid.Uint64().Draw(t, "seed")
	fillNoise(m, seed, rapid.IntRange(0, 3).Draw(t, "kind"))
	return m
}

// fillNoise fills m from a small generator: kind 0 noise, 1 soft noise, 2 black, white and primary colors, 3 one
// color.
func fillNoise(m *raster.Image, seed uint64, kind int) {
	x := seed | 1
	next := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x >> 20
	}
	v := next()
	for i := 0; i < len(m.Pix); i += 4 {
		switch kind {
		case 0:
			v = next()
		case 1:
			v = v&0xF0F0F0 | next()&0x0F0F0F
		case 2:
			if next()%5 == 0 {
				v = -(next()&1)&0xFF | -(next()&1)&0xFF00 | -(next()&1)&0xFF0000
			}
		}
		m.Pix[i], m.Pix[i+1], m.Pix[i+2] = uint8(v), uint8(v>>8), uint8(v>>16)
	}
}

// TestRoundTrip compares the short cut with the long way, also in place.
func TestRoundTrip(t *testing.T) {
	var e Encoder
	rapid.Check(t, func(t *rapid.T) {
		src := drawImage(t)
		q := rapid.IntRange(1, 100).Draw(t, "quality")
		var want, got raster.Image
		if err := Decode(&want, e.Encode(nil, src, Options{Quality: q})); err != nil {
			t.Fatal(err)
		}
		e.RoundTrip(&got, src, q)
		if !raster.Equal(&got, &want) {
			t.Fatal("differs from encoding and decoding")
		}
		e.RoundTrip(src, src, q)
		if !raster.Equal(src, &want) {
			t.Fatal("differs in place")
		}
	})
}

// TestOptimizeKeepsPixels says that the optimized file holds the same image and is no longer but for its tables.
func TestOptimizeKeepsPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawImage(t)
		o := Options{Quality: rapid.IntRange(1, 100).Draw(t, "quality")}
		if rapid.Bool().Draw(t, "444") {
			o.Subsampling = S444
		}
		plain := Encode(nil, src, o)
		o.Optimize = true
		small := Encode(nil, src, o)
		var a, b raster.Image
		if err := Decode(&a, plain); err != nil {
			t.Fatal(err)
		}
		if err := Decode(&b, small); err != nil {
			t.Fatal(err)
		}
		if !raster.Equal(&a, &b) || len(small) > len(plain) {
			t.Fatalf("optimized file of %d bytes against %d, or another image", len(small), len(plain))
		}
	})
}

func TestPanics(t *testing.T) {
	m := raster.New(2, 2)
	for want, f := range map[string]func(){
		"quality 0":     func() { Encode(nil, m, Options{}) },
		"quality 101":   func() { RoundTrip(m, m, 101) },
		"subsampling 2": func() { Encode(nil, m, Options{Quality: 5, Subsampling: 2}) },
		"65501x1":       func() { Encode(nil, raster.New(65501, 1), Options{Quality: 5}) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "jpeg: ") || !strings.Contains(r, want) {
					t.Errorf("%s: panic %q", want, r)
				}
			}()
			f()
		}()
	}
}
