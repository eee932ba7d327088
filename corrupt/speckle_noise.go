package corrupt

import (
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// SpeckleNoise adds normal noise in proportion to every channel value: clip(x + x·σ·n) for x in 0…1. Least side 1.
type SpeckleNoise struct {
	Sigma float64 // standard deviation at white
}

var speckleNoiseTable = table{
	Kinds: []kind{level},
	Clean: []float64{0},
	Sets: [4]set{
		{{.06}, {.1}, {.12}, {.16}, {.2}},
		{{.15}, {.2}, {.25}, {.3}, {.35}},
		{{.15}, {.2}, {.35}, {.45}, {.6}},
		{{.16}, {.21}, {.36}, {.46}, {.61}},
	},
}

func runSpeckleNoise(j job) error {
	c, d := SpeckleNoise{j.v[0]}, &j.s.draws.normals
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d)
	return nil
}

// Draw makes d the noise of a w by h image: three numbers a pixel, in row order.
func (c SpeckleNoise) Draw(d *Normals, w, h int, r *rng.Rand) { d.draw(3*w*h, r) }

// Apply makes dst the noisy src. Sums are float64.
func (c SpeckleNoise) Apply(dst, src *raster.Image, d Normals) {
	prepare(dst, src)
	mustLen("normal numbers", len(d), 3*src.W*src.H)
	kernel.AddNormals(dst.Pix, src.Pix, d, 0, c.Sigma)
}
