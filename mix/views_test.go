package mix_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The three views of one image.
func ExampleViews() {
	img := image.NewRGBA(image.Rect(0, 0, 32, 32)) // as image.Decode returns one
	views, err := mix.Views(img, "augmix", 3, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(views), views[0].Bounds())
	// Output: 3 (0,0)-(32,32)
}

// TestSharedCrop: a crop that comes first is the same for all views.
func TestSharedCrop(t *testing.T) {
	src := raster.New(16, 16)
	for i := range src.Pix {
		src.Pix[i] = byte(37 * i)
	}
	views, err := mix.Views(src.RGBA(), "standard+cutout-s1", 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	first := views[0].(*image.RGBA).Pix
	if bytes.Equal(first, src.RGBA().Pix) {
		t.Error("the first view is not cropped")
	}
	for v, view := range views {
		others := 0
		for i, p := range view.(*image.RGBA).Pix {
			if p != first[i] {
				others++
			}
		}
		if others > 3 { // those of the pixel that is cut out
			t.Errorf("view %d differs in %d values", v, others)
		}
	}
}

// TestViews: the views are those of Batch.Views, whose keys have the same rule.
func TestViews(t *testing.T) {
	img := image.NewNRGBA(image.Rect(5, 5, 21, 25)) // not at the origin, transparent
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	views, err := mix.Views(img, "augmix", 3, 9)
	if err != nil {
		t.Fatal(err)
	}
	src, err := raster.FromImage(img)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 3*3*16*20)
	var b mix.Batch
	b.Views(mix.NewAugMix(), x, []*raster.Image{src}, &mix.Unit, []rng.Key{rng.NewKey(9)}, 1, 3)
	for v, view := range views {
		pix := view.(*image.RGBA)
		if pix.Rect != image.Rect(0, 0, 16, 20) {
			t.Fatalf("view %d has the bounds %v", v, pix.Rect)
		}
		for i := range 16 * 20 {
			if got, want := float64(pix.Pix[4*i]), float64(255*x[v*3*16*20+i]); got > want+1 || got < want-1 {
				t.Fatalf("view %d: pixel %d is %v, want %v", v, i, got, want)
			}
		}
	}
	if bytes.Equal(views[1].(*image.RGBA).Pix, views[2].(*image.RGBA).Pix) {
		t.Error("two mixtures are equal")
	}
	views[0].(*image.RGBA).Pix[0]++ // a copy
	if img.Pix[0] == views[0].(*image.RGBA).Pix[0] {
		t.Error("the first view shares the image's memory")
	}
	for spec, is := range map[string]error{"augmx": mix.ErrSpec, "cutmix": mix.ErrPartner, "pixmix": mix.ErrMixingSet} {
		if _, err := mix.Views(img, spec, 3, 1); !errors.Is(err, is) {
			t.Errorf("%s: error %v", spec, err)
		}
	}
	if _, err := mix.Views(img, "augmix", 0, 1); !errors.Is(err, mix.ErrSpec) {
		t.Errorf("no views: error %v", err)
	}
	if _, err := mix.Views(image.NewRGBA(image.Rectangle{}), "augmix", 2, 1); !errors.Is(err, raster.ErrSize) {
		t.Errorf("no pixels: error %v", err)
	}
}
