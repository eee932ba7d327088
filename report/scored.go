package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// WriteScores writes what was scored for a terminal: of each model what people read first, and of a benchmark a line for each
// corruption or perturbation; then the rows of score.Compare. With all, every number of whole sets and corruptions by severity
// too; the rest is in the rows.
func WriteScores(w io.Writer, models []*score.Result, compared []results.Row, all bool) {
	for i, m := range models {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeScored(w, m, all)
	}
	if len(compared) == 0 {
		return
	}
	fmt.Fprintln(w)
	terminal.Table(w, "COMPARED\tOF\tVALUE", func(row func(...any)) {
		for i := range compared {
			r := &compared[i]
			of := r.Model + " - " + r.Against
			if r.Metric == results.Agreement {
				if of = r.Model + ", " + r.Against; r.Corruption != "" {
					continue // 75 of them
				}
			}
			row(r.MetricName(r.Metric)+scoredOf(r), of, withInterval(r))
		}
	})
}

// withInterval is a value and its interval.
func withInterval(r *results.Row) string {
	return results.Metric(r.Metric).FormatInterval(r.Value, r.Interval)
}

// scoredOf says in a few words what a row is of.
func scoredOf(r *results.Row) string {
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
		parts = append(parts, MeanOver(r.Over))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// writeScored writes what is of one model.
func writeScored(w io.Writer, m *score.Result, all bool) {
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
	on := m.Dataset
	if view := m.View().Text(); view != "" {
		on += ", " + view
	}
	fmt.Fprintf(w, "%s on %s: %s%s (%s)\n", terminal.OneLine(m.Model), terminal.OneLine(on), classes, what,
		terminal.OneLine(filepath.ToSlash(m.Path)))
	for _, n := range append(slices.Clone(m.Notes), remarks(m.Rows)...) {
		fmt.Fprintf(w, "  note: %s\n", terminal.OneLine(n))
	}
	if lines := m.Summary(); all {
		writeScalars(w, m.Rows)
	} else if len(lines) > 0 {
		fmt.Fprintln(w)
		terminal.Table(w, "METRIC\tVALUE\tROWS", func(row func(...any)) {
			for _, l := range lines {
				row(l.Label, withInterval(l.Row), l.Row.N)
			}
		})
	}
	WriteClasses(w, m.Rows)
	if m.Benchmark != nil {
		writeGrid(w, m, all)
	}
}

// writeScalars writes rows that are of no corruption.
func writeScalars(w io.Writer, rows []results.Row) {
	if !slices.ContainsFunc(rows, func(r results.Row) bool { return r.Corruption == "" }) {
		return
	}
	fmt.Fprintln(w)
	terminal.Table(w, "METRIC\tOF\tVALUE\tROWS", func(row func(...any)) {
		for i := range rows {
			if r := &rows[i]; r.Corruption == "" && r.Bins == 0 && r.Class == "" {
				row(r.MetricName(r.Metric), r.Dataset+scoredOf(r), withInterval(r), r.N)
			}
		}
	})
}

// gridColumns are the columns of a benchmark.
var gridColumns = []struct {
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

const meanErrorColumn = 5

// gridLines returns the cells of each corruption or perturbation that has some, its name first, and which columns have any.
func gridLines(m *score.Result) (lines [][]string, used []bool) {
	used = make([]bool, len(gridColumns))
	for _, c := range m.Benchmark.Corruptions {
		line, filled := []string{c.Name}, false
		if c.Extra {
			line[0] += " (extra)"
		}
		for i, col := range gridColumns {
			at := slices.IndexFunc(m.Rows, func(r results.Row) bool {
				return r.Corruption == c.Name && r.Metric == col.metric && r.Severity == col.severity && r.View == m.View()
			})
			if at < 0 {
				line = append(line, "")
				continue
			}
			line = append(line, withInterval(&m.Rows[at]))
			used[i], filled = true, true
		}
		if filled {
			lines = append(lines, line)
		}
	}
	return lines, used
}

// writeGrid writes a line for each corruption or perturbation. Severities are shown where all is, or where a line has no mean
// over them.
func writeGrid(w io.Writer, m *score.Result, all bool) {
	lines, used := gridLines(m)
	head := "CORRUPTION"
	if m.Benchmark.Kind == metrics.PerturbationKind {
		head = "PERTURBATION"
	}
	means := !slices.ContainsFunc(lines, func(line []string) bool { return line[1+meanErrorColumn] == "" })
	for i, col := range gridColumns {
		if !all && means && (col.severity > 0 || col.metric == results.RMSCalibration) {
			used[i] = false
		}
		if used[i] {
			head += "\t" + col.title
		}
	}
	fmt.Fprintln(w)
	terminal.Table(w, head, func(row func(...any)) {
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
