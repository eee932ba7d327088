package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/results"
)

// compared is a line of the table that methods are compared by: PixMix's tables 7 and 8 have these columns.
type compared struct {
	label, form, metric string
	view                results.View
}

var comparison = []compared{
	{"clean error", "", results.Top1Error, results.View{}},
	{"C error", "c", results.Top1Error, results.View{}},
	{"  noise", "c", results.Top1Error, results.View{Group: "noise"}},
	{"  blur", "c", results.Top1Error, results.View{Group: "blur"}},
	{"  weather", "c", results.Top1Error, results.View{Group: "weather"}},
	{"  digital", "c", results.Top1Error, results.View{Group: "digital"}},
	{"C-bar error", "c-bar", results.Top1Error, results.View{}},
	{"mean flip probability", "p", results.FlipProbability, results.View{}},
	{"RMS calibration error", "", results.RMSCalibration, results.View{}},
	{"  on C", "c", results.RMSCalibration, results.View{}},
	{"  on C-bar", "c-bar", results.RMSCalibration, results.View{}},
	{"PGD error", "", results.Top1Error, results.View{Attack: results.AttackPGD}},
	{"OOD AUROC", "", results.AUROC, results.View{}},
	{"OOD AUPR", "", results.AUPR, results.View{}},
}

// comparedLine is a line as it is printed, with a cell for each model.
type comparedLine struct {
	label string
	cells []string
}

// WriteComparison writes the named models of the rows side by side for a terminal of 80 columns, the best of each line marked, and
// what prints the same. Models that do not fit follow below, beside the first one again. Lines that no model has are left out; a
// model without one shows a dash. A part of a data set has lines of its own, that of the whole first. The rows are to be those of one
// setting: of several that fit one cell the last counts. The last line says how many images and classes all numbers are of, and how the
// images were treated, where that is not usual.
func WriteComparison(w io.Writer, names []string, rows []results.Row) {
	head := comparedLine{}
	for _, name := range names {
		head.cells = append(head.cells, terminal.OneLine(name))
	}
	lines := []comparedLine{head}
	for _, c := range comparison {
		for _, part := range c.parts(names, rows) {
			lines = append(lines, c.line(part, names, rows))
		}
	}
	for i, columns := range fittingColumns(lines) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		t := tabwriter.NewWriter(w, 0, 4, columnGap, ' ', tabwriter.AlignRight)
		for _, l := range lines {
			fmt.Fprint(t, l.label)
			for _, j := range columns {
				fmt.Fprint(t, "\t", l.cells[j])
			}
			fmt.Fprintln(t, "\t")
		}
		_ = t.Flush()
	}
	fmt.Fprintln(w, "percent"+measuredOn(names, rows)+"; * is the best of its line")
}

// measuredOn says how many images and classes all rows that are compared are of, and how the images were treated, "" where that is usual
// or differs.
func measuredOn(names []string, rows []results.Row) (text string) {
	var views []results.View
	for i := range rows {
		r := &rows[i]
		if slices.Contains(names, r.Model) && slices.ContainsFunc(comparison, func(c compared) bool { return c.fits(r) }) {
			views = append(views, results.View{Limit: r.Limit, Among: r.Among, TenCrop: r.TenCrop, Preprocess: r.Preprocess})
		}
	}
	if len(views) == 0 || slices.ContainsFunc(views, func(v results.View) bool { return v != views[0] }) {
		return ""
	}
	if n := views[0].Limit; n > 0 {
		text = fmt.Sprintf(" of %s of the test set", terminal.Count(n, "image"))
	}
	if n := views[0].Among; n > 0 {
		text += fmt.Sprintf(", predictions among %d classes", n)
	}
	if rest := (results.View{TenCrop: views[0].TenCrop, Preprocess: views[0].Preprocess}).Text(); rest != "" {
		text += ", " + terminal.OneLine(rest)
	}
	return text
}

const (
	comparisonWidth = 80
	columnGap       = 2
)

// fittingColumns divides the models into tables of at most comparisonWidth columns, each with the first model and at least one other.
func fittingColumns(lines []comparedLine) (tables [][]int) {
	width := func(text func(l *comparedLine) string) (most int) {
		for i := range lines {
			most = max(most, utf8.RuneCountInString(text(&lines[i]))+columnGap)
		}
		return most
	}
	label := width(func(l *comparedLine) string { return l.label })
	var table []int
	used := 0
	for j := range lines[0].cells {
		cell := func(j int) int { return width(func(l *comparedLine) string { return l.cells[j] }) }
		if len(table) > 1 && used+cell(j) > comparisonWidth {
			tables = append(tables, table)
			table = nil
		}
		if len(table) == 0 {
			table, used = []int{0}, label+cell(0)
		}
		if j > 0 {
			table, used = append(table, j), used+cell(j)
		}
	}
	if table != nil {
		tables = append(tables, table)
	}
	return tables
}

// line is what the models have of a part, "" for all of the data set.
func (c *compared) line(part string, names []string, rows []results.Row) comparedLine {
	values, best := c.values(part, names, rows)
	l := comparedLine{label: c.label}
	if part != "" {
		l.label += " on " + terminal.OneLine(part)
	}
	info := results.Metric(c.metric)
	for _, v := range values {
		text := "- "
		if v != nil {
			text = info.Number(*v, info.Digits) + " "
		}
		if v != nil && best >= 0 && len(names) > 1 && text == info.Number(*values[best], info.Digits)+" " {
			text = strings.TrimSuffix(text, " ") + "*"
		}
		l.cells = append(l.cells, text)
	}
	return l
}

// fits reports whether a row is of the line, whatever its part.
func (c *compared) fits(r *results.Row) bool {
	_, form := results.SplitForm(r.Dataset)
	view := r.View
	view.Limit, view.Among, view.Part, view.TenCrop, view.Preprocess = 0, 0, "", false, ""
	return form == c.form && r.Metric == c.metric && view == c.view && r.Corruption == "" && r.Severity == 0
}

// parts returns the parts of data sets that the models have numbers of.
func (c *compared) parts(names []string, rows []results.Row) (parts []string) {
	for i := range rows {
		if r := &rows[i]; c.fits(r) && slices.Contains(names, r.Model) && !slices.Contains(parts, r.Part) {
			parts = append(parts, r.Part)
		}
	}
	slices.SortStableFunc(parts, func(a, b string) int { return min(len(a), 1) - min(len(b), 1) })
	return parts
}

// values returns the models' numbers, nil for one that has none, and the index of the best.
func (c *compared) values(part string, names []string, rows []results.Row) (values []*float64, best int) {
	values, best = make([]*float64, len(names)), -1
	for i, name := range names {
		for j := range rows {
			if r := &rows[j]; r.Model == name && r.Part == part && c.fits(r) {
				values[i] = &r.Value
			}
		}
		if values[i] != nil && !math.IsNaN(*values[i]) && (best < 0 || results.Metric(c.metric).IsBetter(*values[i], *values[best])) {
			best = i
		}
	}
	return values, best
}
