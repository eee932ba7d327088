package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// Policy is the Content-Security-Policy of the page, for who serves it: it lets the page run its one script and show what is in it, and nothing else: no network, no other script, even
// if a row's text got where it should not.
func Policy() string {
	sum := sha256.Sum256([]byte(pageJS))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

var tmpl = template.Must(template.New("page").Funcs(template.FuncMap{
	"svg": drawings,
	"name": func(f *Figure) string {
		title, _ := f.Chart.Head()
		return title
	},
	"shared": func(f []*Figure) template.HTML {
		if p, ok := f[0].Chart.(*chart.Plot); ok && p.NoLegend {
			return template.HTML(p.Legend("g-"+f[0].ID+"--legend", 720))
		}
		return ""
	},
	"vast":  func(t *Table) bool { return len(t.Columns) > 12 },
	"uri":   dataURI,
	"key":   sortKey,
	"value": func(c *Cell, col *Column) string { return c.value(col) },
	"pad":   pad,
	"wide":  func(t *Table) bool { return len(t.Columns) > 9 },
	"iv":    func(c *Cell, col *Column) string { return c.interval(col) },
	"hint":  func(c *Cell, col *Column) string { return c.hint(col) },
	"marks": func(c *Cell) string { return c.marks() },
	"long":  func(c Column) string { return longHead(&c) },
	"first": func(t *Table) string { return t.first() },
	"best":  best,
	"dot":   func(h Headline) int { return h.Color % chart.Colors },
	"latex": func(t *Table) string { return t.LaTeX(LaTeX{}) },
	"conf":  func(v float64) string { return fixed(100*v, 0) + " %" },
	"measured": func(o results.Origin) bool {
		return o == results.Measured
	},
	"clean":  oneLine,
	"lines":  cleanLines,
	"ref":    func(c Cell) *Cell { return &c },
	"colref": func(t *Table, i int) *Column { return &t.Columns[i] },
}).Parse(pageHTML))

// narrowWidth is that of a drawing on a small screen, and wideOnly the width from which a drawing has such a form.
const (
	narrowWidth = 350
	wideOnly    = 430
)

// drawings is a figure for the page, twice where it does not fit a small screen: the style sheet shows one of the two.
func drawings(f *Figure) template.HTML {
	wide := f.Chart.SVG("g-" + f.ID)
	if !tooWide(f.Chart) {
		return template.HTML(wide)
	}
	return template.HTML(`<div class="at-wide">` + wide + `</div><div class="at-narrow">` +
		f.Chart.Fit(narrowWidth).SVG("n-"+f.ID) + `</div>`)
}

func tooWide(f chart.Figure) bool {
	if p, ok := f.(*chart.Panels); ok {
		return slices.ContainsFunc(p.Charts, func(c chart.Figure) bool { return c.Fit(wideOnly-10) != c })
	}
	return f.Fit(wideOnly) != f
}

func longHead(c *Column) string {
	s := c.long()
	if c.Percent {
		s += ", percent"
	}
	switch c.Better {
	case results.Lower:
		s += "; lower is better"
	case results.Higher:
		s += "; higher is better"
	}
	return s
}

// cleanLines drops control characters from text of several lines.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = oneLine(strings.ReplaceAll(lines[i], "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// dataURI is an image within the page. The media type is one of ours.
func dataURI(media string, b []byte) template.URL {
	return template.URL("data:" + media + ";base64," + base64.StdEncoding.EncodeToString(b))
}

// sortKey is what a column is sorted by: a number with all its digits, empty if there is none.
func sortKey(c *Cell, col *Column) string {
	if col.Text {
		return strings.ToLower(oneLine(c.Text))
	}
	if !c.Has() {
		return ""
	}
	return strconv.FormatFloat(c.Value, 'g', -1, 64)
}

// pad is what a number lacks to as many decimals as the others of its column have: it is set invisibly, so that the
// points stand below each other.
func pad(t *Table, i int, c *Cell) string {
	col := &t.Columns[i]
	most := 0
	for k := range t.Rows {
		most = max(most, decimalsOf(t.Rows[k].Cells[i].value(col)))
	}
	v := c.value(col)
	if col.Text || v == "" {
		return ""
	}
	n := decimalsOf(v)
	if n == 0 && most > 0 {
		return "." + strings.Repeat("0", most)
	}
	return strings.Repeat("0", most-n)
}

func decimalsOf(s string) int {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return len(s) - i - 1
	}
	return 0
}

// bests returns which rows are the best measured ones of a column, where there are several: all that print as the best one
// does, as what looks equal is not to look different. Numbers on another scale than unmarked ones are not among them. Where columns
// are models, they are the rows of which the column has the best number.
func bests(t *Table, i int, shown func(*Cell) string) map[int]bool {
	col := &t.Columns[i]
	if col.Better == 0 || col.Text {
		return nil
	}
	if t.Across {
		return bestsAcross(t, i, shown)
	}
	var rows []int
	var top *Cell
	scaled := func(c *Cell) bool { return strings.ContainsAny(c.Marks, markBase+markOther+markCorruptions) }
	usual := slices.ContainsFunc(t.Rows, func(r Row) bool {
		c := &r.Cells[i]
		return r.Origin == results.Measured && c.Has() && !scaled(c)
	})
	for k := range t.Rows {
		c := &t.Rows[k].Cells[i]
		if t.Rows[k].Origin != results.Measured || !c.Has() || usual && scaled(c) {
			continue
		}
		rows = append(rows, k)
		if top == nil || (c.Value-top.Value)*float64(col.Better) > 0 {
			top = c
		}
	}
	if len(rows) < 2 {
		return nil
	}
	best := map[int]bool{}
	for _, k := range rows {
		best[k] = shown(&t.Rows[k].Cells[i]) == shown(top)
	}
	return best
}

// bestsAcross is bests where columns are models. None is the best of a row in which all print the same.
func bestsAcross(t *Table, i int, shown func(*Cell) string) map[int]bool {
	best := map[int]bool{}
	for k := range t.Rows {
		cells := t.Rows[k].Cells
		top, differ := &cells[i], false
		for j := range cells {
			c := &cells[j]
			if !c.Has() {
				continue
			}
			differ = differ || shown(c) != shown(&cells[i])
			if (c.Value-top.Value)*float64(t.Columns[i].Better) > 0 {
				top = c
			}
		}
		best[k] = differ && cells[i].Has() && shown(&cells[i]) == shown(top)
	}
	return best
}

// best reports whether a cell of the page is among the best of its column.
func best(t *Table, i, row int) bool {
	return bests(t, i, func(c *Cell) string { return c.value(&t.Columns[i]) })[row]
}

// group is a run of small figures or of folded ones, which stand together.
type group struct {
	Fold    string
	Figures []*Figure
	Small   bool
	Heats   bool // of heat maps, whose labels are small already
	Table   *Table
	Shots   []Shot
	Source  *Source
}

// groups puts neighboring figures of one kind together.
func groups(blocks []Block) []group {
	var out []group
	for _, b := range blocks {
		if b.Figure != nil {
			if n := len(out); n > 0 && len(out[n-1].Figures) > 0 && out[n-1].Fold == b.Figure.Fold &&
				out[n-1].Small == b.Figure.Small && b.Figure.Small {
				out[n-1].Figures = append(out[n-1].Figures, b.Figure)
				continue
			}
			_, heat := b.Figure.Chart.(*chart.Heat)
			out = append(out, group{Fold: b.Figure.Fold, Small: b.Figure.Small, Heats: heat, Figures: []*Figure{b.Figure}})
			continue
		}
		out = append(out, group{Table: b.Table, Shots: b.Shots, Source: b.Source})
	}
	return out
}

type sectionView struct {
	*Section
	Groups []group
}

// WriteHTML writes the report as one file.
func (r *Report) WriteHTML(w io.Writer) error {
	var sections []sectionView
	for _, s := range r.Sections {
		sections = append(sections, sectionView{s, groups(s.Blocks)})
	}
	var b bytes.Buffer
	err := tmpl.Execute(&b, map[string]any{
		"Title": oneLine(r.Title), "Intro": r.Intro, "Headlines": r.Headlines, "Sections": sections,
		"Style": template.CSS(chart.CSS + pageCSS), "Script": template.JS(pageJS), "Policy": Policy(),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}
