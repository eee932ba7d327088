package chart

import (
	"strings"
	"testing"
)

// said returns the texts of a class in a layout.
func said(l Layout, class string) (out []string) {
	for _, p := range l.Parts {
		for _, s := range p.Drawing.Shapes {
			if t, ok := s.(Text); ok && t.Class.Name == class {
				out = append(out, t.S)
			}
		}
	}
	return out
}

// TestAlone: the parts of a figure that stands alone lie in it and apart, and it has a title.
func TestAlone(t *testing.T) {
	several := &Panels{Title: "several", Heads: true, Charts: figures()}
	for _, f := range append(figures(), several, &Panels{Title: "none"}, &Panels{Charts: figures()[:1]}) {
		l := f.Alone(true)
		title := strings.Join(said(l, "title"), "")
		if title == "" {
			t.Errorf("%T has no title", f)
		}
		for i, p := range l.Parts {
			d := p.Drawing
			if p.X < 0 || p.Y < 0 || p.X+d.Width > l.Width || p.Y+d.Height > l.Height {
				t.Errorf("%s: part %d at %v, %v of %v by %v leaves %v by %v", title, i, p.X, p.Y, d.Width, d.Height, l.Width,
					l.Height)
			}
			for _, q := range l.Parts[:i] {
				if p.X < q.X+q.Drawing.Width && q.X < p.X+d.Width && p.Y < q.Y+q.Drawing.Height && q.Y < p.Y+d.Height {
					t.Errorf("%s: part %d lies on another", title, i)
				}
			}
		}
	}
	if n := len(said(several.Alone(true), "head")); n != len(figures()) {
		t.Errorf("%d heads of %d charts", n, len(figures()))
	}
}

// TestAloneShares: what charts share stands there once, what they leave to the page stands there too, and a legend takes
// nothing from the chart.
func TestAloneShares(t *testing.T) {
	left := bars()
	left.NoLegend = true
	legends := func(f Figure) int { return len(said(f.Alone(true), "leg")) }
	if n := legends(left); n != 2 {
		t.Errorf("%d entries of a legend that stands near the chart, want 2", n)
	}
	if n := legends(&Panels{Charts: []Figure{left, left}}); n != 2 {
		t.Errorf("%d entries of a shared legend, want 2", n)
	}
	whole := bars()
	if with, without := whole.Alone(true), left.Alone(true); with.Height != without.Height {
		t.Errorf("%v high with its own legend, %v without", with.Height, without.Height)
	}
	scales := func(f Figure) (n int) {
		for _, p := range f.Alone(true).Parts {
			for _, s := range p.Drawing.Shapes {
				if _, ok := s.(Scale); ok {
					n++
				}
			}
		}
		return n
	}
	m := dense()
	m.NoKey = true
	if scales(m) != 1 || scales(&Panels{Charts: []Figure{m, m}}) != 1 {
		t.Error("a map that stands alone has one scale, and maps that share one have one")
	}
}

// TestLegendGap: between an entry and the next stays a gap where the font is an eighth wider than the estimate, in a row and as
// elements of their own.
func TestLegendGap(t *testing.T) {
	name := strings.Repeat("wide name ", 4)
	d := &Drawing{}
	legend(d, 0, 900, 0, []entry{{name: name}, {name: name}})
	var marks []float64
	for _, s := range d.Shapes {
		if m, ok := s.(Mark); ok {
			marks = append(marks, m.X)
		}
	}
	wide := 1.125 * textWidth(name, fontSize)
	if gap := marks[1] - 4 - (marks[0] - 12 + 30 + wide); gap < 18 {
		t.Errorf("a gap of %.1f points", gap)
	}
	svg := parse(t, "<div>"+chips("x", []entry{{name: name}})+"</div>")["svg"][0]
	if w := number(t, svg["width"]); w < 30+wide {
		t.Errorf("an entry of %.1f points in %.1f", 30+wide, w)
	}
}
