package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// papers writes the papers' tables that have a column which was measured.
func (b *builder) papers(base, name string) {
	var tables []*paperTable
	at := map[string]*paperTable{}
	for _, e := range published.All() {
		// AlexNet's figures by severity stand beside the corruptions below.
		if e.Table == "authors" || e.Table == "assembled-cnn" || results.Base(e.Dataset) == "" {
			continue
		}
		t := at[e.Source()]
		if t == nil {
			t = &paperTable{
				paper: e.Paper, sources: []string{e.Source()}, title: published.Title(e.Paper), number: e.Table,
			}
			at[e.Source()] = t
			tables = append(tables, t)
		}
		r := e.Row()
		c := score.Place(results.ByCell(&r))
		if !slices.ContainsFunc(t.cols, func(have col) bool { return have.cell == c }) {
			t.cols = append(t.cols, metricCol("", c))
		}
	}
	var shown []*paperTable
	for _, t := range tables {
		if !slices.ContainsFunc(t.cols, func(c col) bool { return results.Base(c.cell.Dataset) == base && b.has(c.cell) }) {
			continue
		}
		t.cols = slices.DeleteFunc(t.cols, func(c col) bool {
			return results.Base(c.cell.Dataset) != base && !b.has(c.cell)
		})
		if same := slices.IndexFunc(shown, t.extends); same >= 0 {
			shown[same].sources = append(shown[same].sources, t.sources...)
			continue
		}
		shown = append(shown, t)
	}
	if len(shown) == 0 {
		return
	}
	sec := b.section(2, "Beside the published numbers"+name,
		"Published rows are as the papers print them, measured ones from the runs. Papers train and test under their "+
			"own settings: a difference to a published row is not only the method's. Numbers of a paper that are not "+
			"in this program's tables are not shown.")
	for _, t := range shown {
		sec.Blocks = append(sec.Blocks, Block{Table: b.paperTable(t, name)})
	}
}

// paperTable is a table of a paper, or several of the same single column.
type paperTable struct {
	paper, title string
	sources      []string // as rows name them
	number       string
	cols         []col
}

// extends reports whether a table has the one column of another table of its paper.
func (t *paperTable) extends(o *paperTable) bool {
	return o.paper == t.paper && len(t.cols) == 1 && len(o.cols) == 1 && o.cols[0].cell == t.cols[0].cell
}

// name is what the tables are called: "AugMix, table 1" or "AugMix, tables 1, 4".
func (t *paperTable) name() string {
	name := t.sources[0]
	for i, s := range t.sources[1:] {
		if i == 0 {
			name = strings.Replace(name, "table ", "tables ", 1)
		}
		_, number, _ := strings.Cut(s, "table ")
		name += ", " + number
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func (b *builder) paperTable(t *paperTable, name string) *Table {
	cols := t.cols
	several := slices.ContainsFunc(cols, func(c col) bool {
		return results.Base(c.cell.Dataset) != results.Base(cols[0].cell.Dataset)
	})
	for i := range cols {
		cols[i].Head, cols[i].beside = paperHead(cols[i].cell, several), true
	}
	var rows []*Subject
	for _, source := range t.sources {
		for _, p := range b.paper {
			if p.Source == source {
				rows = append(rows, p)
			}
		}
	}
	rows = append(rows, b.subjects...)
	g := b.grid(t.name()+name, t.name()+name, cols, rows)
	if len(t.sources) == 1 {
		g.Source = t.sources[0]
	}
	g.Caption = fmt.Sprintf("%s, beside what was measured. %s", t.title, statistics(g.Rows))
	g.Fold = t.paper == published.RobustBench ||
		slices.Contains([]string{"4", "5", "14"}, t.number) && strings.HasPrefix(t.sources[0], "PixMix")
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
	return g
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
