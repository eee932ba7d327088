package corrupt

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func TestNames(t *testing.T) {
	tests := map[string]string{
		"common": "gaussian_noise shot_noise impulse_noise defocus_blur glass_blur motion_blur zoom_blur snow frost fog " +
			"brightness contrast elastic_transform pixelate jpeg_compression",
		"validation": "speckle_noise gaussian_blur spatter saturate",
		"noise":      "gaussian_noise shot_noise impulse_noise speckle_noise",
		"blur":       "defocus_blur glass_blur motion_blur zoom_blur gaussian_blur",
		"weather":    "snow frost fog brightness spatter",
		"digital":    "contrast elastic_transform pixelate jpeg_compression saturate",
	}
	tests["all"] = tests["common"] + " " + tests["validation"]
	for subset, want := range tests {
		got, err := Names(subset)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("Names(%q) = %v, %v; want %s", subset, got, err, want)
		}
	}
	if len(tests) != len(Subsets()) {
		t.Errorf("%d subsets, want %d", len(Subsets()), len(tests))
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := ByName("rain")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "jpeg_compression, speckle_noise") {
		t.Errorf("ByName: %v", err)
	}
	if _, err = Names("rain"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "validation") {
		t.Errorf("Names: %v", err)
	}
	if _, err = ParseProfile("128"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "auto, 224") {
		t.Errorf("ParseProfile: %v", err)
	}
}

func TestProfileNames(t *testing.T) {
	for _, name := range []string{"auto", "224", "64", "32", "299"} {
		if p, err := ParseProfile(name); err != nil || p.String() != name {
			t.Errorf("profile %q: %v, %v", name, p, err)
		}
	}
	if got := Profile(9).String(); got != "Profile(9)" {
		t.Errorf("Profile(9) is %q", got)
	}
}

func TestErrors(t *testing.T) {
	src, dst, r := testImage(32, 32), new(raster.Image), rng.New(1)
	var s Scratch
	for _, name := range allNames(t) {
		c := corruption(t, name)
		for _, severity := range []int{-1, 0, 6} {
			if err := c.Apply(dst, src, severity, P32, r, &s); !errors.Is(err, ErrSeverity) {
				t.Errorf("%s, severity %d: %v", name, severity, err)
			}
		}
		if err := c.Apply(dst, src, 1, Profile(5), r, &s); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s, profile 5: %v", name, err)
		}
		if m := c.MinSide(); m > 1 {
			for _, small := range []*raster.Image{testImage(m-1, 32), testImage(32, m-1)} {
				if err := c.Apply(dst, small, 1, P32, r, &s); !errors.Is(err, ErrSize) {
					t.Errorf("%s, %dx%d: %v", name, small.W, small.H, err)
				}
			}
		}
	}
	frost, _ := ByName("frost")
	if err := frost.Apply(dst, src, 1, P32, r, &s); !errors.Is(err, ErrNoTextures) {
		t.Errorf("frost without textures: %v", err)
	}
	if _, err := NewFrostSet(); !errors.Is(err, ErrNoTextures) {
		t.Errorf("an empty set: %v", err)
	}
}

func TestSharedMemoryPanics(t *testing.T) {
	for _, name := range allNames(t) {
		src := testImage(32, 32)
		for _, dst := range []*raster.Image{src, {Pix: src.Pix, W: 32, H: 32}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s accepts dst that shares memory with src", name)
					}
				}()
				_ = corruption(t, name).Apply(dst, src, 1, P32, rng.New(1), new(Scratch))
			}()
		}
	}
}

// Every size from the least on, every severity, every profile: the result has the size of the image and is opaque,
// and the image is left as it was.
func TestAnySize(t *testing.T) {
	var s Scratch // shared, so that it shrinks and grows
	for _, name := range allNames(t) {
		c := corruption(t, name)
		m := c.MinSide()
		sizes := [][2]int{{m, m}, {m, 40}, {37, m}, {33, 31}, {70, 45}, {64, 64}, {300, 20}, {32, 32}}
		for _, size := range sizes {
			src := testImage(size[0], size[1])
			before := src.Clone()
			for _, p := range []Profile{Auto, P224, P64, P32, P299} {
				for severity := 1; severity <= Severities; severity++ {
					dst := &raster.Image{Pix: []uint8{1, 2, 3}}
					if err := c.Apply(dst, src, severity, p, rng.New(3), &s); err != nil {
						t.Fatalf("%s, %v, profile %v, severity %d: %v", name, size, p, severity, err)
					}
					if dst.W != src.W || dst.H != src.H || !opaque(dst) {
						t.Fatalf("%s, %v, profile %v, severity %d: a bad image of %dx%d", name, size, p, severity, dst.W, dst.H)
					}
				}
			}
			if !bytes.Equal(src.Pix, before.Pix) {
				t.Fatalf("%s changes its source", name)
			}
		}
	}
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return len(m.Pix) == 4*m.W*m.H
}

// The result is a function of the image, the parameters and the key: neither what the scratch was used for before,
// nor the goroutine, nor the old contents of dst matter.
func TestSameKeySameBytes(t *testing.T) {
	var used Scratch
	names := allNames(t)
	rapid.Check(t, func(t *rapid.T) {
		c := mustByName(rapid.SampledFrom(names).Draw(t, "name"))
		severity := rapid.IntRange(1, 5).Draw(t, "severity")
		p := rapid.SampledFrom([]Profile{Auto, P32, P64, P224, P299}).Draw(t, "profile")
		src := testImage(rapid.IntRange(6, 60).Draw(t, "w"), rapid.IntRange(6, 60).Draw(t, "h"))
		key := rng.NewKey(rapid.Uint64().Draw(t, "seed")).Str(c.Name())
		run := func(s *Scratch, dst *raster.Image) *raster.Image {
			r := key.Rand()
			if err := c.Apply(dst, src, severity, p, &r, s); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		a, b := run(new(Scratch), new(raster.Image)), run(&used, testImage(70, 70))
		if !bytes.Equal(a.Pix, b.Pix) {
			t.Fatalf("%s, severity %d, profile %v, %dx%d: two runs differ", c.Name(), severity, p, src.W, src.H)
		}
	})
}

func mustByName(name string) Corruption {
	c, err := ByName(name)
	if err != nil {
		panic(err)
	}
	return c.WithFrost(frostForTests)
}

// On images of a published side Auto gives the bytes of the published profile.
func TestAutoBytes(t *testing.T) {
	var s Scratch
	for side, p := range map[int]Profile{32: P32, 64: P64, 224: P224, 299: P299} {
		src := testImage(side, side)
		for _, name := range allNames(t) {
			var a, b raster.Image
			for dst, p := range map[*raster.Image]Profile{&a: Auto, &b: p} {
				if err := corruption(t, name).Apply(dst, src, 4, p, rng.New(6), &s); err != nil {
					t.Fatal(err)
				}
			}
			if !raster.Equal(&a, &b) {
				t.Errorf("%s: auto and profile %v differ", name, p)
			}
		}
	}
}

// One Corruption and one FrostSet serve many goroutines; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	src := testImage(32, 32)
	for _, name := range allNames(t) {
		c := corruption(t, name)
		var got [4]raster.Image
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				if err := c.Apply(&got[i], src, 3, P32, rng.New(5), new(Scratch)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range got {
			if !raster.Equal(&got[0], &got[i]) {
				t.Errorf("%s: goroutine %d got another image", name, i)
			}
		}
	}
}

// Random corruptions give another image with another key, the others the same; the names must agree with Random.
func TestRandom(t *testing.T) {
	src := testImage(32, 32)
	for _, name := range allNames(t) {
		c := corruption(t, name)
		var a, b raster.Image
		if err := c.Apply(&a, src, 5, P32, rng.New(1), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(&b, src, 5, P32, rng.New(2), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		if raster.Equal(&a, &b) == c.Random() {
			t.Errorf("%s: Random() is %v, but equal images with two keys: %v", name, c.Random(), raster.Equal(&a, &b))
		}
	}
}

// In steady state no operation allocates, whatever the order of severities.
func TestNoAllocation(t *testing.T) {
	src, dst, r := testImage(48, 40), new(raster.Image), rng.New(1)
	for _, name := range allNames(t) {
		c := corruption(t, name)
		var s Scratch
		all := func() {
			for severity := 1; severity <= Severities; severity++ {
				if err := c.Apply(dst, src, severity, P224, r, &s); err != nil {
					t.Fatal(err)
				}
			}
		}
		all()
		if n := testing.AllocsPerRun(3, all); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// Grey images: what acts on each channel alone or on colours by their grey keeps equal channels equal; noise and
// coloured drops do not.
func TestGreyImages(t *testing.T) {
	colours := []string{"gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise", "spatter", "frost", "saturate"}
	src := testImage(40, 40)
	for i := 0; i < len(src.Pix); i += 4 {
		src.Pix[i+1], src.Pix[i+2] = src.Pix[i], src.Pix[i]
	}
	for _, name := range allNames(t) {
		var dst raster.Image
		if err := corruption(t, name).Apply(&dst, src, 5, P32, rng.New(4), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		grey := true
		for i := 0; i < len(dst.Pix); i += 4 {
			grey = grey && dst.Pix[i] == dst.Pix[i+1] && dst.Pix[i] == dst.Pix[i+2]
		}
		if grey == slices.Contains(colours, name) {
			t.Errorf("%s: a grey image comes out grey: %v", name, grey)
		}
	}
}

// Every parameter has a name and every named one a value of the published tables: by name those of three corruptions.
func TestParameters(t *testing.T) {
	for i := range rows {
		r := &rows[i]
		if n := len(strings.Fields(r.params)); n != len(r.table.Kinds) {
			t.Errorf("%s: %d names of %d parameters", r.name, n, len(r.table.Kinds))
		}
	}
	for _, c := range []struct {
		name     string
		severity int
		p        Profile
		side     int
		want     []Parameter
	}{
		{"gaussian_noise", 5, P224, 0, []Parameter{{"sigma", 0.38}}},
		{"glass_blur", 1, P224, 0, []Parameter{{"sigma", 0.7}, {"delta", 1}, {"iters", 2}}},
		{"jpeg_compression", 1, P32, 0, []Parameter{{"quality", 80}}},
		{"jpeg_compression", 1, Auto, 32, []Parameter{{"quality", 80}}},
	} {
		got, err := mustByName(c.name).Parameters(c.severity, c.p, c.side)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	fog := mustByName("fog")
	for _, err := range []error{
		errOf(fog.Parameters(0, P32, 0)), errOf(fog.Parameters(6, P32, 0)), errOf(fog.Parameters(1, 99, 0)),
		errOf(fog.Parameters(1, Auto, 0)),
	} {
		if !errors.Is(err, ErrSeverity) && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrSize) {
			t.Errorf("%v", err)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
