package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/augmix-go/augmix/results"
)

// compared is a line of the table that methods are compared by: PixMix's tables 7 and 8 have these columns.
type compared struct {
	label, form, metric, view string
	higher                    bool // more is better
}

var comparison = []compared{
	{"clean error", "", results.Top1Error, "", false},
	{"C error", "c", results.Top1Error, "", false},
	{"  noise", "c", results.Top1Error, "noise", false},
	{"  blur", "c", results.Top1Error, "blur", false},
	{"  weather", "c", results.Top1Error, "weather", false},
	{"  digital", "c", results.Top1Error, "digital", false},
	{"C-bar error", "c-bar", results.Top1Error, "", false},
	{"mean flip probability", "p", results.FlipProbability, "", false},
	{"RMS calibration error", "", results.RMSCalibration, "", false},
	{"  on C", "c", results.RMSCalibration, "", false},
	{"  on C-bar", "c-bar", results.RMSCalibration, "", false},
	{"PGD error", "", results.Top1Error, results.ViewPGD, false},
	{"OOD AUROC", "", results.AUROC, "", true},
	{"OOD AUPR", "", results.AUPR, "", true},
}

// compareTable prints the models side by side, the best of each line marked. Rows that no model has are left out; a
// model without one shows a dash.
func compareTable(w io.Writer, names []string, rows []results.Row) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	for _, name := range names {
		fmt.Fprintf(t, "\t%s", name)
	}
	fmt.Fprintln(t, "\t")
	for _, c := range comparison {
		values, best := c.values(names, rows)
		if best < 0 {
			continue
		}
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
			fmt.Fprintf(t, "\t%.1f%s", 100**v, mark)
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
			view, _ := results.CutLimit(r.View) // of augmix eval --limit
			if r.Model == name && form == c.form && r.Metric == c.metric && view == c.view && r.Corruption == "" &&
				r.Severity == 0 {
				values[i] = &r.Value
			}
		}
		v := values[i]
		if v != nil && (best < 0 || *v < *values[best] != c.higher && *v != *values[best]) {
			best = i
		}
	}
	return values, best
}
