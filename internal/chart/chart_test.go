package chart

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parse reads an SVG as XML and returns its elements by name.
func parse(t testing.TB, svg string) map[string][]map[string]string {
	t.Helper()
	out := map[string][]map[string]string{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v in %.400s", err, svg)
		}
		if e, ok := tok.(xml.StartElement); ok {
			attr := map[string]string{}
			for _, a := range e.Attr {
				attr[a.Name.Local] = a.Value
			}
			out[e.Name.Local] = append(out[e.Name.Local], attr)
		}
	}
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func bars() *Plot {
	nan := math.NaN()
	return &Plot{
		Title: "T", Desc: "D", Kind: Bars, X: Axis{Categories: []string{"a", "b", "c"}},
		Y: Axis{Label: "Error", Percent: true},
		Series: []Series{
			{Name: "one", Y: []float64{0.1, 0.2, 0.4}, Lo: []float64{0.05, nan, nan}, Hi: []float64{0.15, nan, nan}},
			{Name: "two", Y: []float64{0.3, nan, 0}, Color: 1, Published: true, Notes: []string{"n = 5", "", ""}},
		},
	}
}

// TestBars: heights are proportional, a missing value has no bar and says n/a, zero has a bar of no height.
func TestBars(t *testing.T) {
	svg := bars().SVG("x")
	var rects []map[string]string
	for _, r := range parse(t, svg)["rect"] {
		if number(t, r["height"]) != 10 || number(t, r["width"]) != 16 { // not of the legend
			rects = append(rects, r)
		}
	}
	if len(rects) != 5 {
		t.Fatalf("%d bars, want 5", len(rects))
	}
	unit := number(t, rects[0]["height"]) / 0.1
	for i, want := range []float64{0.1, 0.2, 0.4, 0.3, 0} {
		if h := number(t, rects[i]["height"]); math.Abs(h-want*unit) > 0.2 {
			t.Errorf("bar %d is %v high, want %v", i, h, want*unit)
		}
		if pub := strings.Contains(rects[i]["class"], "pub"); pub != (i >= 3) {
			t.Errorf("bar %d: class %q", i, rects[i]["class"])
		}
	}
	for _, want := range []string{
		">n/a</text>", "<title>one, a: 10.0 % [5.0, 15.0 %]</title>",
		"<title>two, a: 30.0 %; n = 5</title>", ">Error (%)</text>",
		">one</text>", ">two</text>", `<title id="x--t">T</title>`, `<desc id="x--d">D</desc>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
	if n := strings.Count(svg, `class="w"`); n != 3 {
		t.Errorf("%d lines of whiskers, want 3", n)
	}
}

// TestGaps: a line is broken where a value is missing.
func TestGaps(t *testing.T) {
	p := &Plot{Series: []Series{{Name: "s", Y: []float64{1, math.NaN(), 2, 3, math.NaN()}}}}
	m := regexp.MustCompile(`class="l c0" d="([^"]*)"`).FindStringSubmatch(p.SVG("x"))
	if m == nil || strings.Count(m[1], "M") != 2 || strings.Count(m[1], "L") != 1 {
		t.Errorf("%q", m)
	}
	if n := len(parse(t, p.SVG("x"))["path"]); n != 1+3 {
		t.Errorf("%d paths, want a line and 3 marks", n)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []float64
	}{
		{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{0.02, 0.31, []float64{0, 0.1, 0.2, 0.30000000000000004, 0.4}},
		{-3, 7, []float64{-4, -2, 0, 2, 4, 6, 8}},
		{5, 5, []float64{4.4, 4.6000000000000005, 4.800000000000001, 5, 5.2, 5.4, 5.6000000000000005}},
	} {
		got := Ticks(c.lo, c.hi, 5)
		if len(got) < 3 || got[0] > c.lo+1e-9 || got[len(got)-1] < c.hi-1e-9 {
			t.Errorf("%v to %v: %v", c.lo, c.hi, got)
		}
		if c.lo != c.hi && !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v to %v: %v, want %v", c.lo, c.hi, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		hi := lo + math.Abs(rapid.Float64Range(1e-6, 1e6).Draw(t, "width"))
		got := Ticks(lo, hi, rapid.IntRange(1, 12).Draw(t, "n"))
		slack := 1e-6*(hi-lo) + 1e-15*max(math.Abs(lo), math.Abs(hi)) // the second is that of float64
		if len(got) < 2 || len(got) > 60 || got[0] > lo+slack || got[len(got)-1] < hi-slack || !slices.IsSorted(got) {
			t.Fatalf("%v to %v: %v", lo, hi, got)
		}
	})
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v, step float64
		percent bool
		want    string
	}{
		{0.25, 0.05, true, "25"},
		{0.025, 0.005, true, "2.5"},
		{-0.2, 0.1, false, "−0.2"},
		{0, 0.1, false, "0.0"},
		{-1e-18, 0.1, false, "0.0"},
		{12, 2, false, "12"},
	} {
		if got := Format(c.v, c.step, c.percent); got != c.want {
			t.Errorf("%v by %v: %q, want %q", c.v, c.step, got, c.want)
		}
	}
}

func figures() []Figure {
	nan := math.NaN()
	return []Figure{
		bars(),
		&Plot{
			Title:    "lines",
			X:        Axis{Label: "x"},
			Series:   []Series{{Name: "s", X: []float64{0.1, 0.7}, Y: []float64{3, 4}}},
			Diagonal: true,
		},
		&Plot{
			Title:  "points",
			Kind:   Points,
			X:      Axis{Categories: []string{"very long name of a category", strings.Repeat("w", 80), "z"}},
			Series: []Series{{Name: "s", Y: []float64{-3, 4, nan}}},
		},
		&Plot{Title: "nothing", Series: []Series{{Name: "s", Y: []float64{nan}}}},
		&Plot{Title: "no series"},
		&Heat{
			Title:    "heat",
			Rows:     []string{"a", "b"},
			Cols:     []string{"1", "2"},
			Values:   [][]float64{{0, 0.5}, {nan, 1}},
			Percent:  true,
			ColLabel: "Severity",
		},
		&Heat{Title: "bare", Rows: []string{"a"}, Cols: []string{"1"}, Values: [][]float64{{0.3}}, Bare: true},
		across(Bars),
		across(Points),
		&Plot{Title: "across, nothing", Across: true, Kind: Points},
		&Plot{
			Title: "across, negative", Across: true, Kind: Bars, X: Axis{Categories: []string{"a", "b"}},
			Series: []Series{{Name: "s", Y: []float64{-0.2, 0.1}}},
		},
		dense(),
		&Map{Title: "nothing dense"},
		&Parallel{
			Title:    "measures",
			Measures: []Measure{{"a", 1, 0, true}, {"b", 0, 1, true}, {"c", 5, 2, false}},
			Series: []ParallelSeries{
				{Name: "s", Values: []float64{0.2, nan, 3}},
				{Name: "t", Values: []float64{0.1, 0.2, 4}, Color: 9},
			},
		},
		&Parallel{
			Title:    "one measure",
			Measures: []Measure{{"a", 1, 0, true}},
			Series:   []ParallelSeries{{Name: "s", Values: []float64{0.2}}},
		},
	}
}

func TestEveryFigureIsXML(t *testing.T) {
	for i, f := range figures() {
		svg := f.SVG("f" + strconv.Itoa(i))
		e := parse(t, svg)
		title, _ := f.Head()
		if len(e["svg"]) != 1 || len(e["desc"]) != 1 || e["svg"][0]["role"] != "img" ||
			!strings.Contains(svg, ">"+title+"<") {
			t.Errorf("%s: %v", title, e["svg"])
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: a coordinate is not a number", title)
		}
		if f.SVG("f"+strconv.Itoa(i)) != svg {
			t.Errorf("%s: two drawings differ", title)
		}
	}
}

// TestHostileText: any text is text.
func TestHostileText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Just("</svg><script>"), rapid.Just("]]>\x00\x1b\u202e&\ufffe\xff")).
			Draw(rt, "text")
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(rt, "values")
		for _, f := range []Figure{
			&Plot{
				Title: s, Desc: s, Kind: Bars, X: Axis{Label: s, Categories: []string{s, s}}, Y: Axis{Label: s},
				Series: []Series{{Name: s, Y: v, Notes: []string{s, s}}, {Name: s, Y: v}},
			},
			&Plot{
				Title: s, Desc: s, Across: true, Values: true, Kind: Bars, X: Axis{Categories: []string{s, s}}, Y: Axis{Label: s},
				Series: []Series{{Name: s, Y: v, Notes: []string{s, s}}, {Name: s, Y: v, Tick: true}},
			},
			&Map{Title: s, Desc: s, Name: s, Rows: 1, Cols: 2, Values: v, RowLabel: s, ColLabel: s, Label: s},
			&Heat{Title: s, Desc: s, Rows: []string{s}, Cols: []string{s, s}, Values: [][]float64{v}, ColLabel: s},
			&Parallel{
				Title: s, Desc: s, Measures: []Measure{{s, 0, 1, false}, {s, 0, 1, true}, {s, 1, 0, true}},
				Series: []ParallelSeries{{Name: s, Values: append(v, 0)}},
			},
		} {
			e := parse(t, f.SVG("x"))
			if len(e["script"]) != 0 || len(e["svg"]) != 1 {
				rt.Fatalf("%q broke out", s)
			}
		}
	})
}

// TestDirection: better is outside, and up.
func TestDirection(t *testing.T) {
	m := Measure{"error", 0.6, 0.1, true}
	for v, want := range map[float64]float64{0.6: 0, 0.1: 1, 0.35: 0.5, 0.9: 0, 0: 1} {
		if got := m.Place(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v lies at %v, want %v", v, got, want)
		}
	}
	if !math.IsNaN(m.Place(math.NaN())) || !math.IsNaN((&Measure{}).Place(1)) {
		t.Error("a missing value has a place")
	}
}

func TestRamp(t *testing.T) {
	last := -1.0
	for i := range 101 {
		r, g, b := Ramp(float64(i) / 100)
		light := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)
		if light < last-0.6 {
			t.Errorf("at %d the scale gets darker: %v after %v", i, light, last)
		}
		last = light
	}
}

// TestColorsAreToldApart: each color has contrast of at least 3 against its background (WCAG 1.4.11).
func TestColorsAreToldApart(t *testing.T) {
	for name, c := range map[string]struct {
		css   string
		paper float64
	}{"light": {CSS[:strings.Index(CSS, "@media")], 1}, "dark": {dark, luminance(t, "#15181c")}} {
		all := regexp.MustCompile(`--ch(\d):(#[0-9a-f]+)`).FindAllStringSubmatch(c.css, -1)
		if len(all) != Colors {
			t.Fatalf("%s: %d colors", name, len(all))
		}
		for _, m := range all {
			l := luminance(t, m[2])
			if ratio := (max(l, c.paper) + 0.05) / (min(l, c.paper) + 0.05); ratio < 3 {
				t.Errorf("%s: color %s (%s) has contrast %.2f", name, m[1], m[2], ratio)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) != 7 {
		t.Fatal(hex)
	}
	sum := 0.0
	for i, w := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += w * c
	}
	return sum
}

func ExamplePlot() {
	p := &Plot{
		Title: "Error against severity", X: Axis{Label: "Severity"}, Y: Axis{Label: "Error", Percent: true},
		Series: []Series{{Name: "augmix", X: []float64{1, 2, 3}, Y: []float64{0.06, 0.09, 0.13}}},
	}
	svg := p.SVG("example")
	fmt.Println(strings.Contains(svg, "<title>augmix, Severity 2: 9.0 %</title>"))
	// Output:
	// true
}

// TestCrossedLabels: a label of an axis is left out where a marker or a line of a series goes through it, and only there.
func TestCrossedLabels(t *testing.T) {
	labels := func(values ...float64) string {
		p := &Parallel{
			Measures: []Measure{{"a", 0, 1, false}, {"b", 0, 100, false}},
			Series:   []ParallelSeries{{Name: "s", Values: values}},
		}
		var found []string
		for _, m := range regexp.MustCompile(`>(0\.[257]\d)<`).FindAllStringSubmatch(p.SVG("x"), -1) {
			found = append(found, m[1])
		}
		return strings.Join(found, " ")
	}
	for want, values := range map[string][]float64{
		"0.25 0.50 0.75": {0.6, 60},
		"0.25 0.75":      {0.5, 50},
		"0.50 0.75":      {0.29, 0}, // the line falls through the label of 0.25
		"0.25 0.50":      {0.76, math.NaN()},
	} {
		if got := labels(values...); got != want {
			t.Errorf("%v: labels %q, want %q", values, got, want)
		}
	}
}
