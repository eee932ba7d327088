package chart

import (
	"fmt"
	"strings"
)

// Panels are several charts that are one figure: side by side where there is room, below each other where there is not.
// Their legend is shared if they are Plots with NoLegend, their scale of colors if they are Maps with NoKey; the first
// one's counts.
type Panels struct {
	Title, Desc string
	Charts      []Figure
	Columns     int     // most charts side by side; 0: 2
	Heads       bool    // print the titles of the charts above them
	Least       float64 // charts do not get narrower than this: the reader moves them sideways; 0: they shrink
}

// Head implements [Figure].
func (p *Panels) Head() (title, desc string) { return p.Title, p.Desc }

// Across returns how many charts stand side by side.
func (p *Panels) Across() int {
	n := p.Columns
	if n == 0 {
		n = 2
	}
	return max(min(n, len(p.Charts)), 1)
}

// widthOf returns the width of a chart's SVG.
func widthOf(f Figure) float64 {
	switch f := f.(type) {
	case *Plot:
		w, _ := f.size()
		return w
	case *Map:
		if f.Width == 0 {
			return 250
		}
		return f.Width
	}
	return 480
}

// chips is a legend whose entries are svg elements of their own, so that they flow like words.
func chips(id string, entries []entry) string {
	var out strings.Builder
	for i, e := range entries {
		w := 34 + labelWidth(e.name)
		d := &Drawing{Title: "Legend: " + e.name, Width: w, Height: legendLine}
		legend(d, 0, w+8, 0, []entry{e})
		out.WriteString(d.svg(fmt.Sprintf("%s--l%d", id, i+1)))
	}
	return out.String()
}

// SVG implements [Figure]: a div of svg elements.
func (p *Panels) SVG(id string) string {
	var b strings.Builder
	wide, narrow := 0.0, 0.0
	for _, f := range p.Charts {
		// A panel may shrink by a sixth before there is one less in a row, and on a small screen by a third.
		wide, narrow = max(wide, widthOf(f)*0.86), max(narrow, widthOf(f)*0.66)
	}
	b.WriteString(`<div class="panels">`)
	if len(p.Charts) > 0 {
		shared := ""
		switch f := p.Charts[0].(type) {
		case *Plot:
			if f.NoLegend {
				shared = chips(id, f.entries())
			}
		case *Map:
			if f.NoKey {
				shared = f.Key(id+"--shared", 360)
			}
		}
		if shared != "" {
			b.WriteString(`<div class="shared">` + shared + `</div>`)
		}
	}
	fmt.Fprintf(&b, `<div class="grid" style="--wide:%spx;--narrow:%spx;--across:%d;--least:%spx">`, num(wide),
		num(narrow), p.Across(), num(p.Least))
	for i, f := range p.Charts {
		fmt.Fprintf(&b, `<div class="panel" style="max-width:%spx">`, num(widthOf(f)*1.1))
		if title, _ := f.Head(); p.Heads {
			b.WriteString(`<div class="head">` + esc(title) + `</div>`)
		}
		b.WriteString(f.SVG(fmt.Sprintf("%s--p%d", id, i+1)) + `</div>`)
	}
	b.WriteString(`</div></div>`)
	return b.String()
}
