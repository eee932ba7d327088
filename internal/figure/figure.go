// Package figure writes the charts of package chart as files for papers and slides: PDF, SVG and PNG.
//
// A file shows what the SVG of a page shows, in its light form on white: all are made of the same [chart.Drawing]. Fonts
// are built in: a PDF embeds the letters it uses, a PNG has them as pixels; an SVG names common ones. The same chart gives
// the same bytes on one build of the program.
package figure

import (
	"fmt"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/draw"

	"github.com/augmix-go/augmix/internal/chart"
)

// Format is a format of files.
type Format string

// The formats.
const (
	PDF Format = "pdf"
	SVG Format = "svg"
	PNG Format = "png" // 192 pixels an inch: a chart of 720 points is 1920 pixels wide
)

// Options says how a chart is written.
type Options struct {
	Title bool // print the title above
	// Width is that of the finished figure in points, such as 240 for a column of a paper: the chart is laid out anew for it,
	// with text of 8 to 9 points. 0: as wide as on a page, with text of 11 to 12 points.
	Width float64
}

// paperText is the size of text in a figure of a given width, as a part of that on a page.
const paperText = 0.7

// Write draws a chart as it stands alone. Errors are those of w.
func Write(w io.Writer, f chart.Figure, format Format, opt Options) error {
	scale := 1.0
	if opt.Width > 0 {
		scale = paperText
		f = f.Fit(opt.Width/scale - 2*chart.Edge)
	}
	l := f.Alone(opt.Title)
	if opt.Width > 0 { // what cannot be narrower is smaller
		scale = min(scale, opt.Width/l.Width)
	}
	var err error
	title, _ := f.Head()
	switch format {
	case PDF:
		err = writePDF(w, l, scale, title)
	case SVG:
		err = writeSVG(w, l, scale, title)
	case PNG:
		c := newCanvas(l.Width, l.Height, zoom*scale)
		paintAll(c, l)
		err = png.Encode(w, c.dst)
	default:
		panic("figure: no format " + string(format))
	}
	if err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// trace implements surface.
func (c *canvas) trace(l look, runs [][]chart.Point, closed bool) {
	c.fill(l.fill, runs)
	c.stroke(l, runs, closed)
}

// corner implements surface.
func (c *canvas) corner(x, y float64) { c.x, c.y = x, y }

// cells implements surface.
func (c *canvas) cells(s chart.Cells) {
	r := c.pixels(s.X, s.Y, s.Width, s.Height)
	draw.NearestNeighbor.Scale(c.dst, r, s.Image, s.Image.Bounds(), draw.Over, nil)
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

// scale implements surface: the colors of chart.Ramp from left to right.
func (c *canvas) scale(s chart.Scale) {
	r := c.pixels(s.X, s.Y, s.Width, s.Height)
	for x := r.Min.X; x < r.Max.X; x++ {
		red, green, blue := chart.Ramp((float64(x-r.Min.X) + 0.5) / float64(r.Dx()))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			at := c.dst.Pix[c.dst.PixOffset(x, y):]
			at[0], at[1], at[2] = red, green, blue
		}
	}
}
