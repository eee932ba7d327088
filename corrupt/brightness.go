package corrupt

import "github.com/augmix-go/augmix/raster"

// Brightness raises the value of every pixel in hue, saturation and value: clip(V + Add). Least side 1.
type Brightness struct {
	Add float64 // 0…1
}

var brightnessTable = table{
	Kinds: []kind{level},
	Clean: []float64{0},
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
	scaleHSV(dst, src, 1, 0, c.Add)
}
