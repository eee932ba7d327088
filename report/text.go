package report

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/score"
)

// dash stands for a missing number.
const dash = "–"

// grid returns a table as text: a head and rows of equal length.
func (t *Table) grid() (head []string, rows [][]string) {
	head = []string{t.first()}
	if !t.NoOrigin {
		head = append(head, "Origin", "Source")
	}
	for i := range t.Columns {
		head = append(head, t.Columns[i].heading())
	}
	for _, r := range t.Rows {
		row := []string{r.Name}
		if !t.NoOrigin {
			row = append(row, string(r.Origin), r.Source)
		}
		for i := range r.Cells {
			c, col := &r.Cells[i], &t.Columns[i]
			v := c.value(col)
			switch {
			case v == "" && !col.Text:
				v = dash
			case v != "":
				v += c.marks()
				if iv := c.interval(col); iv != "" {
					v += " " + iv
				}
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return head, rows
}

// Markdown returns the table in GitHub's form.
func (t *Table) Markdown() string {
	var b strings.Builder
	head, rows := t.grid()
	b.WriteString("|")
	for _, h := range head {
		b.WriteString(" " + mdEscape(h) + " |")
	}
	b.WriteString("\n|")
	for i := range head {
		if i < len(head)-len(t.Columns) || t.Columns[i-(len(head)-len(t.Columns))].Text {
			b.WriteString(" :--- |")
		} else {
			b.WriteString(" ---: |")
		}
	}
	b.WriteString("\n")
	first := len(head) - len(t.Columns)
	for i, r := range rows {
		b.WriteString("|")
		for j, v := range r {
			text := mdEscape(v)
			if j >= first && best(t, j-first, i) {
				text = "**" + text + "**"
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// mdEscape makes text that stands as it is in a cell of a table and elsewhere.
func mdEscape(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch r {
		case '\\', '`', '*', '_', '|', '[', ']', '#', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine drops control characters and marks that turn text around.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// CSV returns the table as it is shown, with the ends of intervals in columns of their own.
func (t *Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	head := []string{t.first()}
	if !t.NoOrigin {
		head = append(head, "origin", "source")
	}
	with := make([]bool, len(t.Columns))
	for i := range t.Columns {
		for _, r := range t.Rows {
			with[i] = with[i] || r.Cells[i].interval(&t.Columns[i]) != ""
		}
		h := terminal.CSV(oneLine(t.Columns[i].heading()))
		head = append(head, h)
		if with[i] {
			head = append(head, h+" low", h+" high")
		}
	}
	_ = w.Write(head) // into memory, like all below
	for _, r := range t.Rows {
		row := []string{terminal.CSV(oneLine(r.Name))}
		if !t.NoOrigin {
			row = append(row, string(r.Origin), terminal.CSV(oneLine(r.Source)))
		}
		for i := range r.Cells {
			c, col := &r.Cells[i], &t.Columns[i]
			row = append(row, terminal.CSV(strings.ReplaceAll(oneLine(c.value(col)), "−", "-")))
			if with[i] {
				lo, hi := "", ""
				if c.interval(col) != "" {
					lo, hi = strings.ReplaceAll(c.format(col, c.Lo), "−", "-"), strings.ReplaceAll(c.format(col, c.Hi), "−", "-")
				}
				row = append(row, lo, hi)
			}
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}

// tables calls f with every table and its section.
func (r *Report) tables(f func(s *Section, t *Table)) {
	for _, s := range r.Sections {
		for _, b := range s.Blocks {
			if b.Table != nil {
				f(s, b.Table)
			}
		}
	}
}

// WriteMarkdown writes every table and what is said about it, in GitHub's form.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", mdEscape(r.Title))
	for _, p := range r.Intro {
		fmt.Fprintf(b, "\n%s\n", mdEscape(p))
	}
	if len(r.Headlines) > 0 {
		b.WriteString("\n")
	}
	for _, h := range r.Headlines {
		what := ""
		if h.What != "" {
			what = " (" + h.What + ")"
		}
		finds := ""
		if len(h.Finds) > 0 {
			finds = ": " + strings.Join(h.Finds, " ")
		}
		fmt.Fprintf(b, "- **%s**%s%s\n", mdEscape(h.Model), mdEscape(what), mdEscape(finds))
	}
	for _, s := range r.Sections {
		fmt.Fprintf(b, "\n%s %s\n", strings.Repeat("#", s.Level), mdEscape(s.Title))
		for _, p := range s.Text {
			if s.Level > 2 {
				fmt.Fprintf(b, "\n- %s\n", mdEscape(p))
			} else {
				fmt.Fprintf(b, "\n%s\n", mdEscape(p))
			}
		}
		for _, k := range s.Blocks {
			if t := k.Table; t != nil {
				fmt.Fprintf(b, "\n**%s.** %s\n\n%s", mdEscape(t.Title), mdEscape(t.Caption), t.Markdown())
			}
			if k.Source != nil {
				fmt.Fprintf(b, "\n%s\n\n%s\n", mdEscape(k.Source.Title), indented(k.Source.Text))
			}
		}
	}
	return b.Flush()
}

// indented is a code block that no text can end.
func indented(s string) string {
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		b.WriteString("    " + oneLine(l) + "\n")
	}
	return b.String()
}

// CSVHeader is the first line of [Report.WriteCSV].
var CSVHeader = []string{
	"model", "origin", "source", "dataset", "corruption", "severity", "difficulty", "view", "metric", "value", "low",
	"high", "level", "n", "seed", "computed", "note",
}

// Numbers is how many lines WriteCSV writes below the header.
func (r *Report) Numbers() int { return len(r.rows) }

// WriteCSV writes every number, one a line: the measured rows as they are, the numbers computed from them, and the
// published numbers of the same data sets. Values are fractions with all their digits; an undefined value is empty. A name that
// a spreadsheet would take for a formula begins with an apostrophe.
func (r *Report) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(CSVHeader); err != nil {
		return err
	}
	exact := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, f := range r.rows {
		value, lo, hi, level, n, seed, computed := "", "", "", "", "", "", "no"
		if f.n.Has() {
			value = exact(f.n.Value)
		}
		if f.n.Level > 0 {
			lo, hi, level = exact(f.n.Lo), exact(f.n.Hi), exact(f.n.Level)
		}
		if f.n.N > 0 {
			n = strconv.FormatInt(f.n.N, 10)
		}
		if len(f.n.Seeds) == 1 {
			seed = strconv.FormatUint(f.n.Seeds[0], 10)
		}
		if f.n.State == score.Computed {
			computed = "yes"
		}
		err := c.Write([]string{
			terminal.CSV(f.s.Name), string(f.s.Origin), terminal.CSV(f.s.Source), terminal.CSV(f.c.Dataset), terminal.CSV(f.c.Corruption),
			strconv.FormatFloat(f.c.Severity, 'f', -1, 64), strconv.Itoa(f.c.Difficulty), terminal.CSV(f.c.Text()), terminal.CSV(f.c.MetricName(f.c.Metric)),
			value, lo, hi, level, n, seed, computed, terminal.CSV(f.n.Note),
		})
		if err != nil {
			return err
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	return nil
}
