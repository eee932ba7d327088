package chart

import (
	"math"
	"strings"
)

// Measure is one axis of a [Radar]: a quantity with a scale of its own.
type Measure struct {
	Name        string
	Worst, Best float64 // values at the center and at the rim (bottom and top of a parallel plot)
	Percent     bool
}

// RadarSeries is one model in a [Radar].
type RadarSeries struct {
	Name      string
	Values    []float64 // one for each measure; NaN is missing
	Published bool
	Color     int
}

func (s *RadarSeries) class(name string) Class {
	return Class{Name: name, Color: s.Color, Published: s.Published}
}

// Radar shows several measures of several models, each measure on its own scale with the better end outside: as a radar
// plot, or as a parallel plot with one upright axis for each measure and the better end at the top. The ends of every
// scale are printed, as they are not zero in general.
type Radar struct {
	Title, Desc string
	Measures    []Measure
	Series      []RadarSeries
	Parallel    bool
	Width       float64 // 0: 460, parallel 720
}

// Head implements [Figure].
func (r *Radar) Head() (title, desc string) { return r.Title, r.Desc }

// tightSide is the room at the sides of a parallel plot where there is little.
const tightSide = 36

// mostFilled is how many outlines are filled: the fills of more would mix to gray.
const mostFilled = 4

// Place returns where a value lies on a measure's scale, from 0 (worst) to 1 (best); NaN for a missing one.
func (m *Measure) Place(v float64) float64 {
	if m.Best == m.Worst {
		return math.NaN()
	}
	return min(max((v-m.Worst)/(m.Best-m.Worst), 0), 1)
}

// Say prints a value of the measure with as many digits as its scale needs.
func (m *Measure) Say(v float64) string {
	s := Ticks(min(m.Worst, m.Best), max(m.Worst, m.Best), 4)
	t := Format(v, step(s), m.Percent)
	if m.Percent {
		t += " %"
	}
	return t
}

func (r *Radar) entries() []entry {
	var out []entry
	for _, s := range r.Series {
		out = append(out, entry{name: s.Name, color: s.Color, published: s.Published, line: true})
	}
	return out
}

// SVG implements [Figure].
func (r *Radar) SVG(id string) string { return r.drawing().svg(id) }

func (r *Radar) drawing() *Drawing {
	if r.Parallel {
		return r.parallel()
	}
	w := r.Width
	if w == 0 {
		w = 460
	}
	top := legend(nil, 8, w-8, 0, r.entries())
	radius := min(w/2-100, 150)
	cx, cy := w/2, top+radius+52
	d := &Drawing{Title: r.Title, Desc: r.Desc, Width: w, Height: cy + radius + 46}
	legend(d, 8, w-8, 4, r.entries())
	at := func(i int, t float64) (x, y float64) {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(r.Measures)))
		return cx + t*radius*sin, cy - t*radius*cos
	}
	for ring := 1; ring <= 4; ring++ {
		d.polygon(Class{Name: "none"}, len(r.Measures), func(i int) (float64, float64) { return at(i, float64(ring)/4) })
	}
	for i := range r.Measures {
		m := &r.Measures[i]
		x, y := at(i, 1)
		d.line("grid", cx, cy, x, y)
		tx, ty := at(i, 1+14/radius)
		anchor := Middle
		if tx > cx+8 {
			anchor = Start
		} else if tx < cx-8 {
			anchor = End
		}
		if ty < cy-radius*0.9 {
			ty -= 14
		} else if ty > cy {
			ty += 6
		}
		d.inside("lab", tx, ty, anchor, m.Name)
		d.inside("tick", tx, ty+13, anchor, m.Say(m.Worst)+" → "+m.Say(m.Best))
	}
	for k := range r.Series {
		r.outline(d, &r.Series[k], at)
	}
	return d
}

// outline draws one model: a filled outline if nothing is missing, else the lines between neighbors that are there.
func (r *Radar) outline(d *Drawing, s *RadarSeries, at func(i int, t float64) (x, y float64)) {
	n := len(r.Measures)
	places := make([]float64, n)
	whole := n > 2
	for i := range places {
		places[i] = r.Measures[i].Place(s.Values[i])
		whole = whole && !math.IsNaN(places[i])
	}
	if whole {
		area := Class{Name: "area", Color: s.Color, Published: s.Published, Bare: len(r.Series) > mostFilled}
		d.polygon(area, n, func(i int) (float64, float64) {
			return at(i, places[i])
		})
	} else {
		for i := range places {
			j := (i + 1) % n
			if !math.IsNaN(places[i]) && !math.IsNaN(places[j]) {
				x1, y1 := at(i, places[i])
				x2, y2 := at(j, places[j])
				d.add(Line{Class: s.class("l"), X1: x1, Y1: y1, X2: x2, Y2: y2})
			}
		}
	}
	for i, t := range places {
		if !math.IsNaN(t) {
			x, y := at(i, t)
			d.add(Mark{Class: s.class("m"), X: x, Y: y, R: 3.5, Title: r.title(s, i)})
		}
	}
}

func (r *Radar) title(s *RadarSeries, i int) string {
	return s.Name + ", " + r.Measures[i].Name + ": " + Say(s.Values[i], r.Measures[i].Percent)
}

func (r *Radar) parallel() *Drawing {
	w := r.Width
	if w == 0 {
		w = 720
	}
	top := legend(nil, 8, w-8, 0, r.entries()) + 44
	n := len(r.Measures)
	side := 60.0
	if w-2*side < 76*float64(n-1) {
		side = tightSide
	}
	left, right, height := side, w-side, 210.0
	d := &Drawing{Title: r.Title, Desc: r.Desc, Width: w, Height: top + height + 26}
	legend(d, 8, w-8, 4, r.entries())
	at := func(i int, t float64) (x, y float64) {
		x = (left + right) / 2
		if n > 1 {
			x = left + (right-left)*float64(i)/float64(n-1)
		}
		return x, top + height*(1-t)
	}
	for i := range r.Measures {
		m := &r.Measures[i]
		x, y := at(i, 1)
		d.line("axis", x, y, x, y+height)
		d.inside("lab", x, y-22, Middle, m.Name)
		d.inside("tick", x, y-7, Middle, m.Say(m.Best))
		d.inside("tick", x, y+height+15, Middle, m.Say(m.Worst))
		for _, v := range Ticks(min(m.Worst, m.Best), max(m.Worst, m.Best), 4) {
			if t := m.Place(v); t > 0.02 && t < 0.98 {
				d.line("axis", x-3, y+height*(1-t), x+3, y+height*(1-t))
				d.text("tick", x+7, y+height*(1-t)+4, Start, 0, strings.TrimSuffix(m.Say(v), " %"))
			}
		}
	}
	for k := range r.Series {
		s := &r.Series[k]
		for i := range n {
			t := r.Measures[i].Place(s.Values[i])
			if i+1 < n {
				if u := r.Measures[i+1].Place(s.Values[i+1]); !math.IsNaN(t) && !math.IsNaN(u) {
					x1, y1 := at(i, t)
					x2, y2 := at(i+1, u)
					d.add(Line{Class: s.class("l"), X1: x1, Y1: y1, X2: x2, Y2: y2})
				}
			}
		}
		for i := range n {
			if t := r.Measures[i].Place(s.Values[i]); !math.IsNaN(t) {
				x, y := at(i, t)
				d.add(Mark{Class: s.class("m"), X: x, Y: y, R: 4, Title: r.title(s, i)})
			}
		}
	}
	return d
}
