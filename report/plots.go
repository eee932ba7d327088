package report

import (
	"fmt"
	"math"
	"net/url"
	"slices"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// Widths of figures in points, one a pixel of the page: the page's text, tables and figures end at one line.
const (
	pageWidth = 880.0
	halfWidth = 426.0 // of two side by side
)

// spread is the figure of a plot of byName.
func spread(p *chart.Plot) chart.Figure {
	if p.Across {
		return alone(p, 520)
	}
	return p
}

// mostBars is how many bars a corruption has at most: of more series there are points, with a row for each corruption.
const mostBars = 4

// byName is a plot of a number for each corruption and model, nil without corruptions.
func (b *builder) byName(
	title, label string, names []string, shown []*Subject, cell func(name string) results.Cell,
) *chart.Plot {
	if len(names) == 0 {
		return nil
	}
	plot := &chart.Plot{Title: title, Kind: chart.Bars, Width: pageWidth, Height: 360}
	plot.Y.Label, plot.Y.Percent = label, true
	if len(shown) > mostBars {
		plot.Kind, plot.Across, plot.Width, plot.Y.Zero = chart.Points, true, pageWidth, true
	}
	for _, name := range names {
		if plot.Across {
			plot.X.Categories = append(plot.X.Categories, spell(name))
		} else {
			plot.X.Categories = append(plot.X.Categories, shortName(name))
		}
	}
	for i, q := range shown {
		plot.Series = append(plot.Series, series(q, i, len(names), func(j int) results.Cell { return cell(names[j]) }))
	}
	return plot
}

// left says how many measured models a figure does not show.
func (b *builder) left(n int) string {
	if more := len(b.subjects) - n; more > 0 {
		return fmt.Sprintf(" The first %d of %d models; the table has all.", n, len(b.subjects))
	}
	return ""
}

// leftOf says what a figure of the first n of some rows does not show, measured and published.
func leftOf(all []*Subject, n int) string {
	measured := func(list []*Subject) (n int) {
		for _, s := range list {
			if s.Origin == results.Measured {
				n++
			}
		}
		return n
	}
	mine, total := measured(all[:n]), measured(all)
	theirs, published := n-mine, len(all)-total
	switch {
	case n == len(all):
		return ""
	case mine < total:
		none := ""
		if published > 0 {
			none = " and no published row"
		}
		return fmt.Sprintf(" The first %d of %d models%s; the table has all.", mine, total, none)
	case theirs == 0:
		return " Without the published rows, which the table has."
	}
	return fmt.Sprintf(" The first %d of %d published rows; the table has all.", theirs, published)
}

func dashedNote(p *chart.Plot) string {
	if !slices.ContainsFunc(p.Series, func(s chart.Series) bool { return s.Published }) {
		return ""
	}
	if p.Kind == chart.Points {
		return "; hollow: published"
	}
	return "; pale and dashed: published"
}

// place names an error for the scripts of pages: DATASET/CORRUPTION/SEVERITY, each escaped as in an address, the last two empty
// and 0 for all of them. It is empty for other numbers than errors of a whole set.
func place(c results.Cell) string {
	if c.Metric != results.Top1Error || c.View != (results.View{}) || c.Difficulty > 0 {
		return ""
	}
	return fmt.Sprintf("%s/%s/%v", url.PathEscape(c.Dataset), url.PathEscape(c.Corruption), c.Severity)
}

// at names the error of a measured subject: RUN/MODEL/ and its place.
func (s *Subject) at(c results.Cell) string {
	if p := place(c); p != "" && s.of != "" {
		return s.of + "/" + p
	}
	return ""
}

// series makes a line of a figure from n cells of a subject.
func series(q *Subject, color, n int, cell func(i int) results.Cell) chart.Series {
	s := chart.Series{Name: q.label(), Published: q.Origin == results.Published, Color: color}
	for i := range n {
		v := q.Get(cell(i))
		lo, hi := math.NaN(), math.NaN()
		if v.Has() && v.Level > 0 {
			lo, hi = v.Lo, v.Hi
		}
		if !v.Has() {
			v.Value = math.NaN()
		}
		note := ""
		if v.N > 0 {
			note = "n = " + thousands(v.N)
		}
		s.Y, s.Lo, s.Hi, s.Notes = append(s.Y, v.Value), append(s.Lo, lo), append(s.Hi, hi), append(s.Notes, note)
		s.Of = append(s.Of, q.at(cell(i)))
	}
	return s
}
