package all_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// gradient is an image on which every corruption shows.
func gradient(side int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 7 / 4 % 251)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

// Every corruption works without set-up, at any size.
func ExampleByName() {
	for _, name := range []string{"fog", "frost", "plasma_noise"} {
		c, err := all.ByName(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := c.Image(image.NewRGBA(image.Rect(0, 0, 64, 48)), 3, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, out.Bounds().Dx(), out.Bounds().Dy())
	}
	// Output:
	// fog 64 48
	// frost 64 48
	// plasma_noise 64 48
}

func TestEveryCorruption(t *testing.T) {
	names := all.Names()
	if len(names) != 34 {
		t.Errorf("%d names", len(names))
	}
	for _, side := range []int{48} {
		src := gradient(side)
		before := bytes.Clone(src.Pix)
		for _, name := range names {
			c, err := all.ByName(name)
			if err != nil || c.Name() != name {
				t.Fatal(name, err)
			}
			a, err := c.Image(src, 3, 1)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			b, err := c.Image(src, 3, 1)
			if err != nil || !bytes.Equal(a.(*image.RGBA).Pix, b.(*image.RGBA).Pix) {
				t.Errorf("%s: another image of the same seed, error %v", name, err)
			}
			if bytes.Equal(a.(*image.RGBA).Pix, src.Pix) || !bytes.Equal(src.Pix, before) {
				t.Errorf("%s: the image is as it was, or the source is not", name)
			}
		}
	}
}

// TestProfile: the profile of C-bar is that of the image's size where it has the corruption.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		name string
		side int
		want cbar.Profile
	}{
		{"sparkles", 32, cbar.CIFAR}, {"sparkles", 65, cbar.ImageNet}, {"ripple", 65, cbar.CIFAR}, {"plasma_noise", 32, cbar.ImageNet},
	} {
		src, err := raster.FromImage(gradient(c.side))
		if err != nil {
			t.Fatal(err)
		}
		auto, err := all.ByName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		op, err := cbar.ByName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		var got, want raster.Image
		err = errors.Join(auto.Apply(&got, src, 2, rng.New(1), new(corrupt.Scratch)),
			op.WithProfile(c.want).Apply(&want, src, 2, rng.New(1), new(corrupt.Scratch)))
		if err != nil || !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s at %d: another image than of profile %s, error %v", c.name, c.side, c.want, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	_, err := all.ByName("plasma_nois")
	if !errors.Is(err, corrupt.ErrUnknown) || !strings.Contains(err.Error(), `did you mean "plasma_noise"?`) {
		t.Errorf("error %v", err)
	}
	_, err = corrupt.ByName("plasma_noise")
	if !errors.Is(err, corrupt.ErrUnknown) || !strings.Contains(err.Error(), "corrupt/all") {
		t.Errorf("error %v", err)
	}
}

// TestErrorsOfOneKind: errors about a name begin alike wherever it is looked up, without the name of a package.
func TestErrorsOfOneKind(t *testing.T) {
	name := strings.Repeat("ä", 100)
	_, ofAll := all.ByName(name)
	_, ofC := corrupt.ByName(name)
	_, ofBar := cbar.ByName(name)
	_, ofP := perturb.ByName(name)
	for want, err := range map[string]error{
		"corruption of C or C-bar": ofAll, "corruption of C": ofC, "corruption of C-bar": ofBar, "perturbation": ofP,
	} {
		what, _, _ := strings.Cut(want, " ")
		if begin := fmt.Sprintf("unknown name: %s %.80q (there are ", what, name); err == nil || !strings.HasPrefix(err.Error(), begin) {
			t.Errorf("%s: %v", want, err)
		}
	}
	c, err := corrupt.ByName("elastic_transform")
	if err != nil {
		t.Fatal(err)
	}
	src := raster.New(3, 3)
	err = c.Apply(new(raster.Image), src, 3, rng.New(1), new(corrupt.Scratch))
	if err == nil || !strings.HasPrefix(err.Error(), "elastic_transform: image too small: 3x3") {
		t.Error(err)
	}
}

// TestNoCorruption: what a look-up returns beside its error corrupts nothing.
func TestNoCorruption(t *testing.T) {
	img, src := gradient(8), raster.New(8, 8)
	for name, c := range map[string]interface {
		Image(img image.Image, severity float64, seed uint64) (image.Image, error)
		Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error
	}{"all": all.Op{}, "corrupt": corrupt.Op{}, "cbar": cbar.Op{}} {
		if _, err := c.Image(img, 3, 1); !errors.Is(err, corrupt.ErrUnknown) {
			t.Errorf("the image of the zero Op of %s: %v", name, err)
		}
		if err := c.Apply(new(raster.Image), src, 3, rng.New(1), new(corrupt.Scratch)); !errors.Is(err, corrupt.ErrUnknown) {
			t.Errorf("the zero Op of %s: %v", name, err)
		}
	}
	if _, err := corrupt.Image(nil, img, 3, 1); !errors.Is(err, corrupt.ErrUnknown) {
		t.Errorf("nil: %v", err)
	}
}
