package report

import (
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/figure"
)

// FormatLaTeX is the format of [Report.WriteLaTeX], for [Report.Undrawn].
const FormatLaTeX = "latex"

// Undrawn returns the texts, such as names of models, that files of a format cannot show, in the order of the report; one that holds
// an earlier one is left out. For latex they are those that pdfLaTeX does not set, which XeLaTeX and LuaLaTeX do with a font that has
// them; for pdf and png those whose letters the built-in fonts do not have, which are boxes there. Other formats show all. With names it
// looks at figures of these alone.
func (r *Report) Undrawn(format string, names ...string) (texts []string) {
	add := func(s string) {
		if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(s, t) }) {
			texts = append(texts, s)
		}
	}
	switch format {
	case FormatLaTeX:
		r.tables(func(_ *Section, t *Table) {
			if !t.words() {
				t.unset(add)
			}
		})
	case FigurePDF, FigurePNG:
		r.figures(func(f *Figure) {
			if len(names) > 0 && !slices.Contains(names, f.ID) {
				return
			}
			for _, s := range figure.Lacking(f.Chart) {
				add(s)
			}
		})
	}
	return texts
}

// unset calls add with the texts of a table that pdfLaTeX does not set.
func (t *Table) unset(add func(string)) {
	var all []string
	for i := range t.Rows {
		all = append(all, t.Rows[i].Name)
	}
	for i := range t.Columns {
		all = append(all, t.Columns[i].Group, t.Columns[i].Head)
	}
	for _, s := range append(all, t.Title) {
		if texLacks(s) {
			add(oneLine(s))
		}
	}
}
