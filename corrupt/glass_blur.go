package corrupt

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// GlassBlur smooths the image, moves pixels about as frosted glass does, and smooths it again.
//
// The move goes over the rows from H-δ down to δ+1 and over the columns from W-δ down to δ+1; each pixel there becomes
// a copy of the one at a random offset in -δ…δ-1 along each axis, in place, so that later moves see earlier ones. (The
// published code means to swap the two but copies, because its arrays are views.) An image with a side of at most 2δ
// is smoothed only. Least side 1.
type GlassBlur struct {
	Sigma float64 // standard deviation of both blurs, in pixels
	Delta int     // δ, 1 to 128
	Iters int     // times that the move is repeated
}

var glassBlurTable = table{
	Kinds: []kind{length, steps, count},
	Clean: []float64{0, stay, 0},
	Sets: [4]set{
		{{.05, 1, 1}, {.25, 1, 1}, {.4, 1, 1}, {.25, 1, 2}, {.4, 1, 2}},
		{{.1, 1, 1}, {.5, 1, 1}, {.6, 1, 2}, {.7, 2, 1}, {.9, 2, 2}},
		{{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}},
		{{.8, 1, 3}, {1, 3, 1}, {1.1, 2, 4}, {1.2, 4, 2}, {1.6, 5, 2}},
	},
}

func runGlassBlur(j job) error {
	c, d := GlassBlur{j.v[0], min(int(j.v[1]), maxDelta), int(j.v[2])}, &j.s.draws.offsets
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
	return nil
}

// maxDelta is the largest displacement that an offset can hold; Auto reaches it at sides near 7,700.
const maxDelta = -math.MinInt8

// Offset is a displacement in pixels, -δ…δ-1: columns to the right, rows downward.
type Offset struct{ DX, DY int8 }

// Offsets are the displacements of glass_blur in the order of the move, one repetition after the other.
type Offsets []Offset

// len returns the number of offsets that a w by h image needs. It panics unless δ is 1 to 128.
func (c GlassBlur) len(w, h int) int {
	if c.Delta < 1 || c.Delta > maxDelta {
		panic(fmt.Sprintf("corrupt: displacement of %d pixels, allowed 1 to %d", c.Delta, maxDelta))
	}
	return c.Iters * max(0, w-2*c.Delta) * max(0, h-2*c.Delta)
}

// Draw makes d the offsets of a w by h image. Each takes half a word of the stream for DX and half for DY; the values
// differ in probability by at most 2^-32.
func (c GlassBlur) Draw(d *Offsets, w, h int, r *rng.Rand) {
	n := buffer.Resize(*d, c.len(w, h))
	*d = n
	span, least := uint64(2*c.Delta), int8(-c.Delta)
	var words [drawWords]uint64
	for len(n) > 0 {
		part := words[:min(len(n), len(words))]
		r.Fill(part)
		for i, u := range part {
			n[i] = Offset{int8(uint64(uint32(u))*span>>32) + least, int8(u>>32*span>>32) + least}
		}
		n = n[len(part):]
	}
}

// Apply makes dst the blurred src.
func (c GlassBlur) Apply(dst, src *raster.Image, d Offsets, s *Scratch) {
	prepare(dst, src)
	mustLen("offsets", len(d), c.len(src.W, src.H))
	y := &s.image
	y.Reset(src.W, src.H)
	blurBytes(y, src, c.Sigma, s)
	for range c.Iters {
		d = c.move(y, d)
	}
	blurBytes(dst, y, c.Sigma, s)
}

// move copies every pixel from its offset, in place, and returns the offsets that are left.
func (c GlassBlur) move(m *raster.Image, d Offsets) Offsets {
	w := max(0, m.W-2*c.Delta)
	for y := m.H - c.Delta; y > c.Delta; y-- {
		at := 4 * (y*m.W + m.W - c.Delta)
		for _, o := range d[:w] {
			from := at + 4*(int(o.DY)*m.W+int(o.DX))
			binary.LittleEndian.PutUint32(m.Pix[at:], binary.LittleEndian.Uint32(m.Pix[from:]))
			at -= 4
		}
		d = d[w:]
	}
	return d
}
