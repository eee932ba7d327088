package chart

import (
	"image"
	"image/color"
)

// Drawing is a chart laid out: what to paint, in order, in points from the top left corner. Its SVG and package figure
// paint the same drawing.
type Drawing struct {
	Title, Desc   string
	Width, Height float64
	Shapes        []Shape
}

// Shape is a [Line], [Path], [Rect], [Mark], [Text], [Cells] or [Scale].
type Shape interface {
	svg(b *svg)
}

// Class says what a shape is. How it looks follows from it: by [CSS] on a page, by package figure in a PNG.
type Class struct {
	Name      string // such as "grid" or "tick"
	Color     int    // the series' color, in the classes of series: "l", "m", "b" and "e"
	Published bool
}

// Point is a place in a drawing.
type Point struct{ X, Y float64 }

// Line is a straight line.
type Line struct {
	Class          Class
	X1, Y1, X2, Y2 float64
	Title          string // shown where the reader points, empty for none
}

// Path is lines through points, without what lies between its runs.
type Path struct {
	Class  Class
	Runs   [][]Point
	Closed bool
}

// Rect is a rectangle.
type Rect struct {
	Class               Class       // without a name: see Fill
	Fill                color.NRGBA // of a rectangle without a class
	X, Y, Width, Height float64
	Title               string
	Of                  string // see Series.Of
}

// Mark is a point of a series, in the shape of its color.
type Mark struct {
	Class   Class
	X, Y, R float64
	Title   string
	Of      string // see Series.Of
}

// Anchor says which part of a text stands at its point.
type Anchor uint8

// Where a text has its point.
const (
	Start Anchor = iota
	Middle
	End
)

// Text is a line of text.
type Text struct {
	Class  Class       // without a name: 11 points high, see Fill
	Fill   color.NRGBA // of a text without a class
	X, Y   float64     // on its baseline
	Anchor Anchor
	Turn   float64 // clockwise about its point, in degrees
	S      string
	Title  string
}

// Cells is an image of one pixel a cell, enlarged without smoothing.
type Cells struct {
	Image               *image.Paletted
	X, Y, Width, Height float64
}

// Scale is [Ramp] from left to right.
type Scale struct{ X, Y, Width, Height float64 }

func (d *Drawing) add(s Shape) { d.Shapes = append(d.Shapes, s) }

func (d *Drawing) line(class string, x1, y1, x2, y2 float64) {
	d.add(Line{Class: Class{Name: class}, X1: x1, Y1: y1, X2: x2, Y2: y2})
}

func (d *Drawing) text(class string, x, y float64, anchor Anchor, turn float64, s string) {
	d.add(Text{Class: Class{Name: class}, X: x, Y: y, Anchor: anchor, Turn: turn, S: s})
}

// inside draws upright text, shifted as far as all of it needs to lie between the drawing's left and right edges, and cut
// where it is wider than that.
func (d *Drawing) inside(class string, x, y float64, anchor Anchor, s string) {
	const margin = 2.0
	s = shorten(s, fontSize, d.Width-2*margin)
	w := textWidth(s, fontSize)
	left := x - w*float64(anchor)/2 // none, half or all of the text is left of its point
	shift := min(max(left, margin), d.Width-margin-w) - left
	d.text(class, x+shift, y, anchor, 0, s)
}

// whisker draws an interval from lo to hi, upright, with ends of 2r.
func (d *Drawing) whisker(c Class, x, lo, hi, r float64) {
	if c.Name == "w" { // on a bar, whose color may be as light as the whisker
		d.line("wh", x, lo, x, hi)
	}
	d.add(Line{Class: c, X1: x, Y1: lo, X2: x, Y2: hi})
	d.add(Line{Class: c, X1: x - r, Y1: lo, X2: x + r, Y2: lo})
	d.add(Line{Class: c, X1: x - r, Y1: hi, X2: x + r, Y2: hi})
}

// whiskerAcross draws an interval that lies.
func (d *Drawing) whiskerAcross(c Class, y, lo, hi, r float64) {
	if c.Name == "w" {
		d.line("wh", lo, y, hi, y)
	}
	d.add(Line{Class: c, X1: lo, Y1: y, X2: hi, Y2: y})
	d.add(Line{Class: c, X1: lo, Y1: y - r, X2: lo, Y2: y + r})
	d.add(Line{Class: c, X1: hi, Y1: y - r, X2: hi, Y2: y + r})
}

// Corners returns the corners of the mark of a color around the origin, for a radius of 1; none for a circle.
func Corners(color int) []Point {
	switch color % Colors {
	case 1:
		return []Point{{-.86, -.86}, {.86, -.86}, {.86, .86}, {-.86, .86}}
	case 2:
		return []Point{{0, -1.15}, {1.05, .8}, {-1.05, .8}}
	case 3:
		return []Point{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}
	case 4:
		return []Point{{0, 1.15}, {1.05, -.8}, {-1.05, -.8}}
	case 5:
		return []Point{
			{-1.15, -.4},
			{-.4, -.4},
			{-.4, -1.15},
			{.4, -1.15},
			{.4, -.4},
			{1.15, -.4},
			{1.15, .4},
			{.4, .4},
			{.4, 1.15},
			{-.4, 1.15},
			{-.4, .4},
			{-1.15, .4},
		}
	case 6:
		return []Point{{-1.25, -.6}, {1.25, -.6}, {1.25, .6}, {-1.25, .6}}
	case 7:
		return []Point{{-.6, -1.25}, {.6, -1.25}, {.6, 1.25}, {-.6, 1.25}}
	}
	return nil
}
