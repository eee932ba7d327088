package chart

// Layout is a figure as it stands alone, on paper or on a slide: drawings beside and below each other, with the title
// above them and with what they share.
type Layout struct {
	Width, Height float64 // in points
	Parts         []Part
}

// Part is a drawing and where its top left corner lies.
type Part struct {
	X, Y    float64
	Drawing *Drawing
}

// Edge is the room about a figure that stands alone, in points.
const Edge = 8.0

const (
	panelGap  = 16.0 // between charts beside and below each other
	legendGap = 4.0
	titleRow  = 26.0
	titleSize = 14.0
)

// one is the layout of a drawing.
func one(d *Drawing) Layout {
	return Layout{Width: d.Width, Height: d.Height, Parts: []Part{{Drawing: d}}}
}

// put adds the parts of another layout.
func (l *Layout) put(x, y float64, other Layout) {
	for _, p := range other.Parts {
		l.Parts = append(l.Parts, Part{x + p.X, y + p.Y, p.Drawing})
	}
}

// under returns the layout with a line of text above it, in the middle: of the class "title" or "head".
func (l Layout) under(class, s string) Layout {
	if s == "" {
		return l
	}
	s = shorten(s, titleSize, 1.5*l.Width)
	width := max(l.Width, textWidth(s, titleSize)) // a title may stand out
	head := &Drawing{Width: width, Height: titleRow}
	head.text(class, width/2, titleRow-9, Middle, 0, s)
	out := Layout{Width: width, Height: l.Height + titleRow}
	out.put(0, 0, one(head))
	out.put((width-l.Width)/2, titleRow, l)
	return out
}

func titled(s string, title bool) string {
	if title {
		return s
	}
	return ""
}

// framed returns the layout with a title and room about it.
func (l Layout) framed(title string) Layout {
	l = l.under("title", title)
	out := Layout{Width: l.Width + 2*Edge, Height: l.Height + 2*Edge}
	out.put(Edge, Edge, l)
	return out
}

// below returns the layout with a drawing above it, in the middle; without one it is what it was.
func (l Layout) below(d *Drawing, gap float64) Layout {
	if d == nil {
		return l
	}
	out := Layout{Width: max(l.Width, d.Width), Height: d.Height + gap + l.Height}
	out.put((out.Width-d.Width)/2, 0, one(d))
	out.put((out.Width-l.Width)/2, d.Height+gap, l)
	return out
}

// Alone implements [Figure]. The legend takes nothing from the height of the chart.
func (p *Plot) Alone(title bool) Layout {
	q := *p
	q.NoLegend = true
	l := q.panel()
	if len(p.entries()) > 0 {
		l = l.below(p.legend(l.Width), legendGap)
	}
	return l.framed(titled(p.Title, title))
}

func (p *Plot) panel() Layout { return one(p.drawing()) }

// Alone implements [Figure].
func (h *Heat) Alone(title bool) Layout { return h.panel().framed(titled(h.Title, title)) }

func (h *Heat) panel() Layout { return one(h.drawing()) }

// Alone implements [Figure].
func (m *Map) Alone(title bool) Layout {
	q := *m
	q.NoKey = false
	if title && m.Title != "" {
		q.Name = "" // the title has it
	}
	return q.panel().framed(titled(m.Title, title))
}

func (m *Map) panel() Layout { return one(m.drawing()) }

// Alone implements [Figure].
func (r *Parallel) Alone(title bool) Layout { return r.panel().framed(titled(r.Title, title)) }

func (r *Parallel) panel() Layout { return one(r.drawing()) }

// Alone implements [Figure]: the charts in rows, below what they share. Of one chart it is that chart.
func (p *Panels) Alone(title bool) Layout {
	if len(p.Charts) == 1 {
		return p.Charts[0].Alone(title)
	}
	return p.panel().framed(titled(p.Title, title))
}

func (p *Panels) panel() Layout {
	var cells []Layout
	w, h := 0.0, 0.0
	for _, f := range p.Charts {
		cell := f.panel()
		if title, _ := f.Head(); p.Heads {
			cell = cell.under("head", title)
		}
		cells = append(cells, cell)
		w, h = max(w, cell.Width), max(h, cell.Height)
	}
	n := p.Across()
	rows := (len(cells) + n - 1) / n
	out := Layout{
		Width:  max(float64(n)*(w+panelGap)-panelGap, 0),
		Height: max(float64(rows)*(h+panelGap)-panelGap, 0),
	}
	for i, cell := range cells {
		out.put(float64(i%n)*(w+panelGap), float64(i/n)*(h+panelGap), cell)
	}
	return out.below(p.shared(out.Width), panelGap)
}

// shared is the legend or the scale of colors that the charts share, nil for none.
func (p *Panels) shared(width float64) *Drawing {
	if len(p.Charts) == 0 {
		return nil
	}
	switch f := p.Charts[0].(type) {
	case *Plot:
		if f.NoLegend && len(f.entries()) > 0 {
			return f.legend(width)
		}
	case *Map:
		if f.NoKey {
			return f.keyDrawing(360)
		}
	}
	return nil
}
