package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// CheckerboardCutout grays out random cells of one color of a turned checkerboard. Least side 1.
type CheckerboardCutout struct {
	Fraction float64 // of the cells of that color, 0…1; published as level/10
}

func runCheckerboard(j job) {
	c, d := CheckerboardCutout{j.scaled(1)}, &j.s.draws.board
	c.Draw(d, j.src.W, j.src.H, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// CheckerboardDraws are the random numbers of checkerboard_cutout.
type CheckerboardDraws struct {
	Angle float64  // of the board, in radians
	Cell  float64  // side of a cell, in pixels, at least 1
	Cells Uniforms // G rows of G cells, in row order: a cell below Fraction is cut out; G = floor(4·S/Cell)
}

// Draw makes d the numbers of a w by h image: Angle uniform in [0, 2π), Cell uniform in [0.1·S, 0.25·S) but at least
// 1, S being the shorter side, and the cells.
func (c CheckerboardCutout) Draw(d *CheckerboardDraws, w, h int, r *rng.Rand) {
	d.Angle = r.Uniform(0, 2*math.Pi)
	d.Cell = max(float64(r.Uniform(0.1, 0.25)*side(w, h)), 1)
	n := boardCells(w, h, d.Cell)
	d.Cells = reserve(d.Cells, n*n, maxCells*maxCells)
	d.Cells.draw(n*n, r)
}

// maxCells is the largest number of cells along an axis that is drawn.
const maxCells = 40

// boardCells returns the number of cells along an axis of the board: more than a square image can reach. On others
// the board repeats.
func boardCells(w, h int, cell float64) int { return int(4 * side(w, h) / cell) }

// Apply makes dst the src with cells of gray 128. As published, coordinates are truncated towards zero and negative
// ones count from the end of the board, so that the cells around the axes are twice as wide. It panics unless d has the
// cells that Draw gives it.
func (c CheckerboardCutout) Apply(dst, src *raster.Image, d *CheckerboardDraws, s *Scratch) {
	prepare(dst, src)
	n := boardCells(src.W, src.H, d.Cell)
	mustLen("cells", len(d.Cells), n*n)
	s.flags = reserve(s.flags, n*n, maxCells*maxCells)
	cut := s.flags
	for i, u := range d.Cells {
		cut[i] = u < c.Fraction
	}
	sin, cos := detmath.Sin(d.Angle)/d.Cell, detmath.Cos(d.Angle)/d.Cell
	in, out := src.Pix, dst.Pix
	for y := range src.H {
		u0, v0 := float64(cos*float64(y)), float64(-sin*float64(y))
		for x := range src.W {
			if len(in) < 4 || len(out) < 4 {
				return
			}
			i, a := cell(u0+float64(sin*float64(x)), n)
			k, b := cell(v0+float64(cos*float64(x)), n)
			if a == b && cut[i*n+k] {
				out[0], out[1], out[2] = cutoutGray, cutoutGray, cutoutGray
			} else {
				out[0], out[1], out[2] = in[0], in[1], in[2]
			}
			out[3] = 255
			in, out = in[4:], out[4:]
		}
	}
}

const cutoutGray = 128

// cell returns the index, among n, of the cell at coordinate v and the color of the board there.
func cell(v float64, n int) (index, color int) {
	i := int(v)
	floor := i
	if float64(i) > v {
		floor--
	}
	if uint(i) >= uint(n) {
		i = (i%n + n) % n
	}
	return i, floor & 1
}
