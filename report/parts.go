package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// parts writes the errors on named parts of a data set, such as icons in a style that training saw and in one that it did not
// (ImageNet-C's first version, figure 8).
func (b *builder) parts(base string) {
	cells := b.partCells(base)
	if !slices.ContainsFunc(cells, func(c results.Cell) bool { return c.Part != "" }) {
		return
	}
	var cols []col
	for _, c := range cells {
		cols = append(cols, metricCol(partName(c.Part), c))
	}
	shown := b.withPaper(cols, 1)
	t := b.grid(base+" parts", "Errors on parts of "+results.DisplayName(base), cols, shown)
	t.Caption = "Top-1 error on the images of each part. "
	if len(shown) > len(b.subjects) {
		t.Caption += "Of published accuracies: what they lack of 1. "
	}
	t.Caption += statistics(t.Rows)

	plot := &chart.Plot{
		Title: t.Title, Kind: chart.Points, Across: true, Width: pageWidth,
		Y: chart.Axis{Label: "Error", Percent: true, Zero: true},
	}
	for _, c := range cells {
		plot.X.Categories = append(plot.X.Categories, partName(c.Part))
	}
	all := slices.DeleteFunc(append(slices.Clone(b.subjects), shown[:len(shown)-len(b.subjects)]...), func(q *Subject) bool {
		return !slices.ContainsFunc(cells, func(c results.Cell) bool { n := q.Get(c); return n.Has() })
	})
	few := all[:min(len(all), chart.Colors)]
	for i, q := range few {
		plot.Series = append(plot.Series, series(q, i, len(cells), func(j int) results.Cell { return cells[j] }))
	}
	plot.Desc = "Top-1 error on parts of the data set, such as what training saw and what was held out of it" + dashedNote(plot) + "." +
		whiskers(plot.Series) + " After figure 8 of the first version of the ImageNet-C paper." + leftOf(all, len(few))
	s := b.section(2, "Parts of "+results.DisplayName(base))
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(base, "parts"), Caption: plot.Desc, Chart: spread(plot)}}, Block{Table: t})
}

// partCells are the errors on parts of a data set that were measured, and on all of it. Parts that end in the same word, such as
// "seen-style" and "style", stand beside each other.
func (b *builder) partCells(base string) []results.Cell {
	var cells []results.Cell
	for _, s := range b.subjects {
		for r := range s.measured() {
			c := results.Cell{Dataset: base, View: results.View{Part: r.Part}, Metric: results.Top1Error}
			if results.ByCell(r) == c && !slices.Contains(cells, c) {
				cells = append(cells, c)
			}
		}
	}
	last := func(part string) string { return part[strings.LastIndexAny(part, " -")+1:] }
	slices.SortStableFunc(cells, func(a, b results.Cell) int {
		return cmp.Or(cmp.Compare(last(a.Part), last(b.Part)), cmp.Compare(a.Part, b.Part))
	})
	return cells
}

func partName(part string) string {
	if part == "" {
		return "all"
	}
	return part
}
