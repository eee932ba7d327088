package cbar

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var profiles = []Profile{ImageNet, CIFAR}

func TestNames(t *testing.T) {
	want := map[Profile]string{
		ImageNet: "blue_noise_sample plasma_noise checkerboard_cutout cocentric_sine_waves " +
			"single_frequency_greyscale brownish_noise perlin_noise sparkles inverse_sparkles caustic_refraction",
		CIFAR: "blue_noise_sample checkerboard_cutout brownish_noise sparkles inverse_sparkles pinch_and_twirl " +
			"ripple circular_motion_blur lines transverse_chromatic_abberation",
	}
	for p, w := range want {
		if got, err := Names(p); err != nil || strings.Join(got, " ") != w {
			t.Errorf("Names(%v) = %v, %v; want %s", p, got, err, w)
		}
	}
}

func TestUnknown(t *testing.T) {
	if _, err := ByName("concentric_sine_waves"); !errors.Is(err, ErrUnknown) ||
		!strings.Contains(err.Error(), "cocentric_sine_waves, single_frequency_greyscale") {
		t.Errorf("ByName: %v", err)
	}
	if _, err := Names(2); !errors.Is(err, ErrUnknown) {
		t.Errorf("Names: %v", err)
	}
	_, err := ParseProfile("mnist")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "imagenet, cifar") {
		t.Errorf("ParseProfile: %v", err)
	}
}

func TestProfileNames(t *testing.T) {
	for _, name := range []string{"imagenet", "cifar"} {
		if p, err := ParseProfile(name); err != nil || p.String() != name {
			t.Errorf("profile %q: %v, %v", name, p, err)
		}
	}
	if got := Profile(9).String(); got != "Profile(9)" {
		t.Errorf("Profile(9) is %q", got)
	}
}

// Severity values rise with the severity and stay within 0…10; a corruption is in the profiles that Names says.
func TestLevels(t *testing.T) {
	for _, p := range profiles {
		if n := len(corruptions(t, p)); n != 10 {
			t.Errorf("%v has %d corruptions, want 10", p, n)
		}
		for _, c := range corruptions(t, p) {
			last := 0.0
			for severity := 1; severity <= Severities; severity++ {
				v, err := c.Level(severity, p)
				if err != nil || v <= last || v > 10 {
					t.Errorf("%s, %v, severity %d: value %v after %v, %v", c.Name(), p, severity, v, last, err)
				}
				last = v
			}
		}
	}
	ripple, err := ByName("ripple")
	if err != nil {
		t.Fatal(err)
	}
	if ripple.In(ImageNet) || !ripple.In(CIFAR) || ripple.In(7) {
		t.Error("ripple is in CIFAR alone")
	}
}

func TestErrors(t *testing.T) {
	src, dst, r := testImage(32, 32), new(raster.Image), rng.New(1)
	var s Scratch
	for i := range rows {
		c := Corruption{&rows[i]}
		p := CIFAR
		if !c.In(p) {
			p = ImageNet
		}
		for _, severity := range []int{-1, 0, 6} {
			if err := c.Apply(dst, src, severity, p, r, &s); !errors.Is(err, ErrSeverity) {
				t.Errorf("%s, severity %d: %v", c.Name(), severity, err)
			}
		}
		if err := c.Apply(dst, src, 1, 2, r, &s); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s, profile 2: %v", c.Name(), err)
		}
		if other := 1 - p; !c.In(other) {
			if err := c.Apply(dst, src, 1, other, r, &s); !errors.Is(err, ErrNotInProfile) {
				t.Errorf("%s, profile %v: %v", c.Name(), other, err)
			}
		}
		if m := c.MinSide(); m > 1 {
			for _, small := range []*raster.Image{testImage(m-1, 32), testImage(32, m-1)} {
				if err := c.Apply(dst, small, 1, p, r, &s); !errors.Is(err, ErrSize) {
					t.Errorf("%s, %dx%d: %v", c.Name(), small.W, small.H, err)
				}
			}
		}
	}
}

// every calls f for each corruption of each profile.
func every(t *testing.T, f func(c Corruption, p Profile)) {
	t.Helper()
	for _, p := range profiles {
		for _, c := range corruptions(t, p) {
			f(c, p)
		}
	}
}

func TestSharedMemoryPanics(t *testing.T) {
	every(t, func(c Corruption, p Profile) {
		src := testImage(32, 32)
		for _, dst := range []*raster.Image{src, {Pix: src.Pix, W: 32, H: 32}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s accepts dst that shares memory with src", c.Name())
					}
				}()
				_ = c.Apply(dst, src, 1, p, rng.New(1), new(Scratch))
			}()
		}
	})
}

// Every shape from the least on, every severity: the result has the size of the image and is opaque, and the image
// is left as it was.
func TestAnySize(t *testing.T) {
	var s Scratch // shared, so that it shrinks and grows
	every(t, func(c Corruption, p Profile) {
		m := c.MinSide()
		sizes := [][2]int{{m, m}, {m, 40}, {37, m}, {33, 31}, {m, 2000}, {2000, m}, {70, 45}, {300, 20}, {32, 32}}
		for _, size := range sizes {
			src := testImage(size[0], size[1])
			before := src.Clone()
			for severity := 1; severity <= Severities; severity++ {
				dst := &raster.Image{Pix: []uint8{1, 2, 3}}
				if err := c.Apply(dst, src, severity, p, rng.New(3), &s); err != nil {
					t.Fatalf("%s, %v, severity %d: %v", c.Name(), size, severity, err)
				}
				if dst.W != src.W || dst.H != src.H || !opaque(dst) {
					t.Fatalf("%s, %v, severity %d: a bad image of %dx%d", c.Name(), size, severity, dst.W, dst.H)
				}
			}
			if !bytes.Equal(src.Pix, before.Pix) {
				t.Fatalf("%s changes its source", c.Name())
			}
		}
	})
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return len(m.Pix) == 4*m.W*m.H
}

// The result is a function of the image, the severity, the profile and the key: neither what the scratch was used for
// before nor the old contents of dst matter.
func TestSameKeySameBytes(t *testing.T) {
	var used Scratch
	rapid.Check(t, func(t *rapid.T) {
		c := Corruption{&rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]}
		p := rapid.SampledFrom(profiles).Draw(t, "profile")
		if !c.In(p) {
			p = 1 - p
		}
		severity := rapid.IntRange(1, 5).Draw(t, "severity")
		src := testImage(rapid.IntRange(3, 60).Draw(t, "w"), rapid.IntRange(3, 60).Draw(t, "h"))
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
			t.Fatalf("%s, severity %d, %v, %dx%d: two runs differ", c.Name(), severity, p, src.W, src.H)
		}
	})
}

// Several goroutines use one Corruption; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	src := testImage(32, 32)
	every(t, func(c Corruption, p Profile) {
		var got [4]raster.Image
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				if err := c.Apply(&got[i], src, 3, p, rng.New(5), new(Scratch)); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i := range got {
			if !raster.Equal(&got[0], &got[i]) {
				t.Errorf("%s: goroutine %d got another image", c.Name(), i)
			}
		}
	})
}

// Random corruptions give another image with another key, the others the same.
func TestRandom(t *testing.T) {
	src := testImage(32, 32)
	every(t, func(c Corruption, p Profile) {
		var a, b raster.Image
		for i, dst := range []*raster.Image{&a, &b} {
			if err := c.Apply(dst, src, 5, p, rng.New(uint64(i)), new(Scratch)); err != nil {
				t.Fatal(err)
			}
		}
		if same := raster.Equal(&a, &b); same == c.Random() {
			t.Errorf("%s: Random() is %v, but equal images with two keys: %v", c.Name(), c.Random(), same)
		}
		if raster.Equal(&a, src) {
			t.Errorf("%s leaves the image as it is", c.Name())
		}
	})
}

// In steady state no operation allocates, whatever it draws and whatever ran before.
func TestNoAllocation(t *testing.T) {
	src, dst, r := testImage(48, 40), new(raster.Image), rng.New(1)
	var s Scratch
	all := func() {
		for i := range rows {
			c := Corruption{&rows[i]}
			for severity := 1; severity <= Severities; severity++ {
				for _, p := range profiles {
					if c.In(p) {
						if err := c.Apply(dst, src, severity, p, r, &s); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
	all()
	if n := testing.AllocsPerRun(20, all); n > 0 {
		t.Errorf("%v allocations in all corruptions", n)
	}
}

// What each corruption can do to a byte: out of from and to.
func TestRange(t *testing.T) {
	laws := map[string]func(from, to uint8) bool{
		"blue_noise_sample":   func(from, to uint8) bool { return to == from || to == 0 },
		"checkerboard_cutout": func(from, to uint8) bool { return to == from || to == cutoutGrey },
		"sparkles":            func(from, to uint8) bool { return to >= from },
		"inverse_sparkles":    func(from, to uint8) bool { return to >= from },
		"lines": func(from, to uint8) bool {
			return min(from, lineGrey) <= to && to <= max(from, lineGrey)
		},
		// Intensities at severity 5: 98, 128 (a saw-tooth of half that) and 64 of 255.
		"single_frequency_greyscale": func(from, to uint8) bool { return distance(from, to) <= 98 },
		"cocentric_sine_waves":       func(from, to uint8) bool { return distance(from, to) <= 64 },
		"plasma_noise":               func(from, to uint8) bool { return distance(from, to) <= 128 },
		// 44 % grey of at least half white
		"perlin_noise": func(from, to uint8) bool { return float64(to) >= .56*float64(from)+.44*127.5-1 },
	}
	src := testImage(61, 47)
	every(t, func(c Corruption, p Profile) {
		ok := laws[c.Name()]
		if ok == nil {
			return
		}
		var dst raster.Image
		for seed := range uint64(20) {
			if err := c.Apply(&dst, src, 5, p, rng.New(seed), new(Scratch)); err != nil {
				t.Fatal(err)
			}
			for i := range dst.Pix {
				if i%4 < 3 && !ok(src.Pix[i], dst.Pix[i]) {
					t.Fatalf("%s, seed %d: byte %d goes from %d to %d", c.Name(), seed, i, src.Pix[i], dst.Pix[i])
				}
			}
		}
	})
}

func distance(a, b uint8) int { return abs(int(a) - int(b)) }

// Grey images stay grey but under the corruptions that colour them.
func TestGreyImages(t *testing.T) {
	colours := "plasma_noise brownish_noise transverse_chromatic_abberation"
	src := testImage(40, 40)
	for i := 0; i < len(src.Pix); i += 4 {
		src.Pix[i+1], src.Pix[i+2] = src.Pix[i], src.Pix[i]
	}
	every(t, func(c Corruption, p Profile) {
		var dst raster.Image
		if err := c.Apply(&dst, src, 5, p, rng.New(4), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		grey := true
		for i := 0; i < len(dst.Pix); i += 4 {
			grey = grey && dst.Pix[i] == dst.Pix[i+1] && dst.Pix[i] == dst.Pix[i+2]
		}
		if grey == strings.Contains(colours, c.Name()) {
			t.Errorf("%s: a grey image comes out grey: %v", c.Name(), grey)
		}
	})
}
