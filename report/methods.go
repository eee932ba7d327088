package report

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// maxMethods bounds the models of a figure that has a row for each.
const maxMethods = 24

// normalized shows, of every model, the clean error and what the -C form makes of it: mCE and relative mCE (ImageNet-C, figures 2
// and 4), and the CEs of the noises (figure 3).
func (b *builder) normalized(s *Section, set string, p *metrics.Profile) {
	panels := &chart.Panels{Title: "Error, mCE and relative mCE on " + results.DisplayName(set), Heads: true, Columns: 3}
	cells := []results.Cell{
		{Dataset: results.Base(set), Metric: results.Top1Error},
		{Dataset: set, Metric: results.MeanCE},
		{Dataset: set, Metric: results.RelativeMeanCE},
	}
	for _, c := range cells {
		if !b.has(c) {
			continue
		}
		one := b.across(label(c)+", "+results.DisplayName(c.Dataset), 275)
		one.Y.Label = label(c)
		one.Series = []chart.Series{b.bar(one.Title, c)}
		one.Desc = one.Title + ", in percent; lower is better."
		panels.Charts = append(panels.Charts, one)
	}
	if len(panels.Charts) == 3 {
		panels.Desc = "A model may err less on clean images and lose no less by corruption: mCE is of the error under corruption, relative mCE of " +
			"what corruption adds, both divided by AlexNet's. After figures 2 and 4 of the ImageNet-C paper." + b.left(maxMethods) +
			scalesOf(b.few(maxMethods), cells...)
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "mce"), Caption: panels.Desc, Chart: panels}})
	}
	var noises []string
	for _, c := range p.Corruptions {
		if c.Group == metrics.Noise && !c.Extra && b.has(results.Cell{Dataset: set, Corruption: c.Name, Metric: results.CE}) {
			noises = append(noises, c.Name)
		}
	}
	plot := b.byName("CE of noises on "+results.DisplayName(set), "CE", noises, b.few(chart.Colors), func(name string) results.Cell {
		return results.Cell{Dataset: set, Corruption: name, Metric: results.CE}
	})
	if plot != nil {
		cells = nil
		for _, name := range noises {
			cells = append(cells, results.Cell{Dataset: set, Corruption: name, Metric: results.CE})
		}
		plot.Desc = "Corruption error of the noises. After figure 3 of the ImageNet-C paper." + b.left(chart.Colors) +
			scalesOf(b.few(chart.Colors), cells...)
		s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "noise ce"), Caption: plot.Desc, Chart: spread(plot)}})
	}
}

// methods compares all models in one number each: the error under corruption beside the clean one (AugMix, figure 5),
// and consistency beside calibration (AugMix, figure 6).
func (b *builder) methods(s *Section, base, name string) {
	if f := b.excess(base); f != nil {
		s.Blocks = append(s.Blocks, Block{Figure: f})
	}
	if f := b.reliable(base, name); f != nil {
		s.Blocks = append(s.Blocks, Block{Figure: f})
	}
}

// bar makes a series of one bar for each of the first models, in their colors.
func (b *builder) bar(label string, cell results.Cell) chart.Series {
	s := chart.Series{Name: label}
	for i, q := range b.few(maxMethods) {
		one := series(q, i, 1, func(int) results.Cell { return cell })
		s.Y, s.Lo, s.Hi = append(s.Y, one.Y...), append(s.Lo, one.Lo...), append(s.Hi, one.Hi...)
		s.Notes, s.Colors = append(s.Notes, one.Notes...), append(s.Colors, i)
	}
	return s
}

// across is a plot with a row for each of the first models.
func (b *builder) across(title string, width float64) *chart.Plot {
	p := &chart.Plot{Title: title, Kind: chart.Bars, Across: true, Values: true, Width: width}
	p.Y.Percent = true
	for _, q := range b.few(maxMethods) {
		p.X.Categories = append(p.X.Categories, q.Name)
	}
	return p
}

// excess is the error on the -C form of every model as a bar, with the clean error drawn across it.
func (b *builder) excess(base string) *Figure {
	set := dataset(base, results.SuffixC)
	clean := results.Cell{Dataset: base, Metric: results.Top1Error}
	under := results.Cell{Dataset: set, Metric: results.Top1Error}
	if !b.has(under) || !b.has(clean) {
		lacks := results.DisplayName(set)
		if b.has(under) {
			lacks = results.DisplayName(base)
		}
		b.notes = append(b.notes, "Error under corruption beside the clean error: no error on "+lacks+".")
		return nil
	}
	p := b.across("Error on "+results.DisplayName(set)+" of every model", pageWidth)
	p.Y.Label = "Error"
	line := b.bar("Error on "+results.DisplayName(base)+" (clean)", clean)
	line.Tick, line.Lo, line.Hi = true, nil, nil
	p.Series = []chart.Series{b.bar("Error on "+results.DisplayName(set), under), line}
	p.Desc = "Top-1 error, mean over corruptions and severities, as a bar; the line across it is the clean error, and " +
		"in brackets stands how far the bar goes beyond it. After figure 5 of the AugMix paper." + whiskers(p.Series[:1]) +
		b.left(maxMethods)
	return &Figure{ID: b.figure(set, "methods"), Caption: p.Desc, Chart: alone(p, 0)}
}

// alone makes a figure of one chart whose legend flows and which shrinks with the page, down to a width.
func alone(p *chart.Plot, least float64) *chart.Panels {
	p.NoLegend = true
	return &chart.Panels{Title: p.Title, Desc: p.Desc, Charts: []chart.Figure{p}, Columns: 1, Least: least}
}

// whiskers says what the whiskers of series are, if they have any.
func whiskers(list []chart.Series) string {
	for i := range list {
		for j := range list[i].Y {
			if _, _, ok := list[i].Interval(j); ok {
				return " Whiskers are intervals."
			}
		}
	}
	return ""
}

// reliable is two charts of bars: how often predictions flip, and how far confidences are off under corruption.
func (b *builder) reliable(base, name string) *Figure {
	c, p := dataset(base, results.SuffixC), dataset(base, results.SuffixP)
	flips := results.Cell{Dataset: p, Metric: results.FlipProbability}
	what, axis := "flip probability", "mFP"
	if base == "imagenet" {
		flips.Metric, what, axis = results.MeanFlipRate, "flip rate", "mFR"
	}
	panels := &chart.Panels{Heads: true}
	var parts []string
	var cells []results.Cell
	for _, x := range []struct {
		title, label, what string
		cell               results.Cell
	}{
		{"Mean " + what + ", " + results.DisplayName(p), axis, "prediction consistency", flips},
		{
			"RMS calibration error, " + results.DisplayName(c), "RMS calibration error", "calibration",
			results.Cell{Dataset: c, Metric: results.RMSCalibration},
		},
	} {
		if !b.has(x.cell) {
			b.notes = append(b.notes, fmt.Sprintf("Bars of %s%s: no %s on %s.", x.what, name, label(x.cell),
				results.DisplayName(x.cell.Dataset)+b.atOthers(x.cell)))
			continue
		}
		parts, cells = append(parts, x.what), append(cells, x.cell)
		one := b.across(x.title, halfWidth)
		one.Y.Label = x.label
		one.Series = []chart.Series{b.bar(x.title, x.cell)}
		one.Desc = x.title + ", in percent; lower is better."
		panels.Charts = append(panels.Charts, one)
	}
	if len(panels.Charts) == 0 {
		return nil
	}
	var all []chart.Series
	var said []string
	for _, f := range panels.Charts {
		plot := f.(*chart.Plot)
		all = append(all, plot.Series...)
		said = append(said, plot.Title)
	}
	title := strings.Join(parts, " and ")
	panels.Title = strings.ToUpper(title[:1]) + title[1:] + name
	caption := "Lower is better. After figure 6 of the AugMix paper." + whiskers(all) + b.left(maxMethods) +
		scalesOf(b.few(maxMethods), cells...)
	panels.Desc = strings.Join(said, ". ") + ". " + caption
	return &Figure{ID: b.figure(append([]string{base}, parts...)...), Caption: caption, Chart: panels}
}

// bySeverity returns where a metric lies at each severity of a form, 0 being clean images.
func bySeverity(set, metric string) func(sev int) results.Cell {
	return func(sev int) results.Cell {
		if sev == 0 {
			return results.Cell{Dataset: results.Base(set), Metric: metric}
		}
		return results.Cell{Dataset: set, Severity: float64(sev), Metric: metric}
	}
}

// steadiness puts the calibration error against severity beside the error (AugMix, figure 7; the first half is PixMix's
// figure 5), nil where it was not measured.
func (b *builder) steadiness(set string, curve *chart.Plot, severities int) *Figure {
	at := bySeverity(set, results.RMSCalibration)
	if !b.hasSeverity(at, severities) {
		return nil
	}
	rms := b.calibrationCurve(set, severities)
	rms.NoLegend, curve.NoLegend = true, true
	rms.Title, curve.Title = "RMS calibration error, "+results.DisplayName(set), "Error, "+results.DisplayName(set)
	_, a, _ := rms.Range()
	_, z, _ := curve.Range()
	for _, half := range []*chart.Plot{rms, curve} { // on one scale, so that what is steady looks it
		half.Y.Fixed, half.Y.Min, half.Y.Max = true, 0, max(a, z)
	}
	p := &chart.Panels{
		Title: "Calibration and error on " + results.DisplayName(set) + " against severity", Heads: true,
		Charts: []chart.Figure{rms, curve},
	}
	p.Desc = "RMS calibration error and top-1 error, means over corruptions, against severity, on one scale. A model " +
		"that knows how often it errs stays calibrated while its error grows. After figure 7 of the AugMix paper; the " +
		"first part is figure 5 of the PixMix paper." + b.left(chart.Colors) + scalesOf(b.few(chart.Colors), at(0), at(severities))
	if at := bySeverity(set, results.Brier); b.hasSeverity(at, severities) {
		brier := b.curves("Brier score, "+results.DisplayName(set), "Brier score", at, severities)
		brier.Y.Percent, brier.NoLegend = false, true
		brier.Desc = "Brier score of all classes, 0 to 2, mean over corruptions, against severity."
		p.Charts = append(p.Charts, brier)
		p.Desc += " The Brier score has a scale of its own."
	}
	return &Figure{ID: b.figure(set, "severity"), Caption: p.Desc, Chart: p}
}

// calibrationCurve is the calibration error against severity.
func (b *builder) calibrationCurve(set string, severities int) *chart.Plot {
	p := b.curves("RMS calibration error on "+results.DisplayName(set)+" against severity", "RMS calibration error",
		bySeverity(set, results.RMSCalibration), severities)
	p.Desc = "RMS calibration error, mean over corruptions, against severity (after figure 5 of the PixMix paper). " +
		"A well calibrated model stays low as images get worse." + b.left(chart.Colors) +
		scalesOf(b.few(chart.Colors), bySeverity(set, results.RMSCalibration)(severities))
	return p
}

// hasSeverity reports whether a cell of any severity but 0 was measured.
func (b *builder) hasSeverity(cell func(int) results.Cell, severities int) bool {
	for sev := 1; sev <= severities; sev++ {
		if b.has(cell(sev)) {
			return true
		}
	}
	return false
}

// curves is a plot of a metric against severity.
func (b *builder) curves(title, label string, cell func(int) results.Cell, severities int) *chart.Plot {
	p := &chart.Plot{
		Title: title, Width: halfWidth, Height: 300,
		X: chart.Axis{Label: "Severity (0: clean)"}, Y: chart.Axis{Label: label, Percent: true, Zero: true},
	}
	for sev := range severities + 1 {
		p.X.Categories = append(p.X.Categories, fmt.Sprint(sev))
		b.used[cell(sev)] = true
	}
	for i, q := range b.few(chart.Colors) {
		p.Series = append(p.Series, series(q, i, severities+1, cell))
	}
	return p
}
