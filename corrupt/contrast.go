package corrupt

import (
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// Contrast draws every channel toward its mean over the image: clip((x-mean)·Factor + mean). Least side 1.
type Contrast struct {
	Factor float64 // of the distance from the mean
}

var contrastTable = table{
	Kinds: []kind{level},
	Clean: []float64{1},
	Sets: [4]set{
		{{.75}, {.5}, {.4}, {.3}, {.15}},
		{{.4}, {.3}, {.2}, {.1}, {.05}},
		{{.4}, {.3}, {.2}, {.1}, {.05}},
		{{.4}, {.3}, {.2}, {.1}, {.05}},
	},
}

func runContrast(j job) error {
	Contrast{j.v[0]}.Apply(j.dst, j.src)
	return nil
}

// Apply makes dst the src of lower contrast, by a table for each channel. Means come from exact sums.
func (c Contrast) Apply(dst, src *raster.Image) {
	prepare(dst, src)
	var sums [3]uint64
	for p := src.Pix; len(p) >= 4; p = p[4:] {
		sums[0] += uint64(p[0])
		sums[1] += uint64(p[1])
		sums[2] += uint64(p[2])
	}
	var lut [3][256]uint8
	for k := range lut {
		mean := float64(sums[k]) / float64(255*src.W*src.H)
		for v := range lut[k] {
			lut[k][v] = filter.Byte(float64((kernel.Unit64[v]-mean)*c.Factor) + mean)
		}
	}
	in, out := src.Pix, dst.Pix
	for len(in) >= 4 && len(out) >= 4 {
		out[0], out[1], out[2], out[3] = lut[0][in[0]], lut[1][in[1]], lut[2][in[2]], 255
		in, out = in[4:], out[4:]
	}
}
