package figure

import (
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

// radars are radar plots whose labels are long.
func radars() []chart.Figure {
	var out []chart.Figure
	for _, parallel := range []bool{false, true} {
		for n := 3; n <= 8; n++ {
			r := &chart.Radar{Title: fmt.Sprintf("radar of %d, parallel %v", n, parallel), Parallel: parallel, Width: 430}
			s := chart.RadarSeries{Name: "model"}
			for i := range n {
				r.Measures = append(r.Measures, chart.Measure{
					Name: strings.Repeat("Calibration ", 1+i%2), Worst: 0.9, Best: 1, Percent: true,
				})
				s.Values = append(s.Values, 0.95)
			}
			if parallel {
				r.Width = 610
			}
			r.Series = []chart.RadarSeries{s}
			out = append(out, r)
		}
	}
	return out
}

// TestTextInside: no text of a drawing is cut off by its edges. The font's own metrics say how wide it is.
func TestTextInside(t *testing.T) {
	for _, f := range append(kinds(), radars()...) {
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
