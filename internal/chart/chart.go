// Package chart draws small statistical graphics as SVG: bars, lines, points, heat maps and parallel plots.
//
// A chart is plain data ([Plot], [Heat], [Map], [Parallel], and [Panels] of them). It is laid out as a [Drawing], which has
// two forms: the SVG here, and the PNG of package figure. Both are pure functions of the data, so that the same data
// gives the same bytes. The SVG takes colors and fonts from the page's style sheet ([CSS]),
// which has a light and a dark form, and works without scripts. Every chart has a title and a description for readers
// that do not see it, every mark a title with its numbers. Series differ by color (eight that stay apart for readers
// who see few colors), by the shape of their points and the dashes of their lines, and are named in a legend.
//
// A value that is NaN is missing: it is drawn as such ("n/a", a gap), never as zero.
package chart

import (
	"math"
	"strings"

	"github.com/augmix-go/augmix/internal/decimal"
)

// Figure is a chart that can be drawn.
type Figure interface {
	// SVG returns an svg element; of [Panels], a div of several. The id prefixes the ids inside it and must be unique on
	// its page and a valid name.
	SVG(id string) string
	// Head returns title and description.
	Head() (title, desc string)
	// Alone returns the figure with its legend and its scale of colors, whether or not it shares them on a page, and with
	// its title if that is wanted.
	Alone(title bool) Layout
	// Fit returns the figure for a width in points: itself if it is not wider. Text keeps its size.
	Fit(width float64) Figure

	panel() Layout // as it stands in [Panels]
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
	Color     int       // number of the color and the shape of points
	Colors    []int     // of each bar, where a series is not one thing throughout: bars of several models
	Tick      bool      // in a plot with Across: a line across the other series' bar, to compare it with
	Notes     []string  // added to the marks' titles, nil if there is none
	Labels    []string  // of Points: written beside the marks where there is room, and what their titles begin with
	// Of says to the script of a page what each value is of: the attribute data-of of its mark. nil, or "": nothing.
	Of []string
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

// ColorAt returns the color of point i.
func (s *Series) ColorAt(i int) int {
	if i < len(s.Colors) {
		return s.Colors[i]
	}
	return s.Color
}

// class is a class of the series.
func (s *Series) class(name string) Class {
	return Class{Name: name, Color: s.Color, Published: s.Published}
}

// Interval returns the interval of point i, if there is one.
func (s *Series) Interval(i int) (lo, hi float64, ok bool) {
	if i >= len(s.Lo) || i >= len(s.Hi) || math.IsNaN(s.Lo[i]) || math.IsNaN(s.Hi[i]) {
		return 0, 0, false
	}
	return s.Lo[i], s.Hi[i], true
}

// Colors is the number of different colors and shapes; further series use them again.
const Colors = 8

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
	s := decimal.Format(v, decimals)
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
