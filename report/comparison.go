package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

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

// WriteComparison writes the named models of the rows side by side for a terminal, the best of each line marked. Lines that no
// model has are left out; a model without one shows a dash. A part of a data set has lines of its own, that of the whole first.
func WriteComparison(w io.Writer, names []string, rows []results.Row) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	for _, name := range names {
		fmt.Fprintf(t, "\t%s", terminal.OneLine(name))
	}
	fmt.Fprintln(t, "\t")
	for _, c := range comparison {
		for _, part := range c.parts(names, rows) {
			c.line(t, part, names, rows)
		}
	}
	_ = t.Flush()
	fmt.Fprintln(w, "percent; * is the best of its line")
}

// line writes what the models have of a part, "" for all of the data set.
func (c *compared) line(w io.Writer, part string, names []string, rows []results.Row) {
	values, best := c.values(part, names, rows)
	label := c.label
	if part != "" {
		label += " on " + terminal.OneLine(part)
	}
	fmt.Fprint(w, label)
	info := results.Metric(c.metric)
	for i, v := range values {
		mark := " "
		if i == best && len(names) > 1 {
			mark = "*"
		}
		if v == nil {
			fmt.Fprint(w, "\t- ")
			continue
		}
		fmt.Fprintf(w, "\t%s%s", info.Number(*v, info.Digits), mark)
	}
	fmt.Fprintln(w, "\t")
}

// fits reports whether a row is of the line, whatever its part.
func (c *compared) fits(r *results.Row) bool {
	_, form := results.SplitForm(r.Dataset)
	view := r.View
	view.Limit, view.Part = 0, ""
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
