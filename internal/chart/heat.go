package chart

import (
	"image/color"
	"math"
)

// Heat is a heat map: a number for each row and column.
type Heat struct {
	Title, Desc string
	Rows, Cols  []string
	Values      [][]float64 // by row and column; NaN is missing
	Of          [][]string  // of the values, as Series.Of; nil: nothing
	RowLabel    string
	ColLabel    string
	Percent     bool
	Min, Max    float64 // range of the colors; equal: from the data
	Bare        bool    // no number in the cells, no names: for maps of many cells, such as Fourier sensitivity
	Width       float64 // 0: as it needs
}

// Head implements [Figure].
func (h *Heat) Head() (title, desc string) { return h.Title, h.Desc }

// Range returns the range of the colors.
func (h *Heat) Range() (lo, hi float64) {
	if h.Min != h.Max {
		return h.Min, h.Max
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !(hi > lo) {
		return 0, 1
	}
	return lo, hi
}

// cividis is a color scale of even lightness for all kinds of sight (Nunez et al., PLoS ONE 2018), at nine points.
var cividis = [][3]float64{
	{0, 32, 77},
	{18, 54, 108},
	{63, 78, 108},
	{98, 102, 110},
	{124, 123, 120},
	{154, 147, 119},
	{187, 173, 107},
	{222, 201, 84},
	{255, 234, 70},
}

// rampColor is Ramp as a color.
func rampColor(t float64) color.NRGBA {
	r, g, b := Ramp(t)
	return color.NRGBA{r, g, b, 255}
}

// Ramp returns the color of a fraction from 0 to 1 as red, green and blue from 0 to 255.
func Ramp(t float64) (r, g, b uint8) {
	t = min(max(t, 0), 1) * float64(len(cividis)-1)
	i := min(int(t), len(cividis)-2)
	f := t - float64(i)
	at := func(k int) uint8 { return uint8(cividis[i][k] + f*(cividis[i+1][k]-cividis[i][k]) + 0.5) }
	return at(0), at(1), at(2)
}

// SVG implements [Figure].
func (h *Heat) SVG(id string) string { return h.drawing().svg(id) }

func (h *Heat) drawing() *Drawing {
	left, cw, ch := longest(h.Rows)+14, 46.0, 20.0
	if h.Bare {
		left = 20
		cw = 320 / float64(max(len(h.Cols), 1))
		ch = cw
	} else if h.Width > 0 {
		cw = (h.Width - left - h.right()) / float64(max(len(h.Cols), 1))
	}
	top := 24.0
	gridW, gridH := cw*float64(len(h.Cols)), ch*float64(len(h.Rows))
	d := &Drawing{Title: h.Title, Desc: h.Desc, Width: left + gridW + h.right(), Height: top + gridH + 24}
	lo, hi := h.Range()
	for c, name := range h.Cols {
		if !h.Bare {
			d.text("tick", left+cw*(float64(c)+0.5), top-7, Middle, 0, shorten(name, 11, cw))
		}
	}
	for r, row := range h.Values {
		y := top + ch*float64(r)
		if !h.Bare {
			d.text("tick", left-6, y+ch/2+4, End, 0, h.Rows[r])
		}
		for c, v := range row {
			h.cell(d, left+cw*float64(c), y, cw, ch, r, c, v, (v-lo)/(hi-lo))
		}
	}
	h.key(d, left+gridW+14, top, max(gridH, 60), lo, hi)
	d.text("lab", left+gridW/2, top+gridH+18, Middle, 0, h.ColLabel)
	if h.Bare {
		d.text("lab", 13, top+gridH/2, Middle, -90, h.RowLabel)
	}
	return d
}

func (h *Heat) cell(d *Drawing, x, y, w, ch float64, r, c int, v, t float64) {
	gap := 1.0
	if h.Bare {
		gap = 0
	}
	name := ""
	if r < len(h.Rows) && c < len(h.Cols) {
		name = h.Rows[r] + ", " + h.Cols[c] + ": "
	}
	box := Rect{X: x, Y: y, Width: w - gap, Height: ch - gap, Title: name + Say(v, h.Percent)}
	if h.Of != nil {
		box.Of = h.Of[r][c]
	}
	if math.IsNaN(v) {
		box.Class.Name = "none"
		d.add(box)
		if !h.Bare {
			d.text("miss", x+w/2, y+ch/2+3, Middle, 0, "n/a")
		}
		return
	}
	box.Fill = rampColor(t)
	d.add(box)
	if h.Bare {
		return
	}
	ink := color.NRGBA{0xff, 0xff, 0xff, 255}
	if t > 0.55 {
		ink = color.NRGBA{0x11, 0x11, 0x11, 255}
	}
	step := 0.01
	if h.Percent {
		step = 0.001
	}
	d.add(Text{Fill: ink, X: x + w/2, Y: y + ch/2 + 4, Anchor: Middle, S: Format(v, step, h.Percent)})
}

// key draws the scale of the colors.
func (h *Heat) key(d *Drawing, x, y, height, lo, hi float64) {
	const n = 24
	for i := range n {
		d.add(Rect{
			Fill: rampColor(1 - (float64(i)+0.5)/n), X: x, Y: y + height*float64(i)/n, Width: 10, Height: height/n + 0.5,
		})
	}
	d.text("tick", x+14, y+9, Start, 0, h.end(hi))
	d.text("tick", x+14, y+height, Start, 0, h.end(lo))
}

// end says an end of the key.
func (h *Heat) end(v float64) string {
	if h.Percent {
		return Format(v, 0.001, true) + " %"
	}
	return Format(v, 0.01, false)
}

// right is the width of what stands to the right of the cells: the key and its labels.
func (h *Heat) right() float64 {
	lo, hi := h.Range()
	const wider = 1.25 // than estimated are some fonts
	return max(70, 28+wider*longest([]string{h.end(lo), h.end(hi)}))
}
