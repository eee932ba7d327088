package styletransfer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func Example() {
	styles, err := mixset.OpenStyles(context.Background(), "deadleaves-n100", "no-such-file.npz", mixset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(styletransfer.New(styles).Name())
	// Output: stat no-such-file.npz: no such file or directory
}

func noisy(dst *raster.Image, side int, seed uint64) *raster.Image {
	dst.Reset(side, side)
	r := rng.New(seed)
	for i := range dst.Pix {
		dst.Pix[i] = uint8(r.IntN(256)) | 255*uint8(i%4/3)
	}
	return dst
}

// distance is the mean difference of two images of one size, in gray levels.
func distance(a, b *raster.Image) (sum float64) {
	for i := range a.Pix {
		sum += max(float64(a.Pix[i])-float64(b.Pix[i]), float64(b.Pix[i])-float64(a.Pix[i]))
	}
	return sum / float64(3*a.W*a.H)
}

// check applies the corruption at all severities to an image: results are repeatable, draw the style, and lie ever farther
// from the image.
func check(t *testing.T, c corrupt.Corruption, src *raster.Image, seeds int) {
	var s corrupt.Scratch
	was := 0.0
	for severity := 1; severity <= 5; severity++ {
		sum, looks := 0.0, map[string]bool{}
		for seed := range seeds {
			dst, again := new(raster.Image), new(raster.Image)
			for _, m := range []*raster.Image{dst, again} {
				r := rng.New(uint64(seed))
				if err := c.Apply(m, src, float64(severity), r, &s); err != nil {
					t.Fatal(err)
				}
			}
			if !raster.Equal(dst, again) {
				t.Errorf("severity %d: two results of one seed", severity)
			}
			sum += distance(src, dst)
			looks[string(dst.Pix)] = true
		}
		if len(looks) < 2 {
			t.Errorf("severity %d: one look for all seeds", severity)
		}
		if sum <= was {
			t.Errorf("severity %d is not farther from the image than the one before: %.1f, %.1f", severity, sum, was)
		}
		was = sum
	}
}

func TestApply(t *testing.T) {
	styles := image2image.NewStyles(image2imagetest.Style(t), "noise", 3, func(dst *raster.Image, i int) { noisy(dst, 16, uint64(i)) })
	c := styletransfer.New(styles)
	check(t, c, noisy(new(raster.Image), 12, 9), 6)
	m := noisy(new(raster.Image), 1, 1)
	if err := c.Apply(new(raster.Image), m, 5, rng.New(1), new(corrupt.Scratch)); err != nil {
		t.Error(err)
	}
	for _, severity := range []float64{-1, 6} {
		if err := c.Apply(new(raster.Image), m, severity, rng.New(1), new(corrupt.Scratch)); !errors.Is(err, corrupt.ErrSeverity) {
			t.Error(err)
		}
	}
}

// TestPublished is the same with the published network.
func TestPublished(t *testing.T) {
	dir := golden.NeedBeside(t, "models") + "/style/"
	styles, err := mixset.OpenStyles(t.Context(), "deadleaves-n2", dir+"magenta_style.npz", mixset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	src := new(raster.Image)
	src.Reset(48, 32)
	for i := range src.Pix {
		src.Pix[i] = uint8(i/4%48*5) | 255*uint8(i%4/3)
	}
	check(t, styletransfer.New(styles), src, 4)
}
