package sheet

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// severities checks that a row of the sheet shows what apply makes at severities 1 to 5, from left to right.
func severities(t *testing.T, sheet *image.RGBA, name string, seed uint64, apply func(dst *raster.Image, s int, r *rng.Rand) error) {
	t.Helper()
	var places [][]image.Point
	for s := 1; s <= corrupt.Severities; s++ {
		r := rng.NewKey(seed).Str("p").Str("corrupt").Str(name).Uint(uint64(s)).Rand()
		out := new(raster.Image)
		if err := apply(out, s, &r); err != nil {
			t.Fatal(err)
		}
		places = append(places, find(sheet, out))
	}
	for _, p := range places[0] {
		if follows(p, places[1:]) {
			return
		}
	}
	t.Errorf("%s: no row shows its severities in order; they stand at %v", name, places)
}

func TestCorruptionSheet(t *testing.T) {
	src := noisy(1, 128, 128)
	frost, err := corrupt.NewFrostSet(noisy(2, 300, 200))
	if err != nil {
		t.Fatal(err)
	}
	sheet := draw1(t, Sheet{Images: []Image{{"p", src}}, Seed: 4, Corruptions: true, Frost: frost})
	names, err := corrupt.Names("all")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		c, err := corrupt.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		severities(t, sheet, name, 4, func(dst *raster.Image, s int, r *rng.Rand) error {
			return c.WithFrost(frost).Apply(dst, src, float64(s), r, new(corrupt.Scratch))
		})
	}
	if n := len(find(sheet, src)); n != 1 {
		t.Errorf("the original is shown %d times", n)
	}
}

func TestBarSheet(t *testing.T) {
	src := noisy(1, 128, 128)
	sheet := draw1(t, Sheet{Images: []Image{{"p", src}}, Seed: 4, Bar: true})
	shown := map[string]bool{}
	for _, p := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		names, err := cbar.Names(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			c, err := cbar.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			if shown[name] {
				continue // with ImageNet's severities
			}
			shown[name] = true
			severities(t, sheet, name, 4, func(dst *raster.Image, s int, r *rng.Rand) error {
				return c.WithProfile(p).Apply(dst, src, float64(s), r, new(corrupt.Scratch))
			})
		}
	}
	if len(shown) != 15 {
		t.Errorf("%d corruptions", len(shown))
	}
}

func TestPerturbationSheet(t *testing.T) {
	src := noisy(1, 128, 128)
	sheet := draw1(t, Sheet{Images: []Image{{"p", src}}, Seed: 4, Perturbations: true})
	for _, name := range perturb.Names() {
		p, err := perturb.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		r := rng.NewKey(4).Str("p").Str("perturb").Str(name).Rand()
		q, err := p.Sequence(src, 1, perturb.Auto, &r, new(perturb.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		var places [][]image.Point
		n := q.Len()
		for f := range n {
			frame := new(raster.Image)
			q.Next(frame)
			if f == frameOf(len(places), n) {
				places = append(places, find(sheet, frame))
			}
		}
		if len(places) != perRow {
			t.Errorf("%s: %d frames chosen", name, len(places))
			continue
		}
		ok := false
		for _, at := range places[0] {
			ok = ok || follows(at, places[1:])
		}
		if !ok {
			t.Errorf("%s: no row shows its frames in order", name)
		}
	}
}

func TestFrameOf(t *testing.T) {
	for n := perRow; n < 60; n++ {
		last := -1
		for k := range perRow {
			f := frameOf(k, n)
			if f <= last || f >= n {
				t.Fatalf("%d frames: the %d-th shown is %d after %d", n, k, f, last)
			}
			last = f
		}
		if frameOf(0, n) != 0 || last != n-1 {
			t.Errorf("%d frames: %d to %d", n, frameOf(0, n), last)
		}
	}
}

func TestTooSmallForASheet(t *testing.T) {
	frost, err := corrupt.NewFrostSet(noisy(2, 300, 200))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Sheet{{Corruptions: true, Frost: frost}, {Bar: true}, {Severities: []float64{1}, AtSeverities: tests("zoom_blur")}, {Perturbations: true}} {
		s.Images = []Image{{"large", noisy(1, 64, 64)}, {"tiny.png", noisy(1, 1, 1)}}
		_, err := s.Draw()
		if errors.Is(err, ErrSheet) || err == nil || !strings.HasPrefix(err.Error(), "tiny.png: ") {
			t.Errorf("error %v", err)
		}
	}
	_, err = (&Sheet{Images: []Image{{"p", noisy(1, 4, 4)}}, Corruptions: true, Frost: frost}).Draw()
	if !errors.Is(err, corrupt.ErrSize) || !strings.Contains(err.Error(), "elastic_transform") {
		t.Errorf("error %v", err)
	}
}

// tests returns corruptions by name.
func tests(names ...string) (list []corrupt.Corruption) {
	for _, name := range names {
		c, err := corrupt.ByName(name)
		if err != nil {
			panic(err)
		}
		list = append(list, c)
	}
	return list
}

// TestPerImage: each image has its own corruptions, as many rows as it has.
func TestPerImage(t *testing.T) {
	s := Sheet{
		Images: []Image{{"a", noisy(1, 64, 64)}, {"b", noisy(2, 64, 64)}}, Side: 64, Severities: []float64{1},
		PerImage: []Tests{{tests("fog"), "Of a."}, {tests("fog", "contrast"), "Of b."}},
	}
	got, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	s.PerImage, s.AtSeverities = nil, tests("fog")
	one, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	if more := got.Rect.Dy() - one.Rect.Dy(); more != 64+rowPitchGap {
		t.Errorf("%d pixels higher than with a row less", more)
	}
	s.PerImage = []Tests{{tests("fog"), ""}}
	if _, err := s.Draw(); !errors.Is(err, ErrSheet) {
		t.Error(err)
	}
}
