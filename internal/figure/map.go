package figure

import (
	"image"
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/augmix-go/augmix/internal/chart"
)

const mapKey = 44 // height of the scale of the colours

// drawMap draws a dense map: a rectangle for each run of equal cells.
func drawMap(m *chart.Map, withKey bool) drawing {
	w := m.Width
	if w == 0 {
		w = 250
	}
	cell := (w - 62) / float64(max(m.Cols, 1))
	h := cell*float64(m.Rows) + 42
	title := ""
	if withKey {
		title, h = m.Title, h+mapKey
	} else {
		h += titleRow // the name stands above the cells
	}
	return frame(w, h, title, nil, func(c draw.Canvas) { dense(c, m, vg.Length(cell), withKey) })
}

func dense(c draw.Canvas, m *chart.Map, cell vg.Length, withKey bool) {
	left, top := c.Min.X+40, c.Max.Y-4
	if !withKey {
		name := label(11, ink, text.XCenter)
		top -= titleRow
		at := vg.Point{X: left + cell*vg.Length(m.Cols)/2, Y: top + titleRow/2}
		c.FillText(name, at, fit(name, m.Name, c.Max.X-c.Min.X-30))
	}
	gw, gh := cell*vg.Length(m.Cols), cell*vg.Length(m.Rows)
	if m.Rows*m.Cols > 0 {
		c.DrawImage(vg.Rectangle{Min: vg.Point{X: left, Y: top - gh}, Max: vg.Point{X: left + gw, Y: top}}, enlarged(m, gw))
	}
	line := draw.LineStyle{Color: faint, Width: vg.Points(0.7)}
	c.StrokeLines(line, []vg.Point{
		{X: left, Y: top}, {X: left + gw, Y: top}, {X: left + gw, Y: top - gh}, {X: left, Y: top - gh}, {X: left, Y: top},
	})
	for _, t := range m.Ticks(m.FirstCol, m.Cols) {
		x := left + cell*(vg.Length(t-m.FirstCol)+0.5)
		c.StrokeLine2(line, x, top-gh-3, x, top-gh)
		c.FillText(label(9, faint, text.XCenter), vg.Point{X: x, Y: top - gh - 9}, chart.Format(float64(t), 1, false))
	}
	for _, t := range m.Ticks(m.FirstRow, m.Rows) {
		y := top - cell*(vg.Length(t-m.FirstRow)+0.5)
		c.StrokeLine2(line, left-3, y, left, y)
		c.FillText(label(9, faint, text.XRight), vg.Point{X: left - 5, Y: y}, chart.Format(float64(t), 1, false))
	}
	c.FillText(label(9, ink, text.XCenter), vg.Point{X: left + gw/2, Y: top - gh - 22}, m.ColLabel)
	side := label(9, ink, text.XCenter)
	side.Rotation = 1.5707963267948966
	c.FillText(side, vg.Point{X: c.Min.X + 6, Y: top - gh/2}, m.RowLabel)
	if withKey {
		key(&c, m, left, top-gh-36, gw)
	}
}

// enlarged is the map's image at the resolution of the drawing, so that nothing smooths the cells.
func enlarged(m *chart.Map, width vg.Length) image.Image {
	src := m.Image()
	times := max(int(float64(width)/72*dpi/float64(m.Cols)+0.5), 1)
	out := image.NewNRGBA(image.Rect(0, 0, m.Cols*times, m.Rows*times))
	for y := range m.Rows * times {
		for x := range m.Cols * times {
			out.SetNRGBA(x, y, src.At(x/times, y/times).(color.NRGBA))
		}
	}
	return out
}

// key draws the scale of the colours below top.
func key(c *draw.Canvas, m *chart.Map, x, top, width vg.Length) {
	bar := image.NewNRGBA(image.Rect(0, 0, 512, 1))
	for i := range 512 {
		r, g, b := chart.Ramp((float64(i) + 0.5) / 512)
		bar.SetNRGBA(i, 0, color.NRGBA{r, g, b, 255})
	}
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: x, Y: top - 10}, Max: vg.Point{X: x + width, Y: top - 2}}, bar)
	lo, hi := m.Range()
	for _, t := range ticks(chart.Ticks(lo, hi, 4), m.Percent, lo, hi) {
		p := vg.Point{X: x + width*vg.Length((t.Value-lo)/(hi-lo)), Y: top - 18}
		c.FillText(label(9, faint, text.XCenter), p, t.Label)
	}
	a := chart.Axis{Label: m.Label, Percent: m.Percent}
	c.FillText(label(9, ink, text.XCenter), vg.Point{X: x + width/2, Y: top - 31}, unit(&a))
}
