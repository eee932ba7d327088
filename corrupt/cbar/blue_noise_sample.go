package cbar

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BlueNoiseSample blackens the pixels where blue noise, whose amplitude grows with the frequency and whose standard
// deviation is 1, is not above Threshold. Least side 2.
type BlueNoiseSample struct {
	Threshold float64 // published as level·3/10 - 2.5
}

func runBlueNoise(j job) {
	c, d := BlueNoiseSample{j.scaled(3) - 2.5}, &j.s.draws.phases
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
}

// Draw makes d the phases, in turns, of a w by h image: those of the left half of the frequencies (h rows of w div
// 2), then, if w is odd, the h div 2 of the middle column.
func (c BlueNoiseSample) Draw(d *Uniforms, w, h int, r *rng.Rand) { d.draw(phases(w, h), r) }

// Apply makes dst the src with black pixels. It panics unless d has the length that Draw gives it.
func (c BlueNoiseSample) Apply(dst, src *raster.Image, d Uniforms, s *Scratch) {
	prepare(dst, src)
	mustLen("phases", len(d), phases(src.W, src.H))
	s.spectrum.set(src.W, src.H, blueLaw)
	s.a = buffer.Resize(s.a, src.W*src.H)
	limit := float64(c.Threshold * s.spectrum.field(s.a, d))
	in, out := src.Pix, dst.Pix
	for _, v := range s.a {
		if len(in) < 4 || len(out) < 4 {
			return
		}
		if v > limit {
			out[0], out[1], out[2] = in[0], in[1], in[2]
		} else {
			out[0], out[1], out[2] = 0, 0, 0
		}
		out[3] = 255
		in, out = in[4:], out[4:]
	}
}
