package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// Brightness raises the value of every pixel in hue, saturation and value: clip(V + Add). Least side 1.
type Brightness struct {
	Add float64 // 0…1
}

var brightnessTable = table{
	Kinds: []kind{level},
	Sets: [4]set{
		{{.05}, {.1}, {.15}, {.2}, {.3}},
		{{.1}, {.2}, {.3}, {.4}, {.5}},
		{{.1}, {.2}, {.3}, {.4}, {.5}},
		{{.1}, {.2}, {.3}, {.4}, {.5}},
	},
}

func runBrightness(j job) error {
	Brightness{j.v[0]}.Apply(j.dst, j.src)
	return nil
}

// Apply makes dst the brighter src, in float64.
func (c Brightness) Apply(dst, src *raster.Image) {
	prepare(dst, src)
	in, out := src.Pix, dst.Pix
	for len(in) >= 4 && len(out) >= 4 {
		h, s, v := filter.HSV(tones[in[0]], tones[in[1]], tones[in[2]])
		r, g, b := filter.RGB(h, s, min(max(v+c.Add, 0), 1))
		out[0], out[1], out[2], out[3] = filter.Byte(r), filter.Byte(g), filter.Byte(b), 255
		in, out = in[4:], out[4:]
	}
}
