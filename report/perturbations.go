package report

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// perturbations writes the section of a -P set.
func (b *builder) perturbations(set string) {
	p := score.Benchmark(set)
	if p == nil || p.Kind != metrics.PerturbationKind {
		return
	}
	var sec *Section
	for _, m := range []struct{ metric, mean, title string }{
		{results.FlipProbability, "mFP", "Flip probability"},
		{results.FlipRate, "", "Flip rate"},
		{results.Top5Distance, "Mean", "Top-5 distance"},
		{results.ZipfDistance, "Mean", "Zipf distance"},
	} {
		mean := metricCol(m.mean, results.Cell{Dataset: set, Metric: m.metric})
		if m.metric == results.FlipRate {
			mean = metricCol("mFR", results.Cell{Dataset: set, Metric: results.MeanFlipRate})
		}
		cols := []col{mean}
		for _, c := range p.Corruptions {
			cols = append(cols, metricCol(shortName(c.Name), results.Cell{Dataset: set, Corruption: c.Name, Metric: m.metric}))
		}
		if !slices.ContainsFunc(cols, func(c col) bool { return b.has(c.cell) }) {
			continue
		}
		if sec == nil {
			sec = b.section(2, results.DisplayName(set)+" by perturbation")
		}
		if m.metric == results.FlipProbability {
			b.flipBars(sec, set, p)
		}
		t := b.grid(set+" "+m.title, m.title+" on "+results.DisplayName(set), cols, b.withPaper(cols[1:1+len(p.Primary())], 2))
		t.Caption = m.title + " by perturbation, difficulty 1; the mean is over the " + fmt.Sprint(len(p.Primary())) +
			" perturbations of the benchmark. " + statistics(t.Rows)
		sec.Blocks = append(sec.Blocks, Block{Table: t})
	}
}

func (b *builder) flipBars(s *Section, set string, p *metrics.Profile) {
	var names []string
	for _, c := range p.Corruptions {
		if b.has(results.Cell{Dataset: set, Corruption: c.Name, Metric: results.FlipProbability}) {
			names = append(names, c.Name)
		}
	}
	plot := b.byName("Flip probability on "+results.DisplayName(set), "Flip probability", names, b.few(chart.Colors),
		func(name string) results.Cell {
			return results.Cell{Dataset: set, Corruption: name, Metric: results.FlipProbability}
		})
	if plot == nil {
		return
	}
	plot.Desc = "How often the prediction changes from frame to frame, difficulty 1." + whiskers(plot.Series) +
		b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "flip probability"), Caption: plot.Desc, Chart: spread(plot)}})
}

// detection writes the out-of-distribution detection by set.
func (b *builder) detection(base, name string) {
	detection := []string{results.AUROC, results.AUPR, results.FPR95}
	var sets []string
	for _, s := range b.subjects {
		for r := range s.measured() {
			if r.Dataset == base && r.OOD != "" && slices.Contains(detection, r.Metric) && !slices.Contains(sets, r.OOD) {
				sets = append(sets, r.OOD)
			}
		}
	}
	slices.Sort(sets)
	var sec *Section
	for _, metric := range detection {
		var cols []col
		for _, v := range append([]string{""}, sets...) {
			head := v
			if v == "" {
				head = "Mean"
			}
			cols = append(cols, metricCol(head, results.Cell{Dataset: base, View: results.View{OOD: v}, Metric: metric}))
		}
		if !slices.ContainsFunc(cols[1:], func(c col) bool { return b.has(c.cell) }) {
			continue
		}
		if sec == nil {
			sec = b.section(2, "Out-of-distribution detection"+name)
		}
		t := b.grid(base+" "+metric, results.Metric(metric).Label+" by set"+name, cols, b.subjects)
		t.Caption = "Out-of-distribution images are the positive class; in distribution is " + results.DisplayName(base) +
			". AUPR depends on their share. " + statistics(t.Rows)
		sec.Blocks = append(sec.Blocks, Block{Table: t})
	}
}
