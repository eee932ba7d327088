package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// withInterval writes a value and its interval.
func withInterval(r *results.Row) string {
	return results.Metric(r.Metric).FormatInterval(r.Value, r.Interval)
}

// scoreTables prints what people read first, or all numbers of whole sets; the rest is in the rows.
func scoreTables(models []*score.Result, compared []results.Row, all bool) func(w io.Writer) {
	return func(w io.Writer) {
		for i, m := range models {
			if i > 0 {
				fmt.Fprintln(w)
			}
			printScored(w, m, all)
		}
		if len(compared) == 0 {
			return
		}
		fmt.Fprintln(w)
		table(w, "COMPARED\tOF\tVALUE", func(row func(...any)) {
			for i := range compared {
				r := &compared[i]
				of := r.Model + " - " + r.Against
				if r.Metric == results.Agreement {
					if of = r.Model + ", " + r.Against; r.Corruption != "" {
						continue // 75 of them
					}
				}
				row(r.MetricName(r.Metric)+place(r), of, withInterval(r))
			}
		})
	}
}

// place says in a few words what a row is of.
func place(r *results.Row) string {
	var parts []string
	if r.Corruption != "" {
		parts = append(parts, r.Corruption)
	}
	if r.Severity > 0 {
		parts = append(parts, fmt.Sprintf("severity %v", r.Severity))
	}
	view := r.View
	view.Against = ""
	if text := view.Text(); text != "" {
		parts = append(parts, text)
	}
	if len(r.Over) > 0 {
		parts = append(parts, report.MeanOver(r.Over))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func printScored(w io.Writer, m *score.Result, all bool) {
	what := m.Kind.String()
	switch m.Kind {
	case predictions.Probs:
		what = "probabilities"
	case predictions.Classes:
		what = "class numbers"
	}
	classes := fmt.Sprintf("%d classes, ", m.Classes)
	if m.Classes == 0 {
		classes = ""
	}
	fmt.Fprintf(w, "%s on %s: %s%s (%s)\n", terminal.OneLine(m.Model), terminal.OneLine(m.Dataset), classes, what,
		terminal.OneLine(filepath.ToSlash(m.Path)))
	for _, n := range m.Notes {
		fmt.Fprintf(w, "  note: %s\n", terminal.OneLine(n))
	}
	if lines := m.Summary(); all {
		printScalars(w, m.Rows)
	} else if len(lines) > 0 {
		fmt.Fprintln(w)
		table(w, "METRIC\tVALUE\tROWS", func(row func(...any)) {
			for _, l := range lines {
				row(l.Label, withInterval(l.Row), l.Row.N)
			}
		})
	}
	report.WriteClasses(w, m.Rows)
	if m.Benchmark != nil {
		printGrid(w, m, all)
	}
}

// printScalars prints rows that are of no corruption.
func printScalars(w io.Writer, rows []results.Row) {
	if !slices.ContainsFunc(rows, func(r results.Row) bool { return r.Corruption == "" }) {
		return
	}
	fmt.Fprintln(w)
	table(w, "METRIC\tOF\tVALUE\tROWS", func(row func(...any)) {
		for i := range rows {
			if r := &rows[i]; r.Corruption == "" && r.Bins == 0 && r.Class == "" {
				row(r.MetricName(r.Metric), r.Dataset+place(r), withInterval(r), r.N)
			}
		}
	})
}

// printGrid prints a line for each corruption or perturbation. Severities are shown where all is, or where there is no mean
// over them.
func printGrid(w io.Writer, m *score.Result, all bool) {
	value := func(name, metric string, severity float64) string {
		for i := range m.Rows {
			r := &m.Rows[i]
			if r.Corruption == name && r.Metric == metric && r.Severity == severity && r.View == (results.View{}) {
				return withInterval(r)
			}
		}
		return ""
	}
	columns := []struct {
		title, metric string
		severity      float64
	}{
		{"1", results.Top1Error, 1},
		{"2", results.Top1Error, 2},
		{"3", results.Top1Error, 3},
		{"4", results.Top1Error, 4},
		{"5", results.Top1Error, 5},
		{"ERROR", results.Top1Error, 0},
		{"CE", results.CE, 0},
		{"RELATIVE CE", results.RelativeCE, 0},
		{"RMS CALIBRATION", results.RMSCalibration, 0},
		{"FLIP PROBABILITY", results.FlipProbability, 0},
		{"FLIP RATE", results.FlipRate, 0},
		{"TOP-5 DISTANCE", results.Top5Distance, 0},
		{"T5D", results.Top5Rate, 0},
		{"ZIPF DISTANCE", results.ZipfDistance, 0},
	}
	var lines [][]string
	used := make([]bool, len(columns))
	for _, c := range m.Benchmark.Corruptions {
		line := []string{c.Name}
		filled := false
		for i, col := range columns {
			v := value(c.Name, col.metric, col.severity)
			line = append(line, v)
			used[i] = used[i] || v != ""
			filled = filled || v != ""
		}
		if c.Extra {
			line[0] += " (extra)"
		}
		if filled {
			lines = append(lines, line)
		}
	}
	for i, col := range columns {
		if !all && used[5] && (col.severity > 0 || col.metric == results.RMSCalibration) {
			used[i] = false
		}
	}
	head := "CORRUPTION"
	if m.Benchmark.Kind == metrics.PerturbationKind {
		head = "PERTURBATION"
	}
	for i, col := range columns {
		if used[i] {
			head += "\t" + col.title
		}
	}
	fmt.Fprintln(w)
	table(w, head, func(row func(...any)) {
		for _, line := range lines {
			cells := []any{line[0]}
			for i, v := range line[1:] {
				if used[i] {
					cells = append(cells, v)
				}
			}
			row(cells...)
		}
	})
}
