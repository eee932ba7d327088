package report

import (
	"slices"

	"github.com/augmix-go/augmix/results"
)

// cues writes whether models go by shape or by texture, where that was measured.
func (b *builder) cues(base, name string) {
	at := func(metric, class string) results.Cell {
		return results.Cell{Dataset: base, View: results.View{Class: class}, Metric: metric}
	}
	t := b.grid(base+" cues", "Shape or texture"+name, []col{
		metricCol("Shape bias", at(results.ShapeBias, "")), metricCol("Shape or texture right", at(results.CueAccuracy, "")),
	}, b.subjects)
	if len(t.Rows) == 0 {
		return
	}
	t.Caption = "Images of the shape of one category in the texture of another (Geirhos et al., ICLR 2019). Shape bias is the share of the " +
		"shape among the predictions of either. " + statistics(t.Rows)
	s := b.section(2, "Shape or texture"+name)
	s.Blocks = append(s.Blocks, Block{Table: t})
	var names []string
	for _, q := range b.subjects {
		for r := range q.measured() {
			if r.Dataset == base && r.Metric == results.ShapeBias && r.Class != "" {
				names = append(names, r.Class)
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 0 {
		g := b.classTable(&classPlace{set: base}, results.ShapeBias, names)
		g.ID, g.Title = b.table(base, "shape bias"), "Shape bias by category"+name
		g.Caption = "Shape bias on the images whose shape is of each category."
		s.Blocks = append(s.Blocks, Block{Table: g})
	}
}
