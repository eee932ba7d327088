package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// errorsOf are rows of the errors of a model under the 15 corruptions, with intervals.
func errorsOf(model string, e float64) (rows []results.Row) {
	rows = append(rows, row(model, "cifar10", "", 0, results.Top1Error, e/4))
	p, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		panic(err)
	}
	for _, name := range append([]string{""}, p.Primary()...) {
		r := row(model, "cifar10-c", name, 0, results.Top1Error, e)
		r.Interval = &results.Interval{Lo: e - 0.01, Hi: e + 0.02, Level: 0.95}
		rows = append(rows, r)
	}
	return rows
}

func latex(t *testing.T, r *Report, name string, opt LaTeX) string {
	t.Helper()
	one, err := r.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := one.WriteLaTeX(&b, opt); err != nil {
		t.Fatal(err)
	}
	checkLaTeX(t, b.String())
	return b.String()
}

// TestLaTeX: the table of a paper: groups over short heads, the best bold and what prints the same, no empty column, units and
// marks in a short caption, intervals and published rows by choice.
func TestLaTeX(t *testing.T) {
	rep := build(t, runOf(t, "a", errorsOf("one", 0.2)...), runOf(t, "b", errorsOf("two", 0.1004)...),
		runOf(t, "c", errorsOf("three", 0.1001)...))
	text := latex(t, rep, "cifar10-c-error", LaTeX{Published: PublishedNone})
	for _, want := range []string{
		`\begin{table*}[t]`, `\caption{Error on CIFAR-10-C by corruption, in percent. Best measured in bold.}`, `\label{tab:cifar10-c-error}`,
		`& & \multicolumn{3}{c}{Noise} & \multicolumn{4}{c}{Blur} & \multicolumn{4}{c}{Weather} & \multicolumn{4}{c}{Digital} \\`,
		`\cmidrule(lr){3-5}\cmidrule(lr){6-9}`, `Model & \rotatebox{90}{Mean} & \rotatebox{90}{Gauss.}`,
		"\none & 20.0 & 20.0 ", "\ntwo & \\textbf{10.0} & \\textbf{10.0} ", "\nthree & \\textbf{10.0} & ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Speckle") || strings.Contains(text, "published") {
		t.Errorf("an empty column or a published row:\n%s", text)
	}
	two := latex(t, rep, "cifar10-c-error", LaTeX{Published: PublishedNone, Digits: 2})
	if !strings.Contains(two, "\ntwo & 10.04 & ") || !strings.Contains(two, "\nthree & \\textbf{10.01} & ") {
		t.Errorf("two digits:\n%s", two)
	}
	for form, want := range map[Intervals]string{
		IntervalsPM: `20.0\,{\scriptsize \ensuremath{\pm}1.5}`, IntervalsBrackets: `20.0\,{\scriptsize {[}19.0, 22.0{]}}`,
		IntervalsNone: `one & 5.0 & 20.0 `, "": `one & 5.0 & 20.0 `,
	} {
		if text := latex(t, rep, "cifar10-safety", LaTeX{Intervals: form}); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in\n%s", form, want, text)
		}
	}
	if text := latex(t, rep, "cifar10-difference-two", LaTeX{}); !strings.Contains(text, `\ensuremath{-}9.96\,{\scriptsize {[}`) ||
		strings.Contains(text, "& unpaired") || !strings.Contains(text, `\begin{table}[t]`) {
		t.Errorf("difference:\n%s", text)
	}
	all := latex(t, rep, "augmix-tables-1-4", LaTeX{})
	if !strings.Contains(all, `AugMix, WRN-40-2\textsuperscript{a} & 11.2 \\`) || !strings.Contains(all, `Published: \textsuperscript{a}`) {
		t.Errorf("published rows:\n%s", all)
	}
}

// TestMatching: published rows of few of the columns are left out unless all are asked for.
func TestMatching(t *testing.T) {
	table := &Table{
		ID: "x", Title: "X", Columns: []Column{{Head: "a"}, {Head: "b"}, {Head: "c"}},
		Rows: []Row{
			{Name: "much", Origin: results.Published, Source: "p", Cells: []Cell{{Number: given(1)}, {Number: given(1)}, {}}},
			{Name: "little", Origin: results.Published, Source: "p", Cells: []Cell{{Number: given(1)}, {}, {}}},
			{Name: "mine", Origin: results.Measured, Cells: []Cell{{Number: given(1)}, {Number: given(1)}, {Number: given(1)}}},
		},
	}
	for opt, want := range map[Published]string{"": "much mine", PublishedMatching: "much mine", PublishedNone: "mine", PublishedAll: "much little mine"} {
		var got []string
		text := table.LaTeX(LaTeX{Published: opt})
		for _, name := range []string{"much", "little", "mine"} {
			if strings.Contains(text, "\n"+name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", opt, got, want)
		}
	}
}

// TestTexFit: a table takes the column where it fits, else the page, else it is scaled.
func TestTexFit(t *testing.T) {
	of := func(columns int) texFit {
		table := &Table{ID: "x", Title: "X"}
		r := Row{Name: "model", Origin: results.Measured}
		for i := range columns {
			table.Columns = append(table.Columns, Column{Head: fmt.Sprint("column ", i)})
			r.Cells = append(r.Cells, Cell{Number: given(0.5)})
		}
		table.Rows = []Row{r}
		return newTexTable(table, LaTeX{}).fit()
	}
	if f := of(3); f.page || f.turned || f.size.name != "small" {
		t.Errorf("3 columns: %+v", f)
	}
	if f := of(7); f.page || !f.turned {
		t.Errorf("7 columns: %+v", f)
	}
	if f := of(14); !f.page || f.shrink {
		t.Errorf("14 columns: %+v", f)
	}
	if f := of(60); !f.shrink {
		t.Errorf("60 columns: %+v", f)
	}
}

// TestTexWidth: TeX says 263 points of this table in Computer Modern, most of it bold: too wide for a column.
func TestTexWidth(t *testing.T) {
	table := &Table{ID: "x", Title: "X", Rows: []Row{{Name: "augmix", Origin: results.Measured}, {Name: "standard", Origin: results.Measured}}}
	for i := range 11 {
		table.Columns = append(table.Columns, Column{Head: fmt.Sprint("column ", i), Better: results.Lower})
		for r, v := range []float64{0.51, 0.62} {
			table.Rows[r].Cells = append(table.Rows[r].Cells, Cell{Number: given(v), Digits: 2})
		}
	}
	g := newTexTable(table, LaTeX{})
	if w := g.width(texFit{turned: true, size: texSizes[2], sep: 2.5}); math.Abs(w-263) > 8 {
		t.Errorf("%.1f points", w)
	}
	if f := g.fit(); !f.page {
		t.Errorf("%+v", f)
	}
}

// TestTexWidthIntervals: TeX says 236.9 points of this table of a difference, in small letters of which the brackets are: too wide for
// a column of an article, which has 229.5. A table of the page has 469 there.
func TestTexWidthIntervals(t *testing.T) {
	table := &Table{
		ID: "x", Title: "X",
		Columns: []Column{{Head: "augmix"}, {Head: "standard"}, {Head: "Difference"}},
		Rows:    []Row{{Name: "jpeg compression (%)", Origin: results.Measured}},
	}
	diff := Cell{Number: given(22.84), Digits: 2, Sign: true}
	diff.Lo, diff.Hi, diff.Level = 21.02, 24.86, 0.95
	marked := func(v float64) Cell { return Cell{Number: given(v), Digits: 2, Marks: markFrost} }
	table.Rows[0].Cells = []Cell{marked(16.58), marked(20.11), diff}
	g := newTexTable(table, LaTeX{Published: PublishedNone})
	if w := g.width(texFit{size: texSizes[1], sep: 4}); w < 236.9 || w > 246 {
		t.Errorf("%.1f points", w)
	}
	for _, f := range texFits() {
		if most := map[bool]float64{false: 229.5, true: 469}[f.page]; f.limit() > most {
			t.Errorf("%+v: limit of %g points, an article has %g", f, f.limit(), most)
		}
	}
}

func TestNames(t *testing.T) {
	rep := build(t, runOf(t, "a", errorsOf("one", 0.2)...), runOf(t, "b", errorsOf("two", 0.1)...))
	for _, list := range [][]Named{rep.Tables(), rep.Figures()} {
		seen := map[string]bool{}
		for _, n := range list {
			if n.Name == "" || n.Title == "" || seen[n.Name] || slug(n.Name) != n.Name {
				t.Errorf("%+v", n)
			}
			seen[n.Name] = true
		}
		if !seen["cifar10-c-error"] {
			t.Errorf("%+v", list)
		}
	}
	if _, err := rep.Select("cifar10-c-eror"); !errors.Is(err, ErrName) || !strings.Contains(err.Error(), "cifar10-c-error") {
		t.Errorf("%v", err)
	}
	var b bytes.Buffer
	if err := rep.WriteTableCSV(&b, "cifar10-safety"); err != nil || !strings.HasPrefix(b.String(), "Model,origin,source,") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for _, o := range []LaTeX{{Intervals: "x"}, {Published: "x"}, {Digits: 5}, {Digits: -1}} {
		if err := rep.WriteLaTeX(&b, o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestFigureChoice: figures of a name, as vectors, of a width; what is not there writes nothing.
func TestFigureChoice(t *testing.T) {
	rep := build(t, runOf(t, "a", errorsOf("one", 0.2)...))
	dir := filepath.Join(t.TempDir(), "f")
	files, err := rep.WriteFigures(dir, FigureOptions{Format: FigurePDF, Width: 240, Untitled: true}, "cifar10-c-error")
	if err != nil || !slices.Equal(files, []string{"cifar10-c-error.pdf"}) {
		t.Fatalf("%q, %v", files, err)
	}
	file, err := os.ReadFile(filepath.Join(dir, files[0]))
	var again bytes.Buffer
	if err := errors.Join(err, rep.WriteFigure(&again, "cifar10-c-error", FigureOptions{Format: FigurePDF, Width: 240, Untitled: true})); err != nil ||
		!bytes.Equal(file, again.Bytes()) || !bytes.HasPrefix(file, []byte("%PDF-")) {
		t.Errorf("%v", err)
	}
	for name, opt := range map[string]FigureOptions{"none": {Format: FigureSVG}, "cifar10-c-error": {Format: "gif"}, "cifar10-c-methods": {Format: FigureSVG, Width: 5}} {
		empty := filepath.Join(t.TempDir(), "e")
		if _, err := rep.WriteFigures(empty, opt, name); !errors.Is(err, ErrName) && !errors.Is(err, ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(empty); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder is left, %v", name, err)
		}
	}
}

// TestHeadlines: what a report finds of each model, in words, and what it is.
func TestHeadlines(t *testing.T) {
	dir := t.TempDir()
	eval := filepath.Join(dir, "two", evalDir)
	if err := os.MkdirAll(eval, 0o755); err != nil {
		t.Fatal(err)
	}
	args := "# recipe\nmodel: wrn-10-1\nmix: augmix-m3\njsd: true\nepochs: 1\nseed: 7\nmean:\n- 0.5\n"
	if err := os.WriteFile(filepath.Join(dir, "two", "args.yaml"), []byte(args), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFile(filepath.Join(eval, results.FileName), errorsOf("two", 0.1)); err != nil {
		t.Fatal(err)
	}
	rep := build(t, runOf(t, "a", errorsOf("one", 0.2)...), load(t, eval), runOf(t, "c", errorsOf("three", 0.201)...))
	want := []Headline{
		{Model: "one", Finds: []string{"Error on CIFAR-10-C 20.0 % [19.0, 22.0], clean 5.0 %."}},
		{
			Model: "two", What: "wrn-10-1, augmix-m3 with the consistency loss, 1 epoch, seed 7", Color: 1,
			Finds: []string{"Error on CIFAR-10-C 20.0 → 10.0 (−10.0 [−12.2, −7.8]) against one."},
		},
		{
			Model: "three", Color: 2,
			Finds: []string{"Error on CIFAR-10-C 20.0 → 20.1 (+0.1 [−2.1, 2.3]) against one: no clear difference."},
		},
	}
	if len(rep.Headlines) != len(want) {
		t.Fatalf("%+v", rep.Headlines)
	}
	for i, h := range rep.Headlines {
		if w := want[i]; h.Model != w.Model || h.What != w.What || h.Color != w.Color || !slices.Equal(h.Finds, w.Finds) {
			t.Errorf("%+v, want %+v", h, w)
		}
	}
	if page := html(t, rep); !strings.Contains(page, "<b>two</b> <span>Error on CIFAR-10-C 20.0 → 10.0") {
		t.Error("the page does not say it")
	}
}

// TestChoose: whole sets come before single severities, of which evenly spaced ones are left.
func TestChoose(t *testing.T) {
	places := []results.Key{{Dataset: "c", Severity: 3}, {Dataset: "c", Corruption: "fog"}, {Dataset: "a"}}
	for _, s := range []int{5, 1, 2, 4} {
		places = append(places, results.Key{Dataset: "c", Severity: float64(s)})
	}
	var got []string
	for _, p := range choose(places, 4) {
		got = append(got, fmt.Sprint(p.Dataset, p.Severity, p.Corruption))
	}
	if strings.Join(got, " ") != "a0 c1 c3 c5" {
		t.Errorf("%q", got)
	}
	if n := len(choose(places, 9)); n != len(places) {
		t.Errorf("%d places", n)
	}
	// Of two sets the severities of one stand in a row, and not one of the other in the place of its last.
	var two []results.Key
	for _, s := range []float64{1, 2, 3, 4, 5} {
		two = append(two, results.Key{Dataset: "x-c", Severity: s}, results.Key{Dataset: "x-c-bar", Severity: s})
	}
	for i, p := range choose(two, 7)[:5] {
		if p.Dataset != "x-c" || p.Severity != float64(i+1) {
			t.Errorf("place %d is %v", i, p)
		}
	}
}
