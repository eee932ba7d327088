package chart

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// labeled is a plot of points at random places, one of them missing.
func labeled(t *rapid.T) *Plot {
	at := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 40)
	s := Series{Name: "s", X: at.Draw(t, "x"), Published: true}
	for range s.X {
		s.Y = append(s.Y, rapid.Float64Range(0, 1).Draw(t, "y"))
		s.Labels = append(s.Labels, strings.Repeat("n", rapid.IntRange(1, 30).Draw(t, "length")))
	}
	s.Y[0] = math.NaN()
	return &Plot{Kind: Points, Width: 426, Series: []Series{s, {Name: "other", Y: []float64{0.5}}}}
}

// TestLabels: the labels of points cover neither points nor each other, lie inside the drawing, and are there where there is room.
func TestLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := labeled(t).drawing()
		var boxes []box
		for _, s := range d.Shapes {
			switch s := s.(type) {
			case Mark:
				boxes = append(boxes, box{s.X - s.R, s.Y - s.R, s.X + s.R, s.Y + s.R})
			case Text:
				if !strings.HasPrefix(s.S, "n") {
					continue
				}
				w := textWidth(s.S, 11)
				left := s.X - w*float64(s.Anchor)/2
				b := box{left, s.Y - 8, left + w, s.Y + 2}
				for _, other := range boxes {
					if b.overlaps(other) {
						t.Fatalf("%q at %v, %v covers %v", s.S, s.X, s.Y, other)
					}
				}
				if b.x0 < 0 || b.x1 > d.Width {
					t.Fatalf("%q from %v to %v, outside", s.S, b.x0, b.x1)
				}
				boxes = append(boxes, b)
			}
		}
	})
	p := &Plot{Kind: Points, Series: []Series{{Name: "paper", X: []float64{0, 1}, Y: []float64{0, 1}, Labels: []string{"first", "second"}}}}
	svg := p.SVG("p")
	for _, want := range []string{">first</text>", ">second</text>", "<title>second (paper), 1: 1</title>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
}
