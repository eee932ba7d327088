package perturb

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// The columns: frames, the mean and standard deviation of the noise, the standard deviation of its smoothing, the
// threshold of drops, their strength, and how drops run down from frame to frame: the parts of its new value that a
// pixel takes from the row below, from itself, and from one and two rows above.
var spatterTable = table{
	Kinds: []kind{count, level, level, length, level, level, level, level, level, level},
	Sets: [4]set{
		{{31, .6, .265, 1.75, .7, .6, 0, .2, .8, 0}},
		{{31, .6, .25, 1.75, .7, .6, 0, .2, .8, 0}},
		{{31, .65, .27, 3.7, .69, .6, .05, .1, .15, .7}},
		{{31, .65, .3, 4, .69, .6, .05, .1, .15, .7}},
	},
}

// smoothingTruncate is the number of standard deviations after which the smoothing of the noise is cut off.
const smoothingTruncate = 4

// beginSpatter makes q.s.field the drops of frame 0: smoothed noise where it reaches the threshold, elsewhere 0.
func beginSpatter(q *Sequence) {
	s := q.s
	scaleLayer(q)
	s.gauss.Set(q.v[3], smoothingTruncate)
	s.gauss.Blur(&s.other, &s.field, filter.Nearest)
	s.field, s.other = s.other, s.field
	for i, v := range s.field.Pix {
		if v < q.v[4] {
			s.field.Pix[i] = 0
		}
	}
}

// frameSpatter lays the drops over the image and lets them run down.
func frameSpatter(q *Sequence, dst *raster.Image, i int) {
	if i > 0 {
		drip(&q.s.other, &q.s.field, (*[4]float64)(q.v[6:]))
		q.s.field, q.s.other = q.s.other, q.s.field
	}
	q.s.bytes[0] = buffer.Resize(q.s.bytes[0], len(q.s.field.Pix))
	for i, v := range q.s.field.Pix {
		q.s.bytes[0][i] = uint8(int(v * 255)) // a value of 256 or more wraps, as published
	}
	dst.Reset(q.src.W, q.src.H)
	q.s.drops.Water(dst.Pix, q.src.Pix, q.s.bytes[0], q.src.W, q.src.H, float32(q.v[5]))
}

// drip makes dst the columns of src one frame later. Terms are added from the highest row down; there is nothing above
// and below the image.
func drip(dst, src *filter.Field, part *[4]float64) {
	w, h := src.W, src.H
	dst.Reset(w, h, 1)
	clear(dst.Pix)
	for y := range h {
		out := dst.Pix[y*w:][:w]
		for k := 3; k >= 0; k-- {
			from := y + 1 - k
			if part[k] == 0 || from < 0 || from >= h {
				continue
			}
			for x, v := range src.Pix[from*w:][:w] {
				out[x] += float64(v * part[k])
			}
		}
	}
}
