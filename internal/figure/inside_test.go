package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

// measures are parallel plots whose labels are long.
func measures() []chart.Figure {
	var out []chart.Figure
	for n := 3; n <= 8; n++ {
		p := &chart.Parallel{Title: fmt.Sprintf("%d measures", n), Width: 610}
		s := chart.ParallelSeries{Name: "model"}
		for i := range n {
			p.Measures = append(p.Measures, chart.Measure{
				Name: strings.Repeat("Calibration ", 1+i%2), Worst: 0.9, Best: 1, Percent: true,
			})
			s.Values = append(s.Values, 0.95)
		}
		p.Series = []chart.ParallelSeries{s}
		out = append(out, p)
	}
	return out
}

// TestTextInside: no text of a drawing is cut off by its edges. The font's own metrics say how wide it is.
func TestTextInside(t *testing.T) {
	for _, f := range append(kinds(), measures()...) {
		title, _ := f.Head()
		for _, part := range f.Alone(true).Parts {
			c := newCanvas(1, 1, zoom)
			for _, s := range part.Drawing.Shapes {
				text, ok := s.(chart.Text)
				if !ok || text.Turn != 0 {
					continue
				}
				size := 11.0
				if text.Class.Name != "" {
					size = lookOf(text.Class).size
				}
				_, width := c.outlines(regular(), text.S)
				left := text.X - size*width*float64(text.Anchor)/2
				if left < 0 || left+size*width > part.Drawing.Width {
					t.Errorf("%s: %q from %.0f to %.0f in a drawing of width %.0f", title, text.S, left, left+size*width,
						part.Drawing.Width)
				}
			}
		}
	}
}
