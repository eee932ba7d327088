package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PinchAndTwirl divides the image into square blocks and in each turns and squeezes the disc that it holds: the
// farther from the rim, at distance d of the radius, the more the disc is turned, by Angle·(1-d)², and pinched, by the
// factor sin(πd/2)^-Amount. Least side: Blocks, at most 5.
type PinchAndTwirl struct {
	Blocks int     // along the shorter side; published as 5 where that is 224, else 3
	Angle  float64 // in the middle of a disc, in radians; published as level·π/20
	Amount float64 // 0…1; published as level/25 + 0.1
}

func runPinch(j job) {
	c, d := PinchAndTwirl{3, j.scaled(math.Pi / 2), j.scaled(0.4) + 0.1}, &j.s.draws.twirls
	if min(j.src.W, j.src.H) == 224 {
		c.Blocks = 5
	}
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, *d, j.s)
}

// Twirls says for each block whether its disc is turned against the clock, the blocks column by column.
type Twirls []bool

// grid returns the side of a block, in pixels, and the number of blocks in a row and in a column: as many as there are
// in proportion to the shorter side.
func (c PinchAndTwirl) grid(w, h int) (block, nx, ny int) {
	s := min(w, h)
	return s / c.Blocks, c.Blocks * w / s, c.Blocks * h / s
}

// Draw makes d the numbers of a w by h image: each disc turns either way with equal probability.
func (c PinchAndTwirl) Draw(d *Twirls, w, h int, r *rng.Rand) {
	_, nx, ny := c.grid(w, h)
	*d = buffer.Resize(*d, nx*ny)
	for i := range *d {
		(*d)[i] = r.Bool()
	}
}

// shift is what a pixel of a block shows, as a distance from the middle of the block: along and across for a disc that
// turns one way, along and -across for the other.
type shift struct {
	cos, sin Point // δ·factor·cos and the same turned by a quarter times sin
	still    bool
}

// Apply makes dst the src with turned discs, sampled bilinearly. Pixels beyond the last whole block stay.
//
// The published code works block by block on the image that it changes, but no block looks at pixels of an earlier
// one: it samples within the disc, which touches the next block at most.
func (c PinchAndTwirl) Apply(dst, src *raster.Image, d Twirls, s *Scratch) {
	prepare(dst, src)
	copy(dst.Pix, src.Pix)
	block, nx, ny := c.grid(src.W, src.H)
	mustLen("discs", len(d), nx*ny)
	s.shifts = buffer.Resize(s.shifts, block*block)
	c.plan(s.shifts, block)
	radius := float64(float64(block) / 2)
	for i := range nx {
		for j := range ny {
			left := d[i*ny+j]
			for k, v := range s.shifts {
				if v.still {
					continue
				}
				y, x := j*block+k/block, i*block+k%block
				if left {
					v.sin.Row, v.sin.Col = -v.sin.Row, -v.sin.Col
				}
				row := float64(j*block) + radius + (v.cos.Row + v.sin.Row)
				col := float64(i*block) + radius + (v.cos.Col + v.sin.Col)
				p := bilinear(src, &unitSingle, row, col)
				o := dst.Pix[4*(y*src.W+x):][:3:3]
				for ch, v := range p {
					o[ch] = level(float64(float32(v) * 255))
				}
			}
		}
	}
}

// plan computes the shifts of a block.
func (c PinchAndTwirl) plan(dst []shift, block int) {
	radius := float64(float64(block) / 2)
	for k := range dst {
		p := Point{float64(k/block) - radius, float64(k%block) - radius}
		distance := math.Sqrt(float64(p.Row*p.Row) + float64(p.Col*p.Col))
		if distance > radius || thousandths(distance) == 0 {
			dst[k] = shift{still: true}
			continue
		}
		var sin, cos [1]float64
		share := distance / radius
		kernel.Sin(sin[:], []float64{share}, math.Pi/2, 0)
		p.Row *= pow(sin[0], -c.Amount)
		p.Col *= pow(sin[0], -c.Amount)
		rest := 1 - share
		kernel.SinCos(sin[:], cos[:], []float64{float64(rest * rest)}, c.Angle)
		dst[k] = shift{
			cos: Point{float64(p.Row * cos[0]), float64(p.Col * cos[0])},
			sin: Point{float64(-p.Col * sin[0]), float64(p.Row * sin[0])},
		}
	}
}
