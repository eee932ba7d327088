package corrupt

import "github.com/augmix-go/augmix/raster"

// Saturate changes the saturation of every pixel in hue, saturation and value: clip(S·Multiply + Add). Where Add is not
// 0, gray pixels turn reddish, as published: their hue is 0. Least side 1.
type Saturate struct {
	Multiply float64
	Add      float64 // 0…1
}

var saturateTable = table{
	Kinds: []kind{level, level},
	Clean: []float64{1, 0},
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
	scaleHSV(dst, src, c.Multiply, c.Add, 0)
}
