package cbar

import (
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
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
		if n := len(ops(t, p)); n != 10 {
			t.Errorf("%v has %d corruptions, want 10", p, n)
		}
		for _, c := range ops(t, p) {
			last := 0.0
			for severity := 1; severity <= Severities; severity++ {
				v, err := c.Level(float64(severity))
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

// What every corruption promises, of all in the profiles that they are in.
func TestSuite(t *testing.T) {
	var list []Op
	for _, p := range profiles {
		list = append(list, ops(t, p)...)
	}
	corruptiontest.Suite[corrupt.Scratch](t, list)
}

func TestErrors(t *testing.T) {
	src, dst, r := testImage(32, 32), new(raster.Image), rng.New(1)
	var s corrupt.Scratch
	for i := range rows {
		c := Op{row: &rows[i]}
		if err := c.WithProfile(2).Apply(dst, src, 1, r, &s); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s, profile 2: %v", c.Name(), err)
		}
		for _, p := range profiles {
			if err := c.WithProfile(p).Apply(dst, src, 1, r, &s); !c.In(p) && !errors.Is(err, ErrNotInProfile) {
				t.Errorf("%s, profile %v: %v", c.Name(), p, err)
			}
		}
	}
}

// every calls f for each corruption of each profile.
func every(t *testing.T, f func(c Op, p Profile)) {
	t.Helper()
	for _, p := range profiles {
		for _, c := range ops(t, p) {
			f(c, p)
		}
	}
}

// What each corruption can do to a byte: out of from and to.
func TestRange(t *testing.T) {
	laws := map[string]func(from, to uint8) bool{
		"blue_noise_sample":   func(from, to uint8) bool { return to == from || to == 0 },
		"checkerboard_cutout": func(from, to uint8) bool { return to == from || to == cutoutGray },
		"sparkles":            func(from, to uint8) bool { return to >= from },
		"inverse_sparkles":    func(from, to uint8) bool { return to >= from },
		"lines": func(from, to uint8) bool {
			return min(from, lineGray) <= to && to <= max(from, lineGray)
		},
		// Intensities at severity 5: 98, 128 (a saw-tooth of half that) and 64 of 255.
		"single_frequency_greyscale": func(from, to uint8) bool { return distance(from, to) <= 98 },
		"cocentric_sine_waves":       func(from, to uint8) bool { return distance(from, to) <= 64 },
		"plasma_noise":               func(from, to uint8) bool { return distance(from, to) <= 128 },
		// 44 % gray of at least half white
		"perlin_noise": func(from, to uint8) bool { return float64(to) >= .56*float64(from)+.44*127.5-1 },
	}
	src := testImage(61, 47)
	every(t, func(c Op, p Profile) {
		ok := laws[c.Name()]
		if ok == nil {
			return
		}
		var dst raster.Image
		for seed := range uint64(20) {
			if err := c.Apply(&dst, src, 5, rng.New(seed), new(corrupt.Scratch)); err != nil {
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

// Gray images stay gray but under the corruptions that color them.
func TestGrayImages(t *testing.T) {
	colors := "plasma_noise brownish_noise transverse_chromatic_abberation"
	src := testImage(40, 40)
	for i := 0; i < len(src.Pix); i += 4 {
		src.Pix[i+1], src.Pix[i+2] = src.Pix[i], src.Pix[i]
	}
	every(t, func(c Op, p Profile) {
		var dst raster.Image
		if err := c.Apply(&dst, src, 5, rng.New(4), new(corrupt.Scratch)); err != nil {
			t.Fatal(err)
		}
		gray := true
		for i := 0; i < len(dst.Pix); i += 4 {
			gray = gray && dst.Pix[i] == dst.Pix[i+1] && dst.Pix[i] == dst.Pix[i+2]
		}
		if gray == strings.Contains(colors, c.Name()) {
			t.Errorf("%s: a gray image comes out gray: %v", c.Name(), gray)
		}
	})
}
