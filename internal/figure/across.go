package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/augmix-go/augmix/internal/chart"
)

// drawAcross draws a plot whose categories stand below each other.
func drawAcross(f *chart.Plot, items []item) drawing {
	w := f.Width
	if w == 0 {
		w = 720
	}
	return frame(w, f.RowHeight()*float64(len(f.X.Categories))+46, f.Title, items, func(c draw.Canvas) { across(c, f) })
}

func across(c draw.Canvas, f *chart.Plot) {
	names := label(10, ink, text.XRight)
	left := vg.Length(0)
	for _, name := range f.X.Categories {
		left = max(left, min(names.Width(name), 190))
	}
	x0, x1 := c.Min.X+left+16, c.Max.X-8
	if f.Values {
		x1 -= 64
	}
	row := vg.Length(f.RowHeight())
	top := c.Max.Y - 4
	bottom := top - row*vg.Length(len(f.X.Categories))
	lo, hi, at := f.Range()
	x := func(v float64) vg.Length { return x0 + (x1-x0)*vg.Length((v-lo)/(hi-lo)) }
	for _, t := range ticks(at, f.Y.Percent, lo, hi) {
		c.StrokeLine2(draw.LineStyle{Color: grid, Width: vg.Points(0.7)}, x(t.Value), bottom, x(t.Value), top)
		c.FillText(label(9, faint, text.XCenter), vg.Point{X: x(t.Value), Y: bottom - 9}, t.Label)
	}
	for j, name := range f.X.Categories {
		mid := top - row*(vg.Length(j)+0.5)
		c.FillText(names, vg.Point{X: x0 - 8, Y: mid}, fit(names, name, 190))
		if f.Kind == chart.Bars {
			barsAcross(&c, f, j, mid, x)
		} else {
			pointsAcross(&c, f, j, mid, x)
		}
	}
	zero := x0
	if lo < 0 && hi > 0 {
		zero = x(0)
	}
	c.StrokeLine2(draw.LineStyle{Color: faint, Width: vg.Points(0.7)}, zero, bottom, zero, top)
	c.FillText(label(10, ink, text.XCenter), vg.Point{X: (x0 + x1) / 2, Y: bottom - 26}, unit(&f.Y))
}

func barsAcross(c *draw.Canvas, f *chart.Plot, j int, mid vg.Length, x func(float64) vg.Length) {
	for i := range f.Series {
		s := &f.Series[i]
		if s.Tick || j >= len(s.Y) {
			continue
		}
		off, height := f.Lane(i)
		y, h := mid-vg.Length(off), vg.Length(height)
		if math.IsNaN(s.Y[j]) {
			c.FillText(label(7, faint, text.XLeft), vg.Point{X: x(0) + 4, Y: y}, "n/a")
			continue
		}
		box(c, s.ColorAt(j), s.Published, x(0), y-h/2+0.4, x(s.Y[j])-x(0), max(h-0.8, 1))
		if lo, hi, ok := s.Interval(j); ok {
			whiskerAcross(c, draw.LineStyle{Color: ink, Width: vg.Points(0.8)}, y, x(lo), x(hi), min(h/4, 2.5))
		}
		if f.Values {
			c.FillText(label(9, ink, text.XLeft), vg.Point{X: x(f.End(j)) + 7, Y: y}, f.Beside(i, j))
		}
	}
	for i := range f.Series {
		if s := &f.Series[i]; s.Tick && j < len(s.Y) && !math.IsNaN(s.Y[j]) {
			_, h := f.Lane(i)
			half, at := vg.Length(h)/2, x(s.Y[j])
			fill(c, white, at-2, mid-half, 4, 2*half)
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(1.8)}, at, mid-half, at, mid+half)
		}
	}
}

func pointsAcross(c *draw.Canvas, f *chart.Plot, j int, mid vg.Length, x func(float64) vg.Length) {
	lo, hi, missing := f.Span(j)
	if hi > lo {
		c.StrokeLine2(draw.LineStyle{Color: grid, Width: vg.Points(4)}, x(lo), mid, x(hi), mid)
	}
	if len(missing) > 0 {
		_, end, _ := f.Range()
		c.FillText(label(7, faint, text.XRight), vg.Point{X: x(end), Y: mid}, fmt.Sprintf("%d n/a", len(missing)))
	}
	for i := range f.Series {
		s := &f.Series[i]
		if j >= len(s.Y) || math.IsNaN(s.Y[j]) {
			continue
		}
		off, _ := f.Lane(i)
		y := mid - vg.Length(off)
		if lo, hi, ok := s.Interval(j); ok {
			whiskerAcross(c, draw.LineStyle{Color: colorOf(s.Color), Width: vg.Points(0.8)}, y, x(lo), x(hi), 1.6)
		}
		mark(c, s.Color, s.Published, vg.Point{X: x(s.Y[j]), Y: y}, 3.2)
	}
}

func whiskerAcross(c *draw.Canvas, s draw.LineStyle, y, lo, hi, r vg.Length) {
	c.StrokeLine2(s, lo, y, hi, y)
	c.StrokeLine2(s, lo, y-r, lo, y+r)
	c.StrokeLine2(s, hi, y-r, hi, y+r)
}
