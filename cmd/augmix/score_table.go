package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// percents are the metrics that papers print in percent.
var percents = []string{
	results.Top1Error, results.Top5Error, results.CE, results.RelativeCE, results.MeanCE, results.RelativeMeanCE,
	results.FlipProbability, results.FlipRate, results.MeanFlipRate, results.Top5Rate, results.MeanTop5Rate,
	results.RMSCalibration, results.MADCalibration, results.MaxCalibration, results.ECE, results.AUROC, results.AUPR,
	results.FPR95, results.AURRA, results.SoftF1, results.Agreement,
}

// number writes a value as papers print it.
func number(metric string, v float64) string {
	metric = strings.TrimSuffix(strings.TrimSuffix(metric, "_difference"), results.SkippedBinSuffix)
	for _, s := range metrics.AnomalyScores() {
		metric = strings.TrimSuffix(metric, "_"+string(s))
	}
	switch {
	case math.IsNaN(v):
		return "-"
	case slices.Contains(percents, metric):
		return fmt.Sprintf("%.2f %%", 100*v)
	}
	return fmt.Sprintf("%.4f", v)
}

// withInterval writes a value and its interval.
func withInterval(r *results.Row) string {
	text := number(r.Metric, r.Value)
	if r.Interval == nil {
		return text
	}
	trim := func(v float64) string { return strings.TrimSuffix(number(r.Metric, v), " %") }
	return fmt.Sprintf("%s [%s, %s]", text, trim(r.Interval.Lo), trim(r.Interval.Hi))
}

// tables prints everything that people read first; the rest is in the rows.
func tables(models []*scored, differences []difference) func(w io.Writer) {
	return func(w io.Writer) {
		for i, m := range models {
			if i > 0 {
				fmt.Fprintln(w)
			}
			m.print(w)
		}
		if len(differences) == 0 {
			return
		}
		fmt.Fprintln(w)
		table(w, "DIFFERENCE\tOF\tVALUE", func(row func(...any)) {
			for i := range differences {
				d := &differences[i]
				metric := strings.TrimSuffix(d.row.Metric, "_difference")
				row(metric+place(&d.row), d.model+" - "+d.other, withInterval(&d.row))
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
		parts = append(parts, fmt.Sprintf("severity %d", r.Severity))
	}
	if view, _, _ := strings.Cut(r.View, "minus "); strings.TrimSuffix(view, "; ") != "" {
		parts = append(parts, strings.TrimSuffix(view, "; "))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (m *scored) print(w io.Writer) {
	what := m.kind.String()
	if m.kind == predictions.Probs {
		what = "probabilities"
	}
	classes := fmt.Sprintf("%d classes, ", m.classes)
	if m.classes == 0 {
		classes = ""
	}
	fmt.Fprintf(w, "%s on %s: %s%s (%s)\n", m.model, m.dataset, classes, what, filepath.ToSlash(m.path))
	for _, n := range m.notes {
		fmt.Fprintf(w, "  note: %s\n", n)
	}
	m.printScalars(w)
	if m.profile != nil {
		m.printGrid(w)
	}
}

// printScalars prints rows that are of no corruption.
func (m *scored) printScalars(w io.Writer) {
	if !slices.ContainsFunc(m.rows, func(r results.Row) bool { return r.Corruption == "" }) {
		return
	}
	fmt.Fprintln(w)
	table(w, "METRIC\tOF\tVALUE\tROWS", func(row func(...any)) {
		for i := range m.rows {
			r := &m.rows[i]
			if r.Corruption != "" || r.Metric == results.BinAccuracy || r.Metric == results.BinConfidence {
				continue
			}
			of := r.Dataset
			if p := place(r); p != "" {
				of += p
			}
			row(r.Metric, of, withInterval(r), r.N)
		}
	})
}

// printGrid prints a line for each corruption or perturbation.
func (m *scored) printGrid(w io.Writer) {
	value := func(name, metric string, severity int) string {
		for i := range m.rows {
			r := &m.rows[i]
			if r.Corruption == name && r.Metric == metric && r.Severity == severity && r.View == "" {
				return withInterval(r)
			}
		}
		return ""
	}
	columns := []struct {
		title, metric string
		severity      int
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
	for _, c := range m.profile.Corruptions {
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
	head := "CORRUPTION"
	if m.profile.Kind == metrics.PerturbationKind {
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
