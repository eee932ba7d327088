package chart

import (
	"math"
	"strings"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// across is a plot of two series over three categories, one of them a line to compare with if the other is bars.
func across(kind Kind) *Plot {
	nan := math.NaN()
	return &Plot{
		Title: "across " + string('0'+rune(kind)), Desc: "D", Kind: kind, Across: true, Values: kind == Bars,
		X: Axis{Categories: []string{"a", "b", "c"}}, Y: Axis{Label: "Error", Percent: true, Zero: true},
		Series: []Series{
			{Name: "one", Y: []float64{0.1, 0.4, nan}, Lo: []float64{0.05, nan, nan}, Hi: []float64{0.15, nan, nan}},
			{Name: "two", Y: []float64{0.05, nan, 0.2}, Color: 1, Tick: kind == Bars},
		},
	}
}

// TestAcrossBars: the lengths of bars are proportional, lines stand where their values are on the same scale, and the
// distance to the line is printed.
func TestAcrossBars(t *testing.T) {
	p := across(Bars)
	p.Series[0].Colors = []int{3, 4, 5}
	svg := p.SVG("x")
	e := parse(t, svg)
	var bars, lines []map[string]string
	for _, r := range e["rect"] {
		if strings.HasPrefix(r["class"], "b ") {
			bars = append(bars, r)
		}
	}
	for _, l := range e["line"] {
		if l["class"] == "ref" {
			lines = append(lines, l)
		}
	}
	if len(bars) != 2 || len(lines) != 3 { // one line is the legend's
		t.Fatalf("%d bars, %d lines", len(bars), len(lines))
	}
	zero, unit := number(t, bars[0]["x"]), number(t, bars[0]["width"])/0.1
	if w := number(t, bars[1]["width"]); math.Abs(w-0.4*unit) > 0.1 || number(t, bars[1]["x"]) != zero {
		t.Errorf("a bar of 0.4 is %v wide where one of 0.1 is %v", w, 0.1*unit)
	}
	for i, want := range map[int]float64{1: 0.05, 2: 0.2} {
		if x := number(t, lines[i]["x1"]); math.Abs(x-zero-want*unit) > 0.1 {
			t.Errorf("the line of %v stands at %v", want, (x-zero)/unit)
		}
	}
	if bars[0]["class"] != "b c3" || bars[1]["class"] != "b c4" {
		t.Errorf("classes %q, %q", bars[0]["class"], bars[1]["class"])
	}
	for _, want := range []string{
		">10.0 (+5.0)</text>", ">40.0</text>", ">n/a</text>", "<title>one, a: 10.0 % [5.0, 15.0 %]</title>",
		"<title>two, c: 20.0 %</title>", ">Error (%)</text>", `class="any"`, ">one</text>", ">two</text>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
	if n := strings.Count(svg, `class="w"`); n != 3 {
		t.Errorf("%d lines of whiskers, want 3", n)
	}
}

// TestAcrossPoints: every value is a mark of its series, a missing one is said, and points of equal values lie apart.
func TestAcrossPoints(t *testing.T) {
	p := across(Points)
	svg := p.SVG("x")
	if n := len(parse(t, svg)["path"]); n != 4+2 {
		t.Errorf("%d marks, want 4 and those of the legend", n)
	}
	if !strings.Contains(svg, "<title>n/a: two</title>1 n/a</text>") ||
		!strings.Contains(svg, "<title>n/a: one</title>1 n/a</text>") {
		t.Error("missing values are not said")
	}
	rapid.Check(t, func(t *rapid.T) {
		p := &Plot{Kind: Kind(rapid.IntRange(1, 2).Draw(t, "kind")), Across: true}
		p.Series = make([]Series, rapid.IntRange(1, 12).Draw(t, "series"))
		last := math.Inf(-1)
		for i := range p.Series {
			off, h := p.Lane(i)
			if off <= last || math.Abs(off)+h/2 > p.RowHeight()/2 {
				t.Fatalf("lane %d of %d at %v, %v high, in a row of %v", i, len(p.Series), off, h, p.RowHeight())
			}
			last = off + h/2
		}
	})
}

// TestPanels: several drawings with names of their own and one legend.
func TestPanels(t *testing.T) {
	one, two := bars(), bars()
	one.NoLegend, two.NoLegend = true, true
	one.Title = "<b>"
	p := &Panels{Title: "P", Desc: "D", Charts: []Figure{one, two}, Heads: true}
	div := p.SVG("x")
	e := parse(t, div)
	if len(e["svg"]) != 2+2 || strings.Count(div, ">one</text>") != 1 { // two of the legend
		t.Errorf("%d drawings, %d legends", len(e["svg"]), strings.Count(div, ">one</text>"))
	}
	ids := map[string]bool{}
	for _, list := range e {
		for _, a := range list {
			if id := a["id"]; id != "" {
				if ids[id] || !strings.HasPrefix(id, "x--") {
					t.Errorf("id %q", id)
				}
				ids[id] = true
			}
		}
	}
	if !strings.Contains(div, `<div class="head">&lt;b&gt;</div>`) {
		t.Error("no heads")
	}
	if p.SVG("x") != div {
		t.Error("two drawings differ")
	}
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 2, 9: 2} {
		q := &Panels{Charts: make([]Figure, n)}
		if got := q.Across(); got != want {
			t.Errorf("%d charts: %d side by side, want %d", n, got, want)
		}
	}
	parse(t, (&Panels{}).SVG("x"))
}
