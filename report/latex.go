package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// Intervals says how LaTeX tables show intervals.
type Intervals string

// Forms of intervals.
const (
	// IntervalsAuto shows those of differences, in brackets, and no others.
	IntervalsAuto     Intervals = "auto"
	IntervalsNone     Intervals = "none"
	IntervalsPM       Intervals = "pm"       // ± half their width, after the number
	IntervalsBrackets Intervals = "brackets" // both ends
)

// Published says which published rows LaTeX tables have.
type Published string

// Choices of published rows.
const (
	PublishedNone     Published = "none"
	PublishedMatching Published = "matching" // those with at least half of the columns that were measured
	PublishedAll      Published = "all"
)

// LaTeX says how tables are set. The zero value is as it says.
type LaTeX struct {
	Intervals Intervals // empty: auto
	Published Published // empty: matching
	Digits    int       // after the point of measured percentages, 1 to 4; 0: as on the page
}

// Check returns an error that wraps [ErrOption] and says what is allowed.
func (o *LaTeX) Check() error {
	switch {
	case !slices.Contains([]Intervals{"", IntervalsAuto, IntervalsNone, IntervalsPM, IntervalsBrackets}, o.Intervals):
		return fmt.Errorf("%w: intervals %q (allowed: auto, none, pm, brackets)", ErrOption, o.Intervals)
	case !slices.Contains([]Published{"", PublishedNone, PublishedMatching, PublishedAll}, o.Published):
		return fmt.Errorf("%w: published rows %q (allowed: none, matching, all)", ErrOption, o.Published)
	case o.Digits < 0 || o.Digits > 4:
		return fmt.Errorf("%w: %d digits (allowed: 1 to 4, 0 for those of the page)", ErrOption, o.Digits)
	}
	return nil
}

// WriteLaTeX writes every table that a paper could have as LaTeX, with what is said about it as comments. A table takes a column of a
// two-column page if it fits there, else the page, in the largest size that fits; its heads are turned where that is what fits.
// The error wraps [ErrOption], or is that of w.
func (r *Report) WriteLaTeX(w io.Writer, opt LaTeX) error {
	if err := opt.Check(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%% %s\n%% Needs \\usepackage{booktabs,graphicx} and UTF-8 input.\n", oneLine(r.Title))
	if texts := r.Undrawn(FormatLaTeX); len(texts) > 0 {
		fmt.Fprintf(b, "%% Needs XeLaTeX or LuaLaTeX with a font for: %s\n", strings.Join(texts, ", "))
	}
	for _, p := range r.Intro {
		fmt.Fprintf(b, "%% %s\n", oneLine(p))
	}
	r.tables(func(s *Section, t *Table) {
		if t.words() {
			return
		}
		fmt.Fprintf(b, "\n%% %s. %s\n%s", oneLine(s.Title), oneLine(t.Caption), t.LaTeX(opt))
	})
	return b.Flush()
}

// CountLaTeX returns how many tables WriteLaTeX writes: those that have numbers.
func (r *Report) CountLaTeX() (n int) {
	r.tables(func(_ *Section, t *Table) {
		if !t.words() {
			n++
		}
	})
	return n
}

// words reports whether a table has no numbers.
func (t *Table) words() bool {
	return !slices.ContainsFunc(t.Columns, func(c Column) bool { return !c.Text })
}

// LaTeX returns the table as a table environment; it needs the packages booktabs and graphicx.
func (t *Table) LaTeX(opt LaTeX) string {
	g := newTexTable(t, opt)
	f := g.fit()
	smaller := "scriptsize"
	if f.size.name == smaller {
		smaller = "tiny"
	}
	var b strings.Builder
	env := "table"
	if f.page {
		env = "table*"
	}
	fmt.Fprintf(&b, "\\begin{%s}[t]\n\\centering\n\\setlength{\\belowcaptionskip}{4pt}\n\\caption{%s}\n\\label{tab:%s}\n\\%s\n\\setlength{\\tabcolsep}{%gpt}\n", env,
		g.caption(), t.ID, f.size.name, f.sep)
	if f.shrink {
		b.WriteString("\\resizebox{\\textwidth}{!}{%\n")
	}
	g.tabular(&b, f)
	if f.shrink {
		b.WriteString("}\n")
	}
	fmt.Fprintf(&b, "\\end{%s}\n", env)
	return strings.ReplaceAll(b.String(), smallTex, smaller)
}

// smallTex stands for the size of intervals until that of the table is known. No text of a table has it.
const smallTex = "\x00"

// texTable is what is set of a table: its rows and columns without empty ones, as LaTeX.
type texTable struct {
	t       *Table
	opt     LaTeX
	columns []int // of t
	rows    []int
	best    map[[2]int]bool // row and column of t
	sources []string        // of published rows, marked a, b, ...
	percent bool            // all columns are in percent
	better  results.Better  // of all columns, 0 for mixed
}

func newTexTable(t *Table, opt LaTeX) *texTable {
	g := &texTable{t: t, opt: opt, best: map[[2]int]bool{}, percent: true}
	measured := func(c int) bool {
		return slices.ContainsFunc(t.Rows, func(r Row) bool {
			cell := &r.Cells[c]
			return r.Origin == results.Measured && (cell.Has() || t.Columns[c].Names)
		})
	}
	for c := range t.Columns {
		if col := &t.Columns[c]; (!col.Text || col.Names) && measured(c) { // other words stand in the text of a paper
			g.columns = append(g.columns, c)
		}
	}
	for r := range t.Rows {
		if g.wants(&t.Rows[r]) {
			g.rows = append(g.rows, r)
		}
	}
	numbers := 0
	for _, c := range g.columns {
		col := &t.Columns[c]
		if col.Text {
			continue
		}
		g.percent = g.percent && col.Percent
		if numbers++; numbers == 1 {
			g.better = col.Better
		} else if g.better != col.Better {
			g.better = 0
		}
		for r, best := range bests(t, c, func(x *Cell) string { return g.number(x, col) }) {
			g.best[[2]int{r, c}] = best
		}
	}
	for _, r := range g.rows {
		if row := &t.Rows[r]; row.Origin == results.Published && !slices.Contains(g.sources, row.Source) {
			g.sources = append(g.sources, row.Source)
		}
	}
	return g
}

// wants reports whether a row is set.
func (g *texTable) wants(r *Row) bool {
	if r.Origin != results.Published || g.opt.Published == PublishedAll {
		return true
	}
	n := 0
	for _, c := range g.columns {
		if r.Cells[c].Has() {
			n++
		}
	}
	return g.opt.Published != PublishedNone && n > 0 && 2*n >= len(g.columns)
}

// number is a number with the digits that are asked for, without its interval.
func (g *texTable) number(c *Cell, col *Column) string {
	if g.opt.Digits == 0 || c.Printed != "" || !percentage(c, col) {
		return c.value(col)
	}
	d := *c
	d.Digits = g.opt.Digits
	return d.value(col)
}

// percentage reports whether a number is in percent: of a column of such, or, in a table of several measures, by its digits,
// which fractions have more of.
func percentage(c *Cell, col *Column) bool { return col.Percent || c.Digits == 1 || c.Digits == 2 }

// cell is a cell of the tabular and, for the estimate of its width, what it looks like.
func (g *texTable) cell(r, c int) (tex, seen string) {
	t := g.t
	col, x := &t.Columns[c], &t.Rows[r].Cells[c]
	v := g.number(x, col)
	if v == "" {
		return "--", "–"
	}
	tex, seen = texEscape(v), v
	if g.best[[2]int{r, c}] {
		tex = "\\textbf{" + tex + "}"
	}
	tex += texEscape(x.Marks)
	seen += x.Marks
	iv := g.interval(x, col)
	if iv == "" {
		return tex, seen
	}
	n := len([]rune(iv))
	// The smaller size is 7/9 of that of the table, 7/8 or 5/7.
	return tex + "\\,{\\" + smallTex + " " + texEscape(iv) + "}", seen + string(thinSpace) + string([]rune(iv)[:(7*n+7)/8])
}

// interval is the interval of a cell in the form that is asked for.
func (g *texTable) interval(x *Cell, col *Column) string {
	form := g.opt.Intervals
	if form == "" || form == IntervalsAuto {
		form = IntervalsNone
		if x.Sign {
			form = IntervalsBrackets
		}
	}
	if form == IntervalsNone || x.interval(col) == "" {
		return ""
	}
	d := *x
	if g.opt.Digits > 0 && percentage(x, col) {
		d.Digits = g.opt.Digits
	}
	if form == IntervalsPM {
		return "±" + d.format(col, (x.Hi-x.Lo)/2)
	}
	return d.interval(col)
}

// name is the name of a row, with the letter of its source.
func (g *texTable) name(r int) (tex, seen string) {
	row := &g.t.Rows[r]
	tex, seen = texEscape(row.Name), row.Name
	if i := slices.Index(g.sources, row.Source); row.Origin == results.Published && i >= 0 {
		tex += "\\textsuperscript{" + letter(i) + "}"
		seen += "a"
	}
	return tex, seen
}

// letter numbers sources: a to z, then their numbers.
func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return fmt.Sprint(i + 1)
}

// head is the head of a column. What all columns share stands in the caption.
func (g *texTable) head(c int) string {
	col := &g.t.Columns[c]
	h := col.Head
	if col.Percent && !g.percent {
		h += " (%)"
	}
	if g.better == 0 && col.Better != 0 {
		h += map[results.Better]string{results.Lower: " ↓", results.Higher: " ↑"}[col.Better]
	}
	return h
}

// caption is short: what is in the table, and what its marks mean.
func (g *texTable) caption() string {
	parts := []string{g.t.Title}
	if g.percent && len(g.columns) > 0 {
		parts[0] += ", in percent"
	}
	bold := false
	for _, r := range g.rows {
		for _, c := range g.columns {
			bold = bold || g.best[[2]int{r, c}]
		}
	}
	if bold {
		parts = append(parts, "Best measured in bold")
	}
	if level := g.level(); level != "" {
		if g.opt.Intervals == IntervalsPM {
			parts = append(parts, "± is half of a "+level+" interval")
		} else {
			parts = append(parts, "Brackets: "+level+" intervals")
		}
	}
	for _, n := range g.t.Notes {
		if slices.Contains(marks, strings.Fields(n)[0]) {
			parts = append(parts, strings.TrimSuffix(n, "."))
		}
	}
	text := texEscape(strings.Join(parts, ". ") + ".")
	for i, s := range g.sources {
		before := "; "
		if i == 0 {
			before = " Published: "
		}
		text += before + "\\textsuperscript{" + letter(i) + "}" + texEscape(s)
	}
	if len(g.sources) > 0 {
		text += "."
	}
	return text
}

// level is the level of the intervals that are set, empty for none.
func (g *texTable) level() string {
	for _, r := range g.rows {
		for _, c := range g.columns {
			if x := &g.t.Rows[r].Cells[c]; g.interval(x, &g.t.Columns[c]) != "" {
				return percent(x.Level)
			}
		}
	}
	return ""
}

// tabular writes the tabular.
func (g *texTable) tabular(b *strings.Builder, f texFit) {
	b.WriteString("\\begin{tabular}{@{}l")
	for _, c := range g.columns {
		if g.t.Columns[c].Text {
			b.WriteString("l")
		} else {
			b.WriteString("r")
		}
	}
	b.WriteString("@{}}\n\\toprule\n")
	g.groups(b)
	b.WriteString(texEscape(g.t.first()))
	for _, c := range g.columns {
		h := texEscape(g.head(c))
		if f.turned {
			h = "\\rotatebox{90}{" + h + "}"
		}
		b.WriteString(" & " + h)
	}
	b.WriteString(" \\\\\n\\midrule\n")
	for i, r := range g.rows {
		if i > 0 && g.t.Rows[r].Origin != g.t.Rows[g.rows[i-1]].Origin {
			b.WriteString("\\midrule\n")
		}
		name, _ := g.name(r)
		b.WriteString(name)
		for _, c := range g.columns {
			tex, _ := g.cell(r, c)
			b.WriteString(" & " + tex)
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// groups writes the row of groups above the heads, if columns have groups.
func (g *texTable) groups(b *strings.Builder) {
	var row, rules strings.Builder
	any := false
	for i := 0; i < len(g.columns); {
		group, j := g.t.Columns[g.columns[i]].Group, i
		for j < len(g.columns) && g.t.Columns[g.columns[j]].Group == group {
			j++
		}
		if group == "" {
			row.WriteString(strings.Repeat(" &", j-i))
		} else {
			any = true
			fmt.Fprintf(&row, " & \\multicolumn{%d}{c}{%s}", j-i, texEscape(group))
			fmt.Fprintf(&rules, "\\cmidrule(lr){%d-%d}", i+2, j+1)
		}
		i = j
	}
	if any {
		b.WriteString(row.String()[1:] + " \\\\\n" + rules.String() + "\n")
	}
}
