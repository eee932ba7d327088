package golden_test

import (
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// A test of a package calls Run with a function for every operation of the group. Each function computes the case's
// result and compares it with the expected file.
func ExampleRun() {
	test := func(t *testing.T) {
		golden.Run(t, "ops", map[string]golden.Func{
			"invert": func(t *testing.T, c *golden.Case) {
				images := c.Images(0)
				for _, m := range images {
					invert(m)
				}
				golden.CompareImages(t, c, images, 0)
			},
			"cv_resize_bilinear": golden.Elsewhere("internal/filter"),
		})
	}
	_ = test // the body of a TestGolden
}

func invert(m *raster.Image) {
	for i := range m.Pix {
		if i%4 != 3 {
			m.Pix[i] = ^m.Pix[i]
		}
	}
}
