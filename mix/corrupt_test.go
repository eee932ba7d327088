package mix

import (
	"errors"
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// invert is a corruption that says its name and severity in the first pixel.
type invert struct{ name string }

func findInvert(name string) (Corruption, error) { return invert{name}, nil }

func (invert) MinSide() int { return 4 }

func (c invert) Corrupt(dst, src *raster.Image, severity int, _ *rng.Rand, _ *any) {
	dst.CopyFrom(src)
	dst.Pix[0], dst.Pix[1] = uint8(severity), c.name[0]
}

// TestCorruptDraws: so many images as the probability says, every corruption and severity as often.
func TestCorruptDraws(t *testing.T) {
	m, err := NewCorrupt(findInvert, CorruptParams{Names: []string{"fog", "snow", "lines"}, From: 2, To: 4, Prob: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	src, dst, counts := raster.New(8, 8), new(raster.Image), map[[2]uint8]int{}
	var s Scratch
	for i := range 6000 {
		r := rng.NewKey(uint64(i)).Rand()
		m.Apply(dst, src, &r, &s)
		counts[[2]uint8{dst.Pix[0], dst.Pix[1]}]++
	}
	if n := counts[[2]uint8{}]; n < 2250 || n > 2550 || len(counts) != 10 {
		t.Errorf("%d of 6000 are as they were, want about 2400; %v", n, counts)
	}
	for _, severity := range []uint8{2, 3, 4} {
		for _, name := range "fsl" {
			if n := counts[[2]uint8{severity, uint8(name)}]; n < 320 || n > 480 {
				t.Errorf("%c at severity %d: %d times, want about 400", name, severity, n)
			}
		}
	}
	small := raster.New(3, 8)
	r := rng.NewKey(1).Rand()
	for range 10 {
		if m.Apply(dst, small, &r, &s); !raster.Equal(dst, small) {
			t.Fatal("an image that is too small was corrupted")
		}
	}
}

func TestCorruptNeeds(t *testing.T) {
	if _, err := ParseMethod("standard+corrupt-fog", Options{}); !errors.Is(err, ErrCorruptions) {
		t.Error(err)
	}
	if _, err := NewCorrupt(findInvert, CorruptParams{Names: []string{"rain"}, From: 1, To: 1}); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
	bad := errors.New("none such")
	if _, err := NewCorrupt(func(string) (Corruption, error) { return nil, bad }, CorruptParams{From: 1, To: 1}); !errors.Is(err, bad) {
		t.Error(err)
	}
	for _, e := range Table() { // else "corrupt-fog+NAME" would have two meanings
		if corruptName(e.Name) {
			t.Errorf("%s is a method and a corruption", e.Name)
		}
	}
}
