package chart

import (
	"fmt"
	"math"
	"strings"
)

// Range returns the ends of the y axis and its ticks.
func (p *Plot) Range() (lo, hi float64, ticks []float64) {
	return p.Y.ticks(func(yield func(float64)) {
		for i := range p.Series {
			s := &p.Series[i]
			for j, y := range s.Y {
				yield(y)
				if l, h, ok := s.Interval(j); ok {
					yield(l)
					yield(h)
				}
			}
		}
	}, p.Kind == Bars)
}

// RangeX returns the ends of a numeric x axis and its ticks.
func (p *Plot) RangeX() (lo, hi float64, ticks []float64) {
	return p.X.ticks(func(yield func(float64)) {
		for i := range p.Series {
			for j := range p.Series[i].Y {
				yield(p.Series[i].At(j))
			}
		}
	}, false)
}

func (a *Axis) ticks(values func(yield func(float64)), zero bool) (lo, hi float64, ticks []float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	if a.Fixed {
		lo, hi = a.Min, a.Max
	} else {
		values(func(v float64) {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		})
		if lo > hi {
			lo, hi = 0, 1
		}
		if zero || a.Zero {
			lo, hi = min(lo, 0), max(hi, 0)
		}
	}
	ticks = Ticks(lo, hi, 5)
	if !a.Fixed {
		lo, hi = ticks[0], ticks[len(ticks)-1]
	}
	if lo == hi {
		hi = lo + 1
	}
	return lo, hi, ticks
}

func step(ticks []float64) float64 {
	if len(ticks) < 2 {
		return 1
	}
	return ticks[1] - ticks[0]
}

// frame is where the data of a plot are drawn.
type frame struct {
	x0, y0, x1, y1 float64 // corners of the area, y0 above y1
	xlo, xhi       float64
	ylo, yhi       float64
}

func (f *frame) x(v float64) float64 { return f.x0 + (v-f.xlo)/(f.xhi-f.xlo)*(f.x1-f.x0) }
func (f *frame) y(v float64) float64 { return f.y1 - (v-f.ylo)/(f.yhi-f.ylo)*(f.y1-f.y0) }

// size returns the plot's width and height.
func (p *Plot) size() (w, h float64) {
	w, h = p.Width, p.Height
	if w == 0 {
		w = 720
	}
	if h == 0 {
		h = 360
	}
	return w, h
}

func (p *Plot) entries() []entry {
	var out []entry
	if len(p.Series) == 1 {
		return nil // the caption names it
	}
	for i := range p.Series {
		s := &p.Series[i]
		out = append(out, entry{
			name: s.Name, color: s.Color, published: s.Published, line: p.Kind == Lines, bar: p.Kind == Bars,
			any: len(s.Colors) > 0, tick: s.Tick,
		})
	}
	return out
}

// SVG implements [Figure].
func (p *Plot) SVG(id string) string { return p.drawing().svg(id) }

func (p *Plot) drawing() *Drawing {
	if p.Across {
		return p.across()
	}
	w, h := p.size()
	f := frame{x0: 52, x1: w - 12, y1: h - 40} // half of the last number stands out
	if p.X.Label == "" {
		f.y1 = h - 24
	}
	entries := p.entries()
	if p.NoLegend {
		entries = nil
	}
	f.y0 = 10 + legend(nil, f.x0, f.x1, 0, entries)
	turned := p.turned(&f)
	if turned {
		f.y1 = h - 14 - min(longest(p.X.Categories)*0.66+12, 110)
		if p.X.Label != "" {
			f.y1 -= 16
		}
	}
	d := &Drawing{Title: p.Title, Desc: p.Desc, Width: w, Height: h}
	legend(d, f.x0, f.x1, 4, entries)
	p.axes(d, &f, h, turned)
	if p.Kind == Bars {
		p.bars(d, &f)
	} else {
		p.lines(d, &f)
		p.labels(d, &f)
	}
	return d
}

// Legend returns the plot's legend alone as an svg element of a width, for several plots that share it.
func (p *Plot) Legend(id string, width float64) string { return p.legend(width).svg(id) }

func (p *Plot) legend(width float64) *Drawing {
	h := legend(nil, 0, width, 0, p.entries())
	d := &Drawing{Title: "Legend", Width: width, Height: max(h, 1)}
	legend(d, 0, width, 0, p.entries())
	return d
}

// turned reports whether the names of categories must be slanted.
func (p *Plot) turned(f *frame) bool {
	n := len(p.X.Categories)
	return n > 0 && longest(p.X.Categories)+6 > (f.x1-f.x0)/float64(n)
}

func unit(a *Axis) string {
	if a.Percent && !strings.HasSuffix(a.Label, "%)") && a.Label != "" {
		return a.Label + " (%)"
	}
	return a.Label
}

func (p *Plot) axes(d *Drawing, f *frame, h float64, turned bool) {
	var ticks []float64
	f.ylo, f.yhi, ticks = p.Range()
	for _, t := range ticks {
		if t < f.ylo-1e-12 || t > f.yhi+1e-12 {
			continue
		}
		d.line("grid", f.x0, f.y(t), f.x1, f.y(t))
		d.text("tick", f.x0-6, f.y(t)+4, End, 0, Format(t, step(ticks), p.Y.Percent))
	}
	if n := len(p.X.Categories); n > 0 {
		f.xlo, f.xhi = -0.5, float64(n)-0.5
		for i, name := range p.X.Categories {
			if turned {
				d.text("tick", f.x(float64(i))+4, f.y1+14, End, -38, abridge(name, 11, 150))
			} else {
				d.text("tick", f.x(float64(i)), f.y1+16, Middle, 0, name)
			}
		}
	} else {
		f.xlo, f.xhi, ticks = p.RangeX()
		for _, t := range ticks {
			if t < f.xlo-1e-12 || t > f.xhi+1e-12 {
				continue
			}
			d.line("axis", f.x(t), f.y1, f.x(t), f.y1+4)
			d.text("tick", f.x(t), f.y1+16, Middle, 0, Format(t, step(ticks), p.X.Percent))
		}
	}
	d.line("axis", f.x0, f.y1, f.x1, f.y1)
	if f.ylo < 0 && f.yhi > 0 {
		d.line("axis", f.x0, f.y(0), f.x1, f.y(0))
	}
	d.text("lab", (f.x0+f.x1)/2, h-6, Middle, 0, unit(&p.X))
	mid := (f.y0 + f.y1) / 2
	d.text("lab", 13, mid, Middle, -90, unit(&p.Y))
	if p.Diagonal {
		lo, hi := max(f.xlo, f.ylo), min(f.xhi, f.yhi)
		d.line("diag", f.x(lo), f.y(lo), f.x(hi), f.y(hi))
	}
}

// of is what value j is of.
func (s *Series) of(j int) string {
	if j < len(s.Of) {
		return s.Of[j]
	}
	return ""
}

// title says what a mark shows.
func (p *Plot) title(s *Series, j int) string {
	at := ""
	if n := len(p.X.Categories); n > 0 {
		at = p.X.Categories[min(max(int(s.At(j)), 0), n-1)]
	} else {
		at = strings.TrimSpace(p.X.Label + " " + Say(s.At(j), p.X.Percent))
	}
	name := s.Name
	if j < len(s.Labels) {
		name = s.Labels[j] + " (" + name + ")"
	}
	t := fmt.Sprintf("%s, %s: %s", name, at, Say(s.Y[j], p.Y.Percent))
	if lo, hi, ok := s.Interval(j); ok {
		t += fmt.Sprintf(" [%s, %s]", strings.TrimSuffix(Say(lo, p.Y.Percent), " %"), Say(hi, p.Y.Percent))
	}
	if j < len(s.Notes) && s.Notes[j] != "" {
		t += "; " + s.Notes[j]
	}
	return t
}

func (p *Plot) bars(d *Drawing, f *frame) {
	n := len(p.Series)
	slot := f.x(1) - f.x(0)
	w := min(slot*0.82/float64(max(n, 1)), 34)
	for i := range p.Series {
		s := &p.Series[i]
		for j, y := range s.Y {
			x := f.x(s.At(j)) + (float64(i)-float64(n)/2)*w
			if math.IsNaN(y) {
				d.text("miss", x+w/2+3, f.y(0)-4, Start, -90, "n/a")
				continue
			}
			top, bottom := f.y(max(y, 0)), f.y(min(y, 0))
			d.add(Rect{
				Class: Class{Name: "b", Color: s.ColorAt(j), Published: s.Published}, X: x + 0.5, Y: top,
				Width: max(w-1, 0.5), Height: bottom - top, Title: p.title(s, j), Of: s.of(j),
			})
			if lo, hi, ok := s.Interval(j); ok {
				d.whisker(Class{Name: "w"}, x+w/2, f.y(lo), f.y(hi), min(w/4, 3))
			}
		}
	}
}

func (p *Plot) lines(d *Drawing, f *frame) {
	for i := range p.Series {
		s := &p.Series[i]
		if runs := f.runs(s); p.Kind == Lines && runs != nil {
			d.add(Path{Class: s.class("l"), Runs: runs})
		}
		for j, y := range s.Y {
			if lo, hi, ok := s.Interval(j); ok && !math.IsNaN(y) {
				d.whisker(Class{Name: "e", Color: s.Color}, f.x(s.At(j)), f.y(lo), f.y(hi), 3)
			}
		}
		for j, y := range s.Y {
			if !math.IsNaN(y) {
				d.add(Mark{Class: s.class("m"), X: f.x(s.At(j)), Y: f.y(y), R: 4, Title: p.title(s, j), Of: s.of(j)})
			}
		}
	}
}

// runs returns the points of a series; a missing one is a gap.
func (f *frame) runs(s *Series) (runs [][]Point) {
	open := false
	for j, y := range s.Y {
		if math.IsNaN(y) {
			open = false
			continue
		}
		if !open {
			runs = append(runs, nil)
		}
		last := len(runs) - 1
		runs[last] = append(runs[last], Point{f.x(s.At(j)), f.y(y)})
		open = true
	}
	return runs
}
