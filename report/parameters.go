package report

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// ownParameters writes a section for each set of parameters of the user's own, or of a profile of MedMNIST-C, that a -C set was made
// with on the fly. Their numbers are of a part, as they are no numbers of the benchmark and stand beside no published ones.
func (b *builder) ownParameters(set string) {
	for _, part := range b.parametersOf(set) {
		b.ownErrors(set, part)
	}
}

// parametersOf are the parts of a set that are named after parameters, in the order of the rows.
func (b *builder) parametersOf(set string) []string {
	var parts []string
	for _, s := range b.subjects {
		for r := range s.measured() {
			if r.Dataset == set && r.Parameters() != "" && !slices.Contains(parts, r.Part) {
				parts = append(parts, r.Part)
			}
		}
	}
	return parts
}

// ownErrors writes the errors under one set of parameters, by corruption and by severity.
func (b *builder) ownErrors(set, part string) {
	at := func(name string, severity int) results.Cell {
		return results.Cell{
			Dataset: set, Corruption: name, Severity: float64(severity), View: results.View{Part: part}, Metric: results.Top1Error,
		}
	}
	var names []string
	cols := []col{metricCol("Mean", at("", 0))}
	for _, c := range knownCorruptions(set) {
		if !b.has(at(c.Name, 0)) {
			continue
		}
		names = append(names, c.Name)
		one := metricCol(shortName(c.Name), at(c.Name, 0))
		one.Group = groupName(c)
		cols = append(cols, one)
	}
	bySeverity := []col{metricCol("Clean", results.Cell{Dataset: results.Base(set), Metric: results.Top1Error})}
	for severity := 1; severity <= 5; severity++ {
		bySeverity = append(bySeverity, metricCol(fmt.Sprint("Sev. ", severity), at("", severity)))
	}
	of := results.DisplayName(set) + ", " + part
	s := b.section(2, of)
	if plot := b.byName("Error on "+of, "Error", names, b.few(mostBars), func(name string) results.Cell { return at(name, 0) }); plot != nil {
		plot.Desc = "Top-1 error of every corruption, mean over severities." + whiskers(plot.Series) + b.left(mostBars)
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, part, "error"), Caption: plot.Desc, Chart: spread(plot)}})
	}
	t := b.grid(set+" "+part+" error", "Error on "+of+", by corruption", cols, b.subjects)
	t.Caption = "Top-1 error, mean over severities, with parameters that are not the published ones of the benchmark. " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
	if !slices.ContainsFunc(bySeverity[1:], func(c col) bool { return b.has(c.cell) }) {
		return
	}
	t = b.grid(set+" "+part+" severity", "Error on "+of+", by severity", bySeverity, b.subjects)
	t.Caption = "Means over the corruptions at one severity. " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// knownCorruptions are those of a set's benchmark, with the extra ones, and those of MedMNIST-C after them.
func knownCorruptions(set string) []metrics.Corruption {
	var all []metrics.Corruption
	if p := score.Benchmark(set); p != nil {
		all = slices.Clone(p.Corruptions)
	}
	for _, name := range metrics.MedMNISTC() {
		if !slices.ContainsFunc(all, func(c metrics.Corruption) bool { return c.Name == name }) {
			all = append(all, metrics.Corruption{Name: name})
		}
	}
	return all
}
