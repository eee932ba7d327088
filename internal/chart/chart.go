// Package chart draws small statistical graphics as SVG: bars, lines, points, heat maps, radar and parallel plots.
//
// A chart is plain data ([Plot], [Heat], [Map], [Radar], and [Panels] of them); its SVG method is a pure function of
// it, so that the same data gives the same bytes. The SVG takes colours and fonts from the page's style sheet ([CSS]),
// which has a light and a dark form, and works without scripts. Every chart has a title and a description for readers
// that do not see it, every mark a title with its numbers. Series differ by colour (eight that stay apart for readers
// who see few colours), by the shape of their points and the dashes of their lines, and are named in a legend.
//
// A value that is NaN is missing: it is drawn as such ("n/a", a gap), never as zero.
package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Figure is a chart that can be drawn.
type Figure interface {
	// SVG returns an svg element; of [Panels], a div of several. The id prefixes the ids inside it and must be unique on
	// its page and a valid name.
	SVG(id string) string
	// Head returns title and description.
	Head() (title, desc string)
}

// Kind says how the series of a [Plot] are drawn.
type Kind uint8

const (
	// Lines joins a series' points, with marks.
	Lines Kind = iota
	// Points draws marks alone.
	Points
	// Bars draws a bar for each category and series, from zero.
	Bars
)

// Axis is one axis of a [Plot].
type Axis struct {
	Label      string
	Categories []string // names at 0, 1, 2, ...; without them the axis is numeric
	Percent    bool     // values are fractions and are printed in percent
	// Min and Max fix the range where Fixed says so; otherwise it follows from the data.
	Min, Max float64
	Fixed    bool
	Zero     bool // begin at zero
}

// Series is one named sequence of values.
type Series struct {
	Name      string
	X         []float64 // nil: 0, 1, 2, ...
	Y         []float64 // NaN is missing
	Lo, Hi    []float64 // ends of intervals, nil or NaN where there is none
	Published bool      // drawn dashed and hatched
	Color     int       // number of the colour and the shape of points
	Colors    []int     // of each bar, where a series is not one thing throughout: bars of several models
	Tick      bool      // in a plot with Across: a line across the other series' bar, to compare it with
	Notes     []string  // added to the marks' titles, nil if there is none
}

// Plot is bars, lines or points over two axes.
type Plot struct {
	Title, Desc   string
	Kind          Kind
	X, Y          Axis
	Series        []Series
	Diagonal      bool    // draw y = x, as reliability diagrams do
	NoLegend      bool    // leave the legend out of the SVG: [Plot.Legend] stands near it
	Width, Height float64 // 0: 720 by 360
	// Across puts the categories of X below each other and lets the values of Y run to the right: for long names, and for
	// points of many series. The height follows from the rows. Not for Lines.
	Across bool
	Values bool // with Across and Bars: print each value, and in brackets how far it lies above the Tick
}

// Head implements [Figure].
func (p *Plot) Head() (title, desc string) { return p.Title, p.Desc }

// At returns the x of a series' point i.
func (s *Series) At(i int) float64 {
	if s.X == nil {
		return float64(i)
	}
	return s.X[i]
}

// ColorAt returns the colour of point i.
func (s *Series) ColorAt(i int) int {
	if i < len(s.Colors) {
		return s.Colors[i]
	}
	return s.Color
}

// Interval returns the interval of point i, if there is one.
func (s *Series) Interval(i int) (lo, hi float64, ok bool) {
	if i >= len(s.Lo) || i >= len(s.Hi) || math.IsNaN(s.Lo[i]) || math.IsNaN(s.Hi[i]) {
		return 0, 0, false
	}
	return s.Lo[i], s.Hi[i], true
}

// Colors is the number of different colours and shapes; further series use them again.
const Colors = 8

// svg builds an svg element.
type svg struct {
	strings.Builder
	id string
}

// num prints a coordinate: at most two decimals, the same on every machine.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

func esc(s string) string { return html.EscapeString(clean(s)) }

// clean drops characters that XML does not allow and marks that would turn text around.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < 0x20 || r == 0x7f || r == 0xfffe || r == 0xffff:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func start(id string, w, h float64, title, desc string) *svg {
	b := &svg{id: id}
	fmt.Fprintf(b, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" `+
		`role="img" aria-labelledby="%s--t %s--d"><title id="%s--t">%s</title><desc id="%s--d">%s</desc>`,
		num(w), num(h), num(w), num(h), id, id, id, esc(title), id, esc(desc))
	return b
}

func (b *svg) end() string {
	b.WriteString("</svg>")
	return b.String()
}

func (b *svg) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

// text writes s; anchor is start, middle or end, turn an angle in degrees.
func (b *svg) text(class string, x, y float64, anchor string, turn float64, s string) {
	fmt.Fprintf(b, `<text class="%s" x="%s" y="%s" text-anchor="%s"`, class, num(x), num(y), anchor)
	if turn != 0 {
		fmt.Fprintf(b, ` transform="rotate(%s %s %s)"`, num(turn), num(x), num(y))
	}
	fmt.Fprintf(b, `>%s</text>`, esc(s))
}

// mark draws a point in the shape of a colour, with its title.
func (b *svg) mark(color int, x, y, r float64, hollow bool, title string) {
	class := fmt.Sprintf("m c%d", color%Colors)
	if hollow {
		class += " pub"
	}
	fmt.Fprintf(b, `<path class="%s" d="%s">`, class, shape(color, x, y, r))
	if title != "" {
		fmt.Fprintf(b, "<title>%s</title>", esc(title))
	}
	b.WriteString("</path>")
}

// Shape returns the corners of the mark of a colour around the origin, for a radius of 1; none for a circle.
func Shape(color int) [][2]float64 {
	switch color % Colors {
	case 1:
		return [][2]float64{{-.86, -.86}, {.86, -.86}, {.86, .86}, {-.86, .86}}
	case 2:
		return [][2]float64{{0, -1.15}, {1.05, .8}, {-1.05, .8}}
	case 3:
		return [][2]float64{{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}
	case 4:
		return [][2]float64{{0, 1.15}, {1.05, -.8}, {-1.05, -.8}}
	case 5:
		return [][2]float64{
			{-1.15, -.4},
			{-.4, -.4},
			{-.4, -1.15},
			{.4, -1.15},
			{.4, -.4},
			{1.15, -.4},
			{1.15, .4},
			{.4, .4},
			{.4, 1.15},
			{-.4, 1.15},
			{-.4, .4},
			{-1.15, .4},
		}
	case 6:
		return [][2]float64{{-1.25, -.6}, {1.25, -.6}, {1.25, .6}, {-1.25, .6}}
	case 7:
		return [][2]float64{{-.6, -1.25}, {.6, -1.25}, {.6, 1.25}, {-.6, 1.25}}
	}
	return nil
}

func shape(color int, x, y, r float64) string {
	corners := Shape(color)
	if corners == nil {
		return fmt.Sprintf("M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 %s 0z", num(x-r), num(y), num(r), num(r), num(2*r),
			num(r), num(r), num(-2*r))
	}
	var p strings.Builder
	for i, c := range corners {
		p.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		p.WriteString(num(x+r*c[0]) + " " + num(y+r*c[1]))
	}
	return p.String() + "z"
}

// textWidth estimates the width of text in the page's sans-serif font.
func textWidth(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("ilj.,:;'|!()[]ft ", r):
			w += 0.32
		case r >= 'A' && r <= 'Z' || strings.ContainsRune("mw%", r):
			w += 0.72
		case r > 0x2e80:
			w++
		default:
			w += 0.56
		}
	}
	return w * size
}

// shorten cuts text that is wider than w.
func shorten(s string, size, w float64) string {
	if textWidth(s, size) <= w {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && textWidth(string(r)+"…", size) > w {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

const (
	fontSize   = 12.0
	legendLine = 20.0
)

// entry is a series in a legend.
type entry struct {
	name      string
	color     int
	published bool
	line      bool
	bar       bool
	any       bool // a bar of no colour: the series has several
	tick      bool
}

// legend writes a legend from y on, x0 to x1, and returns its height. With b nil it only measures.
func legend(b *svg, x0, x1, y float64, entries []entry) float64 {
	x, rows := x0, 1
	for _, e := range entries {
		name := shorten(e.name, fontSize, x1-x0-40)
		w := 30 + textWidth(name, fontSize) + 18
		if x+w-18 > x1 && x > x0 {
			x = x0
			rows++
		}
		if b != nil {
			mid := y + legendLine*(float64(rows)-0.5)
			switch {
			case e.tick:
				b.line("ref", x+12, mid-7, x+12, mid+7)
			case e.any:
				fmt.Fprintf(b, `<rect class="any" x="%s" y="%s" width="16" height="10"/>`, num(x+4), num(mid-5))
			case e.bar:
				b.bar(e.color, e.published, x+4, mid-5, 16, 10, "")
			default:
				if e.line {
					fmt.Fprintf(b, `<line class="l c%d%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, e.color%Colors, dashed(e.published),
						num(x), num(mid), num(x+24), num(mid))
				}
				b.mark(e.color, x+12, mid, 4, e.published, "")
			}
			b.text("leg", x+30, mid+4, "start", 0, name)
		}
		x += w
	}
	if len(entries) == 0 {
		return 0
	}
	return float64(rows)*legendLine + 4
}

func dashed(published bool) string {
	if published {
		return " pub"
	}
	return ""
}

func (b *svg) bar(color int, published bool, x, y, w, h float64, title string) {
	class := fmt.Sprintf("b c%d", color%Colors)
	if published {
		class += " pub"
	}
	fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s">`, class, num(x), num(y), num(w), num(h))
	if title != "" {
		fmt.Fprintf(b, "<title>%s</title>", esc(title))
	}
	b.WriteString("</rect>")
}

// Ticks returns about n round numbers that span lo to hi, with the first not above lo and the last not below hi.
func Ticks(lo, hi float64, n int) []float64 {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		if math.IsNaN(lo) || math.IsInf(lo, 0) {
			lo = 0
		}
		lo, hi = lo-0.5, lo+0.5
	}
	raw := (hi - lo) / float64(max(n, 1))
	// Powers of ten through decimal text, so that ticks are the nearest numbers to what their labels say.
	exp := int(math.Floor(math.Log10(raw)))
	step := 0.0
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step = m * math.Pow10(exp); step >= raw*(1-1e-9) {
			break
		}
	}
	first := math.Floor(lo/step + 1e-9)
	last := math.Ceil(hi/step - 1e-9)
	var out []float64
	for i := first; i <= last && len(out) < 100; i++ {
		v := i * step
		if v == 0 {
			v = 0 // no negative zero
		}
		out = append(out, v)
	}
	return out
}

// Format prints a value of an axis whose ticks are step apart: in percent without the sign where percent says so.
func Format(v, step float64, percent bool) string {
	if percent {
		v, step = 100*v, 100*step
	}
	decimals := 0
	for decimals < 6 && step > 0 && math.Abs(step*math.Pow10(decimals)-math.Round(step*math.Pow10(decimals))) > 1e-6 {
		decimals++
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", "−", 1)
}

// Say prints a value for a mark's title.
func Say(v float64, percent bool) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	if percent {
		return Format(v, 0.001, true) + " %"
	}
	s := Format(v, 0.001, false)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
