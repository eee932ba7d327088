package perturb

import (
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

// frameSpatter lays the drops over the picture and lets them run down.
func frameSpatter(q *Sequence, dst *raster.Image, i int) {
	if i > 0 {
		drip(&q.s.other, &q.s.field, (*[4]float64)(q.v[6:]))
		q.s.field, q.s.other = q.s.other, q.s.field
	}
	liquid, relief := q.s.relief()
	dst.Reset(q.src.W, q.src.H)
	addWater(dst.Pix, q.src.Pix, liquid, relief, float32(q.v[5]))
}

// drip makes dst the columns of src one frame later. Terms are added from the highest row down; there is nothing above
// and below the picture.
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

// Canny's thresholds, and the distance in pixels beyond which the relief is level.
const (
	cannyLow, cannyHigh = 50, 150
	reliefDepth         = 20
)

// relief returns the drops in s.field as bytes and their relief, made from the distance to their edges, as spatter of
// package corrupt has it.
func (s *Scratch) relief() (liquid, relief []uint8) {
	w, h := s.field.W, s.field.H
	for i := range s.bytes {
		s.bytes[i] = filter.Grow(s.bytes[i], w*h)
	}
	liquid, a, b := s.bytes[0], s.bytes[1], s.bytes[2]
	for i, v := range s.field.Pix {
		liquid[i] = uint8(int(v * 255)) // a value of 256 or more wraps, as published
	}
	s.canny.Edges(a, liquid, w, h, cannyLow, cannyHigh)
	s.ints = filter.Grow(s.ints, w*h)
	s.work = filter.Distance(s.ints, a, w, h, s.work)
	for i, v := range s.ints {
		s.ints[i] = min(v, reliefDepth<<16)
	}
	filter.BoxTrunc3(a, s.ints, w, h, s.work)
	filter.EqualizeHist(a)
	filter.Emboss3(b, a, w, h)
	filter.Box3(b, w, h, s.work)
	return liquid, b
}

// waterColor is the colour of the drops, from the published code.
var waterColor = [3]float32{175 / 255.0, 238 / 255.0, 238 / 255.0}

// addWater adds drops to the picture src, in float32: the product of liquid and relief, divided by its largest value,
// times strength, times the colour of water. Without a drop that is 0/0, which is stored as black in every frame, as
// published.
func addWater(dst, src, liquid, relief []uint8, strength float32) {
	top := 0
	for i, v := range relief {
		top = max(top, int(liquid[i])*int(v))
	}
	if top == 0 {
		black(dst)
		return
	}
	for i, v := range relief {
		m := float32(int(liquid[i])*int(v)) / float32(top) * strength
		in, out := src[4*i:][:4:4], dst[4*i:][:4:4]
		for k := range 3 {
			out[k] = byte32(tones32[in[k]] + float32(m*waterColor[k]))
		}
		out[3] = 255
	}
}

func black(pix []uint8) {
	clear(pix)
	for i := 3; i < len(pix); i += 4 {
		pix[i] = 255
	}
}
