package sheet

import (
	"image"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// oneColor is a mixing set of a single image.
type oneColor struct{}

func (oneColor) String() string { return "one color" }
func (oneColor) Len() int       { return 1 }
func (oneColor) Image(int) *raster.Image {
	m := raster.New(160, 160)
	m.Fill(raster.RGB{R: 250, G: 10, B: 90})
	return m
}

// A method of two images takes the partner from the sheet, or flips a single image.
func TestSheetOfBatchMixes(t *testing.T) {
	m, err := mix.ParseMethod("mixup-a0.001", mix.Options{}) // weights are 0 or 1 but for one in hundreds: either of the two images, unchanged
	if err != nil {
		t.Fatal(err)
	}
	a, b := noisy(1, 128, 128), noisy(2, 128, 128)
	sheet := draw1(t, Sheet{Images: []Image{{"a", a}, {"b", b}}, Methods: []*mix.Method{m}, Samples: 22})
	own, other := len(find(sheet, a)), len(find(sheet, b))
	if own+other < 40 || own < 10 || other < 10 {
		t.Errorf("the images stand %d and %d times on the sheet, of 46", own, other)
	}
	single := draw1(t, Sheet{Images: []Image{{"a", a}}, Methods: []*mix.Method{m}, Samples: 12})
	turned := raster.New(128, 128)
	for y := range 128 {
		for x := range 128 {
			turned.Set(x, y, a.At(127-x, y))
		}
	}
	if n, k := len(find(single, a)), len(find(single, turned)); n+k < 11 || k == 0 {
		t.Errorf("a single image and its flipped image stand %d and %d times, of 12", n, k)
	}
	// Images of other sizes are made to fit.
	draw1(t, Sheet{Images: []Image{{"a", a}, {"c", noisy(3, 40, 90)}}, Methods: []*mix.Method{m}, Samples: 3})
}

func TestSheetOfPixMix(t *testing.T) {
	m, err := mix.ParseMethod("standard+pixmix", mix.Options{MixingSet: oneColor{}})
	if err != nil {
		t.Fatal(err)
	}
	s := Sheet{Images: []Image{{"a", noisy(1, 64, 64)}}, Methods: []*mix.Method{m}, Samples: 2}
	if says := about(m); !strings.Contains(says, "one color") || !strings.Contains(says, "; then rounds of") {
		t.Errorf("the sheet says %q", says)
	}
	if sheet := draw1(t, s); sheet.Bounds().Empty() || sheet.Bounds() == (image.Rectangle{}) {
		t.Error("an empty sheet")
	}
}
