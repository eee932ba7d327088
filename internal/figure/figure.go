// Package figure draws the charts of package chart as PNG images for papers and slides, through gonum's plot.
//
// An image has a white background, the same axes, marks and colours as the SVG form, the title above and the legend
// below it, and 192 pixels an inch, so that a chart of 720 points is 1920 pixels wide. Fonts are built in. The same
// chart gives the same bytes on one build of the program.
package figure

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/augmix-go/augmix/internal/chart"
)

// ErrKind is returned for a chart of a kind that this package cannot draw.
var ErrKind = errors.New("figure: unknown kind of chart")

const dpi = 192

// palette is the light form of chart.CSS.
var palette = [chart.Colors]color.NRGBA{
	{0x11, 0x6f, 0xb9, 255},
	{0xc3, 0x54, 0x06, 255},
	{0x49, 0x91, 0x64, 255},
	{0xa1, 0x62, 0x88, 255},
	{0xad, 0x93, 0x00, 255},
	{0x16, 0x9c, 0xd1, 255},
	{0x4c, 0x4a, 0x6a, 255},
	{0x66, 0x42, 0x03, 255},
}

var (
	ink   = color.NRGBA{0x22, 0x27, 0x2b, 255}
	faint = color.NRGBA{0x6b, 0x73, 0x7b, 255}
	grid  = color.NRGBA{0xe3, 0xe6, 0xe9, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// WritePNG draws a chart.
func WritePNG(w io.Writer, f chart.Figure) error {
	p, err := drawingOf(f, true)
	if err != nil {
		return err
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(p.w), vg.Length(p.h)), vgimg.UseDPI(dpi))
	p.draw(draw.New(c))
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// drawing is a figure drawn of a size in points. It may be drawn on a part of a larger canvas.
type drawing struct {
	w, h float64
	draw func(c draw.Canvas)
}

// drawingOf makes the drawing of a chart: one that stands alone has a legend, whether or not it shares one on a page.
func drawingOf(f chart.Figure, alone bool) (drawing, error) {
	switch f := f.(type) {
	case *chart.Plot:
		items := itemsOf(f)
		if f.NoLegend && !alone {
			items = nil
		}
		if f.Across {
			return drawAcross(f, items), nil
		}
		return drawPlot(f, items), nil
	case *chart.Heat:
		return drawHeat(f), nil
	case *chart.Map:
		return drawMap(f, alone || !f.NoKey), nil
	case *chart.Radar:
		return drawRadar(f), nil
	case *chart.Panels:
		if len(f.Charts) == 1 {
			return drawingOf(f.Charts[0], true)
		}
		return drawPanels(f)
	}
	return drawing{}, fmt.Errorf("%w: %T", ErrKind, f)
}

// label is text of a size and colour, centred upright on its point and aligned sideways.
func label(size float64, c color.Color, x text.XAlignment) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size)), XAlign: x,
		YAlign: draw.YCenter, Handler: plot.DefaultTextHandler,
	}
}

func colorOf(i int) color.NRGBA { return palette[i%chart.Colors] }

func pale(c color.NRGBA, alpha uint8) color.NRGBA { c.A = alpha; return c }

func lineStyle(i int, published bool) draw.LineStyle {
	s := draw.LineStyle{Color: colorOf(i), Width: vg.Points(1.6)}
	if published {
		s.Width, s.Dashes = vg.Points(1.2), []vg.Length{4, 2.5}
	}
	return s
}

// mark draws the shape of a colour.
func mark(c *draw.Canvas, i int, published bool, at vg.Point, r vg.Length) {
	corners := chart.Shape(i)
	var pts []vg.Point
	if corners == nil {
		const n = 24
		for k := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / n)
			corners = append(corners, [2]float64{sin, cos})
		}
	}
	for _, p := range corners {
		pts = append(pts, vg.Point{X: at.X + r*vg.Length(p[0]), Y: at.Y - r*vg.Length(p[1])})
	}
	fill := color.Color(colorOf(i))
	if published {
		fill = color.White
	}
	c.FillPolygon(fill, pts)
	c.StrokeLines(draw.LineStyle{Color: colorOf(i), Width: vg.Points(1)}, append(pts, pts[0]))
}

// item is one entry of a legend.
type item struct {
	name      string
	color     int
	published bool
	bar, line bool
	any       bool // a bar of no colour
	tick      bool
}

const (
	legendRow = 15
	titleRow  = 20
)

// legend lays the entries out in rows and returns their height; without a canvas it only measures.
func legend(c *draw.Canvas, x0, x1, top vg.Length, items []item) vg.Length {
	s := label(9, ink, text.XLeft)
	x, y := x0, top-legendRow/2
	for _, it := range items {
		name := fit(s, it.name, x1-x0-30)
		w := 26 + s.Width(name) + 16
		if x+w-16 > x1 && x > x0 {
			x, y = x0, y-legendRow
		}
		if c != nil {
			switch {
			case it.tick:
				c.StrokeLine2(draw.LineStyle{Color: ink, Width: vg.Points(1.8)}, x+10, y-5, x+10, y+5)
			case it.any:
				fill(c, faint, x+2, y-4, 14, 8)
			case it.bar:
				box(c, it.color, it.published, x+2, y-4, 14, 8)
			default:
				if it.line {
					c.StrokeLine2(lineStyle(it.color, it.published), x, y, x+20, y)
				}
				mark(c, it.color, it.published, vg.Point{X: x + 10, Y: y}, 3)
			}
			c.FillText(s, vg.Point{X: x + 25, Y: y}, name)
		}
		x += w
	}
	if len(items) == 0 {
		return 0
	}
	return top - y + legendRow/2
}

// fit cuts a name that is too wide.
func fit(s text.Style, name string, w vg.Length) string {
	r := []rune(name)
	if s.Width(name) <= w {
		return name
	}
	for len(r) > 1 && s.Width(string(r)+"…") > w {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

func box(c *draw.Canvas, i int, published bool, x, y, w, h vg.Length) {
	pts := []vg.Point{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}}
	if published {
		c.FillPolygon(pale(colorOf(i), 70), pts)
		c.StrokeLines(draw.LineStyle{Color: colorOf(i), Width: vg.Points(0.8)}, append(pts, pts[0]))
		return
	}
	c.FillPolygon(colorOf(i), pts)
}

// frame is a drawing of w by h points between a title and a legend.
func frame(w, h float64, title string, items []item, body func(c draw.Canvas)) drawing {
	below := legend(nil, 10, vg.Length(w)-10, 0, items)
	above := vg.Length(titleRow)
	if title == "" {
		above = 4
	}
	return drawing{w, h + float64(above+below) + 6, func(c draw.Canvas) {
		if title != "" {
			s := label(11, ink, text.XCenter)
			c.FillText(s, vg.Point{X: c.Center().X, Y: c.Max.Y - titleRow/2}, fit(s, title, vg.Length(w)-12))
		}
		legend(&c, c.Min.X+10, c.Max.X-10, c.Min.Y+below+2, items)
		body(draw.Crop(c, 6, -10, below+6, -above))
	}}
}

// data adapts a function to gonum's plotter.
type data func(c draw.Canvas, p *plot.Plot)

// Plot implements gonum's plot.Plotter.
func (d data) Plot(c draw.Canvas, p *plot.Plot) { d(c, p) }

func ticks(at []float64, percent bool, lo, hi float64) plot.ConstantTicks {
	step := 1.0
	if len(at) > 1 {
		step = at[1] - at[0]
	}
	var out plot.ConstantTicks
	for _, t := range at {
		if t >= lo-1e-12 && t <= hi+1e-12 {
			out = append(out, plot.Tick{Value: t, Label: chart.Format(t, step, percent)})
		}
	}
	return out
}

func unit(a *chart.Axis) string {
	if a.Percent && a.Label != "" {
		return a.Label + " (%)"
	}
	return a.Label
}

// axes makes gonum's plot with the ranges and ticks of ours.
func axes(f *chart.Plot) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = unit(&f.X), unit(&f.Y)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
		a.Tick.Label.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, 9)
		a.Label.TextStyle.Color, a.Tick.Label.Color = ink, faint
		a.LineStyle.Color, a.Tick.LineStyle.Color = faint, faint
	}
	lo, hi, at := f.Range()
	p.Y.Min, p.Y.Max, p.Y.Tick.Marker = lo, hi, ticks(at, f.Y.Percent, lo, hi)
	if n := len(f.X.Categories); n > 0 {
		var names plot.ConstantTicks
		wide := 0.0
		for i, name := range f.X.Categories {
			names = append(names, plot.Tick{Value: float64(i), Label: name})
			wide = max(wide, float64(p.X.Tick.Label.Width(name)))
		}
		p.X.Min, p.X.Max, p.X.Tick.Marker = -0.5, float64(n)-0.5, names
		if wide*float64(n) > 560 {
			p.X.Tick.Label.Rotation = 0.65
			p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YTop
		}
		return p
	}
	lo, hi, at = f.RangeX()
	p.X.Min, p.X.Max, p.X.Tick.Marker = lo, hi, ticks(at, f.X.Percent, lo, hi)
	return p
}

// itemsOf is the legend of a plot.
func itemsOf(f *chart.Plot) (items []item) {
	for i := range f.Series {
		if len(f.Series) == 1 {
			break // the title names it
		}
		s := &f.Series[i]
		items = append(items, item{
			name: s.Name, color: s.Color, published: s.Published, bar: f.Kind == chart.Bars, line: f.Kind == chart.Lines,
			any: len(s.Colors) > 0, tick: s.Tick,
		})
	}
	return items
}

func drawPlot(f *chart.Plot, items []item) drawing {
	w, h := f.Width, f.Height
	if w == 0 {
		w = 720
	}
	if h == 0 {
		h = 360
	}
	p := axes(f)
	_, _, at := f.Range()
	p.Add(data(func(c draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(&c)
		for _, t := range at {
			if t >= p.Y.Min && t <= p.Y.Max {
				style := draw.LineStyle{Color: grid, Width: vg.Points(0.7)}
				if t == 0 {
					style.Color = faint
				}
				c.StrokeLine2(style, c.Min.X, y(t), c.Max.X, y(t))
			}
		}
	}))
	if f.Diagonal {
		p.Add(data(func(c draw.Canvas, p *plot.Plot) {
			x, y := p.Transforms(&c)
			lo, hi := max(p.X.Min, p.Y.Min), min(p.X.Max, p.Y.Max)
			c.StrokeLine2(draw.LineStyle{Color: faint, Width: vg.Points(0.8), Dashes: []vg.Length{4, 3}}, x(lo), y(lo), x(hi),
				y(hi))
		}))
	}
	if f.Kind == chart.Bars {
		p.Add(bars(f))
	} else {
		p.Add(lines(f))
	}
	return frame(w, h, f.Title, items, p.Draw)
}

func bars(f *chart.Plot) data {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		n := len(f.Series)
		width := min((x(1)-x(0))*0.82/vg.Length(max(n, 1)), 34)
		small := label(7, faint, text.XLeft)
		small.Rotation = math.Pi / 2
		for i := range f.Series {
			s := &f.Series[i]
			for j, v := range s.Y {
				left := x(s.At(j)) + (vg.Length(i)-vg.Length(n)/2)*width
				if math.IsNaN(v) {
					c.FillText(small, vg.Point{X: left + width/2, Y: y(0) + 3}, "n/a")
					continue
				}
				box(&c, s.ColorAt(j), s.Published, left+0.4, y(0), max(width-0.8, 0.4), y(v)-y(0))
				if lo, hi, ok := s.Interval(j); ok {
					whisker(&c, ink, left+width/2, y(lo), y(hi), min(width/4, 2.5))
				}
			}
		}
	}
}

func whisker(c *draw.Canvas, col color.Color, x, lo, hi, r vg.Length) {
	s := draw.LineStyle{Color: col, Width: vg.Points(0.8)}
	c.StrokeLine2(s, x, lo, x, hi)
	c.StrokeLine2(s, x-r, lo, x+r, lo)
	c.StrokeLine2(s, x-r, hi, x+r, hi)
}

func lines(f *chart.Plot) data {
	return func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		for i := range f.Series {
			s := &f.Series[i]
			var run []vg.Point
			flush := func() {
				if f.Kind == chart.Lines && len(run) > 1 {
					c.StrokeLines(lineStyle(s.Color, s.Published), run)
				}
				run = nil
			}
			for j, v := range s.Y {
				if math.IsNaN(v) {
					flush()
					continue
				}
				run = append(run, vg.Point{X: x(s.At(j)), Y: y(v)})
				if lo, hi, ok := s.Interval(j); ok {
					whisker(&c, colorOf(s.Color), x(s.At(j)), y(lo), y(hi), 2.5)
				}
			}
			flush()
			for j, v := range s.Y {
				if !math.IsNaN(v) {
					mark(&c, s.Color, s.Published, vg.Point{X: x(s.At(j)), Y: y(v)}, 3.2)
				}
			}
		}
	}
}

func drawHeat(h *chart.Heat) drawing {
	cell, row := 46.0, 18.0
	if h.Bare {
		cell = 320 / float64(max(len(h.Cols), 1))
		row = cell
	}
	s := label(9, faint, text.XRight)
	left := vg.Length(30)
	for _, name := range h.Rows {
		if !h.Bare {
			left = max(left, s.Width(name)+16)
		}
	}
	gw, gh := vg.Length(cell*float64(len(h.Cols))), vg.Length(row*float64(len(h.Rows)))
	return frame(float64(left+gw)+90, float64(gh)+44, h.Title, nil, func(c draw.Canvas) {
		heat(c, h, c.Min.X-6+left, vg.Length(cell), vg.Length(row))
	})
}

// heat draws the cells of a heat map from left on.
func heat(c draw.Canvas, h *chart.Heat, left, cell, row vg.Length) {
	gw, gh := cell*vg.Length(len(h.Cols)), row*vg.Length(len(h.Rows))
	top := c.Max.Y - 18
	lo, hi := h.Range()
	s := label(9, faint, text.XRight)
	s.XAlign = text.XCenter
	center := s
	for i, name := range h.Cols {
		if !h.Bare {
			c.FillText(
				center,
				vg.Point{X: left + cell*(vg.Length(i)+0.5), Y: top + 8},
				fit(center, name, cell),
			)
		}
	}
	c.FillText(label(10, ink, text.XCenter), vg.Point{X: left + gw/2, Y: top - gh - 12}, h.ColLabel)
	for r, values := range h.Values {
		y := top - row*vg.Length(r+1)
		if !h.Bare {
			right := label(9, faint, text.XRight)
			c.FillText(right, vg.Point{X: left - 6, Y: y + row/2}, h.Rows[r])
		}
		for k, v := range values {
			heatCell(&c, h, left+cell*vg.Length(k), y, cell, row, v, (v-lo)/(hi-lo))
		}
	}
	const steps = 40
	for i := range steps {
		red, green, blue := chart.Ramp((float64(i) + 0.5) / steps)
		y := top - gh + gh*vg.Length(i)/steps
		fill(&c, color.NRGBA{red, green, blue, 255}, left+gw+12, y, 9, gh/steps+0.5)
	}
	say := func(v float64) string { return chart.Say(math.Round(v*1000)/1000, h.Percent) }
	end := label(9, faint, text.XLeft)
	c.FillText(end, vg.Point{X: left + gw + 25, Y: top - 5}, say(hi))
	c.FillText(end, vg.Point{X: left + gw + 25, Y: top - gh + 5}, say(lo))
}

func fill(c *draw.Canvas, col color.Color, x, y, w, h vg.Length) {
	c.FillPolygon(col, []vg.Point{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}})
}

func heatCell(c *draw.Canvas, h *chart.Heat, x, y, w, height vg.Length, v, t float64) {
	gap := vg.Length(0.8)
	if h.Bare {
		gap = 0
	}
	s := label(8, faint, text.XCenter)
	at := vg.Point{X: x + w/2, Y: y + height/2}
	if math.IsNaN(v) {
		if !h.Bare {
			c.FillText(s, at, "n/a")
		}
		return
	}
	r, g, b := chart.Ramp(t)
	fill(c, color.NRGBA{r, g, b, 255}, x, y, w-gap, height-gap)
	if h.Bare {
		return
	}
	s.Color = color.White
	if t > 0.55 {
		s.Color = ink
	}
	step := 0.01
	if h.Percent {
		step = 0.001
	}
	c.FillText(s, at, chart.Format(v, step, h.Percent))
}

func drawRadar(r *chart.Radar) drawing {
	w, h := 460.0, 380.0
	if r.Parallel {
		w, h = 720, 300
	}
	var items []item
	for _, s := range r.Series {
		items = append(items, item{name: s.Name, color: s.Color, published: s.Published, line: true})
	}
	return frame(w, h, r.Title, items, func(c draw.Canvas) { radar(c, r) })
}

func radar(c draw.Canvas, r *chart.Radar) {
	n := len(r.Measures)
	var at func(i int, t float64) vg.Point
	if r.Parallel {
		left, right := c.Min.X+50, c.Max.X-50
		bottom, top := c.Min.Y+24, c.Max.Y-40
		at = func(i int, t float64) vg.Point {
			return vg.Point{X: left + (right-left)*vg.Length(i)/vg.Length(max(n-1, 1)), Y: bottom + (top-bottom)*vg.Length(t)}
		}
	} else {
		mid, radius := c.Center(), vg.Length(125)
		at = func(i int, t float64) vg.Point {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			return vg.Point{X: mid.X + radius*vg.Length(t*sin), Y: mid.Y - 6 + radius*vg.Length(t*cos)}
		}
		for ring := 1; ring <= 4; ring++ {
			var pts []vg.Point
			for i := range n + 1 {
				pts = append(pts, at(i%n, float64(ring)/4))
			}
			c.StrokeLines(draw.LineStyle{Color: grid, Width: vg.Points(0.7)}, pts)
		}
	}
	for i := range r.Measures {
		m := &r.Measures[i]
		a, b := at(i, 0), at(i, 1)
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: vg.Points(0.6)}, a.X, a.Y, b.X, b.Y)
		if r.Parallel {
			c.FillText(label(10, ink, text.XCenter), vg.Point{X: b.X, Y: b.Y + 22}, m.Name)
			c.FillText(label(9, faint, text.XCenter), vg.Point{X: b.X, Y: b.Y + 9}, m.Say(m.Best))
			c.FillText(label(9, faint, text.XCenter), vg.Point{X: a.X, Y: a.Y - 10}, m.Say(m.Worst))
			continue
		}
		out := at(i, 1.12)
		align := text.XCenter
		if out.X > c.Center().X+8 {
			align = text.XLeft
		} else if out.X < c.Center().X-8 {
			align = text.XRight
		}
		c.FillText(label(10, ink, align), vg.Point{X: out.X, Y: out.Y + 6}, m.Name)
		c.FillText(label(9, faint, align), vg.Point{X: out.X, Y: out.Y - 6}, m.Say(m.Worst)+" → "+
			m.Say(m.Best))
	}
	for k := range r.Series {
		outline(&c, r, &r.Series[k], at)
	}
}

func outline(c *draw.Canvas, r *chart.Radar, s *chart.RadarSeries, at func(i int, t float64) vg.Point) {
	n := len(r.Measures)
	pairs := n
	if r.Parallel {
		pairs = n - 1
	}
	place := func(i int) float64 { return r.Measures[i].Place(s.Values[i]) }
	for i := range pairs {
		if a, b := place(i), place((i+1)%n); !math.IsNaN(a) && !math.IsNaN(b) {
			p, q := at(i, a), at((i+1)%n, b)
			c.StrokeLine2(lineStyle(s.Color, s.Published), p.X, p.Y, q.X, q.Y)
		}
	}
	for i := range n {
		if t := place(i); !math.IsNaN(t) {
			mark(c, s.Color, s.Published, at(i, t), 3)
		}
	}
}
