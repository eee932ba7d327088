package perturb

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, the frame that leaves the image as it is, growth of the value from frame to frame in percent.
var brightnessTable = table{
	Kinds: []kind{count, count, level},
	Sets:  [4]set{{{31, 15, 1.5}}, {{31, 15, 2}}, {{31, 15, 2}}, {{31, 15, 2}}},
}

// beginBrightness makes q.s.colors four numbers a pixel: the value V of hue, saturation and value, and what red, green
// and blue are multiples of it. Only V changes from frame to frame.
func beginBrightness(q *Sequence) {
	c := buffer.Resize(q.s.colors, 4*q.src.W*q.src.H)
	q.s.colors = c
	for in := q.src.Pix; len(in) >= 4 && len(c) >= 4; in, c = in[4:], c[4:] {
		h, s, v := filter.HSV(kernel.Unit64[in[0]], kernel.Unit64[in[1]], kernel.Unit64[in[2]])
		c[0] = v
		c[1], c[2], c[3] = filter.RGB(h, s, 1)
	}
}

// frameBrightness gives the bytes of corrupt.Brightness, in float64.
func frameBrightness(q *Sequence, dst *raster.Image, i int) {
	add := centered(i, q.v[1], q.v[2]) / 100
	dst.Reset(q.src.W, q.src.H)
	out := dst.Pix
	for c := q.s.colors; len(c) >= 4 && len(out) >= 4; c, out = c[4:], out[4:] {
		v := min(max(c[0]+add, 0), 1)
		out[0], out[1], out[2], out[3] = filter.Byte(v*c[1]), filter.Byte(v*c[2]), filter.Byte(v*c[3]), 255
	}
}
