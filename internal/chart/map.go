package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// Map is a heat map of very many cells, such as the sensitivity to every frequency of an image: drawn as an image of one
// pixel a cell, which the reader's program enlarges without smoothing.
type Map struct {
	Title, Desc string
	Name        string    // printed above
	Rows, Cols  int       // cells
	Values      []float64 // by row and column; NaN is missing and drawn as nothing
	// FirstRow and FirstCol are the numbers of the first row (at the top) and column (at the left), for the axes.
	FirstRow, FirstCol int
	RowLabel, ColLabel string
	Label              string  // what the colors stand for
	Min, Max           float64 // range of the colors; 0 to 1 if Max is not above Min
	Percent            bool
	NoKey              bool    // leave the scale of the colors out: [Map.Key] stands near it
	Width              float64 // 0: 250
}

// Head implements [Figure].
func (m *Map) Head() (title, desc string) { return m.Title, m.Desc }

// Range returns the range of the colors.
func (m *Map) Range() (lo, hi float64) {
	if m.Max > m.Min {
		return m.Min, m.Max
	}
	return 0, 1
}

// Image returns the cells as pixels: Ramp in 255 steps from Min to Max, missing ones transparent. It panics if there
// are not Rows*Cols values.
func (m *Map) Image() *image.Paletted {
	if len(m.Values) != m.Rows*m.Cols {
		panic(fmt.Sprintf("chart: a map of %d by %d cells with %d values", m.Rows, m.Cols, len(m.Values)))
	}
	lo, hi := m.Range()
	palette := color.Palette{color.NRGBA{}}
	const steps = 255
	for i := range steps {
		r, g, b := Ramp(float64(i) / (steps - 1))
		palette = append(palette, color.NRGBA{r, g, b, 255})
	}
	p := image.NewPaletted(image.Rect(0, 0, m.Cols, m.Rows), palette)
	for i, v := range m.Values {
		if !math.IsNaN(v) {
			t := min(max((v-lo)/(hi-lo), 0), 1)
			p.Pix[i] = 1 + uint8(math.Round(t*(steps-1)))
		}
	}
	return p
}

// Ticks returns the numbers of rows or columns that an axis of n cells from first on names.
func (m *Map) Ticks(first, n int) []int {
	var out []int
	for _, t := range Ticks(float64(first), float64(first+n-1), 4) {
		if t == math.Trunc(t) && int(t) >= first && int(t) < first+n {
			out = append(out, int(t))
		}
	}
	return out
}

const mapKey = 40 // height of the scale of the colors

// SVG implements [Figure].
func (m *Map) SVG(id string) string { return m.drawing().svg(id) }

func (m *Map) drawing() *Drawing {
	w := m.Width
	if w == 0 {
		w = 250
	}
	left, top := 46.0, 24.0
	cw := (w - left - 6) / float64(max(m.Cols, 1))
	gw, gh := cw*float64(m.Cols), cw*float64(m.Rows)
	h := top + gh + 38
	if !m.NoKey {
		h += mapKey
	}
	d := &Drawing{Title: m.Title, Desc: m.Desc, Width: w, Height: h}
	d.text("leg", left+gw/2, top-9, Middle, 0, abridge(m.Name, fontSize, (gw+8)/1.13))
	if m.Rows > 0 && m.Cols > 0 {
		d.add(Cells{Image: m.Image(), X: left, Y: top, Width: gw, Height: gh})
	}
	d.add(Rect{Class: Class{Name: "box"}, X: left, Y: top, Width: gw, Height: gh})
	for _, t := range m.Ticks(m.FirstCol, m.Cols) {
		x := left + cw*(float64(t-m.FirstCol)+0.5)
		d.line("axis", x, top+gh, x, top+gh+4)
		d.text("tick", x, top+gh+15, Middle, 0, Format(float64(t), 1, false))
	}
	for _, t := range m.Ticks(m.FirstRow, m.Rows) {
		y := top + cw*(float64(t-m.FirstRow)+0.5)
		d.line("axis", left-4, y, left, y)
		d.text("tick", left-6, y+4, End, 0, Format(float64(t), 1, false))
	}
	d.text("lab", left+gw/2, top+gh+31, Middle, 0, m.ColLabel)
	d.text("lab", 11, top+gh/2, Middle, -90, m.RowLabel)
	if !m.NoKey {
		m.key(d, left, top+gh+40, gw)
	}
	return d
}

// Key returns the scale of the colors alone as an svg element of a width, for several maps that share it.
func (m *Map) Key(id string, width float64) string { return m.keyDrawing(width).svg(id) }

func (m *Map) keyDrawing(width float64) *Drawing {
	d := &Drawing{Title: "Scale of colors", Desc: m.Label, Width: width, Height: mapKey}
	m.key(d, 8, 0, width-16)
	return d
}

func (m *Map) key(d *Drawing, x, y, width float64) {
	d.add(Scale{X: x, Y: y + 2, Width: width, Height: 10})
	a := Axis{Label: m.Label, Percent: m.Percent}
	lo, hi := m.Range()
	ticks := Ticks(lo, hi, 4)
	for _, t := range ticks {
		if t >= lo-1e-12 && t <= hi+1e-12 {
			at := x + width*(t-lo)/(hi-lo)
			d.text("tick", at, y+24, Middle, 0, Format(t, step(ticks), m.Percent))
		}
	}
	d.text("lab", x+width/2, y+38, Middle, 0, unit(&a))
}
