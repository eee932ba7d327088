package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// benchmark is that of a data set by its name, nil where it is none. A set of MedMNIST-C, or one of the user's own corruptions alone, is of the
// corruptions that were measured. Measured ones that the benchmark does not have are among its extra ones.
func (b *builder) benchmark(set string) *metrics.Profile {
	p := score.Benchmark(set)
	if p == nil || p.Kind != metrics.CorruptionKind {
		return p
	}
	names := b.ofSet(set, p)
	known := slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return slices.Contains(names, c.Name) })
	if len(names) > 0 && (!known || metrics.OfMedMNISTC(names...)) {
		if own, err := score.BenchmarkOf(set, metrics.CorruptionKind, names); err == nil { // a published one has a list of its own
			p = own
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return c.Name == name }) {
			p.Corruptions = append(p.Corruptions, metrics.Corruption{Name: name, Extra: true})
		}
	}
	return p
}

// ofSet are the corruptions of a set whose errors were measured, those that are known first.
func (b *builder) ofSet(set string, p *metrics.Profile) (names []string) {
	var order []string
	for _, c := range p.Corruptions {
		order = append(order, c.Name)
	}
	order = append(order, metrics.MedMNISTC()...)
	for _, s := range b.subjects {
		for r := range s.measured() {
			if c := results.ByCell(r); c.Corruption != "" && c == errorCell(set, c.Corruption, c.Severity) && !slices.Contains(names, c.Corruption) {
				names = append(names, c.Corruption)
			}
		}
	}
	at := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(at(a), at(b)) })
	return names
}

// corruptions writes the section of a -C or C-bar set.
func (b *builder) corruptions(set string) {
	p := b.benchmark(set)
	if p == nil {
		return
	}
	per := make([]col, 0, len(p.Corruptions))
	for _, c := range p.Corruptions {
		one := metricCol(shortName(c.Name), results.Cell{Dataset: set, Corruption: c.Name, Metric: results.Top1Error})
		one.Group = groupName(c)
		per = append(per, one)
	}
	all := append([]col{metricCol("Mean", results.Cell{Dataset: set, Metric: results.Top1Error})}, per...)
	if !slices.ContainsFunc(all, func(c col) bool { return b.has(c.cell) }) && b.measuredOf(set) == "" {
		return
	}
	s := b.section(2, results.DisplayName(set)+" by corruption and severity")
	b.corruptionBars(s, set, p)
	b.corruptionTable(s, set, p, all)
	b.singles(s, set, p)
	b.ceTable(s, set, p)
	b.severities(s, set, p)
	b.heat(s, set, p)
}

// corruptionTable is the table of the mean and of each corruption, where any has a mean over severities.
func (b *builder) corruptionTable(s *Section, set string, p *metrics.Profile, all []col) {
	if !slices.ContainsFunc(all, func(c col) bool { return b.has(c.cell) }) {
		s.Text = append(s.Text, b.meanNote(all[0].cell, p)+"Measured: "+b.measuredOf(set)+".")
		return
	}
	t := b.grid(set+" error", "Error on "+results.DisplayName(set)+" by corruption", all, b.withPaper(all[1:], 2))
	t.Caption = "Top-1 error, mean over severities. " + b.meanNote(all[0].cell, p) + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// groupName is the group of a corruption as heads of tables have it.
func groupName(c metrics.Corruption) string {
	switch {
	case c.Extra && !slices.Contains(ofImageNetC(), c.Name):
		return "Other"
	case c.Extra:
		return "Extra"
	case c.Group == "":
		return ""
	}
	return strings.ToUpper(string(c.Group[:1])) + string(c.Group[1:])
}

// ofImageNetC are the names of the corruptions of ImageNet-C, with the extra ones.
func ofImageNetC() (names []string) {
	for _, c := range score.Benchmark("imagenet-c").Corruptions {
		names = append(names, c.Name)
	}
	return names
}

// corruptionBars shows the error of every corruption (AugMix, figure 12).
func (b *builder) corruptionBars(s *Section, set string, p *metrics.Profile) {
	shown := b.few(chart.Colors)
	for _, q := range b.paper { // the published rows that print every corruption of the benchmark
		whole := slices.IndexFunc(p.Primary(), func(c string) bool {
			n := q.Get(results.Cell{Dataset: set, Corruption: c, Metric: results.Top1Error})
			return !n.Has()
		}) < 0
		if whole && len(shown) < 6 {
			shown = append(shown, q)
		}
	}
	var names []string
	for _, c := range p.Corruptions {
		if b.has(results.Cell{Dataset: set, Corruption: c.Name, Metric: results.Top1Error}) {
			names = append(names, c.Name)
		}
	}
	plot := b.byName("Error on "+results.DisplayName(set)+" by corruption", "Error", names, shown, func(name string) results.Cell {
		return results.Cell{Dataset: set, Corruption: name, Metric: results.Top1Error}
	})
	if plot == nil {
		return
	}
	after := ""
	if _, form := results.SplitForm(set); form == "c" {
		after = " After figure 12 of the AugMix paper."
	}
	plot.Desc = "Top-1 error of every corruption, mean over severities" + dashedNote(plot) + "." + whiskers(plot.Series) + after +
		b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "error"), Caption: plot.Desc, Chart: spread(plot)}})
}

// ceTable is the table of normalized errors, where AlexNet's figures mean something.
func (b *builder) ceTable(s *Section, set string, p *metrics.Profile) {
	cols := []col{
		metricCol("mCE", results.Cell{Dataset: set, Metric: results.MeanCE}),
		metricCol("Rel. mCE", results.Cell{Dataset: set, Metric: results.RelativeMeanCE}),
	}
	for _, c := range p.Corruptions {
		if !c.Extra {
			one := metricCol(shortName(c.Name), results.Cell{Dataset: set, Corruption: c.Name, Metric: results.CE})
			one.Group = groupName(c)
			cols = append(cols, one)
		}
	}
	t := b.grid(set+" ce", "Corruption error (CE) on "+results.DisplayName(set), cols, b.withPaper(cols[:1], 1))
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Origin == results.Measured }) {
		return
	}
	t.Caption = "Errors summed over severities and divided by AlexNet's" + t.orMarked(markBase, "those of another model") +
		" (ImageNet-C, section 4). " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
	b.architectures(s, set)
	b.normalized(s, set, p)
}

// severities is the table and the figures of errors against severity.
func (b *builder) severities(s *Section, set string, p *metrics.Profile) {
	at := bySeverity(set, results.Top1Error)
	var cols []col
	have := false
	for sev := 0; sev <= p.Severities; sev++ {
		head := fmt.Sprint("Sev. ", sev)
		if sev == 0 {
			head = "Clean"
		}
		cols = append(cols, metricCol(head, at(sev)))
		have = have || sev > 0 && b.has(at(sev))
	}
	for _, g := range metrics.Groups() {
		cols = append(cols, metricCol(strings.ToUpper(string(g[:1]))+string(g[1:]), results.Cell{
			Dataset: set, View: results.View{Group: string(g)}, Metric: results.Top1Error,
		}))
	}
	if !have && !slices.ContainsFunc(cols[p.Severities+1:], func(c col) bool { return b.has(c.cell) }) {
		b.notes = append(b.notes, b.noCurve(set))
		return
	}
	if have {
		b.severityCurves(s, set, p, at)
	}
	b.groupBars(s, set)
	b.small(s, set, p, at)
	title, groups := "Error on "+results.DisplayName(set)+" by severity", ""
	if slices.ContainsFunc(cols[p.Severities+1:], func(c col) bool { return b.has(c.cell) }) { // which C-bar's corruptions do not have
		title, groups = title+" and group", ", and over those of a group at all severities"
	}
	t := b.grid(set+" severity", title, cols, b.subjects)
	t.Caption = "Means over the primary corruptions at one severity" + groups + ". " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// severityCurves draws the error against severity, beside the calibration error if that was measured.
func (b *builder) severityCurves(s *Section, set string, p *metrics.Profile, at func(sev int) results.Cell) {
	curve := b.curves("Error on "+results.DisplayName(set)+" against severity", "Error", at, p.Severities)
	curve.Desc = "Top-1 error, mean over the " + fmt.Sprint(len(p.Primary())) + " corruptions, against severity." +
		b.left(chart.Colors)
	f := b.steadiness(set, curve, p.Severities)
	if f == nil {
		f = &Figure{ID: b.figure(set, "severity"), Caption: curve.Desc, Chart: curve}
	}
	s.Blocks = append(s.Blocks, Block{Figure: f})
}

// groupBars shows the means of the four groups.
func (b *builder) groupBars(s *Section, set string) {
	plot := &chart.Plot{
		Title: "Error on " + results.DisplayName(set) + " by group", Kind: chart.Bars, Width: pageWidth, Height: 280,
		Y: chart.Axis{Label: "Error", Percent: true},
	}
	cells := make([]results.Cell, 0, 4)
	for _, g := range metrics.Groups() {
		c := results.Cell{Dataset: set, View: results.View{Group: string(g)}, Metric: results.Top1Error}
		if b.has(c) {
			cells = append(cells, c)
			plot.X.Categories = append(plot.X.Categories, string(g))
		}
	}
	if len(cells) == 0 {
		return
	}
	for i, q := range b.few(chart.Colors) {
		plot.Series = append(plot.Series, series(q, i, len(cells), func(j int) results.Cell { return cells[j] }))
	}
	plot.Desc = "Top-1 error, mean over the corruptions of a group and severities." + b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "group"), Caption: plot.Desc, Chart: plot}})
}

// small is a severity curve for every corruption.
func (b *builder) small(s *Section, set string, p *metrics.Profile, clean func(int) results.Cell) {
	fold := "Severity curves of every corruption"
	top := 0.0
	var figures []*chart.Plot
	for _, c := range p.Corruptions {
		plot := &chart.Plot{
			Title: spell(c.Name), Width: 275, Height: 180, NoLegend: true,
			X: chart.Axis{Categories: []string{"0", "1", "2", "3", "4", "5"}}, Y: chart.Axis{Percent: true, Fixed: true},
		}
		any := false
		for i, q := range b.few(chart.Colors) {
			l := series(q, i, p.Severities+1, func(sev int) results.Cell {
				d := clean(sev)
				if sev > 0 {
					d.Corruption = c.Name
				}
				return d
			})
			for j, v := range l.Y {
				any = any || j > 0 && !math.IsNaN(v)
				if !math.IsNaN(v) {
					top = max(top, v)
				}
				if _, hi, ok := l.Interval(j); ok {
					top = max(top, hi)
				}
			}
			plot.Series = append(plot.Series, l)
		}
		if any {
			figures = append(figures, plot)
		}
	}
	t := chart.Ticks(0, top, 4)
	for _, plot := range figures {
		plot.Y.Max = t[len(t)-1]
		plot.Desc = "Top-1 error in percent against severity, 0 being clean images."
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{
			ID: b.figure(set, "severity", plot.Title), Chart: plot, Small: true, Fold: fold,
		}})
	}
}

// heat is a map of corruption and severity for each of the first models.
func (b *builder) heat(s *Section, set string, p *metrics.Profile) {
	for _, q := range b.few(chart.Colors) {
		h := &chart.Heat{Title: "Error of " + q.Name + " on " + results.DisplayName(set), Percent: true, Max: 1, ColLabel: "Severity"}
		for sev := 1; sev <= p.Severities; sev++ {
			h.Cols = append(h.Cols, fmt.Sprint(sev))
		}
		any := false
		for _, c := range p.Corruptions {
			row, of := make([]float64, p.Severities), make([]string, p.Severities)
			have := false
			for sev := range row {
				cell := results.Cell{Dataset: set, Corruption: c.Name, Severity: float64(sev + 1), Metric: results.Top1Error}
				n := q.Get(cell)
				row[sev], of[sev] = math.NaN(), q.at(cell)
				if n.Has() {
					row[sev], have = n.Value, true
				}
				b.used[cell] = true
			}
			if have {
				any = true
				h.Rows, h.Values, h.Of = append(h.Rows, spell(c.Name)), append(h.Values, row), append(h.Of, of)
			}
		}
		if any {
			h.Desc = "Top-1 error in percent for every corruption and severity."
			s.Blocks = append(s.Blocks, Block{Figure: &Figure{
				ID: b.figure(set, "heat", q.Name), Caption: "Percent; the colors run from 0 to 100 %.", Chart: h, Small: true,
				Fold: "Heat maps of every cell",
			}})
		}
	}
}
