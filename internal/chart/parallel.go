package chart

import (
	"math"
	"slices"
	"strings"
)

// Measure is one axis of a [Parallel]: a quantity with a scale of its own.
type Measure struct {
	Name        string
	Worst, Best float64 // values at the bottom and at the top
	Percent     bool
}

// ParallelSeries is one model in a [Parallel].
type ParallelSeries struct {
	Name      string
	Values    []float64 // one for each measure; NaN is missing
	Published bool
	Color     int
}

func (s *ParallelSeries) class(name string) Class {
	return Class{Name: name, Color: s.Color, Published: s.Published}
}

// Parallel shows several measures of several models as a parallel plot: an upright axis for each measure, on its own scale with
// the better end at the top. The ends of every scale are printed, as they are not zero in general.
type Parallel struct {
	Title, Desc string
	Measures    []Measure
	Series      []ParallelSeries
	Width       float64 // 0: 720
}

// Head implements [Figure].
func (p *Parallel) Head() (title, desc string) { return p.Title, p.Desc }

// parallelWidth is the width where none is given.
const parallelWidth = 720

// tightSide is the room at the sides of a parallel plot where there is little.
const tightSide = 36

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

func (p *Parallel) entries() []entry {
	var out []entry
	for _, s := range p.Series {
		out = append(out, entry{name: s.Name, color: s.Color, published: s.Published, line: true})
	}
	return out
}

// SVG implements [Figure].
func (p *Parallel) SVG(id string) string { return p.drawing().svg(id) }

func (p *Parallel) title(s *ParallelSeries, i int) string {
	return s.Name + ", " + p.Measures[i].Name + ": " + Say(s.Values[i], p.Measures[i].Percent)
}

// crossed reports whether a series goes through the label at t of axis i, which stands to the right of the axis. step is from one axis
// to the next.
func (p *Parallel) crossed(i int, t, height, step float64) bool {
	const near, middle = 7, 14 // half the height of a label, and where it is right of its axis
	return slices.ContainsFunc(p.Series, func(s ParallelSeries) bool {
		here := p.Measures[i].Place(s.Values[i])
		there := here
		if i+1 < len(p.Measures) {
			next := p.Measures[i+1].Place(s.Values[i+1])
			there += (next - here) * middle / step
		}
		return math.Abs(here-t)*height < near || math.Abs(there-t)*height < near // false where one is NaN
	})
}

func (p *Parallel) drawing() *Drawing {
	w := p.Width
	if w == 0 {
		w = parallelWidth
	}
	top := legend(nil, 8, w-8, 0, p.entries()) + 44
	n := len(p.Measures)
	side := 60.0
	if w-2*side < 76*float64(n-1) {
		side = tightSide
	}
	left, right, height := side, w-side, 210.0
	d := &Drawing{Title: p.Title, Desc: p.Desc, Width: w, Height: top + height + 26}
	legend(d, 8, w-8, 4, p.entries())
	at := func(i int, t float64) (x, y float64) {
		x = (left + right) / 2
		if n > 1 {
			x = left + (right-left)*float64(i)/float64(n-1)
		}
		return x, top + height*(1-t)
	}
	for i := range p.Measures {
		m := &p.Measures[i]
		x, y := at(i, 1)
		d.line("axis", x, y, x, y+height)
		d.inside("lab", x, y-22, Middle, m.Name)
		d.inside("tick", x, y-7, Middle, m.Say(m.Best))
		d.inside("tick", x, y+height+15, Middle, m.Say(m.Worst))
		for _, v := range Ticks(min(m.Worst, m.Best), max(m.Worst, m.Best), 4) {
			if t := m.Place(v); t > 0.02 && t < 0.98 {
				d.line("axis", x-3, y+height*(1-t), x+3, y+height*(1-t))
				if !p.crossed(i, t, height, (right-left)/float64(max(n-1, 1))) {
					d.text("tick", x+7, y+height*(1-t)+4, Start, 0, strings.TrimSuffix(m.Say(v), " %"))
				}
			}
		}
	}
	for k := range p.Series {
		s := &p.Series[k]
		for i := range n {
			t := p.Measures[i].Place(s.Values[i])
			if i+1 < n {
				if u := p.Measures[i+1].Place(s.Values[i+1]); !math.IsNaN(t) && !math.IsNaN(u) {
					x1, y1 := at(i, t)
					x2, y2 := at(i+1, u)
					d.add(Line{Class: s.class("l"), X1: x1, Y1: y1, X2: x2, Y2: y2})
				}
			}
		}
		for i := range n {
			if t := p.Measures[i].Place(s.Values[i]); !math.IsNaN(t) {
				x, y := at(i, t)
				d.add(Mark{Class: s.class("m"), X: x, Y: y, R: 4, Title: p.title(s, i)})
			}
		}
	}
	return d
}
