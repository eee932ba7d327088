package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// differences compares every model with the first.
func (b *builder) differences(base, name string) error {
	if len(b.subjects) < 2 {
		return nil
	}
	ref := b.subjects[0]
	cols := b.safety(base)
	c := dataset(base, results.SuffixC)
	cols = append(cols, metricCol("Brier", results.Cell{Dataset: base, Metric: results.Brier}),
		metricCol("NLL", results.Cell{Dataset: base, Metric: results.NLL}))
	cols = append(cols, b.harderCols(base)...)
	var parts []col
	if p := b.benchmark(c); p != nil {
		for _, g := range metrics.Groups() {
			parts = append(parts, metricCol(strings.ToUpper(string(g[:1]))+string(g[1:])+" (group)", results.Cell{
				Dataset: c, View: results.View{Group: string(g)}, Metric: results.Top1Error,
			}))
		}
		for _, k := range p.Primary() {
			parts = append(parts, metricCol(spell(k), results.Cell{
				Dataset: c, Corruption: k, Metric: results.Top1Error,
			}))
		}
	}
	var sec *Section
	for i, other := range b.subjects[1:] {
		title := other.Name + " − " + ref.Name + name
		t, err := b.compare(i+1, cols, base+" difference "+other.Name, title)
		if err != nil {
			return err
		}
		by, err := b.compare(i+1, parts, c+" difference "+other.Name, title+", error on "+results.DisplayName(c))
		if err != nil {
			return err
		}
		if len(t.Rows)+len(by.Rows) == 0 {
			b.notes = append(b.notes, fmt.Sprintf("Differences of %s to %s%s: both have none of the measures that tables have.", other.Name, ref.Name,
				name))
			continue
		}
		if sec == nil {
			sec = b.section(2, "Differences"+name, "Every model against the first, "+ref.Name+". Paired intervals are from the "+
				"bootstrap over samples that both models were scored on; unpaired ones combine the two intervals as if the models "+
				"had seen different samples, and are too wide where they have not.")
		}
		if len(t.Rows) > 0 {
			sec.Blocks = append(sec.Blocks, Block{Table: t})
		}
		if len(by.Rows) > 0 {
			by.Fold = true
			if f := b.forest(by, other); f != nil {
				sec.Blocks = append(sec.Blocks, Block{Figure: f})
			}
			sec.Blocks = append(sec.Blocks, Block{Table: by})
		}
	}
	return nil
}

// harderCols are the columns of sequences that are not among the safety measures: means at other difficulties than the first, and single
// perturbations at each where no model has the mean.
func (b *builder) harderCols(base string) (cols []col) {
	set := dataset(base, results.SuffixP)
	p := score.Benchmark(set)
	if p == nil || p.Kind != metrics.PerturbationKind {
		return nil
	}
	for _, d := range b.difficulties(set) {
		for _, m := range []struct{ metric, head string }{{results.FlipProbability, "mFP"}, {results.Top5Distance, "T5D"}} {
			all := b.perturbationCols(set, p, m.metric, m.head, d)
			single := !b.has(all[0].cell)
			if !single && d > 1 {
				all[0].Head += atDifficulty(d)
				cols = append(cols, all[0])
			}
			for _, c := range all[1:] {
				if c.Head = c.long(); single {
					cols = append(cols, c)
				}
			}
		}
	}
	return cols
}

// compare is the table of differences of a model to the first.
func (b *builder) compare(model int, cols []col, name, title string) (*Table, error) {
	ref, other, seeds := b.matched(model)
	t := &Table{
		Title: title,
		First: "Measure", NoOrigin: true,
		Columns: []Column{
			{Head: "Better", Text: true},
			{Head: ref.Name},
			{Head: other.Name},
			{Head: "Difference"},
			{Head: "Interval", Text: true},
			{Head: "Excludes 0", Long: "whether the interval excludes zero", Text: true},
		},
	}
	means := len(ref.members) > 0 && len(other.members) > 0
	if means {
		t.Columns = append(t.Columns, Column{Head: "Over seeds", Long: "interval over training seeds", Text: true},
			Column{Head: "Each seed", Long: "difference of each training seed", Text: true})
	}
	kinds := map[string]int{}
	var levels []float64 // of intervals of rows
	var shown []results.Cell
	for _, c := range cols {
		x, y := ref.Get(c.cell), other.Get(c.cell)
		if !x.Has() || !y.Has() {
			continue
		}
		if first, second := unlike(ref, other, c.cell); first != second {
			b.notes = append(b.notes, fmt.Sprintf("%s: no difference of %s, %s, to %s, %s.", c.long(), other.Name, second, ref.Name, first))
			continue
		}
		shown = append(shown, c.cell)
		d, kind, err := b.difference(model, &c)
		if err != nil {
			return nil, err
		}
		kinds[kind]++
		if kind == pairedRow {
			levels, kind = append(levels, d.Level), paired
		}
		excludes := ""
		if d.Level > 0 {
			excludes = "no"
			if d.Lo > 0 || d.Hi < 0 {
				excludes = "yes"
			}
		}
		better := map[results.Better]string{results.Lower: "lower", results.Higher: "higher"}[c.Better]
		label := c.Head
		digits := 3
		if c.Percent {
			label += " (%)"
			digits = 2
			x, y, d = hundred(x), hundred(y), hundred(d)
		}
		cells := []Cell{
			{Text: better},
			{Number: x, Digits: digits},
			{Number: y, Digits: digits},
			{Number: d, Sign: true, Digits: digits},
			{Text: kind},
			{Text: excludes},
		}
		if means {
			interval, each := overSeeds(other, ref, &c)
			cells = append(cells, Cell{Text: interval}, Cell{Text: each})
		}
		t.Rows = append(t.Rows, Row{Name: label, Origin: results.Measured, Cells: cells})
	}
	if len(t.Rows) > 0 {
		t.ID = b.table(name)
	}
	t.Caption = "Differences are the second model minus the first"
	if seeds != "" {
		t.Caption = "Numbers and differences are over the seeds " + seeds + ", which both have: the second model minus the first"
	}
	if n := kinds[paired]; n > 0 {
		t.Caption += fmt.Sprintf(
			"; %d with %s paired bootstrap intervals (up to %s replicates)",
			n,
			percent(score.RecordLevel),
			thousands(int64(b.opt.Replicates)),
		)
	}
	if n := kinds[pairedRow]; n > 0 {
		t.Caption += fmt.Sprintf("; %d with %s paired intervals that the rows have", n, percents(levels))
	}
	if n := kinds["unpaired"]; n > 0 {
		t.Caption += fmt.Sprintf("; %d with unpaired intervals", n)
	}
	if n := kinds["none"]; n > 0 {
		t.Caption += fmt.Sprintf(
			"; %d without an interval, as neither records of both nor intervals of one level are there",
			n,
		)
	}
	t.Caption += ". " + statistics(t.Rows)
	k := caveatsOf(shown, []*Subject{ref, other})
	for i, c := range shown {
		cells := t.Rows[i].Cells
		cells[1].Marks, cells[2].Marks = k.mark(ref, c), k.mark(other, c)
	}
	t.Notes = k.notes(true)
	return t, nil
}

// paired and pairedRow are kinds of differences: their interval is drawn from records, or is that of a row, which says nothing of its
// replicates.
const paired, pairedRow = "paired", "paired row"

// difference is a model's number of a column minus that of the first model, which both have: with an interval that is
// paired, pairedRow, "unpaired" or "none".
func (b *builder) difference(model int, c *col) (d Number, kind string, err error) {
	ref, other, _ := b.matched(model)
	x, y := ref.Get(c.cell), other.Get(c.cell)
	d = Number{Number: score.Difference(&y.Number, &x.Number)}
	iv, err := b.draws.paired(other.runs(), ref.runs(), c.cell)
	switch {
	case err == nil && score.Near(iv.Estimate, d.Value):
		d.Lo, d.Hi, d.Level, d.N = iv.Lo, iv.Hi, iv.Level, x.N
		d.Note = thousands(int64(iv.Replicates)) + " replicates"
		return d, paired, nil
	case err == nil:
		b.notes = append(b.notes, fmt.Sprintf("%s: the records give a difference of %s and the rows %s, so the paired "+
			"interval is not shown.", c.long(), plain(iv.Estimate), plain(d.Value)))
	case !errors.Is(err, score.ErrUnpaired):
		return d, "", err
	}
	if n, ok := b.compared(other, ref, c.cell); ok && score.Near(n.Value, d.Value) {
		d.Lo, d.Hi, d.Level, d.N = n.Lo, n.Hi, n.Level, n.N
		return d, pairedRow, nil
	}
	if lo, hi, ok := score.Unpaired(&y.Number, &x.Number); ok {
		d.Lo, d.Hi, d.Level = lo, hi, x.Level
		return d, "unpaired", nil
	}
	return d, "none", nil
}

// compared is a model's number minus another's as the rows of both say it, which augmix score --compare writes beside them.
func (b *builder) compared(other, ref *Subject, c results.Cell) (n Number, ok bool) {
	if other.run == nil || other.run != ref.run || len(other.members)+len(ref.members) > 0 {
		return n, false
	}
	c.Against = ref.Model
	if n = other.Get(c); n.State == score.Given && n.Level > 0 {
		b.used[score.Place(c)] = true
		return n, true
	}
	c.Against = other.Model
	if n = ref.Get(c); n.State != score.Given || n.Level == 0 {
		return n, false
	}
	b.used[score.Place(c)] = true
	n.Value, n.Lo, n.Hi = -n.Value, -n.Hi, -n.Lo
	return n, true
}

// hundred puts a number on the scale of percent.
func hundred(n Number) Number {
	n.Value, n.Lo, n.Hi = 100*n.Value, 100*n.Lo, 100*n.Hi
	n.Printed = ""
	return n
}

// forest shows the differences that have an interval.
func (b *builder) forest(t *Table, other *Subject) *Figure {
	plot := &chart.Plot{
		Title: t.Title, Kind: chart.Points, Width: pageWidth, Height: 300,
		Y: chart.Axis{Label: "Difference (points)", Zero: true},
	}
	s := chart.Series{Name: "difference", Color: other.Color}
	for _, r := range t.Rows {
		d := r.Cells[3].Number
		if d.Level == 0 || len(plot.X.Categories) == 24 {
			continue
		}
		name, ok := strings.CutSuffix(r.Name, " (%)")
		if !ok {
			continue // another scale
		}
		plot.X.Categories = append(plot.X.Categories, name)
		s.Y, s.Lo, s.Hi = append(s.Y, d.Value), append(s.Lo, d.Lo), append(s.Hi, d.Hi)
	}
	if len(s.Y) == 0 {
		return nil
	}
	plot.Series = []chart.Series{s}
	plot.Desc = "Differences in percentage points with their intervals; below zero " + other.Name + " errs less."
	return &Figure{ID: b.figure(t.ID), Caption: plot.Desc, Chart: plot}
}
