package corrupt

import (
	"testing"

	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var testImage = corruptiontest.Image

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

func op(t testing.TB, name string) Op {
	t.Helper()
	c, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return c.WithFrost(frostForTests)
}
