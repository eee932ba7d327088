package perturb

import (
	"testing"

	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var testImage = corruptiontest.Image

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
