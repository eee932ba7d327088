package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
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

// classes writes the errors of the classes of a data set, where they were measured and are not too many, and what each
// model confuses most.
func (b *builder) classes(base, name string) {
	var names []string
	var confused []Row
	for _, s := range b.subjects {
		of := func(s *Subject) (confusions, errors []results.Row) {
			var rows []results.Row
			for r := range s.measured() {
				if r.Dataset == base && r.Class != "" && r.View == (results.View{Class: r.Class, Said: r.Said}) {
					rows = append(rows, *r)
				}
			}
			return classRows(rows)
		}
		_, errors := of(s)
		for _, r := range errors {
			if !slices.Contains(names, r.Class) {
				names = append(names, r.Class)
			}
		}
		first := s.runs()[0] // others confuse other classes, and rows hold the largest confusions
		confusions, _ := of(first)
		for _, r := range confusions[:min(pageConfusions, len(confusions))] {
			confused = append(confused, Row{Name: s.Name, Origin: results.Measured, Cells: []Cell{
				{Text: r.Class}, {Text: r.Said}, {Number: first.Get(results.ByCell(&r))},
			}})
		}
	}
	if len(names) == 0 {
		return
	}
	sec := b.section(2, "Errors of single classes"+name)
	if len(names) > pageClasses {
		sec.Text = append(sec.Text, fmt.Sprintf("%d classes were measured, more than are shown here; the report as CSV has them all.", len(names)))
	} else {
		t := b.classTable(base, results.Top1Error, names)
		t.ID, t.Title = b.id("classes"+name), "Error by class"+name
		t.Caption = "Top-1 error on the clean images of each class."
		sec.Blocks = append(sec.Blocks, Block{Table: t})
	}
	if len(confused) > 0 {
		sec.Blocks = append(sec.Blocks, Block{Table: &Table{
			ID: b.id("confusions" + name), Title: "Most frequent confusions" + name, NoOrigin: true, Rows: confused,
			Columns: []Column{
				{Head: "Class", Text: true},
				{Head: "Taken for", Text: true},
				{Head: "Share", Long: "Share of the images of the class", Percent: true, Better: results.Lower},
			},
			Caption: fmt.Sprintf("The share of the clean images of a class that were taken for another one, at most %d for each model.", pageConfusions),
		}})
	}
}

// classTable has a row for each class and a column for each model.
func (b *builder) classTable(base, metric string, names []string) *Table {
	m := results.Metric(metric)
	t := &Table{First: "Class", NoOrigin: true}
	for _, s := range b.subjects {
		t.Columns = append(t.Columns, Column{Head: s.Name, Percent: m.Percent, Better: m.Better})
	}
	for _, class := range names {
		r := Row{Name: class, Origin: results.Measured}
		for _, s := range b.subjects {
			r.Cells = append(r.Cells, Cell{Number: s.Get(results.Cell{Dataset: base, View: results.View{Class: class}, Metric: metric})})
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}
