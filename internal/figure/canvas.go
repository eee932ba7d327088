package figure

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/vector"

	"github.com/augmix-go/augmix/internal/chart"
)

const zoom = 192.0 / 72 // pixels a point

// canvas is an image that is painted in points from a corner.
type canvas struct {
	dst    *image.RGBA
	zoom   float64 // pixels a point
	x, y   float64 // the corner
	raster vector.Rasterizer
	glyphs sfnt.Buffer
}

// newCanvas returns a white canvas of a size in points.
func newCanvas(w, h, zoom float64) *canvas {
	c := &canvas{zoom: zoom, dst: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(w*zoom)), int(math.Ceil(h*zoom))))}
	draw.Draw(c.dst, c.dst.Bounds(), image.White, image.Point{}, draw.Src)
	return c
}

// pixels returns the whole pixels of a rectangle that the canvas has.
func (c *canvas) pixels(x, y, w, h float64) image.Rectangle {
	at := func(v float64) int { return int(math.Round(v * c.zoom)) }
	return image.Rect(at(c.x+x), at(c.y+y), at(c.x+x+w), at(c.y+y+h)).Intersect(c.dst.Bounds())
}

// fill paints the area of outlines, together: where they run around a place in opposite directions, it is a hole.
func (c *canvas) fill(col color.NRGBA, outlines [][]chart.Point) {
	if col.A == 0 {
		return
	}
	box := c.bounds(outlines)
	if box.Empty() {
		return
	}
	c.raster.Reset(box.Dx(), box.Dy())
	for _, outline := range outlines {
		for i, p := range outline {
			x := float32((c.x+p.X)*c.zoom - float64(box.Min.X))
			y := float32((c.y+p.Y)*c.zoom - float64(box.Min.Y))
			if i == 0 {
				c.raster.MoveTo(x, y)
			} else {
				c.raster.LineTo(x, y)
			}
		}
		c.raster.ClosePath()
	}
	c.raster.Draw(c.dst, box, image.NewUniform(col), image.Point{})
}

// bounds returns the pixels about outlines that the canvas has.
func (c *canvas) bounds(outlines [][]chart.Point) image.Rectangle {
	lo := chart.Point{X: math.Inf(1), Y: math.Inf(1)}
	hi := chart.Point{X: math.Inf(-1), Y: math.Inf(-1)}
	for _, outline := range outlines {
		for _, p := range outline {
			lo = chart.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
			hi = chart.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
		}
	}
	if lo.X > hi.X {
		return image.Rectangle{}
	}
	down := func(v float64) int { return int(math.Floor(v * c.zoom)) }
	return image.Rect(down(c.x+lo.X), down(c.y+lo.Y), down(c.x+hi.X)+1, down(c.y+hi.Y)+1).Intersect(c.dst.Bounds())
}

// stroke paints the lines of runs in one go, so that a pale color is not painted over itself.
func (c *canvas) stroke(l look, runs [][]chart.Point, closed bool) {
	if l.stroke.A == 0 {
		return
	}
	var area [][]chart.Point
	for _, run := range runs {
		if closed && len(run) > 0 {
			run = append(run[:len(run):len(run)], run[0])
		}
		for _, piece := range dashed(run, l.dash) {
			area = append(area, thick(piece, l.width/2, l.round)...)
		}
	}
	c.fill(l.stroke, area)
}

// dashed cuts a run into dashes, which alternate with gaps of the lengths in dash; without any it is whole.
func dashed(run []chart.Point, dash []float64) (pieces [][]chart.Point) {
	if len(dash) == 0 || len(run) == 0 {
		return [][]chart.Point{run}
	}
	k, left := 0, dash[0]
	piece := []chart.Point{run[0]}
	for i := 1; i < len(run); i++ {
		a, b := run[i-1], run[i]
		for length := math.Hypot(b.X-a.X, b.Y-a.Y); length > left; length = math.Hypot(b.X-a.X, b.Y-a.Y) {
			a = chart.Point{X: a.X + (b.X-a.X)*left/length, Y: a.Y + (b.Y-a.Y)*left/length}
			if k%2 == 0 {
				pieces = append(pieces, append(piece, a))
			}
			piece = []chart.Point{a}
			k++
			left = dash[k%len(dash)]
		}
		left -= math.Hypot(b.X-a.X, b.Y-a.Y)
		piece = append(piece, b)
	}
	if k%2 == 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

// thick returns outlines that cover a line through points, r to either side: a rectangle for every stretch, a disc where
// two meet, and one at the ends if they are round. All run in the same direction.
func thick(run []chart.Point, r float64, round bool) (area [][]chart.Point) {
	for i, p := range run {
		if round || i > 0 && i < len(run)-1 {
			disc := make([]chart.Point, len(circle))
			for k, q := range circle {
				disc[k] = chart.Point{X: p.X + r*q.X, Y: p.Y + r*q.Y}
			}
			area = append(area, disc)
		}
		if i == 0 {
			continue
		}
		a := run[i-1]
		length := math.Hypot(p.X-a.X, p.Y-a.Y)
		if length == 0 {
			continue
		}
		x, y := -(p.Y-a.Y)*r/length, (p.X-a.X)*r/length
		area = append(area, []chart.Point{
			{X: a.X + x, Y: a.Y + y}, {X: p.X + x, Y: p.Y + y}, {X: p.X - x, Y: p.Y - y}, {X: a.X - x, Y: a.Y - y},
		})
	}
	return area
}
