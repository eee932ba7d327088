package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Lines draws gray lines, one pixel wide and anti-aliased, through random points of the image. Least side 1.
type Lines struct {
	Count  int     // published as floor(level/10·S), S being the shorter side
	Length float64 // of a line on either side of its point, in pixels; published as S
}

func runLines(j job) {
	n := side(j.src.W, j.src.H)
	c, d := Lines{int(j.scaled(1) * n), n}, &j.s.draws.lines
	c.Draw(d, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// LinesDraws are the random numbers of lines.
type LinesDraws struct {
	Angle     float64  // mean direction, in radians
	Variation float64  // spread of the directions, in turns
	Numbers   Uniforms // three for each line: row, column and direction of its point
}

// Draw makes d the numbers of an image of any size: Angle uniform in [0, 2π), Variation in [0.1, 1), then the lines.
func (c Lines) Draw(d *LinesDraws, r *rng.Rand) {
	d.Angle = r.Uniform(0, 2*math.Pi)
	d.Variation = r.Uniform(0.1, 1)
	d.Numbers.draw(3*c.Count, r)
}

// lineGray is the gray level of the lines.
const lineGray = 128

// Apply makes dst the src with lines, one over the other. The direction of a line is Angle + 2π·Variation·(u - 1/2);
// the ends are truncated to integer pixels, towards zero.
func (c Lines) Apply(dst, src *raster.Image, d *LinesDraws, s *Scratch) {
	mustLen("numbers", len(d.Numbers), 3*c.Count)
	prepare(dst, src)
	copy(dst.Pix, src.Pix)
	for u := d.Numbers; len(u) >= 3; u = u[3:] {
		row, col := float64(float64(src.H)*u[0]), float64(float64(src.W)*u[1])
		a := d.Angle + float64(float64(2*math.Pi*d.Variation)*(u[2]-0.5))
		dr, dc := float64(detmath.Cos(a)*c.Length), float64(detmath.Sin(a)*c.Length)
		s.strokes.reset(dst)
		s.strokes.line(int(row-dr), int(col-dc), int(row+dr), int(col+dc))
		s.strokes.paint()
	}
}

// strokes collects the pixels of a line, to be painted when all have been seen: a pixel may come up more than once, and
// each time starts from what was there before the line; the last one stays.
type strokes struct {
	m    *raster.Image
	list []stroke
}

type stroke struct {
	at      int // in m.Pix
	r, g, b uint8
}

// reset prepares a line on m. A line has at most three pixels a step, and a step leads to another row or column.
func (s *strokes) reset(m *raster.Image) { s.m, s.list = m, reserve(s.list, 0, 3*(m.W+m.H+4)) }

func (s *strokes) paint() {
	for _, p := range s.list {
		o := s.m.Pix[p.at:][:3:3]
		o[0], o[1], o[2] = p.r, p.g, p.b
	}
	s.m = nil
}

// add notes the pixel at (row, col), if it is in the image, blended with gray in the share 1 - gap.
func (s *strokes) add(row, col int, gap float32) {
	if uint(row) >= uint(s.m.H) || uint(col) >= uint(s.m.W) {
		return
	}
	v := 1 - float64(gap)
	at := 4 * (row*s.m.W + col)
	p := s.m.Pix[at:][:3:3]
	blend := func(x uint8) uint8 { return level(float64((1-v)*float64(x)) + float64(lineGray*v)) }
	s.list = append(s.list, stroke{at, blend(p[0]), blend(p[1]), blend(p[2])})
}

// line adds the pixels of an anti-aliased line from (r0, c0) to (r1, c1), by Zingl's algorithm ("A rasterizing
// algorithm for drawing curves", 2012) in float32, as scikit-image has it.
func (s *strokes) line(r0, c0, r1, c1 int) {
	dc, dr := float32(abs(c0-c1)), float32(abs(r0-r1))
	sc, sr := 1, 1
	if c0 > c1 {
		sc = -1
	}
	if r0 > r1 {
		sr = -1
	}
	err := dc - dr
	ed := float32(1)
	if dc+dr != 0 {
		ed = float32(math.Sqrt(float64(float32(dc*dc) + float32(dr*dr))))
	}
	r, c := r0, c0
	for {
		s.add(r, c, abs32(err-dc+dr)/ed)
		before, col := err, c
		if 2*before >= -dc {
			if c == c1 {
				return
			}
			if before+dr < ed {
				s.add(r+sr, c, abs32(before+dr)/ed)
			}
			err -= dr
			c += sc
		}
		if 2*before <= dr {
			if r == r1 {
				return
			}
			if dc-before < ed {
				s.add(r, col+sc, abs32(dc-before)/ed)
			}
			err += dc
			r += sr
		}
	}
}

func abs(v int) int { return max(v, -v) }

func abs32(v float32) float32 { return max(v, -v) }
