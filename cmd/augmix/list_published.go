package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/published"
)

// listPublished prints numbers of the papers.
type listPublished struct {
	Paper      string `placeholder:"NAME" help:"Of this paper: augmix, pixmix, imagenet-c; or robustbench, the leaderboard."`
	Table      string `placeholder:"N" help:"Of this table, 1 to 16; or readme, authors, assembled-cnn, leaderboard."`
	Method     string `placeholder:"TEXT" help:"Of methods with this in their name."`
	Arch       string `placeholder:"TEXT" help:"Of networks with this in their name."`
	Dataset    string `placeholder:"NAME" help:"On this data set, such as cifar10-c."`
	Metric     string `placeholder:"NAME" help:"Of this metric, such as error, mce, rms_calibration."`
	Corruption string `placeholder:"NAME" help:"On this corruption or perturbation."`

	Disagreements bool `help:"Where a paper contradicts itself, and nothing else."`
}

// Help is the end of "augmix list published --help".
func (listPublished) Help() string {
	return `WHAT IS THERE
  The numbers that the AugMix, PixMix and ImageNet-C papers and their authors print: all their
  tables; and the models of RobustBench's leaderboard of common corruptions. In augmix report they
  stand beside your own.

COLUMNS
  SOURCE  paper and table; without a number where it stands in the text
  VALUE   as it is printed, with its unit

EXAMPLES
  augmix list published --paper pixmix --table 8
  augmix list published --metric mce
  augmix list published --dataset cifar10-c --method augmix --json
  augmix list published --disagreements`
}

// publishedRow is the JSON form: the entry and its value as a fraction.
type publishedRow struct {
	published.Entry
	Value  float64 `json:"value"` // a fraction where the unit is percent
	Source string  `json:"source"`
}

// Run prints the numbers.
func (c *listPublished) Run(a *app) error {
	if c.Paper != "" &&
		!slices.ContainsFunc(published.Papers(), func(p string) bool { return strings.EqualFold(p, c.Paper) }) {
		return usagef("--paper %s (allowed: %s)", c.Paper, strings.Join(published.Papers(), ", "))
	}
	if c.Disagreements {
		return c.disagreements(a)
	}
	q := published.Query{
		Paper: c.Paper, Table: c.Table, Method: c.Method, Architecture: c.Arch, Dataset: c.Dataset, Metric: c.Metric,
		Corruption: c.Corruption,
	}
	rows := []publishedRow{}
	for _, e := range published.Find(q) {
		rows = append(rows, publishedRow{e, e.Value(), e.Source()})
	}
	if len(rows) == 0 && !a.JSON {
		a.say("no published number is like that here (augmix list published prints all)")
		return nil
	}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "SOURCE\tMETHOD\tNETWORK\tDATA SET\tMETRIC\tCORRUPTION\tVIEW\tVALUE", func(row func(...any)) {
			for i := range rows {
				row(publishedLine(&rows[i])...)
			}
		})
		fmt.Fprint(w, publishedNotes(rows))
	})
}

func publishedLine(r *publishedRow) []any {
	value := r.Printed
	if r.Unit == published.Percent {
		value += " %"
	}
	corruption, view := r.Corruption, r.View().Text()
	if r.Severity > 0 {
		corruption = fmt.Sprintf("%s %v", corruption, r.Severity)
	}
	if corruption == "" {
		corruption = "-"
	}
	if view == "" {
		view = "-"
	}
	return []any{r.Source, r.Method, r.Architecture, r.Dataset, r.Metric, corruption, view, value}
}

// publishedNotes lists the remarks on the rows, each once.
func publishedNotes(rows []publishedRow) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, r := range rows {
		if note := r.Source + ": " + r.Note; r.Note != "" && !seen[note] {
			if len(seen) == 0 {
				b.WriteString("\nNOTES\n")
			}
			seen[note] = true
			b.WriteString("  " + note + "\n")
		}
	}
	return b.String()
}

// disagreements prints where the papers contradict themselves.
func (c *listPublished) disagreements(a *app) error {
	list := slices.DeleteFunc(published.Disagreements(), func(d published.Disagreement) bool {
		return c.Paper != "" && !strings.EqualFold(d.Paper, c.Paper)
	})
	return a.print(list, func(w io.Writer) {
		for _, d := range list {
			fmt.Fprintf(w, "%s, %s\n  %s\n", d.Paper, d.Where, d.What)
		}
	})
}
