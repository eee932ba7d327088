package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// safety are the columns of the overview: those of the large tables of the PixMix paper.
func (b *builder) safety(base string) []col {
	c, bar := dataset(base, results.SuffixC), dataset(base, results.SuffixCBar)
	p, r := dataset(base, results.SuffixP), dataset(base, results.SuffixR)
	add := func(head, set, metric string) col {
		return metricCol(head, results.Cell{Dataset: set, Metric: metric})
	}
	cols := []col{add("Clean error", base, results.Top1Error)}
	if base == "imagenet" {
		cols = append(cols, add("mCE", c, results.MeanCE))
	} else {
		cols = append(cols, add("C error", c, results.Top1Error))
	}
	cols = append(cols, add("C\u0304 error", bar, results.Top1Error), add("R error", r, results.Top1Error))
	if base == "imagenet" {
		cols = append(cols, add("mFR", p, results.MeanFlipRate), add("mT5D", p, results.MeanTop5Rate))
	} else {
		cols = append(cols, add("mFP", p, results.FlipProbability), add("T5D", p, results.Top5Distance))
	}
	cols = append(cols, metricCol("PGD error", results.Cell{
		Dataset: base, Metric: results.Top1Error, View: results.View{Attack: results.AttackPGD},
	}),
		add("RMS clean", base, results.RMSCalibration), add("RMS C", c, results.RMSCalibration),
		add("RMS C\u0304", bar, results.RMSCalibration), add("RMS R", r, results.RMSCalibration),
		add("AUROC", base, results.AUROC), add("AUPR", base, results.AUPR))
	return cols
}

func (b *builder) overview(base, name string) {
	cols := b.safety(base)
	t := b.grid(base+" safety", "Safety measures"+name, cols, b.subjects)
	if len(t.Rows) == 0 {
		return
	}
	s := b.section(2, "Overview"+name)
	t.Caption = "The measures of the PixMix paper, as far as they were measured. " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
	b.methods(s, base, name)
	b.sweeps(s, base)
	b.measures(s, base, name)
}

// measures shows up to five safety measures (PixMix, figure 1).
func (b *builder) measures(s *Section, base, name string) {
	all := b.safety(base)
	at := func(head string) *col {
		for i := range all {
			if all[i].Head == head {
				return &all[i]
			}
		}
		return nil
	}
	pick := func(label string, heads ...string) (chart.Measure, *col) {
		for _, h := range heads {
			if c := at(h); c != nil && b.has(c.cell) {
				return chart.Measure{Name: label, Percent: c.Percent}, c
			}
		}
		return chart.Measure{}, nil
	}
	var axes []chart.Measure
	var cols []*col
	for _, f := range []struct {
		label string
		heads []string
	}{
		{"Corruptions", []string{"C error", "mCE"}},
		{"Adversaries", []string{"PGD error"}},
		{"Consistency", []string{"mFP", "mFR"}},
		{"Calibration", []string{"RMS C", "RMS clean"}},
		{"Anomalies", []string{"AUROC"}},
	} {
		m, c := pick(f.label, f.heads...)
		if c == nil {
			for _, h := range f.heads {
				if c = at(h); c != nil {
					break
				}
			}
			b.notes = append(b.notes, fmt.Sprintf("%s (%s)%s: %s, so not among the axes of the safety measures.",
				f.label, c.long(), name, b.absent(c)))
			continue
		}
		axes, cols = append(axes, m), append(cols, c)
	}
	if len(axes) < 3 {
		return
	}
	shown := b.safetySubjects(cols)
	series := safetySeries(cols, shown)
	parts := safetyScales(axes, cols, series)
	dashed := ""
	if slices.ContainsFunc(series, func(s chart.ParallelSeries) bool { return s.Published }) {
		dashed = " Dashed: published."
	}
	caption := "Up is better. Every axis has its own scale, whose ends are printed and are not zero in general. " +
		strings.Join(parts, "; ") + ". After figure 1 of the PixMix paper." + dashed + b.left(chart.Colors) + safetyNotes(cols, shown)
	title := []string{3: "Three", 4: "Four", 5: "Five"}[len(axes)] + " safety measures" + name
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(base, "safety"), Caption: caption, Chart: &chart.Parallel{
		Title: title, Desc: caption, Measures: axes, Series: series, Width: pageWidth,
	}}})
}

// safetyNotes say which of the axes hold numbers that are not the same measurement for all models.
func safetyNotes(cols []*col, shown []*Subject) string {
	var cells []results.Cell
	for _, c := range cols {
		cells = append(cells, c.cell)
	}
	return strings.TrimRight(" "+strings.Join(caveatsOf(cells, shown).notes(false), " "), " ")
}

// safetySubjects are the first models and the papers' rows that have almost all of the columns, each once where two tables say the same.
func (b *builder) safetySubjects(cols []*col) []*Subject {
	shown := b.few(chart.Colors)
	for _, p := range b.paper {
		if (p.Model == "Baseline, WRN-40-4" || p.Model == "PixMix, WRN-40-4" || strings.HasSuffix(p.Model, ", ResNet-50")) &&
			p.count(cols) >= max(len(cols)-1, 3) && len(shown) < chart.Colors &&
			!slices.ContainsFunc(shown, func(q *Subject) bool { return q.Model == p.Model && q.equal(p, cols) }) {
			shown = append(shown, p)
		}
	}
	return shown
}

// safetySeries are the lines of the subjects.
func safetySeries(cols []*col, shown []*Subject) []chart.ParallelSeries {
	var series []chart.ParallelSeries
	for i, q := range shown {
		r := chart.ParallelSeries{Name: q.label(), Published: q.Origin == results.Published, Color: i}
		for _, c := range cols {
			n := q.Get(c.cell)
			r.Values = append(r.Values, n.Value)
		}
		series = append(series, r)
	}
	return series
}

// safetyScales gives every axis the scale of its numbers, and says what the axes are.
func safetyScales(axes []chart.Measure, cols []*col, series []chart.ParallelSeries) (parts []string) {
	for i, c := range cols {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range series {
			if !math.IsNaN(r.Values[i]) {
				lo, hi = min(lo, r.Values[i]), max(hi, r.Values[i])
			}
		}
		t := chart.Ticks(lo, hi, 3)
		low, high := t[0], t[len(t)-1]
		if c.Percent && lo >= 0 && hi <= 1 { // round numbers about a single value may lie outside
			low, high = max(low, 0), min(high, 1)
		}
		axes[i].Worst, axes[i].Best = high, low
		if c.Better > 0 {
			axes[i].Worst, axes[i].Best = low, high
		}
		parts = append(parts, axes[i].Name+": "+c.long())
	}
	return parts
}

func (s *Subject) count(cols []*col) (n int) {
	for _, c := range cols {
		if v := s.Get(c.cell); v.Has() {
			n++
		}
	}
	return n
}

// equal reports whether two subjects have the same numbers of the columns.
func (s *Subject) equal(other *Subject, cols []*col) bool {
	return !slices.ContainsFunc(cols, func(c *col) bool {
		x, y := s.Get(c.cell), other.Get(c.cell)
		return x.Has() != y.Has() || x.Has() && x.Value != y.Value
	})
}

// label names a subject in a legend.
func (s *Subject) label() string {
	if s.Origin == results.Published {
		return s.Name + " (" + s.Source + ")"
	}
	return s.Name
}

// few returns the first measured subjects; more would not be told apart in a figure.
func (b *builder) few(n int) []*Subject { return b.subjects[:min(len(b.subjects), n)] }
