package report

import (
	"fmt"
	"io"
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
// model has are left out; a model without one shows a dash.
func WriteComparison(w io.Writer, names []string, rows []results.Row) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	for _, name := range names {
		fmt.Fprintf(t, "\t%s", terminal.OneLine(name))
	}
	fmt.Fprintln(t, "\t")
	for _, c := range comparison {
		values, best := c.values(names, rows)
		if best < 0 {
			continue
		}
		info := results.Metric(c.metric)
		fmt.Fprint(t, c.label)
		for i, v := range values {
			mark := " "
			if i == best && len(names) > 1 {
				mark = "*"
			}
			if v == nil {
				fmt.Fprint(t, "\t- ")
				continue
			}
			fmt.Fprintf(t, "\t%s%s", info.Number(*v, info.Digits), mark)
		}
		fmt.Fprintln(t, "\t")
	}
	_ = t.Flush()
	fmt.Fprintln(w, "percent; * is the best of its line")
}

// values returns the models' numbers, nil for one that has none, and the index of the best, -1 where there is none.
func (c *compared) values(names []string, rows []results.Row) (values []*float64, best int) {
	values, best = make([]*float64, len(names)), -1
	for i, name := range names {
		for j := range rows {
			r := &rows[j]
			_, form := results.SplitForm(r.Dataset)
			view := r.View
			view.Limit = 0
			if r.Model == name && form == c.form && r.Metric == c.metric && view == c.view && r.Corruption == "" &&
				r.Severity == 0 {
				values[i] = &r.Value
			}
		}
		if values[i] != nil && (best < 0 || results.Metric(c.metric).IsBetter(*values[i], *values[best])) {
			best = i
		}
	}
	return values, best
}
