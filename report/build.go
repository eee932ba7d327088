package report

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Options says what a report is about.
type Options struct {
	Title      string // "Robustness report" if empty
	Replicates int    // of the paired bootstrap; 0: 1000
	Version    string // of the program, for the end of the report
	// AverageSeeds makes one model of runs of one model whose training differs in its seed alone, with the means of their numbers,
	// and says how far differences vary with the seed. Without such runs it is an error that wraps [ErrOption].
	AverageSeeds bool
	// Sweep is the option of the trainings that the errors are drawn over, such as "lr" or "augmix-w"; empty: every number in
	// which at least three trainings differ that are equal otherwise.
	Sweep string
}

// maxSubjects bounds the models of one report: more do not fit on a page.
const maxSubjects = 64

// builder holds what the sections are made from.
type builder struct {
	opt      Options
	runs     []*Run
	groups   []*dataGroup // of runs
	subjects []*Subject   // measured, in order
	paper    []*Subject   // published, by table and model
	used     map[results.Cell]bool
	ids      map[string]bool
	names    map[string]bool // of tables and figures, which may share them
	rep      *Report
	notes    []string
	sets     []string // of bases
	draws    *draws
	mapped   map[*Run]bool // runs whose Fourier map is drawn
	some     map[someSeeds]*Subject
	sweeping bool // there are errors to draw over options of trainings
	swept    bool // a sweep is drawn
}

// Build makes a report of runs. It returns an error that wraps [ErrEmpty] if there are none or no run has a measured row, [ErrOption] for
// options outside their range or a run that is nil, those of the records, and the error of ctx soon after that ends. Numbers of one data set that
// were measured on other samples, as far as rows say it, have sections of their own and are not compared.
func Build(ctx context.Context, runs []*Run, opt Options) (*Report, error) {
	if err := ctx.Err(); err != nil { // without records nothing below would ask
		return nil, err
	}
	if opt.Title == "" {
		opt.Title = "Robustness report"
	}
	if opt.Replicates == 0 {
		opt.Replicates = 1000
	}
	if opt.Replicates < 100 || opt.Replicates > 100000 {
		return nil, fmt.Errorf("%w: %d replicates (allowed: 100 to 100000)", ErrOption, opt.Replicates)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%w: no runs", ErrEmpty)
	}
	if i := slices.Index(runs, nil); i >= 0 {
		return nil, fmt.Errorf("%w: run %d is nil (allowed: those of Load)", ErrOption, i)
	}
	b := &builder{
		opt: opt, used: map[results.Cell]bool{}, mapped: map[*Run]bool{}, some: map[someSeeds]*Subject{},
		ids:   map[string]bool{"main": true, "theme": true, "said": true}, // the page's own
		names: map[string]bool{},
	}
	b.rep = &Report{Title: opt.Title, Runs: runs}
	for _, g := range groupByData(runs) {
		b.groups = append(b.groups, g)
		b.runs = append(b.runs, g.runs...)
	}
	if len(b.groups) == 1 {
		b.runs = runs
	}
	if err := b.collect(ctx); err != nil {
		return nil, err
	}
	defer b.draws.close()
	if err := b.sections(); err != nil {
		return nil, err
	}
	if err := b.unswept(); err != nil {
		return nil, err
	}
	b.rep.footnotes()
	b.flatten()
	if b.draws.err != nil {
		return nil, b.draws.err
	}
	return b.rep, nil
}

// collect makes the subjects.
func (b *builder) collect(ctx context.Context) error {
	seen := map[string][]string{} // training seeds of the runs that have a model
	for _, run := range b.rep.Runs {
		if run.replaced != "" {
			b.notes = append(b.notes, fmt.Sprintf("The training of %s: its numbers are of other weights than the one in %s has come to.", run.Name, run.replaced))
		}
	}
	for _, run := range b.runs {
		for _, g := range results.GroupBy(run.Rows, results.ByModel) {
			if slices.ContainsFunc(g.Rows, func(r results.Located) bool { return r.Origin == results.Measured }) {
				seen[g.Key] = append(seen[g.Key], run.Seed)
			}
		}
	}
	names := map[string]int{}
	for _, run := range b.runs {
		for _, g := range results.GroupBy(run.Rows, results.ByModel) {
			name := g.Key
			if len(seen[g.Key]) > 1 {
				name += " (" + apartBy(run, seen[g.Key]) + ")"
			}
			if names[name]++; names[name] > 1 {
				name += fmt.Sprintf(" #%d", names[name])
			}
			s := newSubject(name, g.Key, results.Measured, run.Name)
			s.run = run
			s.of = fmt.Sprintf("%d/%s", slices.IndexFunc(b.rep.Runs, func(r *Run) bool { return r.Path == run.Path }), url.PathEscape(g.Key))
			var own []results.Row
			var foreign []results.Located
			for _, r := range g.Rows {
				if r.Origin == results.Published {
					foreign = append(foreign, r)
					continue
				}
				own = append(own, r.Row)
			}
			s.book.Add(own...)
			if len(s.book.Cells()) > 0 {
				s.Color = len(b.subjects)
				b.subjects = append(b.subjects, s)
			}
			for _, p := range results.GroupBy(foreign, func(r *results.Row) string { return r.Source }) {
				q := newSubject(g.Key, g.Key, results.Published, p.Key)
				for _, r := range p.Rows {
					q.book.Add(r.Row)
				}
				b.paper = append(b.paper, q)
			}
		}
	}
	switch n := len(b.subjects); {
	case n == 0:
		var names []string
		for _, r := range b.runs {
			names = append(names, r.Path)
		}
		return fmt.Errorf("%w: no measured row in %s", ErrEmpty, strings.Join(names, ", "))
	case n > maxSubjects:
		return fmt.Errorf("%w: %d models (allowed: %d in one report)", ErrOption, n, maxSubjects)
	}
	if err := b.openRecords(ctx); err != nil {
		return err
	}
	if b.opt.AverageSeeds {
		if err := b.average(); err != nil {
			b.draws.close()
			return err
		}
	}
	b.divide()
	b.publish()
	return nil
}

// apartBy is what tells a run from others that have a model of the same name: its training seed, or its own name.
func apartBy(run *Run, seeds []string) string {
	n := 0
	for _, s := range seeds {
		if s == run.Seed {
			n++
		}
	}
	if run.Seed != "" && n == 1 {
		return "seed " + run.Seed
	}
	return run.Name
}

// publish makes the subjects of the papers' tables.
func (b *builder) publish() {
	at := map[[2]string]*Subject{}
	for _, e := range published.All() {
		k := [2]string{e.Source(), e.Model()}
		s := at[k]
		if s == nil {
			s = newSubject(e.Model(), e.Model(), results.Published, e.Source())
			at[k] = s
			b.paper = append(b.paper, s)
		}
		r := e.Row()
		s.book.Add(r)
		s.notes[score.Place(results.ByCell(&r))] = e
	}
}

// bases returns the data sets that were measured, without their forms, in the order of the rows.
func (b *builder) bases() []string {
	if b.sets != nil {
		return b.sets
	}
	var out []string
	for _, s := range b.subjects {
		for r := range s.measured() {
			if base := results.Base(r.Dataset); !slices.Contains(out, base) {
				out = append(out, base)
			}
		}
	}
	b.sets = out
	return out
}

// has reports whether any measured model has a number for the cell, given or computed.
func (b *builder) has(c results.Cell) bool {
	return slices.ContainsFunc(b.subjects, func(s *Subject) bool {
		n := s.Get(c)
		return n.Has()
	})
}

// id makes a name for an element, once. What the page derives from it has two dashes, which no name has.
func (b *builder) id(text string) string {
	s := slug(text)
	if s == "" {
		s = "part"
	}
	id := s
	for n := 2; b.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", s, n)
	}
	b.ids[id] = true
	return id
}

// table makes the name of a table, by which users ask for it: from what it is of and what it holds, so that it is the same
// in every report.
func (b *builder) table(parts ...string) string { return b.name("table", parts) }

// figure makes the name of a figure, as table does. A figure may have the name of the table with the same numbers.
func (b *builder) figure(parts ...string) string { return b.name("figure", parts) }

func (b *builder) name(kind string, parts []string) string {
	first := slug(strings.ReplaceAll(strings.Join(parts, " "), "c-bar", "cbar"))
	name := first
	for n := 2; b.names[kind+" "+name]; n++ {
		name = fmt.Sprintf("%s-%d", first, n)
	}
	b.names[kind+" "+name] = true
	return name
}

func (b *builder) section(level int, title string, text ...string) *Section {
	s := &Section{ID: b.id(title), Title: title, Text: text, Level: level}
	b.rep.Sections = append(b.rep.Sections, s)
	return s
}

// col is a column of a table of models: where its numbers lie.
type col struct {
	Column
	cell results.Cell
	// beside: the numbers stand beside published ones. A calibration error is then that of the papers' code, where it was measured.
	beside bool
}

// of returns a subject's number for the column, and whether it is a calibration error that is computed otherwise than the published
// ones beside it.
func (c *col) of(s *Subject) (n Number, other bool) {
	n = s.Get(c.cell)
	if !c.beside || c.cell.Metric != results.RMSCalibration || s.Origin != results.Measured {
		return n, false
	}
	less := c.cell
	less.SkipLast = true
	if m := s.Get(less); m.Has() {
		return m, false
	}
	return n, n.Has()
}

// metricCol is a column of one metric.
func metricCol(head string, c results.Cell) col {
	m := results.Metric(c.Metric)
	if head == "" {
		head = label(c)
	}
	long := label(c) + " on " + results.DisplayName(c.Dataset)
	if c.Corruption != "" {
		long += ", " + spell(c.Corruption)
	}
	if c.Severity > 0 {
		long += fmt.Sprintf(", severity %v", c.Severity)
	}
	if view := c.Text(); view != "" {
		long += ", " + view
	}
	long += atDifficulty(c.Difficulty)
	return col{Column{Head: head, Long: long, Percent: m.Percent, Better: m.Better, Digits: m.Digits, Of: place(c)}, c, false}
}

// grid makes a table of subjects and columns. Rows without any number are left out, as are columns.
func (b *builder) grid(name, title string, cols []col, subjects []*Subject) *Table {
	var keep []col
	for _, c := range cols {
		if slices.ContainsFunc(subjects, func(s *Subject) bool { n := s.Get(c.cell); return n.Has() }) {
			keep = append(keep, c)
		}
	}
	t := &Table{Title: title}
	for _, c := range keep {
		t.Columns = append(t.Columns, c.Column)
		b.used[score.Place(c.cell)] = true
	}
	var shown []*Subject
	for _, s := range subjects {
		r := Row{Name: s.Name, Origin: s.Origin, Source: s.Source, Of: s.of}
		any := false
		for _, c := range keep {
			n, _ := c.of(s)
			any = any || n.Has()
			r.Cells = append(r.Cells, Cell{Number: n})
		}
		if any {
			t.Rows, shown = append(t.Rows, r), append(shown, s)
		}
	}
	if len(t.Rows) > 0 {
		t.ID = b.table(name)
	}
	t.caveats(keep, shown)
	return t
}

// withPaper returns the measured subjects after the published ones that have at least least of the columns.
func (b *builder) withPaper(cols []col, least int) []*Subject {
	var out []*Subject
	for _, p := range b.paper {
		n := 0
		for _, c := range cols {
			if v := p.Get(c.cell); v.Has() {
				n++
			}
		}
		if n >= max(least, 1) {
			out = append(out, p)
		}
	}
	return append(out, b.subjects...)
}
