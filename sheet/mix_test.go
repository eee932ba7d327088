package sheet

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// oneColour is a mixing set of a single image.
type oneColour struct{}

func (oneColour) String() string { return "one color" }
func (oneColour) Len() int       { return 1 }
func (oneColour) Image(int) *raster.Image {
	m := raster.New(160, 160)
	m.Fill(raster.RGB{R: 250, G: 10, B: 90})
	return m
}

// A method of two images takes the other from the sheet, or mirrors a single one.
func TestSheetOfPairs(t *testing.T) {
	m, err := mix.Parse("mixup-a0.001") // weights are 0 or 1 but for one in hundreds: either of the two images, unchanged
	if err != nil {
		t.Fatal(err)
	}
	a, b := noisy(1, 128, 128), noisy(2, 128, 128)
	sheet := draw1(t, Sheet{Images: []Image{{"a", a}, {"b", b}}, Mixers: []mix.Mixer{m}, Samples: 22})
	own, other := len(find(sheet, a)), len(find(sheet, b))
	if own+other < 40 || own < 10 || other < 10 {
		t.Errorf("the images stand %d and %d times on the sheet, of 46", own, other)
	}
	single := draw1(t, Sheet{Images: []Image{{"a", a}}, Mixers: []mix.Mixer{m}, Samples: 12})
	turned := raster.New(128, 128)
	for y := range 128 {
		for x := range 128 {
			turned.Set(x, y, a.At(127-x, y))
		}
	}
	if n, k := len(find(single, a)), len(find(single, turned)); n+k < 11 || k == 0 {
		t.Errorf("a single image and its mirror image stand %d and %d times, of 12", n, k)
	}
	// Images of other sizes are made to fit.
	draw1(t, Sheet{Images: []Image{{"a", a}, {"c", noisy(3, 40, 90)}}, Mixers: []mix.Mixer{m}, Samples: 3})
}

func TestSheetOfPixMix(t *testing.T) {
	bare, err := mix.Parse("standard+pixmix")
	if err != nil {
		t.Fatal(err)
	}
	s := Sheet{Images: []Image{{"a", noisy(1, 64, 64)}}, Mixers: []mix.Mixer{bare}, Samples: 2}
	if err := s.Check(); !errors.Is(err, ErrSheet) {
		t.Errorf("without a mixing set: %v", err)
	}
	if s.Mixers[0], err = mix.Equip(bare, mix.Options{MixingSet: oneColour{}}); err != nil {
		t.Fatal(err)
	}
	if says := about(s.Mixers[0]); !strings.Contains(says, "one color") || !strings.Contains(says, "; then rounds of") {
		t.Errorf("the sheet says %q", says)
	}
	if sheet := draw1(t, s); sheet.Bounds().Empty() || sheet.Bounds() == (image.Rectangle{}) {
		t.Error("an empty sheet")
	}
}
