package chart

import "strings"

const (
	fontSize   = 12.0
	legendLine = 20.0
)

// textWidth estimates the width of text in the page's sans-serif font.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ilj.,:;'|!()[]ft ", r):
			w += 0.32
		case r >= 'A' && r <= 'Z' || strings.ContainsRune("mw%", r):
			w += 0.72
		case r > 0x2e80 || r == '→':
			w++
		default:
			w += 0.56
		}
	}
	return w * size
}

// labelWidth is the room for text beside which something else stands: fonts differ, so there is some more than the estimate.
func labelWidth(s string) float64 { return fontsDiffer * textWidth(s, fontSize) }

const fontsDiffer = 1.13

// shorten cuts text that is wider than w.
func shorten(s string, size, w float64) string {
	if textWidth(s, size) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && textWidth(string(r)+"…", size) > w {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// abridge cuts the middle of a name that is wider than w: names of models often differ at their ends.
func abridge(s string, size, w float64) string {
	if textWidth(s, size) <= w {
		return s
	}
	r := []rune(s)
	head, tail := (len(r)+1)/2, len(r)/2
	cut := func() string { return string(r[:head]) + "…" + string(r[len(r)-tail:]) }
	for head+tail > 1 && textWidth(cut(), size) > w {
		if head > tail {
			head--
		} else {
			tail--
		}
	}
	return cut()
}

func longest(names []string) (w float64) {
	for _, n := range names {
		w = max(w, textWidth(n, 11))
	}
	return w
}

// entry is a series in a legend.
type entry struct {
	name      string
	color     int
	published bool
	line      bool
	bar       bool
	any       bool // a bar of no color: the series has several
	tick      bool
}

// sample draws what stands before the name, from x on.
func (e *entry) sample(d *Drawing, x, mid float64) {
	of := func(name string) Class { return Class{Name: name, Color: e.color, Published: e.published} }
	switch {
	case e.tick:
		d.line("ref", x+12, mid-7, x+12, mid+7)
	case e.any:
		d.add(Rect{Class: Class{Name: "any"}, X: x + 4, Y: mid - 5, Width: 16, Height: 10})
	case e.bar:
		d.add(Rect{Class: of("b"), X: x + 4, Y: mid - 5, Width: 16, Height: 10})
	default:
		if e.line {
			d.add(Line{Class: of("l"), X1: x, Y1: mid, X2: x + 24, Y2: mid})
		}
		d.add(Mark{Class: of("m"), X: x + 12, Y: mid, R: 4})
	}
}

// legend draws a legend from y on, x0 to x1, and returns its height. With d nil it only measures.
func legend(d *Drawing, x0, x1, y float64, entries []entry) float64 {
	x, rows := x0, 1
	for _, e := range entries {
		name := abridge(e.name, fontSize, (x1-x0-30)/fontsDiffer)
		w := 30 + labelWidth(name) + 18
		if x+w-18 > x1 && x > x0 {
			x = x0
			rows++
		}
		if d != nil {
			mid := y + legendLine*(float64(rows)-0.5)
			e.sample(d, x, mid)
			d.text("leg", x+30, mid+4, Start, 0, name)
		}
		x += w
	}
	if len(entries) == 0 {
		return 0
	}
	return float64(rows)*legendLine + 4
}
