package corrupt

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ImpulseNoise turns channel values to black or white, each with half the given probability and independently of the
// pixel's other channels (the color form of salt and pepper). Least side 1. Parity: exact.
type ImpulseNoise struct {
	Amount float64 // probability that a channel value changes
}

var impulseNoiseTable = table{
	Kinds: []kind{level},
	Clean: []float64{0},
	Sets: [4]set{
		{{.01}, {.02}, {.03}, {.05}, {.07}},
		{{.01}, {.02}, {.05}, {.08}, {.14}},
		{{.03}, {.06}, {.09}, {.17}, {.27}},
		{{.04}, {.07}, {.10}, {.18}, {.28}},
	},
}

func runImpulseNoise(j job) error {
	c, d := ImpulseNoise{j.v[0]}, &j.s.draws.impulses
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d)
	return nil
}

// Impulses say what becomes of each channel value, three a pixel, in row order: one of Keep, Salt and Pepper.
type Impulses []uint8

// What becomes of a channel value.
const (
	Keep   = 0 // it stays
	Salt   = 1 // it turns white
	Pepper = 2 // it turns black
)

// Draw makes d the impulses of a w by h image. Half a word of the stream decides each: one bit the color, 31 bits
// whether it falls, so that the amount is kept to 2^-32.
func (c ImpulseNoise) Draw(d *Impulses, w, h int, r *rng.Rand) {
	n := buffer.Resize(*d, 3*w*h)
	*d = n
	cut := min(uint32(float64(c.Amount*0x1p31)+0.5), 1<<31-1)
	var words [drawWords]uint64
	for len(n) >= 2 {
		part := words[:min(len(n)/2, len(words))]
		r.Fill(part)
		kernel.Impulses(n[:2*len(part)], part, cut)
		n = n[2*len(part):]
	}
	if len(n) == 1 {
		n[0] = kernel.Impulse(uint32(r.Uint64()), cut)
	}
}

// Apply makes dst the image after the impulses.
func (c ImpulseNoise) Apply(dst, src *raster.Image, d Impulses) {
	prepare(dst, src)
	mustLen("impulses", len(d), 3*src.W*src.H)
	kernel.AddImpulses(dst.Pix, src.Pix, d)
}
