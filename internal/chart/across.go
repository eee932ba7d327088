package chart

import (
	"fmt"
	"math"
	"strings"
)

// Layout of a plot with Across, in points.
const (
	barRow   = 24.0  // height of a row of one bar
	barMore  = 9.0   // what every further bar of the row adds
	pointRow = 26.0  // height of a row of points
	nameMost = 190.0 // the longest name
	nameRoom = 0.42  // the most of the width that names take
	narrow   = 480.0 // below this width what stands beside bars takes no more room than it needs
)

// RowHeight returns the height of a category's row in a plot with Across.
func (p *Plot) RowHeight() float64 {
	if p.Kind != Bars {
		return pointRow
	}
	return barRow + barMore*float64(max(p.barCount()-1, 0))
}

// barCount returns how many bars a category has.
func (p *Plot) barCount() (n int) {
	for i := range p.Series {
		if !p.Series[i].Tick {
			n++
		}
	}
	return n
}

// Lane returns how far a series' bar or point lies below the middle of its row, and how high a bar is, in a plot with
// Across: series have lanes of their own, so that points of equal values do not hide each other.
func (p *Plot) Lane(series int) (offset, height float64) {
	if p.Kind == Bars {
		n, k := p.barCount(), 0
		for i := range series {
			if !p.Series[i].Tick {
				k++
			}
		}
		height = (p.RowHeight() - 8) / float64(max(n, 1))
		if p.Series[series].Tick {
			return 0, p.RowHeight() - 4
		}
		return (float64(k) - float64(n-1)/2) * height, height
	}
	n := float64(len(p.Series))
	return (float64(series) - (n-1)/2) * min(4, (pointRow-16)/max(n-1, 1)), 0
}

// Beside returns what a bar of a plot with Values is marked with: its value, and how far that lies above the line that
// it is compared with.
func (p *Plot) Beside(series, j int) string {
	v := p.Series[series].Y[j]
	if math.IsNaN(v) {
		return "n/a"
	}
	text := strings.TrimSuffix(Say(v, p.Y.Percent), " %")
	for i := range p.Series {
		if s := &p.Series[i]; s.Tick && j < len(s.Y) && !math.IsNaN(s.Y[j]) {
			d := strings.TrimSuffix(Say(v-s.Y[j], p.Y.Percent), " %")
			if !strings.HasPrefix(d, "−") {
				d = "+" + d
			}
			text += " (" + d + ")"
		}
	}
	return text
}

// Span returns the least and the greatest value of a category, and the names of the series without one.
func (p *Plot) Span(j int) (lo, hi float64, missing []string) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range p.Series {
		s := &p.Series[i]
		if j >= len(s.Y) || math.IsNaN(s.Y[j]) {
			missing = append(missing, s.Name)
			continue
		}
		lo, hi = min(lo, s.Y[j]), max(hi, s.Y[j])
	}
	return lo, hi, missing
}

// End returns the right end of everything that is drawn in a category's row.
func (p *Plot) End(j int) float64 {
	end := 0.0
	for i := range p.Series {
		s := &p.Series[i]
		if j < len(s.Y) && !math.IsNaN(s.Y[j]) {
			end = max(end, s.Y[j])
		}
		if _, hi, ok := s.Interval(j); ok {
			end = max(end, hi)
		}
	}
	return end
}

// nameWidth is the room for the names of the rows.
func (p *Plot) nameWidth() (w float64) {
	for _, n := range p.X.Categories {
		w = max(w, labelWidth(n))
	}
	width, _ := p.size()
	return min(w, nameMost, nameRoom*width)
}

// besideWidth is the room for what stands beside the bars.
func (p *Plot) besideWidth() float64 {
	const most = 84
	if width, _ := p.size(); width >= narrow {
		return most
	}
	w := 0.0
	for i := range p.Series {
		if s := &p.Series[i]; !s.Tick {
			for j := range s.Y {
				w = max(w, textWidth(p.Beside(i, j), fontSize))
			}
		}
	}
	return min(w+20, most)
}

func (p *Plot) across() *Drawing {
	w, _ := p.size()
	entries := p.entries()
	if p.NoLegend {
		entries = nil
	}
	right := 16.0
	if p.Values {
		right = p.besideWidth()
	}
	f := frame{x0: p.nameWidth() + 18, x1: w - right}
	f.y0 = 8 + legend(nil, 8, w-8, 0, entries)
	f.y1 = f.y0 + p.RowHeight()*float64(len(p.X.Categories))
	d := &Drawing{Title: p.Title, Desc: p.Desc, Width: w, Height: f.y1 + 42}
	legend(d, 8, w-8, 2, entries)
	var ticks []float64
	f.xlo, f.xhi, ticks = p.Range()
	every := labelsEvery(ticks, f.x, p.Y.Percent)
	for _, t := range ticks {
		if t < f.xlo-1e-12 || t > f.xhi+1e-12 {
			continue
		}
		d.line("grid", f.x(t), f.y0, f.x(t), f.y1)
		if int(math.Round(t/step(ticks)))%every == 0 { // 0 has its label, and so the others go by it
			d.text("tick", f.x(t), f.y1+16, Middle, 0, Format(t, step(ticks), p.Y.Percent))
		}
	}
	for j, name := range p.X.Categories {
		mid := f.y0 + p.RowHeight()*(float64(j)+0.5)
		d.text("leg", f.x0-8, mid+4, End, 0, abridge(name, fontSize, p.nameWidth()/1.13))
		if p.Kind == Bars {
			p.barsAcross(d, &f, j, mid)
		} else {
			p.pointsAcross(d, &f, j, mid)
		}
	}
	zero := f.x0
	if f.xlo < 0 && f.xhi > 0 {
		zero = f.x(0)
	}
	d.line("axis", zero, f.y0, zero, f.y1)
	d.text("lab", (f.x0+f.x1)/2, f.y1+34, Middle, 0, unit(&p.Y))
	return d
}

// labelsEvery returns of how many ticks of an axis one gets its label, such that labels do not touch.
func labelsEvery(ticks []float64, x func(float64) float64, percent bool) int {
	const gap = 5
	if len(ticks) < 2 {
		return 1
	}
	wide := 0.0
	for _, t := range ticks {
		wide = max(wide, textWidth(Format(t, step(ticks), percent), 11))
	}
	return max(1, int(math.Ceil((wide+gap)/(x(ticks[1])-x(ticks[0])))))
}

// barsAcross draws the bars of a category, and then the lines across them.
func (p *Plot) barsAcross(d *Drawing, f *frame, j int, mid float64) {
	for i := range p.Series {
		s := &p.Series[i]
		if s.Tick || j >= len(s.Y) {
			continue
		}
		off, h := p.Lane(i)
		v := s.Y[j]
		if math.IsNaN(v) {
			d.text("miss", f.x(max(f.xlo, 0))+4, mid+off+3, Start, 0, "n/a")
			continue
		}
		x, x1 := f.x(min(v, 0)), f.x(max(v, 0))
		d.add(Rect{
			Class: Class{Name: "b", Color: s.ColorAt(j), Published: s.Published}, X: x, Y: mid + off - h/2 + 0.5,
			Width: x1 - x, Height: max(h-1, 1), Title: p.title(s, j), Of: s.of(j),
		})
		if lo, hi, ok := s.Interval(j); ok {
			d.whiskerAcross(Class{Name: "w"}, mid+off, f.x(lo), f.x(hi), min(h/4, 3))
		}
	}
	for i := range p.Series {
		if s := &p.Series[i]; s.Tick && j < len(s.Y) && !math.IsNaN(s.Y[j]) {
			_, h := p.Lane(i)
			x := f.x(s.Y[j])
			d.line("halo", x, mid-h/2, x, mid+h/2)
			d.add(Line{Class: Class{Name: "ref"}, X1: x, Y1: mid - h/2, X2: x, Y2: mid + h/2, Title: p.title(s, j)})
		}
	}
	if !p.Values {
		return
	}
	for i := range p.Series {
		if s := &p.Series[i]; !s.Tick && j < len(s.Y) && !math.IsNaN(s.Y[j]) {
			off, _ := p.Lane(i)
			d.text("val", f.x(p.End(j))+8, mid+off+4, Start, 0, p.Beside(i, j))
		}
	}
}

// pointsAcross draws the points of a category, each series on its lane.
func (p *Plot) pointsAcross(d *Drawing, f *frame, j int, mid float64) {
	lo, hi, missing := p.Span(j)
	if hi > lo {
		d.line("span", f.x(lo), mid, f.x(hi), mid)
	}
	if len(missing) > 0 {
		d.add(Text{
			Class: Class{Name: "miss"}, X: f.x1, Y: mid + 3, Anchor: End, S: fmt.Sprintf("%d n/a", len(missing)),
			Title: "n/a: " + strings.Join(missing, ", "),
		})
	}
	for i := range p.Series {
		s := &p.Series[i]
		if j >= len(s.Y) || math.IsNaN(s.Y[j]) {
			continue
		}
		off, _ := p.Lane(i)
		if lo, hi, ok := s.Interval(j); ok {
			d.whiskerAcross(Class{Name: "e", Color: s.Color}, mid+off, f.x(lo), f.x(hi), 2)
		}
		d.add(Mark{Class: s.class("m"), X: f.x(s.Y[j]), Y: mid + off, R: 4, Title: p.title(s, j), Of: s.of(j)})
	}
}
