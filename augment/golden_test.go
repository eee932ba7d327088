package augment

import (
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// TestGolden replays every case of the group "ops" that is an operation of this package.
func TestGolden(t *testing.T) {
	ops := map[string]golden.Func{
		"affine": func(t *testing.T, c *golden.Case) {
			m := c.Floats("matrix")
			warp := Affine
			if c.Has("resample") && c.Text("resample") == "nearest" {
				warp = AffineNearest
			}
			each(t, c, func(dst, src *raster.Image) {
				warp(dst, src, Matrix{A: m[0], B: m[1], C: m[2], D: m[3], E: m[4], F: m[5]}, fillOf(c))
			})
		},
		"resize":             golden.Elsewhere("internal/filter"),
		"cv_resize_bilinear": golden.Elsewhere("internal/filter"),
		"rgb2hsv":            golden.Elsewhere("internal/filter"),
		"hsv2rgb":            golden.Elsewhere("internal/filter"),
		"jpeg_roundtrip":     golden.Elsewhere("internal/jpeg"),
	}
	params := map[string]string{"rotate": "degrees", "shear_x": "s", "shear_y": "s", "translate_x": "t", "translate_y": "t"}
	for _, o := range Ops() {
		if o.Name == "flip" {
			continue
		}
		ops[o.Name] = func(t *testing.T, c *golden.Case) {
			var v float64
			if o.Param != "" {
				name := params[o.Name]
				if name == "" {
					name = o.Param
				}
				v = c.Float(name)
			}
			each(t, c, func(dst, src *raster.Image) { o.Apply(dst, src, v, fillOf(c)) })
		}
	}
	golden.Run(t, "ops", ops)
}

func each(t *testing.T, c *golden.Case, f func(dst, src *raster.Image)) {
	var got []*raster.Image
	for _, src := range c.Images(0) {
		dst := new(raster.Image)
		f(dst, src)
		got = append(got, dst)
	}
	golden.CompareImages(t, c, got, 0)
}

func fillOf(c *golden.Case) raster.RGB {
	if !c.Has("fill") {
		return raster.RGB{}
	}
	f := c.Ints("fill")
	return raster.RGB{R: uint8(f[0]), G: uint8(f[1]), B: uint8(f[2])}
}
