package corrupt

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
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

// What every corruption promises, of all with every profile.
func TestSuite(t *testing.T) {
	for _, p := range []Profile{Auto, P224, P64, P32, P299} {
		var list []Op
		for _, name := range allNames(t) {
			list = append(list, op(t, name).WithProfile(p))
		}
		t.Run(p.String(), func(t *testing.T) { corruptiontest.Suite[Scratch](t, list) })
	}
}

func TestErrors(t *testing.T) {
	src, dst, r := testImage(32, 32), new(raster.Image), rng.New(1)
	var s Scratch
	for _, name := range allNames(t) {
		if err := op(t, name).WithProfile(5).Apply(dst, src, 1, r, &s); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s, profile 5: %v", name, err)
		}
	}
	if _, err := NewFrostSet(); !errors.Is(err, ErrNoTextures) {
		t.Errorf("an empty set: %v", err)
	}
	if _, err := NewFrostSet(src, nil); !errors.Is(err, ErrNoTextures) || !strings.Contains(err.Error(), "photograph 1 ") {
		t.Errorf("a photograph that is nil: %v", err)
	}
}

func mustByName(name string) Op {
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
				if err := op(t, name).WithProfile(p).Apply(dst, src, 4, rng.New(6), &s); err != nil {
					t.Fatal(err)
				}
			}
			if !raster.Equal(&a, &b) {
				t.Errorf("%s: auto and profile %v differ", name, p)
			}
		}
	}
}

// Gray images: what acts on each channel alone or on colors by their gray keeps equal channels equal; noise and
// colored drops do not.
func TestGrayImages(t *testing.T) {
	colors := []string{"gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise", "spatter", "frost", "saturate"}
	src := testImage(40, 40)
	for i := 0; i < len(src.Pix); i += 4 {
		src.Pix[i+1], src.Pix[i+2] = src.Pix[i], src.Pix[i]
	}
	for _, name := range allNames(t) {
		var dst raster.Image
		if err := op(t, name).WithProfile(P32).Apply(&dst, src, 5, rng.New(4), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		gray := true
		for i := 0; i < len(dst.Pix); i += 4 {
			gray = gray && dst.Pix[i] == dst.Pix[i+1] && dst.Pix[i] == dst.Pix[i+2]
		}
		if gray == slices.Contains(colors, name) {
			t.Errorf("%s: a gray image comes out gray: %v", name, gray)
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
		got, err := mustByName(c.name).WithProfile(c.p).Parameters(float64(c.severity), c.side)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	fog := mustByName("fog")
	for _, err := range []error{
		errOf(fog.Parameters(-1, 32)), errOf(fog.Parameters(6, 32)), errOf(fog.WithProfile(99).Parameters(1, 32)),
		errOf(fog.Parameters(1, 0)),
	} {
		if !errors.Is(err, ErrSeverity) && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrSize) {
			t.Errorf("%v", err)
		}
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestFrostCovers: a photograph that would be smaller than the image is scaled up to more than its size.
func TestFrostCovers(t *testing.T) {
	photo := texture{w: 1024, h: 768}
	for _, size := range [][2]int{{2000, 20}, {20, 2000}, {1500, 1500}, {1024, 700}, {100, 50}} {
		w, h := size[0], size[1]
		f, width, height := Frost{Scale: .2}.scaled(photo, w, h)
		covers := f*float64(photo.w) > float64(w)+.5 && f*float64(photo.h) > float64(h)+.5
		if !covers || f < .2 || width <= w || height <= h {
			t.Errorf("%v: factor %v, %dx%d", size, f, width, height)
		}
	}
}
