package chart

import "math"

// box is a rectangle that something takes up.
type box struct{ x0, y0, x1, y1 float64 }

func (a box) overlaps(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// sides are the places of a label about its point, best first: where its text is anchored and how far that lies to the right and
// below, in points.
var sides = []struct {
	anchor Anchor
	dx, dy float64
}{
	{Start, 8, 4},
	{End, -8, 4},
	{Middle, 0, -9},
	{Middle, 0, 17},
	{Start, 6, -6},
	{Start, 6, 14},
	{End, -6, -6},
	{End, -6, 14},
}

// labels writes the labels of points beside them. A label that would cover a point, another label or the frame is left out: the
// mark's title has it.
func (p *Plot) labels(d *Drawing, f *frame) {
	var taken []box
	for i := range p.Series {
		s := &p.Series[i]
		for j, y := range s.Y {
			if !math.IsNaN(y) {
				taken = append(taken, box{f.x(s.At(j)) - 5, f.y(y) - 5, f.x(s.At(j)) + 5, f.y(y) + 5})
			}
		}
	}
	for i := range p.Series {
		s := &p.Series[i]
		for j := range min(len(s.Labels), len(s.Y)) {
			if !math.IsNaN(s.Y[j]) {
				taken = s.beside(d, f, j, taken)
			}
		}
	}
}

// beside writes the label of a point at the first side that is free, and returns what is taken then.
func (s *Series) beside(d *Drawing, f *frame, j int, taken []box) []box {
	text := abridge(s.Labels[j], 11, 170)
	w := 1.1 * textWidth(text, 11) // fonts differ
next:
	for _, side := range sides {
		x, y := f.x(s.At(j))+side.dx, f.y(s.Y[j])+side.dy
		left := x - w*float64(side.anchor)/2
		b := box{left, y - 10, left + w, y + 3}
		if b.x0 < f.x0 || b.x1 > f.x1 || b.y0 < f.y0 || b.y1 > f.y1 {
			continue
		}
		switch side.anchor { // a label between two points says whose it is
		case Start:
			b.x1 += 8
		case End:
			b.x0 -= 8
		}
		for _, t := range taken {
			if b.overlaps(t) {
				continue next
			}
		}
		d.text("tick", x, y, side.anchor, 0, text)
		return append(taken, b)
	}
	return taken
}
