package report

import (
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
	const skipped = "without the last bin"
	var cols []col
	for _, set := range sets {
		_, form := results.SplitForm(set)
		for _, m := range []string{
			results.RMSCalibration, skipped, results.MADCalibration, results.ECE, results.MaxCalibration, results.Brier, results.BrierBinary, results.BrierRefinement, results.NLL, results.AURRA,
			results.SoftF1, results.Temperature,
		} {
			c := results.Cell{Dataset: set, Metric: m}
			if m == skipped {
				c.Metric, c.SkipLast = results.RMSCalibration, true
			}
			head := map[string]string{
				results.RMSCalibration: "RMS", results.MADCalibration: "MAD", results.MaxCalibration: "Max",
				results.Brier: "Brier", results.BrierBinary: "Brier, binary", results.BrierRefinement: "Refinement",
			}[m]
			if head == "" {
				head = label(c)
			}
			cols = append(cols, metricCol(head+" "+formName(form), c))
		}
	}
	diagrams, err := b.diagrams(base)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(cols, func(c col) bool { return b.has(c.cell) }) && len(diagrams) == 0 {
		b.notes = append(b.notes, "Calibration of "+results.DisplayName(base)+": no rows of calibration errors or reliability bins.")
		return nil
	}
	s := b.section(2, "Calibration"+name)
	b.calibrationCurves(s, base)
	if t := b.grid("Calibration and proper scores"+name, cols, b.subjects); len(t.Columns) > 0 {
		t.Caption = "RMS and MAD: adaptive bins of 100; ECE and Max: 15 bins of equal width; on corrupted sets the " +
			"mean over corruptions and severities. " + statistics(t.Rows)
		s.Blocks = append(s.Blocks, Block{Table: t})
	}
	if len(diagrams) == 0 {
		b.notes = append(
			b.notes,
			fmt.Sprintf("Reliability diagrams of %s: no %s rows.", results.DisplayName(base), results.BinAccuracy),
		)
	}
	for _, f := range diagrams {
		s.Blocks = append(s.Blocks, Block{Figure: f})
	}
	return nil
}

// calibrationCurves draws the calibration error against severity, unless it stands beside the error already.
func (b *builder) calibrationCurves(s *Section, base string) {
	set := dataset(base, results.SuffixC)
	p := score.Benchmark(set)
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
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.id(plot.Title), Caption: plot.Desc, Chart: plot, Half: true}})
	}
}

// maxDiagrams bounds the reliability diagrams of a model; single cells have one each.
const maxDiagrams = 8

// diagrams makes the reliability diagrams of the data set and its forms, without those of single corruptions and
// severities where there are many.
func (b *builder) diagrams(base string) ([]*Figure, error) {
	var out []*Figure
	for _, s := range b.subjects {
		var rows []results.Located
		for _, r := range s.run.Rows {
			if r.Model == s.Model && r.Origin == results.Measured && results.Base(r.Dataset) == base {
				rows = append(rows, r)
				if r.Metric == results.BinAccuracy || r.Metric == results.BinConfidence {
					b.used[score.Place(results.ByCell(&r.Row))] = true
				}
			}
		}
		all, err := results.Reliability(rows)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(all, func(x, y results.Diagram) int { return rank(x.Key) - rank(y.Key) })
		if n := len(all); n > maxDiagrams {
			all = all[:maxDiagrams]
			b.notes = append(b.notes, fmt.Sprintf("Reliability diagrams of %s: the first %d of %d.", s.Name, maxDiagrams, n))
		}
		for _, d := range all {
			out = append(out, b.diagram(s, d))
		}
	}
	return out, nil
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

func (b *builder) diagram(s *Subject, d results.Diagram) *Figure {
	where := results.DisplayName(d.Key.Dataset)
	if d.Key.Corruption != "" {
		where += ", " + spell(d.Key.Corruption)
	}
	if d.Key.Severity > 0 {
		where += fmt.Sprintf(", severity %d", d.Key.Severity)
	}
	if view := d.Key.Text(); view != "" {
		where += ", " + view
	}
	line := chart.Series{Name: s.Name, Color: s.Color}
	gap, n := score.Gap(d.Bins)
	few := 0
	for _, bin := range d.Bins {
		if bin.N == 0 {
			continue
		}
		if bin.N < fewest {
			few++
			continue
		}
		// Wilson's interval of a fraction (1927): it does not leave [0, 1] and needs no large n.
		lo, hi := score.Wilson(bin.Accuracy, float64(bin.N))
		line.X, line.Y = append(line.X, bin.Confidence), append(line.Y, bin.Accuracy)
		line.Lo, line.Hi = append(line.Lo, lo), append(line.Hi, hi)
		line.Notes = append(line.Notes, "n = "+thousands(bin.N))
	}
	f := &chart.Plot{
		Title: s.Name + ", " + where, Width: 300, Height: 300, Diagonal: true, Series: []chart.Series{line},
		X: chart.Axis{Label: "Confidence", Percent: true, Fixed: true, Max: 1},
		Y: chart.Axis{Label: "Accuracy", Percent: true, Fixed: true, Max: 1},
	}
	f.Desc = fmt.Sprintf("Reliability diagram: accuracy against mean confidence in %d bins.", len(d.Bins))
	caption := fmt.Sprintf("n = %s in %d bins, mean gap %s %%; whiskers: Wilson's 95 %% intervals.", thousands(n),
		len(d.Bins), fixed(100*gap, 1))
	if few > 0 {
		caption += fmt.Sprintf(" %d bins of fewer than %d are not drawn.", few, fewest)
	}
	return &Figure{ID: b.id("reliability " + f.Title), Caption: caption, Chart: f, Small: true}
}
