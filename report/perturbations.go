package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// perturbations writes the section of a -P set, with tables for each difficulty that was measured.
func (b *builder) perturbations(set string) {
	p := score.Benchmark(set)
	if p == nil || p.Kind != metrics.PerturbationKind {
		return
	}
	var sec *Section
	for _, d := range b.difficulties(set) {
		for _, m := range []struct{ metric, mean, title string }{
			{results.FlipProbability, "mFP", "Flip probability"},
			{results.FlipRate, "", "Flip rate"},
			{results.Top5Distance, "Mean", "Top-5 distance"},
			{results.ZipfDistance, "Mean", "Zipf distance"},
		} {
			cols := b.perturbationCols(set, p, m.metric, m.mean, d)
			if !slices.ContainsFunc(cols, func(c col) bool { return b.has(c.cell) }) {
				continue
			}
			if sec == nil {
				sec = b.section(2, results.DisplayName(set)+" by perturbation")
			}
			if m.metric == results.FlipProbability {
				b.flipBars(sec, set, p, d)
			}
			title := m.title + " on " + results.DisplayName(set) + atDifficulty(d)
			t := b.grid(set+" "+m.title+slugDifficulty(d), title, cols, b.withPaper(cols[1:1+len(p.Primary())], 2))
			t.Caption = fmt.Sprintf("%s by perturbation, difficulty %d; %s. %s", m.title, d, b.perturbationMean(&cols[0], p), statistics(t.Rows))
			sec.Blocks = append(sec.Blocks, Block{Table: t})
		}
	}
}

// perturbationMean says what the mean of a table by perturbation is over.
func (b *builder) perturbationMean(c *col, p *metrics.Profile) string {
	if !b.has(c.cell) {
		return "no mean, which needs " + needs(c.cell.Dataset)
	}
	return fmt.Sprintf("the mean is over the %d perturbations of the benchmark", len(p.Primary())) + b.otherwise(c.cell)
}

// difficulties are those at which sequences of a set were measured, in order.
func (b *builder) difficulties(set string) (list []int) {
	for _, s := range b.subjects {
		for r := range s.measured() {
			if r.Dataset == set && r.View == (results.View{}) {
				list = append(list, score.Place(results.ByCell(r)).Difficulty)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// harder is a cell at a difficulty. The first one is not written, as in most cells of published numbers.
func harder(c results.Cell, difficulty int) results.Cell {
	if difficulty > 1 {
		c.Difficulty = difficulty
	}
	return c
}

// atDifficulty ends a title with a difficulty other than the first.
func atDifficulty(d int) string {
	if d <= 1 {
		return ""
	}
	return fmt.Sprintf(", difficulty %d", d)
}

// slugDifficulty ends a name of a table or figure with a difficulty other than the first.
func slugDifficulty(d int) string { return strings.ReplaceAll(atDifficulty(d), ",", "") }

// perturbationCols are the columns of a metric by perturbation: its mean and that of each.
func (b *builder) perturbationCols(set string, p *metrics.Profile, metric, head string, difficulty int) []col {
	mean := metricCol(head, harder(results.Cell{Dataset: set, Metric: metric}, difficulty))
	if metric == results.FlipRate {
		mean = metricCol("mFR", harder(results.Cell{Dataset: set, Metric: results.MeanFlipRate}, difficulty))
	}
	cols := []col{mean}
	for _, name := range b.perturbationsOf(set, p) {
		cols = append(cols, metricCol(shortName(name), harder(results.Cell{Dataset: set, Corruption: name, Metric: metric}, difficulty)))
	}
	return cols
}

// perturbationsOf are the perturbations of a benchmark, and after them measured ones that it does not have.
func (b *builder) perturbationsOf(set string, p *metrics.Profile) (names []string) {
	for _, c := range p.Corruptions {
		names = append(names, c.Name)
	}
	for _, s := range b.subjects {
		for _, name := range s.corruptionsOf(set, "") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (b *builder) flipBars(s *Section, set string, p *metrics.Profile, difficulty int) {
	flips := func(name string) results.Cell {
		return harder(results.Cell{Dataset: set, Corruption: name, Metric: results.FlipProbability}, difficulty)
	}
	names := slices.DeleteFunc(b.perturbationsOf(set, p), func(name string) bool { return !b.has(flips(name)) })
	title := "Flip probability on " + results.DisplayName(set) + atDifficulty(difficulty)
	plot := b.byName(title, "Flip probability", names, b.few(chart.Colors), flips)
	if plot == nil {
		return
	}
	plot.Desc = fmt.Sprintf("How often the prediction changes %s%s, difficulty %d.", step(difficulty), ofNoises(names), difficulty) +
		whiskers(plot.Series) + b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{
		ID: b.figure(set, "flip probability"+slugDifficulty(difficulty)), Caption: plot.Desc, Chart: spread(plot),
	}})
}

// step says which frames are compared.
func step(difficulty int) string {
	if difficulty == 1 {
		return "from frame to frame"
	}
	return fmt.Sprintf("from a frame to the one %d later", difficulty)
}

// ofNoises says what flips of noises are counted against, where there are any: frames of noise have no order.
func ofNoises(names []string) string {
	if !slices.ContainsFunc(names, metrics.IsNoise) {
		return ""
	}
	return ", under noise from the first frame to each later one"
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
