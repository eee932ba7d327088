package report

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // of examples
	_ "image/png"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// coarseSide is the side up to which the pixels of an example are shown as squares.
const coarseSide = 64

// maxShots bounds the images of a report, so that the page stays a few megabytes.
const maxShots = 24

// examples shows images that flipped: the same corruptions of all runs, spread over those that they kept examples of.
func (b *builder) examples() {
	total := 0
	for _, r := range b.runs {
		total += len(r.Examples)
	}
	if total == 0 {
		b.notes = append(b.notes, "Examples that flipped: no run directory has "+results.ExamplesName+".")
		return
	}
	chosen := few(once(b.flipped()), maxShots)
	var shots []Shot
	for _, f := range chosen {
		shots = append(shots, b.shot(f))
	}
	count := fmt.Sprintf("%d of the %d examples", len(shots), total)
	switch {
	case total == 1:
		count = "the one example"
	case len(shots) == total:
		count = fmt.Sprintf("the %d examples", total)
	}
	s := b.section(
		2,
		"Images that flipped",
		fmt.Sprintf("Images on which the prediction changed under corruption, the clean one on the left, and the "+
			"model's confidence in each prediction: %s that the runs kept. Runs choose among their most confident "+
			"mistakes; these are not a random sample. Each image is shown once.", count),
	)
	s.Blocks = append(s.Blocks, Block{Shots: shots})
}

// flipped is an example of a run.
type flipped struct {
	run     *Run
	example results.Example
}

// flipped returns the examples of all runs, those of a corruption together, in the order in which the runs have them.
func (b *builder) flipped() [][]flipped {
	var groups [][]flipped
	at := map[[2]string]int{}
	for _, r := range b.runs {
		for _, e := range r.Examples {
			key := [2]string{e.Dataset, e.Corruption}
			i, ok := at[key]
			if !ok {
				i, groups = len(groups), append(groups, nil)
				at[key] = i
			}
			groups[i] = append(groups[i], flipped{r, e})
		}
	}
	return groups
}

// once returns the groups without images that occurred before: each image of the data is shown once, whatever flipped it. The
// runs take turns at the first place.
func once(groups [][]flipped) (out [][]flipped) {
	seen := map[[2]string]bool{}
	for i, g := range groups {
		var left []flipped
		for k := range g {
			f := g[(k+i)%len(g)]
			if at := [2]string{f.example.Dataset, f.example.Key}; !seen[at] {
				seen[at] = true
				left = append(left, f)
			}
		}
		if len(left) > 0 {
			out = append(out, left)
		}
	}
	return out
}

// few returns the members of as many groups as have at most n together, evenly spread; of a single one that has more
// the first n.
func few(groups [][]flipped, n int) []flipped {
	for count := len(groups); count > 0; count-- {
		var list []flipped
		for i := range count {
			list = append(list, groups[i*len(groups)/count]...)
		}
		if len(list) <= n {
			return list
		}
		if count == 1 {
			return list[:n]
		}
	}
	return nil
}

func (b *builder) shot(f flipped) Shot {
	r, e := f.run, f.example
	s := Shot{Run: r, Example: e, CorruptionName: spell(e.Corruption)}
	var origin []string
	if len(b.subjects) > 1 {
		origin = append(origin, e.Model)
	}
	if len(b.bases()) > 1 {
		origin = append(origin, results.DisplayName(e.Dataset))
	}
	e.View.Limit = 0
	if view := e.Text(); view != "" {
		origin = append(origin, view)
	}
	s.Origin = strings.Join(append(origin, e.Key), ", ")
	var err error
	if s.Image, s.ImageType, err = r.image(e.Image); err != nil {
		s.Missing = "the image cannot be shown: " + err.Error()
	}
	if c, _, err := image.DecodeConfig(bytes.NewReader(s.Image)); err == nil {
		s.Coarse = max(c.Width, c.Height) <= coarseSide
	}
	if e.Clean != "" {
		if s.Clean, s.CleanType, err = r.image(e.Clean); err != nil {
			s.Clean = nil
		}
	}
	return s
}

// others lists the aggregates that no table above shows, so that nothing measured is left unsaid. name is what its title ends
// with.
func (b *builder) others(name string) {
	var cells []results.Cell
	single := 0
	for _, s := range b.subjects {
		for r := range s.measured() {
			if r.Metric == results.BinAccuracy || r.Metric == results.BinConfidence || classShown(r) {
				continue
			}
			c := score.Place(results.ByCell(r))
			switch {
			case b.used[c]:
			case c.Corruption != "" || c.Severity > 0 || c.Class != "":
				b.used[c] = true
				single++
			default:
				b.used[c] = true
				cells = append(cells, c)
			}
		}
	}
	if len(cells) == 0 && single == 0 {
		return
	}
	s := b.section(2, "Other measurements"+name)
	if single > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%s measurements of single corruptions, severities and classes are not repeated here; "+
			"the report as CSV has them all.", thousands(int64(single))))
	}
	if len(cells) == 0 {
		return
	}
	t := &Table{ID: b.table("other"), Title: "Other measurements", First: "Measurement", NoOrigin: true}
	for _, q := range b.subjects {
		t.Columns = append(t.Columns, Column{Head: q.Name})
	}
	for _, c := range cells {
		name := label(c) + ", " + results.DisplayName(c.Dataset)
		view := c.View
		if c.Metric == results.Agreement { // which is no difference
			view.Against = ""
			name += ", with " + c.Against
		}
		if text := view.Text(); text != "" {
			name += ", " + text
		}
		if c.Difficulty > 1 {
			name += fmt.Sprintf(", difficulty %d", c.Difficulty)
		}
		m := results.Metric(c.Metric)
		if m.Percent {
			name += " (%)"
		}
		r := Row{Name: name, Origin: results.Measured}
		for _, q := range b.subjects {
			cell := Cell{Number: q.Get(c), Digits: m.Digits}
			if m.Percent {
				cell.Number, cell.Digits = hundred(cell.Number), max(m.Digits, decimals)
			}
			r.Cells = append(r.Cells, cell)
		}
		t.Rows = append(t.Rows, r)
	}
	t.Caption = statistics(t.Rows)
	k := caveatsOf(cells, b.subjects)
	for i, c := range cells {
		for j, q := range b.subjects {
			t.Rows[i].Cells[j].Marks = k.mark(q, c)
		}
	}
	t.Notes = k.notes(true)
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// provenance says where the numbers come from and what is not there.
func (b *builder) provenance() {
	s := b.section(2, "Provenance")
	t := &Table{
		ID: b.table("runs"), Title: "Runs", First: "Run", NoOrigin: true, Caption: "What was read.",
		Columns: []Column{
			{Head: "Models", Text: true},
			{Head: "Rows", Text: true},
			{Head: "Training seed", Text: true},
			{Head: "Evaluation seed", Text: true},
			{Head: "Measured", Text: true},
			{Head: "Versions", Text: true},
			{Head: "Records", Text: true},
		},
	}
	for _, r := range b.runs {
		t.Rows = append(t.Rows, runRow(r))
	}
	s.Blocks = append(s.Blocks, Block{Table: t})
	for _, r := range b.runs {
		if r.Args != "" {
			s.Blocks = append(s.Blocks, Block{Source: &Source{"Options of " + r.Name + " (args.yaml)", r.Args}})
		}
	}
	slices.Sort(b.notes)
	if notes := slices.Compact(b.notes); len(notes) > 0 {
		b.section(3, "What is not here", notes...)
	}
	var sources []string
	for _, p := range published.Papers() {
		sources = append(sources, published.Title(p)+".")
	}
	b.section(3, "Papers", sources...)
}

func runRow(r *Run) Row {
	var models, seeds, versions []string
	first, last := "", ""
	for i := range r.Rows {
		row := &r.Rows[i]
		if !slices.Contains(models, row.Model) {
			models = append(models, row.Model)
		}
		if row.Seed != nil && !slices.Contains(seeds, fmt.Sprint(*row.Seed)) {
			seeds = append(seeds, fmt.Sprint(*row.Seed))
		}
		for k, v := range row.Versions {
			if text := k + " " + v; !slices.Contains(versions, text) {
				versions = append(versions, text)
			}
		}
		if !row.Time.IsZero() {
			day := row.Time.UTC().Format("2006-01-02 15:04")
			if first == "" || day < first {
				first = day
			}
			last = max(last, day)
		}
	}
	slices.Sort(versions)
	when := first
	if last != first {
		when += " to " + last
	}
	if when != "" {
		when += " UTC"
	}
	paired := "no"
	if r.Records != "" {
		paired = "yes"
	}
	cell := func(text string) Cell { return Cell{Text: text} }
	few := func(list []string, sep string) string {
		if len(list) > 6 {
			return strings.Join(list[:6], sep) + fmt.Sprintf(" and %d more", len(list)-6)
		}
		return strings.Join(list, sep)
	}
	return Row{Name: r.Path, Origin: results.Measured, Cells: []Cell{
		cell(few(models, ", ")), cell(thousands(int64(len(r.Rows)))), cell(r.Seed), cell(few(seeds, ", ")), cell(when),
		cell(few(versions, "; ")), cell(paired), // a version may hold commas
	}}
}

func (b *builder) intro() {
	n := len(b.subjects)
	models := "1 model"
	if n > 1 {
		models = fmt.Sprintf("%d models", n)
	}
	runs := "1 run"
	if len(b.runs) > 1 {
		runs = fmt.Sprintf("%d runs", len(b.runs))
	}
	var sets []string
	for _, base := range b.bases() {
		sets = append(sets, results.DisplayName(base))
	}
	b.rep.Intro = append(b.rep.Intro, fmt.Sprintf("%s from %s on %s. Errors and rates are in percent; a dash is a number "+
		"that is missing.", models, runs, strings.Join(sets, ", ")))
	if len(b.groups) > 1 {
		b.rep.Intro = append(b.rep.Intro, fmt.Sprintf("The runs were measured on other data under one name, or among other classes. Each of "+
			"the %d parts below is of one data set, and no difference is drawn between them.", len(b.groups)))
	}
	b.rep.Intro = append(b.rep.Intro, b.twoNames()...)
	for _, text := range []string{b.limits(), b.amongs()} {
		if text != "" {
			b.rep.Intro = append(b.rep.Intro, text)
		}
	}
	if b.opt.Version != "" {
		b.rep.Intro = append(b.rep.Intro, "Written by augmix "+b.opt.Version+".")
	}
}

// limits says which runs looked at a part of every data set only.
func (b *builder) limits() string {
	return b.common(func(r *Run) int { return r.Limit }, "%s looked at %s samples of every data set, not at all of it.")
}

// amongs says which runs have predictions among some of the classes only, or among more than is usual.
func (b *builder) amongs() string {
	return b.common(func(r *Run) int { return r.Among }, "%s took each prediction among %s classes; such numbers are not comparable with those "+
		"among other classes.")
}

// common says of which runs all rows have a number, 0 for none, with a sentence that takes the runs and the number.
func (b *builder) common(of func(*Run) int, sentence string) string {
	var numbers []int
	names := map[int][]string{}
	for _, r := range b.runs {
		n := of(r)
		if names[n] == nil {
			numbers = append(numbers, n)
		}
		names[n] = append(names[n], r.Name)
	}
	var parts []string
	for _, n := range numbers {
		if n == 0 {
			continue
		}
		who := "All runs"
		if len(names[n]) < len(b.runs) || len(b.runs) == 1 {
			who = strings.Join(names[n], ", ")
		}
		parts = append(parts, fmt.Sprintf(sentence, who, thousands(int64(n))))
	}
	return strings.Join(parts, " ")
}

// flatRow is a number of the report as the long CSV has it.
type flatRow struct {
	s *Subject
	c results.Cell
	n Number
}

// flat is a measured number with what its note has to say, and with what the views of its run have in common.
func (s *Subject) flat(c results.Cell, n Number) flatRow {
	notes := []string{n.Note}
	if n.Row != nil && len(n.Row.Over) > 0 {
		notes = append(notes, "mean over "+strings.Join(n.Row.Over, ", "))
	} else if over := s.meanOver(c); over != "" {
		notes = append(notes, "mean over "+over)
	}
	if s.several && n.Row != nil && n.Row.Data != "" {
		notes = append(notes, "on the data "+n.Row.Data)
	}
	if s.frost(c) {
		notes = append(notes, "generated ice crystals for frost")
	}
	if text := s.trainedOn(c); text != "" {
		notes = append(notes, "trained on "+text)
	}
	if text := s.dividedBy(c); text != "" {
		notes = append(notes, "divided by the figures of "+text)
	}
	if text := s.bins(c); text != "" {
		notes = append(notes, "with "+text)
	}
	n.Note = strings.TrimPrefix(strings.Join(notes, "; "), "; ")
	c.Limit, c.Among = max(c.Limit, s.run.Limit), max(c.Among, s.run.Among)
	return flatRow{s, c, n}
}

// flatten lists every number of every subject: the rows as they are, of each run of a mean its own, and the computed numbers that
// tables show.
func (b *builder) flatten() {
	for _, s := range b.subjects {
		for _, run := range s.runs() {
			b.flattenRows(run)
		}
		var computed []results.Cell
		for c, n := range s.memo {
			if n.State == score.Computed && n.Has() {
				computed = append(computed, c)
			}
		}
		slices.SortFunc(computed, compareCells)
		for _, c := range computed {
			b.rep.rows = append(b.rep.rows, s.flat(c, s.memo[c]))
		}
	}
	for _, p := range b.paper {
		var cells []results.Cell
		for _, c := range p.book.Cells() {
			if slices.Contains(b.bases(), results.Base(c.Dataset)) {
				cells = append(cells, c)
			}
		}
		slices.SortFunc(cells, compareCells)
		for _, c := range cells {
			b.rep.rows = append(b.rep.rows, flatRow{p, c, p.Get(c)})
		}
	}
}

func compareCells(a, b results.Cell) int {
	return slices.Compare(
		[]string{a.Dataset, a.MetricName(a.Metric), a.Text(), a.Corruption, fmt.Sprintf("%07.3f %04d", a.Severity, a.Difficulty)},
		[]string{b.Dataset, b.MetricName(b.Metric), b.Text(), b.Corruption, fmt.Sprintf("%07.3f %04d", b.Severity, b.Difficulty)})
}

func (b *builder) flattenRows(s *Subject) {
	for i := range s.run.Rows {
		r := &s.run.Rows[i].Row
		if r.Model != s.Model || r.Origin != results.Measured {
			continue
		}
		n := given(r.Value)
		n.N, n.Row = r.N, r
		if r.Interval != nil {
			n.Lo, n.Hi, n.Level = r.Interval.Lo, r.Interval.Hi, r.Interval.Level
		}
		if r.Seed != nil {
			n.Seeds = []uint64{*r.Seed}
		}
		c := results.ByCell(r)
		if m := s.memo[score.Place(c)]; n.Level == 0 && m.State == score.Given { // not a mean over seeds
			n.Lo, n.Hi, n.Level, n.Note = m.Lo, m.Hi, m.Level, m.Note // drawn from the records
		}
		b.rep.rows = append(b.rep.rows, s.flat(c, n))
	}
}
