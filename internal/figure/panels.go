package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/augmix-go/augmix/internal/chart"
)

const panelGap = 14

// drawPanels draws charts beside and below each other, with one legend or scale of colours.
func drawPanels(p *chart.Panels) (drawing, error) {
	var items []item
	var shared *chart.Map
	var parts []drawing
	w, h := 0.0, 0.0
	for i, f := range p.Charts {
		switch f := f.(type) {
		case *chart.Plot:
			if f.NoLegend && i == 0 {
				items = itemsOf(f)
			}
		case *chart.Map:
			if f.NoKey && i == 0 {
				shared = f
			}
		}
		one, err := drawingOf(f, false)
		if err != nil {
			return drawing{}, err
		}
		parts = append(parts, one)
		w, h = max(w, one.w), max(h, one.h)
	}
	n := p.Across()
	rows := (len(parts) + n - 1) / n
	below := 0.0
	if shared != nil {
		below = mapKey
	}
	total := max(float64(n)*w+float64(n-1)*panelGap, 300)
	size := float64(rows)*(h+panelGap) + below
	return frame(total+16, size, p.Title, items, func(c draw.Canvas) {
		for i, one := range parts {
			x := c.Min.X + vg.Length(float64(i%n)*(w+panelGap))
			y := c.Max.Y - vg.Length(float64(i/n)*(h+panelGap))
			cell := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - vg.Length(one.h)}, Max: vg.Point{X: x + vg.Length(one.w), Y: y},
			}}
			one.draw(cell)
		}
		if shared != nil {
			width := min(vg.Length(total)-60, 300)
			key(&c, shared, c.Center().X-width/2, c.Min.Y+mapKey-4, width)
		}
	}), nil
}
