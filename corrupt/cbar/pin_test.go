package cbar

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The bytes that a key gives are part of the product: these digests, of all severities on one even and one odd image,
// must be the same on every architecture and may change only with a note in the change log.
var pinned = map[string]string{
	"imagenet/blue_noise_sample":            "922bdcd100bd6bc1",
	"imagenet/plasma_noise":                 "fbcbb516c37d9d01",
	"imagenet/checkerboard_cutout":          "5f31124a6cd04f13",
	"imagenet/cocentric_sine_waves":         "ef6b7a67ba0be9be",
	"imagenet/single_frequency_greyscale":   "4bbec8c587242310",
	"imagenet/brownish_noise":               "60a895b9378abe17",
	"imagenet/perlin_noise":                 "dad7faa5cff838af",
	"imagenet/sparkles":                     "080335a82fcd735a",
	"imagenet/inverse_sparkles":             "4804c719e247513c",
	"imagenet/caustic_refraction":           "f3433f76b308bf61",
	"cifar/blue_noise_sample":               "6c63018361d18929",
	"cifar/checkerboard_cutout":             "ed4921a42728c3f0",
	"cifar/brownish_noise":                  "1d85e29f1a4f1b5d",
	"cifar/sparkles":                        "0c5186a9e147926d",
	"cifar/inverse_sparkles":                "b1a100630cdcf469",
	"cifar/pinch_and_twirl":                 "264ea69401967faa",
	"cifar/ripple":                          "2e890fb17f099b21",
	"cifar/circular_motion_blur":            "036bdd7ca365add6",
	"cifar/lines":                           "83107bdbab4d647e",
	"cifar/transverse_chromatic_abberation": "05111db4d845f2eb",
}

func TestPinnedBytes(t *testing.T) {
	every(t, func(c Op, p Profile) {
		name := fmt.Sprintf("%v/%s", p, c.Name())
		h := sha256.New()
		var s corrupt.Scratch
		var dst raster.Image
		for _, size := range [][2]int{{64, 64}, {45, 33}} {
			src := testImage(size[0], size[1])
			for severity := 1; severity <= Severities; severity++ {
				r := rng.NewKey(1).Str(c.Name()).Uint(uint64(severity)).Rand()
				if err := c.Apply(&dst, src, float64(severity), &r, &s); err != nil {
					t.Fatal(err)
				}
				h.Write(dst.Pix)
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != pinned[name] {
			t.Errorf("%q: %q, pinned %q", name, got, pinned[name])
		}
	})
}
