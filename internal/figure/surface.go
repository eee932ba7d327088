package figure

import "github.com/augmix-go/augmix/internal/chart"

// surface is what a chart is painted on.
type surface interface {
	// corner says where the top left corner of what follows lies.
	corner(x, y float64)
	// trace fills and strokes runs of points, together.
	trace(l look, runs [][]chart.Point, closed bool)
	text(t chart.Text)
	cells(c chart.Cells)
	scale(s chart.Scale)
}

// paintAll paints a layout.
func paintAll(on surface, l chart.Layout) {
	for _, part := range l.Parts {
		on.corner(part.X, part.Y)
		for _, s := range part.Drawing.Shapes {
			paint(on, s)
		}
	}
}

func paint(on surface, s chart.Shape) {
	switch s := s.(type) {
	case chart.Line:
		on.trace(lookOf(s.Class), [][]chart.Point{{{X: s.X1, Y: s.Y1}, {X: s.X2, Y: s.Y2}}}, false)
	case chart.Path:
		on.trace(lookOf(s.Class), s.Runs, s.Closed)
	case chart.Mark:
		on.trace(lookOf(s.Class), [][]chart.Point{shapeOf(s)}, true)
	case chart.Rect:
		l := look{fill: s.Fill}
		if s.Class.Name != "" {
			l = lookOf(s.Class)
		}
		x1, y1 := s.X+s.Width, s.Y+s.Height
		on.trace(l, [][]chart.Point{{{X: s.X, Y: s.Y}, {X: x1, Y: s.Y}, {X: x1, Y: y1}, {X: s.X, Y: y1}}}, true)
	case chart.Text:
		on.text(s)
	case chart.Cells:
		on.cells(s)
	case chart.Scale:
		on.scale(s)
	}
}

// textLook is the look of a text.
func textLook(t *chart.Text) look {
	if t.Class.Name == "" {
		return look{fill: t.Fill, size: 11}
	}
	return lookOf(t.Class)
}
