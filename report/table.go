package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/internal/decimal"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Report is what is written. Build makes it.
type Report struct {
	Title     string
	Intro     []string // paragraphs
	Headlines []Headline
	Sections  []*Section
	Runs      []*Run
	rows      []flatRow
}

// Section is a part of a report.
type Section struct {
	ID, Title string
	Text      []string // paragraphs
	Blocks    []Block
	Level     int // 2 or 3
}

// Block is one thing in a section: exactly one of the fields is set.
type Block struct {
	Table  *Table
	Figure *Figure
	Shots  []Shot
	Source *Source
}

// Figure is a chart with its caption.
type Figure struct {
	ID, Caption string
	Chart       chart.Figure
	Small       bool // several stand in a row
	Fold        string
}

// Shot is an example image that flipped.
type Shot struct {
	Run            *Run
	Example        results.Example
	Image, Clean   []byte // PNG or JPEG; nil if Missing says why not
	ImageType      string
	CleanType      string
	Missing        string
	Coarse         bool // of so few pixels that each is to be seen
	CorruptionName string
	Origin         string // model and data set, where there are several, view and key
}

// Source is a text file of a run, shown as it is.
type Source struct{ Title, Text string }

// Column is a column of values.
type Column struct {
	Head    string
	Long    string // for readers that hear it and for the pointer; the head if empty
	Percent bool
	Better  results.Better
	Text    bool   // cells are words
	Names   bool   // words that say which row it is, and are not left out where words are
	Digits  int    // after the point; 0: 1 in percent, else 3
	Group   string // what it belongs to with its neighbors of the same group, such as "Noise"; empty for none
	Of      string // DATASET/CORRUPTION/SEVERITY of its errors, see place; empty for others
}

// Table is a table. Its ID is the name by which users ask for it; a figure of the same numbers may share it.
type Table struct {
	ID, Title, Caption string
	First              string   // head of the first column; "Model" if empty
	Notes              []string // sentences that end the caption
	Columns            []Column
	Rows               []Row
	Fold               bool   // long, and closed at first on a screen
	NoOrigin           bool   // rows are not models: no column says measured or published
	Across             bool   // columns are models: the best number is that of its row
	Source             string // of the published rows, if all are from one paper's table
}

// Row is a row of a table.
type Row struct {
	Name   string
	Origin results.Origin
	Source string
	Cells  []Cell
	Of     string // RUN/MODEL of a measured row, see Subject; empty for others
}

// Cell is a cell of a table: a number or words.
type Cell struct {
	Number
	Text   string
	Sign   bool   // print a plus sign: a difference
	Digits int    // after the point, where it is not the column's
	Marks  string // of footnotes in the table's Notes
}

func (t *Table) first() string {
	if t.First == "" {
		return "Model"
	}
	return t.First
}

// heading is the head of a column with its unit.
func (c *Column) heading() string {
	if c.Percent {
		return c.Head + " (%)"
	}
	return c.Head
}

func (c *Column) long() string {
	if c.Long != "" {
		return c.Long
	}
	return c.Head
}

// decimals of measured values.
const decimals = 1

func (c *Cell) format(col *Column, v float64) string {
	d := 3
	if col.Percent {
		v, d = 100*v, decimals
	}
	switch {
	case c.Digits > 0:
		d = c.Digits
	case col.Digits > 0:
		d = col.Digits
	}
	return fixed(v, d)
}

// fixed prints a number with a real minus sign and no negative zero.
func fixed(v float64, d int) string {
	s := decimal.Format(v, d)
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		if strings.Trim(rest, "0.") == "" {
			return rest
		}
		return "−" + rest
	}
	return s
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// value is a cell's number as text, empty if it is missing.
func (c *Cell) value(col *Column) string {
	if col.Text {
		return c.Text
	}
	if !c.Has() {
		return ""
	}
	if c.Printed != "" {
		return c.printed(col)
	}
	s := c.format(col, c.Value)
	if c.Sign && c.Value > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// printed is a published number with the digits that the paper prints, on the column's scale.
func (c *Cell) printed(col *Column) string {
	v, err := strconv.ParseFloat(c.Printed, 64)
	switch {
	case err != nil:
		return c.format(col, c.Value)
	case !col.Percent, math.Abs(v-100*c.Value) < 1e-9:
		return c.Printed
	}
	return c.format(col, c.Value) // printed on another scale
}

// interval is a cell's interval as text, empty if there is none.
func (c *Cell) interval(col *Column) string {
	if col.Text || !c.Has() || c.Level == 0 {
		return ""
	}
	return "[" + c.format(col, c.Lo) + ", " + c.format(col, c.Hi) + "]"
}

// hint says what stands behind a cell.
func (c *Cell) hint(col *Column) string {
	var parts []string
	if c.Note != "" {
		parts = append(parts, c.Note)
	}
	if c.Level > 0 && c.Has() {
		parts = append(parts, percent(c.Level)+" interval")
	}
	if c.N > 0 {
		parts = append(parts, "n = "+thousands(c.N))
	}
	if len(c.Seeds) > 0 {
		parts = append(parts, seedText(c.Seeds))
	}
	if len(parts) == 0 && !c.Has() && !col.Text {
		return "no value"
	}
	return strings.Join(parts, "; ")
}

// thousands groups digits: 50,000.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// seedText names the seeds of rows, which are those of what the evaluation drew and not of trainings.
func seedText(seeds []uint64) string {
	var s []string
	for _, v := range seeds {
		s = append(s, strconv.FormatUint(v, 10))
	}
	if len(s) == 1 {
		return "evaluation seed " + s[0]
	}
	return "evaluation seeds " + strings.Join(s, ", ")
}

// statistics says what all numbers of a table share: samples, level of the intervals, seeds.
func statistics(rows []Row) string {
	var ns []int64
	var levels []float64
	var seeds []uint64
	computed, measured := 0, 0
	for _, r := range rows {
		if r.Origin == results.Published {
			continue
		}
		for i := range r.Cells {
			c := &r.Cells[i]
			if !c.Has() {
				continue
			}
			measured++
			if c.N > 0 && !slices.Contains(ns, c.N) {
				ns = append(ns, c.N)
			}
			if c.computed() {
				computed++
			}
			if c.Level > 0 {
				levels = append(levels, c.Level)
			}
			for _, s := range c.Seeds {
				if !slices.Contains(seeds, s) {
					seeds = append(seeds, s)
				}
			}
		}
	}
	if measured == 0 {
		return ""
	}
	var parts []string
	slices.Sort(ns)
	switch len(ns) {
	case 0:
		parts = append(parts, "n is not recorded")
	case 1:
		parts = append(parts, "n = "+thousands(ns[0]))
	default:
		parts = append(parts, "n from "+thousands(ns[0])+" to "+thousands(ns[len(ns)-1]))
	}
	if len(levels) == 0 {
		parts = append(parts, "no intervals")
	} else {
		parts = append(parts, "brackets: "+percents(levels)+" intervals")
	}
	slices.Sort(seeds)
	if len(seeds) > 0 && len(seeds) <= 8 {
		parts = append(parts, seedText(seeds))
	} else if len(seeds) > 8 {
		parts = append(parts, fmt.Sprintf("%d evaluation seeds", len(seeds)))
	}
	if computed > 0 {
		parts = append(parts, "† computed from the rows")
	}
	return "Measured: " + strings.Join(parts, "; ") + "."
}

// percent names the level of an interval.
func percent(level float64) string { return plain(100*level) + " %" }

// percents names levels, each once.
func percents(levels []float64) string {
	var out []string
	for _, v := range slices.Compact(slices.Sorted(slices.Values(levels))) {
		out = append(out, percent(v))
	}
	return strings.Join(out, ", ")
}

// marks returns the marks after a number: a dagger for a computed one, and those of footnotes.
func (c *Cell) marks() string {
	switch {
	case !c.Has():
		return ""
	case c.computed():
		return "†" + c.Marks
	}
	return c.Marks
}

// computed reports whether a number is no row's, but was computed of rows. Of differences all are.
func (c *Cell) computed() bool { return c.State == score.Computed && c.Note != "" && !c.Sign }

// footnotes puts the notes of every table at the end of its caption.
func (r *Report) footnotes() {
	for _, s := range r.Sections {
		for _, b := range s.Blocks {
			if t := b.Table; t != nil && len(t.Notes) > 0 {
				t.Caption = strings.TrimSpace(t.Caption + " " + strings.Join(t.Notes, " "))
			}
		}
	}
}

// slug makes text fit for an id.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 60 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// Count returns how many tables and figures the report has.
func (r *Report) Count() (tables, figures int) {
	for _, s := range r.Sections {
		for _, b := range s.Blocks {
			if b.Table != nil {
				tables++
			}
			if b.Figure != nil {
				figures++
			}
		}
	}
	return tables, figures
}
