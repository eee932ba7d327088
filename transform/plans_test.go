package transform

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// An image too small for one corruption is rejected for all, so that rows stay the same in all files.
func TestTooSmall(t *testing.T) {
	c := &Corruptions{Names: []string{"fog", "elastic_transform"}, Severities: []float64{1}}
	var p Parts
	p.Reset(func(dst []byte, _ *raster.Image) ([]byte, error) { return dst, nil })
	err := c.Transform().Apply(&p, raster.New(5, 9), rng.NewKey(1))
	if !errors.Is(err, corrupt.ErrSize) || !strings.Contains(err.Error(), "elastic_transform") || !strings.Contains(err.Error(), "5x9") {
		t.Errorf("error %v", err)
	}
	c.Size = 6
	if err := c.Transform().Apply(&p, raster.New(5, 9), rng.NewKey(1)); err != nil || len(p.All()) != 2 || p.All()[1].W != 6 {
		t.Errorf("resized first: %v, %+v", err, p.All())
	}
}

func TestExpandCorruptions(t *testing.T) {
	for _, c := range []struct {
		list string
		bar  cbar.Profile
		n    int
		some string
	}{
		{"all", cbar.CIFAR, 19, "saturate"},
		{"common", cbar.CIFAR, 15, "fog"},
		{"validation", cbar.CIFAR, 4, "spatter"},
		{"cbar", cbar.CIFAR, 10, "ripple"},
		{"cbar", cbar.ImageNet, 10, "plasma_noise"},
		{"all,cbar", cbar.CIFAR, 29, "ripple"},
		{"weather,fog,snow", cbar.CIFAR, 5, "fog"},
		{"jpeg_compression", cbar.CIFAR, 1, "jpeg_compression"},
	} {
		names, err := ExpandCorruptions(strings.Split(c.list, ","), c.bar)
		if err != nil || len(names) != c.n || !slices.Contains(names, c.some) {
			t.Errorf("%s: %v, %v", c.list, names, err)
		}
	}
	for _, bad := range []string{"hail", "", "Fog", "ripple"} {
		_, err := ExpandCorruptions([]string{bad}, cbar.ImageNet)
		if !errors.Is(err, ErrOption) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := ExpandCorruptions([]string{"hail"}, cbar.CIFAR); !strings.Contains(err.Error(), "gaussian_noise") {
		t.Errorf("%v does not list what there is", err)
	}
}

func TestParseSeverities(t *testing.T) {
	for text, want := range map[string][]float64{
		"1-5": {1, 2, 3, 4, 5}, "3": {3}, "5,1": {1, 5}, "2-3,3-4": {2, 3, 4}, "0-1:0.25": {0, 0.25, 0.5, 0.75, 1}, "1,2.5,5": {1, 2.5, 5},
		"2.50,2.5": {2.5}, "0.1-0.3:0.1": {0.1, 0.2, 0.3}, "0.5-2": {0.5, 1.5}, "0.005": {0.005},
	} {
		if got, err := ParseSeverities(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"5.1", "6", "", "1-6", "3-2", "x", "1,", "-1", "1-", "0.0001", "1-2:0", "2:1", "NaN", "1-2:", "Inf"} {
		if got, err := ParseSeverities(bad); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "0 to 5") {
			t.Errorf("%q: %v, %v", bad, got, err)
		}
	}
}

// The -C-bar corruptions go through package cbar.
func TestBar(t *testing.T) {
	c := &Corruptions{Names: []string{"checkerboard_cutout"}, Severities: []float64{4}, Bar: cbar.CIFAR}
	var p Parts
	p.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
	src, want := noise(3, 32, 32), new(raster.Image)
	if err := c.Transform().Apply(&p, src, rng.NewKey(9)); err != nil {
		t.Fatal(err)
	}
	one, err := cbar.ByName("checkerboard_cutout")
	if err != nil {
		t.Fatal(err)
	}
	r := rng.NewKey(9).Str("corrupt").Str("checkerboard_cutout").Uint(4).Rand()
	if err := one.WithProfile(cbar.CIFAR).Apply(want, src, 4, &r, new(corrupt.Scratch)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.All()[0].Data, want.AppendRGB(nil)) || c.Published() || !(&Corruptions{Names: []string{"fog"}}).Published() {
		t.Error("differs from package cbar")
	}
}

func TestExpandPerturbations(t *testing.T) {
	for _, bad := range []string{"wobble", ""} {
		if _, err := ExpandPerturbations([]string{bad}); !errors.Is(err, ErrOption) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for subset, count := range map[string]int{"all": 14, "common": 10, "extra": 4, "shear": 1} {
		if names, err := ExpandPerturbations([]string{subset}); err != nil || len(names) != count {
			t.Errorf("%s: %v, %v", subset, names, err)
		}
	}
	if _, err := ParseDifficulties("4"); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

// A caller's corruption follows the published ones, under a name of its own.
func TestOwnCorruption(t *testing.T) {
	names, err := ExpandCorruptions([]string{"solid", "fog", "cbar"}, cbar.CIFAR, solid{"solid"})
	if err != nil || len(names) != 12 || names[0] != "fog" || names[11] != "solid" {
		t.Fatalf("%v, %v", names, err)
	}
	for _, bad := range []string{"fog", "cbar", "all", "plasma_noise", "", "a/b", ".."} {
		if _, err := ExpandCorruptions([]string{"fog"}, cbar.CIFAR, solid{bad}); !errors.Is(err, ErrOption) {
			t.Errorf("a corruption called %q: %v", bad, err)
		}
	}
	if _, err := ExpandCorruptions([]string{"fog"}, cbar.CIFAR, solid{"x"}, solid{"x"}); !errors.Is(err, ErrOption) {
		t.Errorf("two of one name: %v", err)
	}
	c := &Corruptions{Names: []string{"fog", "solid"}, Own: []corrupt.Corruption{solid{"solid"}}, Severities: []float64{2}}
	var p Parts
	p.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
	if err := c.Transform().Apply(&p, noise(1, 9, 8), rng.NewKey(3)); err != nil || p.All()[1].Data[0] != 2 || c.Published() {
		t.Errorf("%v, %v", p.All()[1].Data[:3], err)
	}
	if err := c.Transform().Apply(&p, noise(1, 9, 7), rng.NewKey(3)); !errors.Is(err, corrupt.ErrSize) {
		t.Errorf("a small image: %v", err)
	}
}

// solid is a corruption that makes every value the severity. It serves images of at least 8 by 8.
type solid struct{ name string }

func (s solid) Name() string { return s.name }
func (s solid) MinSide() int { return 8 }

func (s solid) Apply(dst, src *raster.Image, severity float64, _ *rng.Rand, scratch *corrupt.Scratch) error {
	value := corrupt.Memory[uint8](scratch) // kept from image to image
	*value = uint8(severity)
	dst.Reset(src.W, src.H)
	for i := range dst.Pix {
		dst.Pix[i] = *value
	}
	return nil
}

func TestCorruptionChoices(t *testing.T) {
	choices := CorruptionChoices()
	for _, want := range []string{"all", "cbar", "fog", "saturate", "plasma_noise", "ripple"} {
		if !slices.Contains(choices, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if slices.Sort(choices); len(slices.Compact(choices)) != 8+19+15 {
		t.Errorf("%d choices", len(choices))
	}
}

// In steady state nothing is allocated.
func TestCorruptionsDoNotAllocate(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	names, err := ExpandCorruptions([]string{"noise", "digital", "cbar"}, cbar.CIFAR)
	if err != nil {
		t.Fatal(err)
	}
	m := (&Corruptions{Names: names, Bar: cbar.CIFAR, Severities: []float64{1, 2, 3, 4, 5}}).Transform()
	src := noise(5, 32, 32)
	var p Parts
	encode := func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil }
	i := uint64(0)
	one := func() {
		p.Reset(encode)
		if err := m.Apply(&p, src, rng.NewKey(i)); err != nil {
			t.Fatal(err)
		}
		i++
	}
	for range 30 {
		one()
	}
	if n := testing.AllocsPerRun(20, one); n > 0 {
		t.Errorf("%v allocations an image", n)
	}
}

// Forms of which some are kept are of what the caller's Only leaves.
func TestKeepOfSome(t *testing.T) {
	odd := func(v Variant) bool { return v.Severity != 2 && v.Name != "tilt" }
	for want, f := range map[string]Forms{
		"fog/1 fog/3":     &Corruptions{Names: []string{"fog"}, Severities: []float64{1, 2, 3}, Only: odd},
		"translate scale": &Perturbations{Names: []string{"translate", "tilt", "scale"}, Difficulties: []int{1}, Only: odd},
	} {
		if got := variantNames(f.Keep(nil).Variants()); got != want {
			t.Errorf("all of them: %s, want %s", got, want)
		}
		last := f.Variants()[1]
		if got := f.Keep(func(v Variant) bool { return v == last || !odd(v) }).Variants(); !slices.Equal(got, []Variant{last}) {
			t.Errorf("some of %s: %v, want %v", want, got, last)
		}
	}
}
