package chart

import "testing"

// TestHeatKeyFits: the labels of the key end within the drawing, however long they are.
func TestHeatKeyFits(t *testing.T) {
	h := &Heat{Rows: []string{"a"}, Cols: []string{"1", "2"}, Values: [][]float64{{0, 1}}, Percent: true}
	for _, width := range []float64{0, 300} {
		h.Width = width
		d := h.drawing()
		for _, s := range d.Shapes {
			text, ok := s.(Text)
			if !ok || text.Anchor != Start {
				continue
			}
			if end := text.X + 1.2*textWidth(text.S, 11); end > d.Width { // DejaVu Sans is that much wider than estimated
				t.Errorf("%q ends at %.0f of %.0f", text.S, end, d.Width)
			}
		}
	}
}
