package cbar

import (
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// testImage returns an image with smooth slopes, noise, an even area and an edge.
func testImage(w, h int) *raster.Image {
	m := raster.New(w, h)
	r := rng.New(7)
	for y := range h {
		for x := range w {
			c := raster.RGB{R: uint8(255 * x / w), G: uint8(255 * y / h), B: uint8(r.IntN(256))}
			switch {
			case x > w/2 && y > h/2:
				c = raster.RGB{R: 200, G: 120, B: 40}
			case x < w/4 && y < h/4:
				c = raster.RGB{R: 255, G: 255, B: 255}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

// corruptions returns the ten of a profile.
func corruptions(t testing.TB, p Profile) []Corruption {
	t.Helper()
	names, err := Names(p)
	if err != nil {
		t.Fatal(err)
	}
	var all []Corruption
	for _, name := range names {
		c, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}
