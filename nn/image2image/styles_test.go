package image2image_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// painting makes image i of a set.
func painting(dst *raster.Image, i int) {
	dst.Reset(24, 16)
	r := rng.New(uint64(i))
	for k := range dst.Pix {
		dst.Pix[k] = uint8(r.IntN(256)) | 255*uint8(k%4/3)
	}
}

// TestStyles: styles that are read in advance, by any number of workers, are those that are predicted when they are used.
func TestStyles(t *testing.T) {
	net := image2imagetest.Style(t)
	made := 0
	lazy := image2image.NewStyles(net, "noise", 5, func(dst *raster.Image, i int) { made++; painting(dst, i) })
	read := func(dst *raster.Image, i int) error { painting(dst, i); return nil }
	one, err := image2image.ReadStyles(net, "noise", 5, 1, read)
	if err != nil {
		t.Fatal(err)
	}
	three, err := image2image.ReadStyles(net, "noise", 5, 3, read)
	if err != nil || three.Len() != 5 || three.String() != "noise" {
		t.Fatal(three, err)
	}
	var s image2image.Scratch
	var looks [][]float32
	for i := range 5 {
		for _, strength := range []float32{1, 0.5} {
			var v [3][]float32
			for k, styles := range []*image2image.Styles{lazy, one, three} {
				v[k] = noise(12, 12, 1)
				styles.Apply(v[k], 12, 12, i, strength, &s)
			}
			if !slices.Equal(v[0], v[1]) || !slices.Equal(v[0], v[2]) {
				t.Errorf("style %d at %v depends on when it is predicted", i, strength)
			}
			looks = append(looks, v[0])
		}
	}
	for i, a := range looks {
		if slices.ContainsFunc(looks[:i], func(b []float32) bool { return slices.Equal(a, b) }) {
			t.Errorf("style %d at strength %d/2 looks like an earlier one", i/2, 2-i%2)
		}
	}
	if made != 5 {
		t.Errorf("%d images were made, want 5", made)
	}
	bad := errors.New("bad")
	_, err = image2image.ReadStyles(net, "noise", 5, 2, func(dst *raster.Image, i int) error {
		if i > 1 {
			return bad
		}
		return read(dst, i)
	})
	if !errors.Is(err, bad) {
		t.Error(err)
	}
}
