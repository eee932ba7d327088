package chart

import (
	"fmt"
	"math"
)

// Heat is a heat map: a number for each row and column.
type Heat struct {
	Title, Desc string
	Rows, Cols  []string
	Values      [][]float64 // by row and column; NaN is missing
	RowLabel    string
	ColLabel    string
	Percent     bool
	Min, Max    float64 // range of the colours; equal: from the data
	Bare        bool    // no number in the cells, no names: for maps of many cells, such as Fourier sensitivity
	Width       float64 // 0: as it needs
}

// Head implements [Figure].
func (h *Heat) Head() (title, desc string) { return h.Title, h.Desc }

// Range returns the range of the colours.
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

// cividis is a colour scale of even lightness for all kinds of sight (Nunez et al., PLoS ONE 2018), at nine points.
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

// Ramp returns the colour of a fraction from 0 to 1 as red, green and blue from 0 to 255.
func Ramp(t float64) (r, g, b uint8) {
	t = min(max(t, 0), 1) * float64(len(cividis)-1)
	i := min(int(t), len(cividis)-2)
	f := t - float64(i)
	at := func(k int) uint8 { return uint8(cividis[i][k] + f*(cividis[i+1][k]-cividis[i][k]) + 0.5) }
	return at(0), at(1), at(2)
}

// SVG implements [Figure].
func (h *Heat) SVG(id string) string {
	left, cw, ch := longest(h.Rows)+14, 46.0, 20.0
	if h.Bare {
		left = 20
		cw = 320 / float64(max(len(h.Cols), 1))
		ch = cw
	} else if h.Width > 0 {
		cw = (h.Width - left - 70) / float64(max(len(h.Cols), 1))
	}
	top := 24.0
	gridW, gridH := cw*float64(len(h.Cols)), ch*float64(len(h.Rows))
	b := start(id, left+gridW+70, top+gridH+24, h.Title, h.Desc)
	lo, hi := h.Range()
	for c, name := range h.Cols {
		if !h.Bare {
			b.text("tick", left+cw*(float64(c)+0.5), top-7, "middle", 0, shorten(name, 11, cw))
		}
	}
	for r, row := range h.Values {
		y := top + ch*float64(r)
		if !h.Bare {
			b.text("tick", left-6, y+ch/2+4, "end", 0, h.Rows[r])
		}
		for c, v := range row {
			h.cell(b, left+cw*float64(c), y, cw, ch, r, c, v, (v-lo)/(hi-lo))
		}
	}
	h.key(b, left+gridW+14, top, max(gridH, 60), lo, hi)
	b.text("lab", left+gridW/2, top+gridH+18, "middle", 0, h.ColLabel)
	if h.Bare {
		b.text("lab", 13, top+gridH/2, "middle", -90, h.RowLabel)
	}
	return b.end()
}

func (h *Heat) cell(b *svg, x, y, w, ch float64, r, c int, v, t float64) {
	gap := 1.0
	if h.Bare {
		gap = 0
	}
	name := ""
	if r < len(h.Rows) && c < len(h.Cols) {
		name = h.Rows[r] + ", " + h.Cols[c] + ": "
	}
	if math.IsNaN(v) {
		fmt.Fprintf(b, `<rect class="none" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, num(x), num(y),
			num(w-gap), num(ch-gap), esc(name+"n/a"))
		if !h.Bare {
			b.text("miss", x+w/2, y+ch/2+3, "middle", 0, "n/a")
		}
		return
	}
	red, green, blue := Ramp(t)
	fmt.Fprintf(b, `<rect fill="#%02x%02x%02x" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, red, green,
		blue, num(x), num(y), num(w-gap), num(ch-gap), esc(name+Say(v, h.Percent)))
	if h.Bare {
		return
	}
	ink := "#fff"
	if t > 0.55 {
		ink = "#111"
	}
	text := Format(v, 0.01, h.Percent)
	if h.Percent {
		text = Format(v, 0.001, true)
	}
	fmt.Fprintf(b, `<text style="fill:%s;font-size:11px" x="%s" y="%s" text-anchor="middle">%s</text>`, ink, num(x+w/2),
		num(y+ch/2+4), esc(text))
}

// key draws the scale of the colours.
func (h *Heat) key(b *svg, x, y, height, lo, hi float64) {
	const n = 24
	for i := range n {
		r, g, bl := Ramp(1 - (float64(i)+0.5)/n)
		fmt.Fprintf(b, `<rect fill="#%02x%02x%02x" x="%s" y="%s" width="10" height="%s"/>`, r, g, bl, num(x),
			num(y+height*float64(i)/n), num(height/n+0.5))
	}
	say := func(v float64) string {
		if h.Percent {
			return Format(v, 0.001, true) + " %"
		}
		return Format(v, 0.01, false)
	}
	b.text("tick", x+14, y+9, "start", 0, say(hi))
	b.text("tick", x+14, y+height, "start", 0, say(lo))
}
