package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// mostSingles bounds the numbers of single corruptions and severities of a data set that tables have.
const mostSingles = 200

// errorCell is the error of a corruption at a severity, 0 for its mean.
func errorCell(set, corruption string, severity float64) results.Cell {
	return results.Cell{Dataset: set, Corruption: corruption, Severity: severity, Metric: results.Top1Error}
}

// errorRows are the severities at which the subject has errors of each corruption, in order.
func (s *Subject) errorRows(set string) map[string][]float64 {
	at := map[string][]float64{}
	for r := range s.measured() {
		c := results.ByCell(r)
		if c.Severity > 0 && c == errorCell(set, c.Corruption, c.Severity) && c.Corruption != "" {
			at[c.Corruption] = append(at[c.Corruption], c.Severity)
		}
	}
	for name := range at {
		slices.Sort(at[name])
		at[name] = slices.Compact(at[name])
	}
	return at
}

// singles writes the errors of single severities that no mean stands for: of corruptions that were not measured at every one of the
// benchmark, and between them. The heat maps have the others.
func (b *builder) singles(s *Section, set string, p *metrics.Profile) {
	var tables []*Table
	cells := 0
	for _, q := range b.subjects {
		t := b.single(q, set, p)
		if len(t.Rows) > 0 {
			tables = append(tables, t)
			cells += len(t.Rows) * len(t.Columns)
		}
	}
	if cells > mostSingles {
		s.Text = append(s.Text, fmt.Sprintf("Single severities of corruptions were measured that no mean is of, more than are shown here "+
			"(a table has at most %d numbers): the report as CSV has them all.", mostSingles))
		return
	}
	for _, t := range tables {
		s.Blocks = append(s.Blocks, Block{Table: t})
	}
}

// single is the table of a subject's errors of single severities; without rows where means stand for all of them.
func (b *builder) single(q *Subject, set string, p *metrics.Profile) *Table {
	rows := q.errorRows(set)
	t := &Table{First: "Corruption", NoOrigin: true}
	var severities []float64
	var names []string
	for _, c := range p.Corruptions {
		mean := q.Get(errorCell(set, c.Name, 0))
		between := func(v float64) bool { return v != math.Trunc(v) }
		if len(rows[c.Name]) > 0 && (!mean.Has() || slices.ContainsFunc(rows[c.Name], between)) {
			names = append(names, c.Name)
			severities = append(severities, rows[c.Name]...)
		}
	}
	slices.Sort(severities)
	severities = slices.Compact(severities)
	for _, v := range severities {
		one := metricCol(fmt.Sprint("Sev. ", v), errorCell(set, "", v)).Column
		one.Better = 0 // rows are no models
		t.Columns = append(t.Columns, one)
	}
	if len(names)*len(severities) > mostSingles {
		t.Rows = make([]Row, len(names)) // too many to be shown
		return t
	}
	for _, name := range names {
		t.Rows = append(t.Rows, b.singleRow(q, set, name, severities))
	}
	if len(names) == 0 {
		return t
	}
	t.ID = b.table(set, "single", q.Name)
	t.Title = "Error on " + results.DisplayName(set) + " at single severities"
	if len(b.subjects) > 1 {
		t.Title += ": " + q.Name
	}
	t.Caption = "Top-1 error of corruptions at the severities that were measured. " + statistics(t.Rows)
	return t
}

func (b *builder) singleRow(q *Subject, set, name string, severities []float64) Row {
	r := Row{Name: spell(name), Origin: results.Measured}
	for _, v := range severities {
		c := errorCell(set, name, v)
		b.used[score.Place(c)] = true
		r.Cells = append(r.Cells, Cell{Number: q.Get(c)})
	}
	return r
}

// noCurve says why there are no curves of the means at each severity.
func (b *builder) noCurve(set string) string {
	text := results.DisplayName(set) + ": no errors by severity, so no severity curves."
	if said := b.measuredOf(set); said != "" {
		text = results.DisplayName(set) + ": no curves of the mean against severity, which need all corruptions of the benchmark; " +
			"measured: " + said + "."
	}
	return text
}

// measuredOf says which corruptions of a set were measured at which severities, "" for none.
func (b *builder) measuredOf(set string) string {
	var names []string
	var all []float64
	for _, s := range b.subjects {
		for name, at := range s.errorRows(set) {
			names, all = append(names, name), append(all, at...)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	slices.Sort(all)
	return namesOf(metrics.CorruptionKind, slices.Compact(names)) + ", " + severityText(slices.Compact(all))
}

// severityText lists severities, or counts them where they are many.
func severityText(severities []float64) string {
	if len(severities) == 1 {
		return fmt.Sprint("severity ", severities[0])
	}
	if len(severities) > 2*namedMost {
		return fmt.Sprintf("%d severities from %v to %v", len(severities), severities[0], severities[len(severities)-1])
	}
	var list []string
	for _, v := range severities {
		list = append(list, fmt.Sprint(v))
	}
	return "severities " + strings.Join(list, ", ")
}

// absent says why no model has the number of a column: not measured, or in part only.
func (b *builder) absent(c *col) string {
	p := score.Benchmark(c.cell.Dataset)
	if p == nil || !isMean(c.cell) {
		return "not measured"
	}
	if !b.inPart(c.cell) {
		return "not measured" + b.atOthers(c.cell)
	}
	text := "no mean, which needs " + needs(c.cell.Dataset)
	if said := b.measuredOf(c.cell.Dataset); said != "" {
		text += "; measured: " + said
	}
	return text
}

// atOthers says that sequences were measured at other difficulties alone.
func (b *builder) atOthers(c results.Cell) string {
	var list []string
	for _, d := range b.difficulties(c.Dataset) {
		if d > 0 {
			list = append(list, fmt.Sprint(d))
		}
	}
	if _, form := results.SplitForm(c.Dataset); form != "p" || len(list) == 0 || slices.Contains(list, "1") {
		return ""
	}
	return " at difficulty 1, but at " + strings.Join(list, ", ")
}

// inPart reports whether there are rows of parts of a mean.
func (b *builder) inPart(c results.Cell) bool {
	part := c.Metric
	switch c.Metric {
	case results.MeanCE, results.RelativeMeanCE:
		part = results.Top1Error
	case results.MeanFlipRate:
		part = results.FlipProbability
	case results.MeanTop5Rate:
		part = results.Top5Distance
	}
	for _, s := range b.subjects {
		for r := range s.measured() {
			at := score.Place(results.ByCell(r))
			if r.Dataset == c.Dataset && r.Metric == part && r.View == c.View && at.Difficulty == score.Place(c).Difficulty {
				return true
			}
		}
	}
	return false
}
