package mix_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/mix"
)

// TestOverlaps: the methods of the papers that keep clear of C do, whole sets of operations and Gaussian noise do not.
func TestOverlaps(t *testing.T) {
	four := []string{"brightness", "color", "contrast", "sharpness"}
	for spec, want := range map[string][]string{
		"augmix": nil, "pixmix": nil, "autoaugment-cifar10-star": nil, "autoaugment-imagenet-star": nil, "randomautoaugment": nil,
		"mixup": nil, "cutmix": nil, "cutout": nil, "speckle": nil, "patchuniform": nil, "none": nil, "standard": nil, "afa": nil,
		"ipmix": nil, "prime": nil, "ipmix-all": four, "apr": nil, "apr-all": four, "augmix-all": four, "pixmix-all": four, "autoaugment-cifar10": four, "autoaugment-cifar10full": four, "autoaugment-imagenet": four[1:], "autoaugment-svhn": {"contrast"}, "trivialaugment-standard": four, "randaugment": four, "trivialaugment": four,
		"gaussian": {"gaussian noise"}, "patchgaussian": {"gaussian noise"},
		"corrupt": nil, "corrupt-cbar": nil, "corrupt-fog-p0": nil, "augmix+corrupt-weather+lines": {"brightness", "fog", "frost", "snow"},
		"augmix-all+gaussian": {"brightness", "color", "contrast", "gaussian noise", "sharpness"},
	} {
		s, err := mix.ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Overlaps(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}

// TestOverlapping: of single operations those that make the difference between augmix and augmix-all.
func TestOverlapping(t *testing.T) {
	for op, want := range map[string]bool{"brightness": true, "sharpness": true, "rotate": false, "cutout": false, "": false} {
		if got := mix.Overlapping(op); got != want {
			t.Errorf("%q: %v", op, got)
		}
	}
}

func ExampleSpec_Overlaps() {
	s, err := mix.ParseSpec("pixmix-all")
	fmt.Println(s.Overlaps(), err)
	// Output: [brightness color contrast sharpness] <nil>
}

// TestOverlapsOfCorrupt: each benchmark's own corruptions, in chains too.
func TestOverlapsOfCorrupt(t *testing.T) {
	s, err := mix.ParseSpec("augmix+corrupt-noise+lines+ripple+corrupt-spatter+mixup")
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[*[]string][]string{
		ptr(s.Overlaps()):           {"gaussian_noise", "impulse_noise", "shot_noise"},
		ptr(s.OverlapsBar()):        {"lines", "ripple"},
		ptr(s.OverlapsValidation()): {"spatter", "speckle_noise"},
	} {
		if !slices.Equal(*got, want) {
			t.Errorf("%q, want %q", *got, want)
		}
	}
}

func ptr(s []string) *[]string { return &s }
