package corrupt

import (
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// GaussianNoise adds normal noise to every channel value: clip(x + σ·n) for x in 0…1. Least side 1.
type GaussianNoise struct {
	Sigma float64 // standard deviation, white is 1
}

var gaussianNoiseTable = table{
	Kinds: []kind{level},
	Clean: []float64{0},
	Sets: [4]set{
		{{.04}, {.06}, {.08}, {.09}, {.10}},
		{{.04}, {.08}, {.12}, {.15}, {.18}},
		{{.08}, {.12}, {.18}, {.26}, {.38}},
		{{.09}, {.13}, {.19}, {.27}, {.40}},
	},
}

func runGaussianNoise(j job) error {
	c, d := GaussianNoise{j.v[0]}, &j.s.draws.normals
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d)
	return nil
}

// Draw makes d the noise of a w by h image: three numbers a pixel, in row order.
func (c GaussianNoise) Draw(d *Normals, w, h int, r *rng.Rand) { d.draw(3*w*h, r) }

// Apply makes dst the noisy src. Sums are float64.
func (c GaussianNoise) Apply(dst, src *raster.Image, d Normals) {
	prepare(dst, src)
	mustLen("normal numbers", len(d), 3*src.W*src.H)
	kernel.AddNormals(dst.Pix, src.Pix, d, c.Sigma, 0)
}
