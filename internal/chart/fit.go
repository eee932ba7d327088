package chart

// leastSlot is the width of a category, in points, below which a plot of bars or points is turned: its categories then
// stand below each other.
const leastSlot = 30

// Fit implements [Figure]. Bars and points of more categories than fit are turned ([Plot.Across]).
func (p *Plot) Fit(width float64) Figure {
	w, h := p.size()
	if w <= width {
		return p
	}
	q := *p
	q.Width = width
	if n := len(p.X.Categories); n > 0 && p.Kind != Lines && (width-60)/float64(n) < leastSlot {
		q.Across = true
		return &q
	}
	q.Height = min(h, max(0.78*width, 200))
	return &q
}

// Fit implements [Figure]. The names of the rows keep their room.
func (h *Heat) Fit(width float64) Figure {
	if h.drawing().Width <= width {
		return h
	}
	q := *h
	q.Width = max(width, longest(h.Rows)+84+34*float64(len(h.Cols)))
	return &q
}

// Fit implements [Figure].
func (m *Map) Fit(width float64) Figure {
	if widthOf(m) <= width {
		return m
	}
	q := *m
	q.Width = width
	return &q
}

// Fit implements [Figure]. It keeps room for the names of the axes.
func (p *Parallel) Fit(width float64) Figure {
	q := *p
	if q.Width == 0 {
		q.Width = parallelWidth
	}
	q.Width = min(q.Width, max(width, 2*tightSide+76*float64(max(len(p.Measures)-1, 0))))
	return &q
}

// Fit implements [Figure]: fewer charts side by side where they would get too narrow, each as wide as its column.
func (p *Panels) Fit(width float64) Figure {
	q := *p
	q.Columns, q.Least = p.Across(), 0
	column := func() float64 { return (width-panelGap*float64(q.Columns-1))/float64(q.Columns) - 0.01 }
	wide := 0.0
	for _, f := range p.Charts {
		wide = max(wide, widthOf(f))
	}
	for q.Columns > 1 && column() < min(wide, 220) {
		q.Columns--
	}
	q.Charts = nil
	for _, f := range p.Charts {
		q.Charts = append(q.Charts, f.Fit(column()))
	}
	return &q
}
