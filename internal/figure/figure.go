// Package figure writes the charts of package chart as PNG images for papers and slides.
//
// An image shows what the SVG shows, in its light form on white, with the title above: both are made of the same
// [chart.Drawing]. It has 192 pixels an inch, so that a chart of 720 points is 1920 pixels wide. The fonts are built in,
// and the same chart gives the same bytes on one build of the program.
package figure

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/draw"

	"github.com/augmix-go/augmix/internal/chart"
)

// WritePNG draws a chart as it stands alone. Errors are those of w.
func WritePNG(w io.Writer, f chart.Figure) error {
	l := f.Alone()
	c := newCanvas(l.Width, l.Height)
	for _, part := range l.Parts {
		c.x, c.y = part.X, part.Y
		for _, s := range part.Drawing.Shapes {
			c.paint(s)
		}
	}
	if err := png.Encode(w, c.dst); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// paint draws a shape.
func (c *canvas) paint(s chart.Shape) {
	switch s := s.(type) {
	case chart.Line:
		c.trace(lookOf(s.Class), [][]chart.Point{{{X: s.X1, Y: s.Y1}, {X: s.X2, Y: s.Y2}}}, false)
	case chart.Path:
		c.trace(lookOf(s.Class), s.Runs, s.Closed)
	case chart.Mark:
		c.trace(lookOf(s.Class), [][]chart.Point{shapeOf(s)}, true)
	case chart.Rect:
		l := look{fill: s.Fill}
		if s.Class.Name != "" {
			l = lookOf(s.Class)
		}
		x1, y1 := s.X+s.Width, s.Y+s.Height
		c.trace(l, [][]chart.Point{{{X: s.X, Y: s.Y}, {X: x1, Y: s.Y}, {X: x1, Y: y1}, {X: s.X, Y: y1}}}, true)
	case chart.Text:
		c.text(s)
	case chart.Cells:
		r := c.pixels(s.X, s.Y, s.Width, s.Height)
		draw.NearestNeighbor.Scale(c.dst, r, s.Image, s.Image.Bounds(), draw.Over, nil)
	case chart.Scale:
		c.scale(c.pixels(s.X, s.Y, s.Width, s.Height))
	}
}

// trace fills and strokes runs of points.
func (c *canvas) trace(l look, runs [][]chart.Point, closed bool) {
	c.fill(l.fill, runs)
	c.stroke(l, runs, closed)
}

// shapeOf returns the outline of a mark.
func shapeOf(m chart.Mark) (out []chart.Point) {
	corners := chart.Corners(m.Class.Color)
	if corners == nil {
		corners = circle
	}
	for _, p := range corners {
		out = append(out, chart.Point{X: m.X + m.R*p.X, Y: m.Y + m.R*p.Y})
	}
	return out
}

// circle has a radius of 1. It runs as the sides of a stroke do.
var circle = func() (out []chart.Point) {
	const n = 32
	for i := range n {
		sin, cos := math.Sincos(-2 * math.Pi * float64(i) / n)
		out = append(out, chart.Point{X: cos, Y: sin})
	}
	return out
}()

// scale draws the colors of chart.Ramp from left to right.
func (c *canvas) scale(r image.Rectangle) {
	for x := r.Min.X; x < r.Max.X; x++ {
		red, green, blue := chart.Ramp((float64(x-r.Min.X) + 0.5) / float64(r.Dx()))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			at := c.dst.Pix[c.dst.PixOffset(x, y):]
			at[0], at[1], at[2] = red, green, blue
		}
	}
}
