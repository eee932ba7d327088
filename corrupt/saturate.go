package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Saturate changes the saturation of every pixel in hue, saturation and value: clip(S·Multiply + Add). Where Add is not
// 0, gray pixels turn reddish, as published: their hue is 0. Least side 1.
type Saturate struct {
	Multiply float64
	Add      float64 // 0…1
}

var saturateTable = table{
	Kinds: []kind{level, level},
	Sets: [4]set{
		{{.3, 0}, {.1, 0}, {1.5, 0}, {2, .1}, {2.5, .2}},
		{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {30, .2}},
		{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}},
		{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}},
	},
}

func runSaturate(j job) error {
	Saturate{j.v[0], j.v[1]}.Apply(j.dst, j.src)
	return nil
}

// Apply makes dst the src of changed saturation, in float64.
func (c Saturate) Apply(dst, src *raster.Image) {
	prepare(dst, src)
	in, out := src.Pix, dst.Pix
	for len(in) >= 4 && len(out) >= 4 {
		h, s, v := filter.HSV(tones[in[0]], tones[in[1]], tones[in[2]])
		r, g, b := filter.RGB(h, min(max(float64(s*c.Multiply)+c.Add, 0), 1), v)
		out[0], out[1], out[2], out[3] = filter.Byte(r), filter.Byte(g), filter.Byte(b), 255
		in, out = in[4:], out[4:]
	}
}
