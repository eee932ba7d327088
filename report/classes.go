package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/results"
)

// Bounds of what is shown of single classes; the rows and the file of the confusion matrix have everything.
const (
	textConfusions = 10 // lines of the most frequent confusions on a terminal
	textClasses    = 20 // lines of the classes with the largest errors on a terminal
	pageClasses    = 50 // classes of a data set whose errors a page shows
	pageConfusions = 10 // confusions of a model that a page shows
)

// WriteClasses writes the rows of single classes for a terminal: the most frequent confusions first, then the errors of
// classes, the largest first. Without such rows it writes nothing.
func WriteClasses(w io.Writer, rows []results.Row) {
	confusions, errors := classRows(rows)
	if len(errors) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(confusions) > 0 {
		fmt.Fprintln(t, "\n  CONFUSED\tWITH\tSHARE\tIMAGES")
	}
	for _, r := range confusions[:min(textConfusions, len(confusions))] {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%d\n", terminal.OneLine(r.Class), terminal.OneLine(r.Said), results.Metric(r.Metric).Format(r.Value), r.N)
	}
	_ = t.Flush()
	fmt.Fprintln(t, "\n  CLASS\tERROR\tIMAGES")
	for _, r := range errors[:min(textClasses, len(errors))] {
		fmt.Fprintf(t, "  %s\t%s\t%d\n", terminal.OneLine(r.Class), results.Metric(r.Metric).Format(r.Value), r.N)
	}
	_ = t.Flush()
	if n := len(errors) - textClasses; n > 0 {
		fmt.Fprintf(w, "  and %d classes with smaller errors\n", n)
	}
}

// classRows returns the rows of confusions and those of errors of classes, the largest first.
func classRows(rows []results.Row) (confusions, errors []results.Row) {
	for _, r := range rows {
		switch {
		case r.Class == "":
		case r.Metric == results.ConfusionShare:
			confusions = append(confusions, r)
		case r.Metric == results.Top1Error:
			errors = append(errors, r)
		}
	}
	largest := func(a, b results.Row) int { return cmp.Compare(b.Value, a.Value) }
	slices.SortStableFunc(confusions, largest)
	slices.SortStableFunc(errors, largest)
	return confusions, errors
}

// classPlace is what errors by class are of: a data set, or a part or another treatment of it.
type classPlace struct {
	set  string
	view results.View // without a class
}

// classPlaceOf returns where a row of a class belongs; ok is false for rows of no class, of corruptions and of other metrics.
func classPlaceOf(r *results.Row) (at classPlace, ok bool) {
	at = classPlace{r.Dataset, r.View}
	at.view.Class, at.view.Said = "", ""
	byClass := r.Metric == results.Top1Error || r.Metric == results.ConfusionShare
	return at, byClass && r.Class != "" && r.Corruption == "" && r.Severity == 0
}

// classShown reports whether a row of a class is in tables of its own, or is counted where it is too many for these.
func classShown(r *results.Row) bool {
	_, ok := classPlaceOf(r)
	return ok || r.Metric == results.ShapeBias && r.View == (results.View{Class: r.Class}) && r.Class != ""
}

// title ends titles with what of a data set's images the numbers are of, "" for all as they are.
func (p *classPlace) title(base string) string {
	text := p.view.Text()
	if p.set != base {
		text = strings.TrimSuffix(results.DisplayName(p.set)+", "+text, ", ")
	}
	if text == "" {
		return ""
	}
	return ", " + text
}

// images says in a caption which images the numbers are of.
func (p *classPlace) images(base string) string {
	if text := p.title(base); text != "" {
		return "images (" + strings.TrimPrefix(text, ", ") + ")"
	}
	return "clean images"
}

// cell is the number of a class.
func (p *classPlace) cell(class, metric string) results.Cell {
	c := results.Cell{Dataset: p.set, View: p.view, Metric: metric}
	c.Class = class
	return c
}

// classes writes the errors of the classes of a data set and of each part of it, where they were measured and are not too many, and
// what each model confuses most.
func (b *builder) classes(base, name string) {
	var places []classPlace
	for _, s := range b.subjects {
		for r := range s.measured() {
			if at, ok := classPlaceOf(r); ok && results.Base(at.set) == base && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	var sec *Section
	for _, at := range places {
		names, confused := b.classNames(&at), b.confused(&at)
		if len(names)+len(confused) == 0 {
			continue
		}
		if sec == nil {
			sec = b.section(2, "Errors of single classes"+name)
		}
		b.classErrors(sec, &at, base, name, names)
		b.confusions(sec, &at, base, name, confused)
	}
}

// classRowsAt are the subject's rows of single classes at a place.
func (s *Subject) classRowsAt(at *classPlace) (confusions, errors []results.Row) {
	var rows []results.Row
	for r := range s.measured() {
		if have, ok := classPlaceOf(r); ok && have == *at {
			rows = append(rows, *r)
		}
	}
	return classRows(rows)
}

// classNames are the classes of all models, those with the largest errors first.
func (b *builder) classNames(at *classPlace) (names []string) {
	for _, s := range b.subjects {
		_, errors := s.classRowsAt(at)
		for _, r := range errors {
			if !slices.Contains(names, r.Class) {
				names = append(names, r.Class)
			}
		}
	}
	return names
}

// confused are the rows of what each model confuses most.
func (b *builder) confused(at *classPlace) (rows []Row) {
	for _, s := range b.subjects {
		first := s.runs()[0] // others confuse other classes, and rows hold the largest confusions
		confusions, _ := first.classRowsAt(at)
		for _, r := range confusions[:min(pageConfusions, len(confusions))] {
			rows = append(rows, Row{Name: s.Name, Origin: results.Measured, Cells: []Cell{
				{Text: r.Class}, {Text: r.Said}, {Number: first.Get(results.ByCell(&r))},
			}})
		}
	}
	return rows
}

func (b *builder) classErrors(sec *Section, at *classPlace, base, name string, names []string) {
	if len(names) == 0 {
		return
	}
	if len(names) > pageClasses {
		sec.Text = append(sec.Text, fmt.Sprintf("%d classes were measured%s, more than are shown here; the report as CSV has them all.",
			len(names), at.title(base)))
		return
	}
	t := b.classTable(at, results.Top1Error, names)
	t.ID, t.Title = b.id("classes"+at.title(base)+name), "Error by class"+at.title(base)+name
	t.Caption = "Top-1 error on the " + at.images(base) + " of each class."
	if len(t.Columns) > 1 {
		t.Caption += " Bold is the best of each row."
	}
	sec.Blocks = append(sec.Blocks, Block{Table: t})
}

func (b *builder) confusions(sec *Section, at *classPlace, base, name string, rows []Row) {
	if len(rows) == 0 {
		return
	}
	sec.Blocks = append(sec.Blocks, Block{Table: &Table{
		ID: b.id("confusions" + at.title(base) + name), Title: "Most frequent confusions" + at.title(base) + name, NoOrigin: true, Rows: rows,
		Columns: []Column{
			{Head: "Class", Text: true, Names: true},
			{Head: "Taken for", Text: true, Names: true},
			{Head: "Share", Long: "Share of the images of the class", Percent: true}, // none is the best: rows are of many classes
		},
		Caption: fmt.Sprintf("The share of the %s of a class that were taken for another one, at most %d for each model.",
			at.images(base), pageConfusions),
	}})
}

// classTable has a row for each class and a column for each model.
func (b *builder) classTable(at *classPlace, metric string, names []string) *Table {
	m := results.Metric(metric)
	t := &Table{First: "Class", NoOrigin: true, Across: true}
	for _, s := range b.subjects {
		t.Columns = append(t.Columns, Column{Head: s.Name, Percent: m.Percent, Better: m.Better})
	}
	for _, class := range names {
		r := Row{Name: class, Origin: results.Measured}
		for _, s := range b.subjects {
			r.Cells = append(r.Cells, Cell{Number: s.Get(at.cell(class, metric))})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}
