package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
)

// ErrName: no table or figure of this name.
var ErrName = errors.New("no such table or figure")

// Named is a table or a figure by its name, which is the same in every report of such rows.
type Named struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// Tables returns the tables of the report, in their order.
func (r *Report) Tables() (list []Named) {
	r.tables(func(_ *Section, t *Table) { list = append(list, Named{t.ID, t.Title}) })
	return list
}

// Figures returns the figures of the report, in their order.
func (r *Report) Figures() (list []Named) {
	r.figures(func(f *Figure) {
		title, _ := f.Chart.Head()
		list = append(list, Named{f.ID, title})
	})
	return list
}

// WriteTableCSV writes a table as it is shown, with the ends of intervals in columns of their own. The error wraps
// [ErrName], or is that of w.
func (r *Report) WriteTableCSV(w io.Writer, name string) error {
	if err := r.find(name, r.Tables()); err != nil {
		return err
	}
	var err error
	r.tables(func(_ *Section, t *Table) {
		if t.ID == name {
			_, err = io.WriteString(w, t.CSV())
		}
	})
	return err
}

// find returns an error that wraps [ErrName] unless a name is in a list.
func (r *Report) find(name string, list []Named) error {
	var names []string
	for _, n := range list {
		names = append(names, n.Name)
	}
	if slices.Contains(names, name) {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %q: of these rows there is none", ErrName, name)
	}
	return fmt.Errorf("%w: %q%s (allowed: %s)", ErrName, name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// Select returns the report with the tables of these names alone. The error wraps [ErrName].
func (r *Report) Select(tables ...string) (*Report, error) {
	for _, name := range tables {
		if err := r.find(name, r.Tables()); err != nil {
			return nil, err
		}
	}
	out := *r
	out.Sections = nil
	for _, s := range r.Sections {
		t := *s
		t.Blocks = slices.DeleteFunc(slices.Clone(s.Blocks), func(b Block) bool {
			return b.Table == nil || !slices.Contains(tables, b.Table.ID)
		})
		if len(t.Blocks) > 0 {
			out.Sections = append(out.Sections, &t)
		}
	}
	return &out, nil
}
