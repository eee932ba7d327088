package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// single are the metrics of one corruption or perturbation that a table shows on a line of their own.
var single = map[string]bool{
	results.FlipProbability: true, results.Top5Distance: true, results.CE: true, results.FlipRate: true,
}

// WriteText writes the rows of an evaluation for a terminal: for every data set the errors of corruptions by severity, then what is of
// all of them. With all, every metric of each corruption and severity too; bins of reliability diagrams stay in the rows.
func WriteText(w io.Writer, rows []results.Row, all bool) {
	located := make([]results.Located, len(rows))
	for i := range rows {
		located[i].Row = rows[i]
	}
	for i, g := range results.GroupBy(located, results.ByDataset) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s on %s\n", terminal.OneLine(g.Rows[0].Model), terminal.OneLine(fmt.Sprint(g.Key)))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		severityTable(t, g.Rows)
		_ = t.Flush()
		for _, text := range remarks(results.Rows(g.Rows)) {
			fmt.Fprintf(w, "  %s\n", terminal.OneLine(text))
		}
		t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for i := range g.Rows {
			r := &g.Rows[i]
			if r.Bins > 0 || r.Class != "" || !all && (r.Severity > 0 || r.Corruption != "" && !single[r.Metric]) ||
				r.Corruption != "" && r.Metric == results.Top1Error { // the last are in the table
				continue
			}
			what := r.MetricName(r.Metric)
			if name := meanError(r, g.Rows); name != "" {
				what = name
			}
			corruption := r.Corruption
			if r.Severity > 0 {
				corruption = strings.TrimSpace(fmt.Sprint(corruption, " ", r.Severity))
			}
			for _, part := range []string{corruption, r.Text(), MeanOver(r.Over)} {
				if part != "" {
					what += ", " + part
				}
			}
			fmt.Fprintf(t, "  %s\t%s\n", terminal.OneLine(strings.ReplaceAll(what, "_", " ")), results.Metric(r.Metric).Format(r.Value))
		}
		_ = t.Flush()
		WriteClasses(w, results.Rows(g.Rows))
	}
}

// meanError is the name of a row that is the mean of the errors over all corruptions, as WriteScores has it; "" for other rows.
func meanError(r *results.Located, rows []results.Located) string {
	if r.Metric != results.Top1Error || r.Corruption != "" || r.Severity > 0 || r.Group != "" {
		return ""
	}
	var names []string
	for i := range rows {
		if c := rows[i].Corruption; c != "" && !slices.Contains(names, c) {
			names = append(names, c)
		}
	}
	p, err := score.BenchmarkOf(r.Dataset, metrics.CorruptionKind, names)
	if _, form := results.SplitForm(r.Dataset); err != nil || form != "c" && form != "c-bar" || len(names) == 0 {
		return ""
	}
	return score.MeanErrorName(p, results.Rows(rows))
}

// remarks are lines about rows that are not comparable with all others.
func remarks(rows []results.Row) (lines []string) {
	if slices.ContainsFunc(rows, func(r results.Row) bool { return r.Versions[results.VersionFrost] == results.FrostGenerated }) {
		lines = append(lines, "frost and its means: generated ice crystals, not the published photographs")
	}
	if text := trainedOn(rows); text != "" {
		lines = append(lines, text)
	}
	return append(lines, scaled(rows)...)
}

// scaled are lines about rows that are divided by other figures than AlexNet's or have other bins than the default ones. Where there
// are several of a kind, each names its metrics.
func scaled(rows []results.Row) (lines []string) {
	for _, of := range []struct{ key, all, text string }{
		{results.VersionBaseline, "normalized numbers", "divided by the figures of %s, not by AlexNet's"},
		{results.VersionBins, "calibration errors", "with %s, not comparable with those of other bins"},
	} {
		var versions []string
		labels := map[string][]string{} // by version, each once
		for i := range rows {
			v, label := rows[i].Versions[of.key], results.Metric(rows[i].Metric).Label
			if v == "" {
				continue
			}
			if labels[v] == nil {
				versions = append(versions, v)
			}
			if !slices.Contains(labels[v], label) {
				labels[v] = append(labels[v], label)
			}
		}
		for _, v := range versions {
			what := of.all
			if len(versions) > 1 {
				what = strings.Join(labels[v], ", ")
			}
			lines = append(lines, what+": "+fmt.Sprintf(of.text, versionText(of.key, v)))
		}
	}
	return lines
}

// MeanOver says in words what a mean is over, "" where it says nothing.
func MeanOver(sets []string) string {
	if len(sets) == 0 {
		return ""
	}
	return "mean over " + strings.Join(sets, " + ")
}

// severityTable shows the errors by corruption and severity, in percent.
func severityTable(w io.Writer, rows []results.Located) {
	cells := map[string]map[float64]float64{}
	var names []string
	var severities []float64
	view := "" // that an evaluation has throughout: limit, classes, crops
	for i := range rows {
		r := &rows[i]
		if r.Metric != results.Top1Error || r.Corruption == "" {
			continue
		}
		view = r.Text()
		if cells[r.Corruption] == nil {
			cells[r.Corruption] = map[float64]float64{}
			names = append(names, r.Corruption)
		}
		cells[r.Corruption][r.Severity] = r.Value
		if !slices.Contains(severities, r.Severity) {
			severities = append(severities, r.Severity)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(severities)
	if severities[0] == 0 { // the mean at the end
		severities = append(severities[1:], 0)
	}
	head := "error, %"
	if view != "" {
		head += ", " + terminal.OneLine(view)
	}
	fmt.Fprintf(w, "%s\t", head)
	for _, s := range severities {
		if s == 0 {
			fmt.Fprint(w, "mean\t")
		} else {
			fmt.Fprintf(w, "%v\t", s)
		}
	}
	fmt.Fprintln(w)
	for _, name := range names {
		fmt.Fprintf(w, "%s\t", terminal.OneLine(name))
		for _, s := range severities {
			if v, ok := cells[name][s]; ok {
				fmt.Fprintf(w, "%s\t", results.Metric(results.Top1Error).Number(v, 2))
			} else {
				fmt.Fprint(w, "\t")
			}
		}
		fmt.Fprintln(w)
	}
}
