package perturb

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

func mustByName(name string) Perturbation {
	p, err := ByName(name)
	if err != nil {
		panic(err)
	}
	return p
}

// frames returns all frames of a sequence with the stream of seed.
func frames(t testing.TB, name string, src *raster.Image, difficulty int, p Profile, seed uint64,
	s *Scratch,
) []*raster.Image {
	t.Helper()
	q, err := mustByName(name).Sequence(src, difficulty, p, rng.New(seed), s)
	if err != nil {
		t.Fatal(err)
	}
	var all []*raster.Image
	for dst := new(raster.Image); q.Next(dst); dst = new(raster.Image) {
		all = append(all, dst)
	}
	if len(all) != q.Len() {
		t.Fatalf("%s: %d frames, Len says %d", name, len(all), q.Len())
	}
	return all
}
