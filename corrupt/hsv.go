package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// scaleHSV makes dst the src with the saturation clip(S·multiply + add) and the value clip(V + raise), in float64.
func scaleHSV(dst, src *raster.Image, multiply, add, raise float64) {
	prepare(dst, src)
	done := 4 * kernel.ScaleHSV(dst.Pix, src.Pix, multiply, add, raise)
	in, out := src.Pix[done:], dst.Pix[done:]
	for len(in) >= 4 && len(out) >= 4 {
		h, s, v := filter.HSV(kernel.Unit64[in[0]], kernel.Unit64[in[1]], kernel.Unit64[in[2]])
		s = min(max(float64(s*multiply)+add, 0), 1)
		r, g, b := filter.RGB(h, s, min(max(v+raise, 0), 1))
		out[0], out[1], out[2], out[3] = filter.Byte(r), filter.Byte(g), filter.Byte(b), 255
		in, out = in[4:], out[4:]
	}
}
