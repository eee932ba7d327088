package filter

import (
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/kernel"
)

func TestHSVGolden(t *testing.T) {
	golden.RunSome(t, "ops", map[string]golden.Func{
		"rgb2hsv": func(t *testing.T, c *golden.Case) {
			var got []float64
			images := c.Images(0)
			for _, i := range c.Ints("images") {
				for p := images[i].Pix; len(p) > 0; p = p[4:] {
					h, s, v := HSV(kernel.Unit64[p[0]], kernel.Unit64[p[1]], kernel.Unit64[p[2]])
					got = append(got, h, s, v)
				}
			}
			golden.CompareFloat(t, c, got, 0)
		},
		"hsv2rgb": func(t *testing.T, c *golden.Case) {
			var got []float64
			for in := c.Float64s(c.Inputs[0]); len(in) > 0; in = in[3:] {
				r, g, b := RGB(in[0], in[1], in[2])
				got = append(got, r, g, b)
			}
			golden.CompareFloat(t, c, got, 0)
		},
	})
}
