package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

func (b *builder) sections() error {
	bases := b.bases()
	for _, base := range bases {
		if err := b.base(base, len(bases) > 1); err != nil {
			return err
		}
	}
	b.unmapped()
	b.examples()
	b.others()
	b.provenance()
	b.intro()
	return nil
}

// base writes the sections of one data set and its forms.
func (b *builder) base(base string, several bool) error {
	name := ""
	if several {
		name = ": " + results.DisplayName(base)
	}
	b.overview(base, name)
	if err := b.differences(base, name); err != nil {
		return err
	}
	b.papers(base, name)
	for _, form := range []string{results.SuffixC, results.SuffixCBar} {
		b.corruptions(dataset(base, form))
	}
	if err := b.calibration(base, name); err != nil {
		return err
	}
	b.perturbations(dataset(base, results.SuffixP))
	b.fourier(base, name)
	b.anomalies(base, name)
	return nil
}

// dataset puts a form's suffix where it belongs: "imagenet-64" and "-c" are "imagenet-c-64".
func dataset(base, suffix string) string {
	for _, size := range []string{"-299", "-64"} {
		if rest, ok := strings.CutSuffix(base, size); ok && rest == "imagenet" {
			return rest + suffix + size
		}
	}
	return base + suffix
}

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
	t := b.grid("Safety measures"+name, cols, b.subjects)
	if len(t.Rows) == 0 {
		return
	}
	s := b.section(2, "Overview"+name)
	t.Caption = "The measures of the PixMix paper, as far as they were measured. " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
	b.methods(s, base, name)
	b.radar(s, base, name)
}

// radar shows five safety measures (PixMix, figure 1).
func (b *builder) radar(s *Section, base, name string) {
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
			b.notes = append(b.notes, fmt.Sprintf("%s (%s)%s: not measured, so not among the axes of the safety measures.",
				f.label, c.long(), name))
			continue
		}
		axes, cols = append(axes, m), append(cols, c)
	}
	if len(axes) < 3 {
		return
	}
	shown := b.few(chart.Colors)
	for _, p := range b.paper {
		if (p.Model == "Baseline, WRN-40-4" || p.Model == "PixMix, WRN-40-4" || strings.HasSuffix(p.Model, ", ResNet-50")) &&
			p.count(cols) >= max(len(cols)-1, 3) && len(shown) < chart.Colors {
			shown = append(shown, p)
		}
	}
	var series []chart.RadarSeries
	for i, q := range shown {
		r := chart.RadarSeries{Name: q.label(), Published: q.Origin == results.Published, Color: i}
		for _, c := range cols {
			n := q.Get(c.cell)
			r.Values = append(r.Values, n.Value)
		}
		series = append(series, r)
	}
	var parts []string
	for i, c := range cols {
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, r := range series {
			if !math.IsNaN(r.Values[i]) {
				lo, hi = min(lo, r.Values[i]), max(hi, r.Values[i])
			}
		}
		t := chart.Ticks(lo, hi, 3)
		axes[i].Worst, axes[i].Best = t[len(t)-1], t[0]
		if c.Better > 0 {
			axes[i].Worst, axes[i].Best = t[0], t[len(t)-1]
		}
		parts = append(parts, axes[i].Name+": "+c.long())
	}
	dashed := ""
	if slices.ContainsFunc(series, func(s chart.RadarSeries) bool { return s.Published }) {
		dashed = " Dashed: published."
	}
	caption := "Better is up. Every axis has its own scale, whose ends are printed and are not zero in general. " +
		strings.Join(parts, "; ") + ". After figure 1 of the PixMix paper." + dashed + b.left(chart.Colors)
	title := "Five safety measures" + name
	s.Blocks = append(s.Blocks,
		Block{Figure: &Figure{ID: b.id(title + " parallel"), Caption: caption, Chart: &chart.Radar{
			Title: title, Desc: caption, Measures: axes, Series: series, Parallel: true, Width: 610,
		}, Half: true}},
		Block{Figure: &Figure{
			ID: b.id(title + " radar"), Caption: "The same numbers on the same scales; better is outside.", Half: true,
			Chart: &chart.Radar{
				Title: title + ", radar", Desc: caption, Measures: axes, Series: series, Width: 430,
			},
		}})
}

func (s *Subject) count(cols []*col) (n int) {
	for _, c := range cols {
		if v := s.Get(c.cell); v.Has() {
			n++
		}
	}
	return n
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

// papers writes the papers' tables that have a column which was measured.
func (b *builder) papers(base, name string) {
	type table struct {
		source string
		title  string
		cols   []col
		number string
	}
	var tables []*table
	at := map[string]*table{}
	for _, e := range published.All() {
		// AlexNet's figures by severity stand beside the corruptions below.
		if e.Table == "authors" || e.Table == "assembled-cnn" || results.Base(e.Dataset) == "" {
			continue
		}
		t := at[e.Source()]
		if t == nil {
			t = &table{source: e.Source(), title: published.Title(e.Paper), number: e.Table}
			at[e.Source()] = t
			tables = append(tables, t)
		}
		r := e.Row()
		c := score.Place(results.ByCell(&r))
		if !slices.ContainsFunc(t.cols, func(have col) bool { return have.cell == c }) {
			t.cols = append(t.cols, metricCol("", c))
		}
	}
	var sec *Section
	for _, t := range tables {
		ours := slices.ContainsFunc(t.cols, func(c col) bool { return results.Base(c.cell.Dataset) == base && b.has(c.cell) })
		if !ours {
			continue
		}
		cols := slices.DeleteFunc(slices.Clone(t.cols), func(c col) bool {
			return results.Base(c.cell.Dataset) != base && !b.has(c.cell)
		})
		several := slices.ContainsFunc(cols, func(c col) bool {
			return results.Base(c.cell.Dataset) != results.Base(cols[0].cell.Dataset)
		})
		for i := range cols {
			cols[i].Head = paperHead(cols[i].cell, several)
		}
		var rows []*Subject
		for _, p := range b.paper {
			if p.Source == t.source {
				rows = append(rows, p)
			}
		}
		rows = append(rows, b.subjects...)
		g := b.grid(strings.ToUpper(t.source[:1])+t.source[1:]+name, cols, rows)
		g.Source = t.source
		g.Caption = fmt.Sprintf("%s, beside what was measured. %s", t.title, statistics(g.Rows))
		g.Fold = slices.Contains([]string{"4", "5", "14"}, t.number) && strings.HasPrefix(t.source, "PixMix")
		if t.number == "" {
			g.Caption += " Which of the paper's tables prints these is not recorded."
		}
		for _, p := range rows {
			for c, e := range p.notes {
				if e.Note = remark(e.Note); e.Note != "" && slices.ContainsFunc(cols, func(k col) bool { return k.cell == c }) {
					g.Caption += "\x00" + e.Model() + ", " + results.Metric(e.Metric).Label + ": " + e.Note
				}
			}
		}
		g.Caption = footnotes(g.Caption)
		if sec == nil {
			sec = b.section(2, "Beside the published numbers"+name,
				"Published rows are as the papers print them, measured ones from the runs. Papers train and test under their "+
					"own settings: a difference to a published row is not only the method's. Numbers of a paper that are not "+
					"in this program's tables are not shown; \"augmix list published\" prints what there is.")
		}
		sec.Blocks = append(sec.Blocks, Block{Table: g})
	}
}

// remark is a note without what the title of the table says already.
func remark(note string) string {
	for _, known := range []string{"table not known", "README of the code"} {
		note = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(note, known), "; "), ": ")
	}
	return note
}

// footnotes sorts and joins the notes that follow a caption. A remark on one number names it, the same on several is
// said once.
func footnotes(s string) string {
	parts := strings.Split(s, "\x00")
	about := map[string][]string{}
	for _, n := range parts[1:] {
		what, text, _ := strings.Cut(n, ": ")
		about[text] = append(about[text], what)
	}
	var notes []string
	for text, what := range about {
		if len(what) == 1 {
			text = what[0] + ": " + text
		}
		notes = append(notes, text)
	}
	slices.Sort(notes)
	if len(notes) == 0 {
		return parts[0]
	}
	return strings.TrimSpace(parts[0]) + " Notes: " + strings.Join(notes, "; ") + "."
}

// paperHead is the head of a column of a paper's table.
func paperHead(c results.Cell, several bool) string {
	set := results.DisplayName(c.Dataset)
	_, form := results.SplitForm(c.Dataset)
	switch {
	case c.Corruption != "":
		head := shortName(c.Corruption)
		if c.Metric != results.Top1Error {
			head += " " + label(c)
		}
		return head
	case c.Metric == results.AUROC || c.Metric == results.AUPR:
		if c.OOD != "" {
			return strings.ToUpper(c.OOD[:1]) + c.OOD[1:] + " " + label(c)
		}
		return label(c)
	case c.View == results.View{Attack: results.AttackPGD}:
		return "PGD error"
	case c.View != results.View{}:
		return c.Text() + " " + strings.ToLower(label(c))
	case c.Metric == results.FlipProbability:
		return "mFP"
	case c.Metric == results.Top5Distance:
		return "T5D"
	case c.Metric == results.RMSCalibration:
		return strings.TrimSpace("RMS " + formName(form))
	case c.Metric == results.Top1Error && several:
		return set + " error"
	case c.Metric == results.Top1Error && form == "":
		return "Clean error"
	case c.Metric == results.Top1Error:
		return formName(form) + " error"
	}
	return label(c)
}

func formName(form string) string {
	switch form {
	case "":
		return "clean"
	case "c-bar":
		return "C\u0304"
	}
	return strings.ToUpper(form)
}

// corruptions writes the section of a -C or C-bar set.
func (b *builder) corruptions(set string) {
	p := score.Benchmark(set)
	if p == nil {
		return
	}
	per := make([]col, 0, len(p.Corruptions)+1)
	for _, c := range p.Corruptions {
		per = append(
			per,
			metricCol(shortName(c.Name), results.Cell{Dataset: set, Corruption: c.Name, Metric: results.Top1Error}),
		)
	}
	mean := metricCol("Mean", results.Cell{Dataset: set, Metric: results.Top1Error})
	if !slices.ContainsFunc(append(per, mean), func(c col) bool { return b.has(c.cell) }) {
		return
	}
	s := b.section(2, results.DisplayName(set)+" by corruption and severity")
	b.corruptionBars(s, set, p)
	t := b.grid("Error on "+results.DisplayName(set)+" by corruption", append(per, mean), b.withPaper(per, 2))
	t.Caption = "Top-1 error, mean over severities. Mean is over the " + fmt.Sprint(len(p.Primary())) +
		" corruptions of the benchmark, without the extra ones. " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
	b.ceTable(s, set, p)
	b.severities(s, set, p)
	b.heat(s, set, p)
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
	plot.Desc = "Top-1 error of every corruption, mean over severities" + dashedNote(plot) + "." + whiskers(plot.Series) +
		" After figure 12 of the AugMix paper." + b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.id(plot.Title), Caption: plot.Desc, Chart: spread(plot)}})
}

// spread is the figure of a plot of byName.
func spread(p *chart.Plot) chart.Figure {
	if p.Across {
		return alone(p, 520)
	}
	return p
}

// mostBars is how many bars a corruption has at most: of more series there are points, with a row for each corruption.
const mostBars = 4

// byName is a plot of a number for each corruption and model, nil without corruptions.
func (b *builder) byName(
	title, label string, names []string, shown []*Subject, cell func(name string) results.Cell,
) *chart.Plot {
	if len(names) == 0 {
		return nil
	}
	plot := &chart.Plot{Title: title, Kind: chart.Bars, Width: 960, Height: 380}
	plot.Y.Label, plot.Y.Percent = label, true
	if len(shown) > mostBars {
		plot.Kind, plot.Across, plot.Width, plot.Y.Zero = chart.Points, true, 700, true
	}
	for _, name := range names {
		if plot.Across {
			plot.X.Categories = append(plot.X.Categories, spell(name))
		} else {
			plot.X.Categories = append(plot.X.Categories, shortName(name))
		}
	}
	for i, q := range shown {
		plot.Series = append(plot.Series, series(q, i, len(names), func(j int) results.Cell { return cell(names[j]) }))
	}
	return plot
}

// left says how many measured models a figure does not show.
func (b *builder) left(n int) string {
	if more := len(b.subjects) - n; more > 0 {
		return fmt.Sprintf(" The first %d of %d models; the table has all.", n, len(b.subjects))
	}
	return ""
}

func dashedNote(p *chart.Plot) string {
	if !slices.ContainsFunc(p.Series, func(s chart.Series) bool { return s.Published }) {
		return ""
	}
	if p.Kind == chart.Points {
		return "; hollow: published"
	}
	return "; pale and dashed: published"
}

// series makes a line of a figure from n cells of a subject.
func series(q *Subject, color, n int, cell func(i int) results.Cell) chart.Series {
	s := chart.Series{Name: q.label(), Published: q.Origin == results.Published, Color: color}
	for i := range n {
		v := q.Get(cell(i))
		lo, hi := math.NaN(), math.NaN()
		if v.Has() && v.Level > 0 {
			lo, hi = v.Lo, v.Hi
		}
		if !v.Has() {
			v.Value = math.NaN()
		}
		note := ""
		if v.N > 0 {
			note = "n = " + thousands(v.N)
		}
		s.Y, s.Lo, s.Hi, s.Notes = append(s.Y, v.Value), append(s.Lo, lo), append(s.Hi, hi), append(s.Notes, note)
	}
	return s
}

// ceTable is the table of normalized errors, where AlexNet's figures mean something.
func (b *builder) ceTable(s *Section, set string, p *metrics.Profile) {
	cols := []col{
		metricCol("mCE", results.Cell{Dataset: set, Metric: results.MeanCE}),
		metricCol("Rel. mCE", results.Cell{Dataset: set, Metric: results.RelativeMeanCE}),
	}
	for _, c := range p.Primary() {
		cols = append(cols, metricCol(shortName(c), results.Cell{Dataset: set, Corruption: c, Metric: results.CE}))
	}
	t := b.grid("Corruption error (CE) on "+results.DisplayName(set), cols, b.withPaper(cols[:1], 1))
	if !slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Origin == results.Measured }) {
		return
	}
	t.Caption = "Errors summed over severities and divided by AlexNet's (ImageNet-C, section 4). " + statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
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
		b.notes = append(b.notes, results.DisplayName(set)+": no errors by severity, so no severity curves.")
		return
	}
	if have {
		b.severityCurves(s, set, p, at)
	}
	b.groupBars(s, set)
	b.small(s, set, p, at)
	t := b.grid("Error on "+results.DisplayName(set)+" by severity and group", cols, b.subjects)
	t.Caption = "Means over the primary corruptions at one severity, and over those of a group at all severities. " +
		statistics(t.Rows)
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// severityCurves draws the error against severity, beside the calibration error if that was measured.
func (b *builder) severityCurves(s *Section, set string, p *metrics.Profile, at func(sev int) results.Cell) {
	curve := b.curves("Error on "+results.DisplayName(set)+" against severity", "Error", at, p.Severities)
	curve.Desc = "Top-1 error, mean over the " + fmt.Sprint(len(p.Primary())) + " corruptions, against severity." +
		b.left(chart.Colors)
	f := b.steadiness(set, curve, p.Severities)
	if f == nil {
		f = &Figure{ID: b.id(curve.Title), Caption: curve.Desc, Chart: curve, Half: true}
	}
	s.Blocks = append(s.Blocks, Block{Figure: f})
}

// groupBars shows the means of the four groups.
func (b *builder) groupBars(s *Section, set string) {
	plot := &chart.Plot{
		Title: "Error on " + results.DisplayName(set) + " by group", Kind: chart.Bars, Width: 540, Height: 320,
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
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.id(plot.Title), Caption: plot.Desc, Chart: plot, Half: true}})
}

// small is a severity curve for every corruption.
func (b *builder) small(s *Section, set string, p *metrics.Profile, clean func(int) results.Cell) {
	fold := "Severity curves of every corruption"
	top := 0.0
	var figures []*chart.Plot
	for _, c := range p.Corruptions {
		plot := &chart.Plot{
			Title: spell(c.Name), Width: 300, Height: 190, NoLegend: true,
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
			ID: b.id("severity " + plot.Title), Chart: plot, Small: true, Fold: fold,
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
			row := make([]float64, p.Severities)
			have := false
			for sev := range row {
				cell := results.Cell{Dataset: set, Corruption: c.Name, Severity: sev + 1, Metric: results.Top1Error}
				n := q.Get(cell)
				row[sev] = math.NaN()
				if n.Has() {
					row[sev], have = n.Value, true
				}
				b.used[cell] = true
			}
			if have {
				any = true
				h.Rows, h.Values = append(h.Rows, spell(c.Name)), append(h.Values, row)
			}
		}
		if any {
			h.Desc = "Top-1 error in percent for every corruption and severity."
			s.Blocks = append(s.Blocks, Block{Figure: &Figure{
				ID: b.id(h.Title), Caption: "Percent; the colours run from 0 to 100 %.", Chart: h, Small: true,
				Fold: "Heat maps of every cell",
			}})
		}
	}
}

// perturbations writes the section of a -P set.
func (b *builder) perturbations(set string) {
	p := score.Benchmark(set)
	if p == nil || p.Kind != metrics.PerturbationKind {
		return
	}
	var sec *Section
	for _, m := range []struct{ metric, mean, title string }{
		{results.FlipProbability, "mFP", "Flip probability"},
		{results.FlipRate, "", "Flip rate"},
		{results.Top5Distance, "Mean", "Top-5 distance"},
		{results.ZipfDistance, "Mean", "Zipf distance"},
	} {
		var cols []col
		for _, c := range p.Corruptions {
			cols = append(cols, metricCol(shortName(c.Name), results.Cell{Dataset: set, Corruption: c.Name, Metric: m.metric}))
		}
		if m.metric == results.FlipRate {
			cols = append(cols, metricCol("mFR", results.Cell{Dataset: set, Metric: results.MeanFlipRate}))
		} else {
			cols = append(cols, metricCol(m.mean, results.Cell{Dataset: set, Metric: m.metric}))
		}
		if !slices.ContainsFunc(cols, func(c col) bool { return b.has(c.cell) }) {
			continue
		}
		if sec == nil {
			sec = b.section(2, results.DisplayName(set)+" by perturbation")
		}
		if m.metric == results.FlipProbability {
			b.flipBars(sec, set, p)
		}
		t := b.grid(m.title+" on "+results.DisplayName(set), cols, b.withPaper(cols[:len(p.Primary())], 2))
		t.Caption = m.title + " by perturbation, difficulty 1; the mean is over the " + fmt.Sprint(len(p.Primary())) +
			" perturbations of the benchmark. " + statistics(t.Rows)
		sec.Blocks = append(sec.Blocks, Block{Table: t})
	}
}

func (b *builder) flipBars(s *Section, set string, p *metrics.Profile) {
	var names []string
	for _, c := range p.Corruptions {
		if b.has(results.Cell{Dataset: set, Corruption: c.Name, Metric: results.FlipProbability}) {
			names = append(names, c.Name)
		}
	}
	plot := b.byName("Flip probability on "+results.DisplayName(set), "Flip probability", names, b.few(chart.Colors),
		func(name string) results.Cell {
			return results.Cell{Dataset: set, Corruption: name, Metric: results.FlipProbability}
		})
	if plot == nil {
		return
	}
	plot.Desc = "How often the prediction changes from frame to frame, difficulty 1." + whiskers(plot.Series) +
		b.left(chart.Colors)
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.id(plot.Title), Caption: plot.Desc, Chart: spread(plot)}})
}

// anomalies writes the detection of anomalous images by set.
func (b *builder) anomalies(base, name string) {
	detection := []string{results.AUROC, results.AUPR, results.FPR95}
	var sets []string
	for _, s := range b.subjects {
		for i := range s.run.Rows {
			r := &s.run.Rows[i]
			if r.Dataset == base && r.Model == s.Model && r.Origin == results.Measured && r.OOD != "" &&
				slices.Contains(detection, r.Metric) && !slices.Contains(sets, r.OOD) {
				sets = append(sets, r.OOD)
			}
		}
	}
	slices.Sort(sets)
	var sec *Section
	for _, metric := range detection {
		var cols []col
		for _, v := range append(sets, "") {
			head := v
			if v == "" {
				head = "Mean"
			}
			cols = append(cols, metricCol(head, results.Cell{Dataset: base, View: results.View{OOD: v}, Metric: metric}))
		}
		if !slices.ContainsFunc(cols[:len(sets)], func(c col) bool { return b.has(c.cell) }) {
			continue
		}
		if sec == nil {
			sec = b.section(2, "Anomaly detection"+name)
		}
		t := b.grid(results.Metric(metric).Label+" by anomalous set"+name, cols, b.subjects)
		t.Caption = "The anomalous images are the positive class; in distribution is " + results.DisplayName(base) +
			". AUPR depends on the share of anomalies. " + statistics(t.Rows)
		sec.Blocks = append(sec.Blocks, Block{Table: t})
	}
}
