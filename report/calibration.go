package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// calibration writes how well confidences are calibrated: a table and reliability diagrams.
func (b *builder) calibration(base, name string) error {
	sets := []string{base}
	for _, f := range []string{results.SuffixC, results.SuffixCBar, results.SuffixR} {
		sets = append(sets, dataset(base, f))
	}
	var tables []*Table
	add := func(t *Table) {
		if len(t.Columns) > 0 {
			t.Caption = "RMS and MAD: adaptive bins of 100; ECE, classwise ECE and Max: 15 bins of equal width" +
				t.orMarked(markOther, "others") + t.Caption + ". " + statistics(t.Rows)
			tables = append(tables, t)
		}
	}
	for _, set := range sets {
		t := b.grid(set+" calibration", "Calibration on "+results.DisplayName(set), calibrationColumns(set, ""), b.subjects)
		if results.IsForm(set) {
			t.Caption = "; means over corruptions and severities"
		}
		add(t)
	}
	for _, c := range b.partCells(base) {
		if c.Part != "" {
			add(b.grid(base+" calibration "+c.Part, "Calibration on "+results.DisplayName(base)+", "+c.Part,
				calibrationColumns(base, c.Part), b.subjects))
		}
	}
	diagrams, err := b.diagrams(base, name)
	if err != nil {
		return err
	}
	if len(tables) == 0 && diagrams == nil {
		b.notes = append(b.notes, "Calibration of "+results.DisplayName(base)+": no rows of calibration errors or reliability bins.")
		return nil
	}
	s := b.section(2, "Calibration"+name)
	b.calibrationCurves(s, base)
	if diagrams != nil {
		s.Blocks = append(s.Blocks, Block{Figure: diagrams})
	} else {
		b.notes = append(b.notes, fmt.Sprintf("Reliability diagrams of %s: no %s rows.", results.DisplayName(base), results.BinAccuracy))
	}
	for _, t := range tables {
		s.Blocks = append(s.Blocks, Block{Table: t})
	}
	return nil
}

// calibrationColumns are the metrics of calibration and the proper scores of a data set, or of a part of it.
func calibrationColumns(set, part string) (cols []col) {
	const skipped = "without the last bin"
	for _, m := range []string{
		results.RMSCalibration, skipped, results.MADCalibration, results.ECE, results.SmoothECE, results.ClasswiseECE,
		results.MaxCalibration, results.Brier, results.BrierBinary, results.BrierRefinement, results.NLL, results.AURRA,
		results.AURC, results.ExcessAURC, results.SoftF1, results.Temperature,
	} {
		c := results.Cell{Dataset: set, Metric: m, View: results.View{Part: part}}
		if m == skipped {
			c.Metric, c.SkipLast = results.RMSCalibration, true
		}
		cols = append(cols, metricCol(map[string]string{
			results.RMSCalibration: "RMS", skipped: "RMS, last bin skipped", results.MADCalibration: "MAD",
			results.MaxCalibration: "Max", results.Brier: "Brier", results.BrierBinary: "Brier, binary",
			results.BrierRefinement: "Refinement",
		}[m], c))
	}
	return cols
}

// calibrationCurves draws the calibration error against severity, unless it stands beside the error already.
func (b *builder) calibrationCurves(s *Section, base string) {
	set := dataset(base, results.SuffixC)
	p := b.benchmark(set)
	if p == nil {
		return
	}
	switch {
	case !b.hasSeverity(bySeverity(set, results.RMSCalibration), p.Severities):
		b.notes = append(b.notes, "Calibration against severity: no "+results.RMSCalibration+" rows of "+results.DisplayName(set)+
			" by severity.")
	case b.hasSeverity(bySeverity(set, results.Top1Error), p.Severities):
		s.Text = append(s.Text, "How the calibration error changes with severity is drawn beside the error, under "+
			results.DisplayName(set)+" by corruption and severity.")
	default:
		plot := b.calibrationCurve(set, p.Severities)
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "calibration"), Caption: plot.Desc, Chart: plot}})
	}
}

// maxDiagrams bounds the panels of reliability diagrams.
const maxDiagrams = 6

// diagrams is the reliability diagrams of a data set and its forms, a panel for each, with the models over each other; nil
// without bins.
func (b *builder) diagrams(base, name string) (*Figure, error) {
	var places []results.Key // without the model
	found := map[results.Key]map[int]results.Diagram{}
	for i, s := range b.subjects {
		rows := b.binRows(s, base)
		all, err := results.Reliability(rows)
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			at := d.Key
			at.Model, at.Source, at.Seed, at.HasSeed = "", "", 0, false
			if found[at] == nil {
				found[at] = map[int]results.Diagram{}
				places = append(places, at)
			}
			if _, ok := found[at][i]; !ok { // of several seeds the first
				found[at][i] = d
			}
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	n := len(places)
	places = choose(places, maxDiagrams)
	p := &chart.Panels{Title: "Reliability" + name, Columns: 3, Heads: true}
	few := 0
	for _, at := range places {
		plot, left := b.diagram(at, found[at])
		few += left
		p.Charts = append(p.Charts, plot)
	}
	p.Desc = "Accuracy against mean confidence, in bins of equal width: below the diagonal a model is too sure." + b.left(chart.Colors)
	if len(b.subjects) == 1 {
		p.Desc += " Whiskers: Wilson's 95 % intervals."
	}
	switch {
	case few == 1:
		p.Desc += fmt.Sprintf(" One bin of fewer than %d samples is not drawn.", fewest)
	case few > 1:
		p.Desc += fmt.Sprintf(" %d bins of fewer than %d samples are not drawn.", few, fewest)
	}
	if n > len(places) {
		p.Desc += fmt.Sprintf(" %d of %d diagrams; the CSV has the bins of all.", len(places), n)
	}
	return &Figure{ID: b.figure(base, "reliability"), Caption: p.Desc, Chart: p}, nil
}

// binRows returns a model's rows of reliability bins, which are used with that.
func (b *builder) binRows(s *Subject, base string) (rows []results.Located) {
	for _, r := range s.run.Rows {
		if r.Model == s.Model && r.Origin == results.Measured && results.Base(r.Dataset) == base {
			rows = append(rows, r)
			if r.Metric == results.BinAccuracy || r.Metric == results.BinConfidence {
				b.used[score.Place(results.ByCell(&r.Row))] = true
			}
		}
	}
	return rows
}

// choose returns at most n places: whole sets before single severities and these before single corruptions, and of each kind one set
// after the other, so that severities stand in a row. Of the first set that does not fit there are evenly spaced ones.
func choose(places []results.Key, n int) (out []results.Key) {
	for kind := range 3 {
		var sets []string
		of := map[string][]results.Key{}
		for _, p := range places {
			if rank(p) != kind {
				continue
			}
			if of[p.Dataset] == nil {
				sets = append(sets, p.Dataset)
			}
			of[p.Dataset] = append(of[p.Dataset], p)
		}
		for _, set := range sets {
			these := of[set]
			if kind < 2 {
				slices.SortStableFunc(these, func(x, y results.Key) int { return cmp.Compare(x.Severity, y.Severity) })
			}
			out = append(out, spaced(these, n-len(out))...)
		}
	}
	return out
}

// spaced returns at most n of the places, evenly spaced.
func spaced(places []results.Key, n int) (out []results.Key) {
	if len(places) <= n {
		return places
	}
	for i := range n {
		out = append(out, places[i*(len(places)-1)/max(n-1, 1)])
	}
	return out
}

// fewest is how many rows a bin of a reliability diagram needs to be drawn: the accuracy of fewer says next to nothing.
const fewest = 10

// rank puts aggregates before cells.
func rank(k results.Key) int {
	switch {
	case k.Corruption != "":
		return 2
	case k.Severity > 0:
		return 1
	}
	return 0
}

// diagram is the reliability diagram of models at one place, and how many bins it leaves out.
func (b *builder) diagram(at results.Key, of map[int]results.Diagram) (f *chart.Plot, few int) {
	f = &chart.Plot{
		Title: diagramName(at), Width: 275, Height: 262, Diagonal: true, NoLegend: true,
		X: chart.Axis{Label: "Confidence", Percent: true, Fixed: true, Max: 1},
		Y: chart.Axis{Label: "Accuracy", Percent: true, Fixed: true, Max: 1},
	}
	f.Desc = "Reliability diagram: accuracy against mean confidence."
	for i, s := range b.few(chart.Colors) {
		d, ok := of[i]
		line := chart.Series{Name: s.Name, Color: s.Color}
		if ok {
			gap, n := score.Gap(d.Bins)
			f.Desc += fmt.Sprintf(" %s: n = %s in %d bins, mean gap %s %%.", s.Name, thousands(n), len(d.Bins), fixed(100*gap, 1))
		}
		for _, bin := range d.Bins {
			switch {
			case bin.N == 0:
				continue
			case bin.N < fewest:
				few++
				continue
			}
			line.X, line.Y = append(line.X, bin.Confidence), append(line.Y, bin.Accuracy)
			line.Notes = append(line.Notes, "n = "+thousands(bin.N))
			if len(b.subjects) == 1 { // those of several would hide each other
				// Wilson's interval of a fraction (1927): it does not leave [0, 1] and needs no large n.
				lo, hi := score.Wilson(bin.Accuracy, float64(bin.N))
				line.Lo, line.Hi = append(line.Lo, lo), append(line.Hi, hi)
			}
		}
		f.Series = append(f.Series, line)
	}
	return f, few
}

// diagramName says what a reliability diagram is of.
func diagramName(k results.Key) string {
	where := results.DisplayName(k.Dataset)
	if k.Corruption != "" {
		where += ", " + spell(k.Corruption)
	}
	if k.Severity > 0 {
		where += fmt.Sprintf(", severity %v", k.Severity)
	}
	if view := k.Text(); view != "" {
		where += ", " + view
	}
	return where
}
