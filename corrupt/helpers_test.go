package corrupt

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

// testFrost returns a set of three textures that are larger than 224x224.
func testFrost() *FrostSet {
	r := rng.New(8)
	var photos []*raster.Image
	for i := range 3 {
		m := raster.New(300+50*i, 260+20*i)
		for y := range m.H {
			for x := range m.W {
				v := uint8(r.IntN(256))
				m.Set(x, y, raster.RGB{R: v, G: v / 2, B: uint8(x)})
			}
		}
		photos = append(photos, m)
	}
	set, err := NewFrostSet(photos...)
	if err != nil {
		panic(err)
	}
	return set
}

func allNames(t testing.TB) []string {
	t.Helper()
	names, err := Names("all")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var frostForTests = testFrost()

func corruption(t testing.TB, name string) Corruption {
	t.Helper()
	c, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return c.WithFrost(frostForTests)
}
