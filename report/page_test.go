package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/memtemp"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func row(model, set, corruption string, severity int, metric string, v float64) results.Row {
	return results.Row{
		Model: model, Dataset: set, Corruption: corruption, Severity: float64(severity), Metric: metric, Value: v, N: 10000,
		Origin: results.Measured, Time: noon,
	}
}

// runOf writes rows as a file and loads it.
func runOf(t testing.TB, name string, rows ...results.Row) *Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".jsonl")
	if err := results.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	r, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func build(t testing.TB, runs ...*Run) *Report {
	t.Helper()
	rep, err := Build(t.Context(), runs, Options{Replicates: 100})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func (r *Report) table(t testing.TB, title string) *Table {
	t.Helper()
	var found *Table
	var all []string
	r.tables(func(_ *Section, have *Table) {
		all = append(all, have.Title)
		if have.Title == title {
			found = have
		}
	})
	if found == nil {
		t.Fatalf("no table %q among %q", title, all)
	}
	return found
}

func html(t testing.TB, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSmallReport is a report whose every cell can be checked by hand.
func TestSmallReport(t *testing.T) {
	with := row("mine", "cifar10-c", "", 0, results.Top1Error, 0.1234)
	with.Interval = &results.Interval{Lo: 0.12, Hi: 0.127, Level: 0.95}
	seed := uint64(7)
	with.Seed = &seed
	rep := build(t, runOf(t, "a", row("mine", "cifar10", "", 0, results.Top1Error, 0.05), with))
	want := `| Model | Origin | Source | Clean error (%) | C error (%) |
| :--- | :--- | :--- | ---: | ---: |
| mine | measured | a | 5.0 | 12.3 \[12.0, 12.7\] |
`
	if got := rep.table(t, "Safety measures").Markdown(); got != want {
		t.Errorf("got\n%s", got)
	}
	one := rep.table(t, "AugMix, tables 1, 4").Markdown()
	for _, line := range []string{
		"| Model | Origin | Source | C error (%) |\n",
		"| Standard, AllConvNet | published | AugMix, table 1 | 30.8 |\n",
		"| AugMix, WRN-40-2 | published | AugMix, table 1 | 11.2 |\n",
		"| mine | measured | a | 12.3 \\[12.0, 12.7\\] |\n",
	} {
		if !strings.Contains(one, line) {
			t.Errorf("%q is not in\n%s", line, one)
		}
	}
	eight := rep.table(t, "PixMix, table 8")
	if n := len(eight.Columns); n != 11 {
		t.Errorf("%d columns", n)
	}
	if md := eight.Markdown(); !strings.Contains(
		md,
		"| mine | measured | a | 5.0 | 12.3 \\[12.0, 12.7\\] | – | – | – | – | – | – | – | – | – |\n",
	) ||
		!strings.Contains(
			md,
			"| PixMix, WRN-40-4 | published | PixMix, table 8 | 4.2 | 9.5 | 13.6 | 1.7 | 1.0 "+
				"| 82.1 | 2.6 | 3.7 | 5.3 | 97.0 | 88.4 |\n",
		) {
		t.Errorf("got\n%s", md)
	}
	if c := rep.table(t, "Safety measures").Caption; !strings.Contains(c, "n = 10,000; brackets: 95 % intervals; evaluation seed 7") {
		t.Errorf("caption %q", c)
	}
	text := html(t, rep)
	for _, s := range []string{
		`<h2 id="overview--h">Overview</h2>`, "Calibration against severity: no", "Examples that flipped: no run directory",
		`data-v="0.1234" title="95 % interval; n = 10,000; evaluation seed 7"`,
	} {
		if !strings.Contains(text, s) &&
			!strings.Contains(
				text,
				strings.Replace(s, "Calibration against severity: no", "Calibration of CIFAR-10: no rows", 1),
			) {
			t.Errorf("the page lacks %q", s)
		}
	}
	var titles []string
	for _, s := range rep.Sections {
		titles = append(titles, s.Title)
	}
	if want := []string{
		"Overview", "Beside the published numbers", "CIFAR-10-C by corruption and severity", "Provenance", "What is not here",
		"Papers",
	}; !slices.Equal(titles, want) {
		t.Errorf("sections %q", titles)
	}
}

// TestMissingIsNotZero: a cell, a bar and an axis without a value say so.
func TestMissingIsNotZero(t *testing.T) {
	rows := []results.Row{
		row("a", "cifar10-c", metrics.Fog, 0, results.Top1Error, 0.2),
		row("a", "cifar10-c", metrics.Snow, 0, results.Top1Error, 0.3),
		row("b", "cifar10-c", metrics.Fog, 0, results.Top1Error, 0.25),
		row("b", "cifar10", "", 0, results.RMSCalibration, math.NaN()),
		row("a", "cifar10", "", 0, results.RMSCalibration, 0.02),
	}
	rep := build(t, runOf(t, "a", rows...))
	tab := rep.table(t, "Error on CIFAR-10-C by corruption")
	if md := tab.Markdown(); !strings.Contains(md, "| a | measured | a | 30.0 | **20.0** |") ||
		!strings.Contains(md, "| b | measured | a | – | 25.0 |") {
		t.Errorf("got\n%s", md)
	}
	cell := &tab.Rows[1].Cells[0]
	if cell.Has() || cell.hint(&tab.Columns[0]) == "" || sortKey(cell, &tab.Columns[0]) != "" {
		t.Errorf("%+v", cell)
	}
	if md := rep.table(t, "Calibration on CIFAR-10").Markdown(); strings.Contains(md, "0.0") ||
		!strings.Contains(md, "| 2.0 |") {
		t.Errorf("got\n%s", md)
	}
	page := html(t, rep)
	if !strings.Contains(page, ">n/a</text>") {
		t.Error("the bars do not say n/a")
	}
	if regexp.MustCompile(`>0\.0+<`).MatchString(page) || strings.Contains(page, "NaN") {
		t.Error("a missing number became zero or NaN")
	}
}

// TestComputed compares computed means with package metrics, and says what a mean lacks.
func TestComputed(t *testing.T) {
	p, err := metrics.LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	grid := metrics.NewGrid(p, metrics.ErrorRate)
	rows := []results.Row{row("m", "imagenet", "", 0, results.Top1Error, 0.24)}
	if err := grid.SetClean(0.24); err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Primary() {
		for s := 1; s <= 5; s++ {
			v := 0.3 + 0.02*float64(i) + 0.05*float64(s)
			if err := grid.Set(c, s, v); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row("m", "imagenet-c", c, s, results.Top1Error, v))
		}
	}
	b := &builder{
		opt:  Options{Replicates: 100},
		runs: []*Run{runOf(t, "r", rows...)},
		used: map[results.Cell]bool{}, ids: map[string]bool{}, names: map[string]bool{},
		rep: &Report{},
	}
	if err := b.collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cell results.Cell
		agg  metrics.Aggregate
	}{
		{results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error}, metrics.MeanAll()},
		{results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error, Severity: 3}, metrics.SeverityMean(3)},
		{results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error, View: results.View{Group: "blur"}}, metrics.GroupMean(metrics.Blur)},
		{results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error, Corruption: "fog"}, metrics.UCE("fog")},
		{results.Cell{Dataset: "imagenet-c", Metric: results.MeanCE}, metrics.MeanCE(metrics.AlexNetErrors())},
		{
			results.Cell{Dataset: "imagenet-c", Metric: results.RelativeMeanCE},
			metrics.RelativeMeanCE(metrics.AlexNetErrors()),
		},
		{
			results.Cell{Dataset: "imagenet-c", Metric: results.CE, Corruption: "snow"},
			metrics.CE("snow", metrics.AlexNetErrors()),
		},
	} {
		want, err := grid.Value(c.agg)
		if err != nil {
			t.Fatal(err)
		}
		n := b.subjects[0].Get(c.cell)
		if n.State != score.Computed || math.Abs(n.Value-want) > 1e-12 || n.N%50000 != 0 || n.N == 0 {
			t.Errorf("%+v: %+v, want %v", c.cell, n, want)
		}
	}
	// Without one cell the means over it are missing, the others not.
	lacking := slices.Delete(slices.Clone(rows), 7, 8) // of shot noise
	b = &builder{
		opt:  Options{Replicates: 100},
		runs: []*Run{runOf(t, "r", lacking...)},
		used: map[results.Cell]bool{}, ids: map[string]bool{}, names: map[string]bool{},
		rep: &Report{},
	}
	if err := b.collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for cell, words := range map[results.Cell]string{
		{Dataset: "imagenet-c", Metric: results.Top1Error}:                           "only 14 of 15 corruptions",
		{Dataset: "imagenet-c", Metric: results.MeanCE}:                              "only 74 of 75 cells",
		{Dataset: "imagenet-c", Metric: results.Top1Error, Corruption: "shot_noise"}: "only 4 of 5 severities",
		{Dataset: "imagenet-c-bar", Metric: results.Top1Error}:                       "no row",
		{Dataset: "imagenet", Metric: results.AUROC}:                                 "no row",
	} {
		if n := b.subjects[0].Get(cell); n.Has() || !strings.Contains(n.Note, words) {
			t.Errorf("%+v: %+v, want %q", cell, n, words)
		}
	}
	if n := b.subjects[0].Get(results.Cell{Dataset: "imagenet-c", Metric: results.Top1Error, View: results.View{Group: "weather"}}); !n.Has() {
		t.Errorf("weather: %+v", n)
	}
	// AlexNet's figures mean nothing for CIFAR.
	for i := range rows {
		rows[i].Dataset = strings.Replace(rows[i].Dataset, "imagenet", "cifar10", 1)
	}
	b = &builder{
		opt:  Options{Replicates: 100},
		runs: []*Run{runOf(t, "r", rows...)},
		used: map[results.Cell]bool{}, ids: map[string]bool{}, names: map[string]bool{},
		rep: &Report{},
	}
	if err := b.collect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.subjects[0].Get(results.Cell{Dataset: "cifar10-c", Metric: results.MeanCE}); n.Has() ||
		!strings.Contains(n.Note, "CIFAR") {
		t.Errorf("%+v", n)
	}
}

func TestSeeds(t *testing.T) {
	var rows []results.Row
	for seed, v := range []float64{0.1, 0.14} {
		r := row("m", "cifar10", "", 0, results.Top1Error, v)
		s := uint64(seed)
		r.Seed = &s
		rows = append(rows, r)
	}
	rep := build(t, runOf(t, "r", rows...))
	c := rep.table(t, "Safety measures").Rows[0].Cells[0]
	if math.Abs(c.Value-0.12) > 1e-15 ||
		!strings.Contains(c.Note, "mean of 2 rows of different seeds, from 0.1 to 0.14") ||
		len(c.Seeds) != 2 {
		t.Errorf("%+v", c)
	}
}

var evil = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>&{{.}}` + "\u202e" + `]]>--><!--`

// TestHostile puts markup into every text that a row, an example, options or a path can carry.
func TestHostile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `run <script>alert(3)<`)
	s := &synthetic{
		c:    classifier{evil, 5, 0.7, 1, 0.03, 2},
		n:    120,
		base: "cifar10",
		seed: 1,
		no:   map[string]bool{"c": true},
	}
	s.run(t, dir)
	extra := row(evil, evil+"-c", evil, 0, results.Top1Error, 0.5)
	extra.Part = evil
	extra.Versions = map[string]string{evil: evil}
	odd := row(evil, evil, "", 0, evil, 0.5)
	anomaly := row(evil, "cifar10", "", 0, results.AUROC, 0.5)
	anomaly.OOD = evil
	foreign := results.Row{
		Model: evil, Dataset: "cifar10", Metric: results.Top1Error, Value: 0.5, Origin: results.Published, Source: evil,
	}
	s.rows = append(s.rows, extra, odd, anomaly, foreign)
	if err := results.WriteFile(filepath.Join(dir, results.FileName), s.rows); err != nil {
		t.Fatal(err)
	}
	list, err := results.ReadExamples(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i].Key, list[i].Label, list[i].Pred, list[i].CleanPred, list[i].Corruption = evil, evil, evil, evil, evil
	}
	if err := results.WriteExamples(dir, list); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "args.yaml"), []byte(evil+"\n</pre></details>"+evil), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	other := runOf(t, "other", row(evil+"2", "cifar10", "", 0, results.Top1Error, 0.4))
	rep, err := Build(t.Context(), []*Run{run, other}, Options{Title: evil, Replicates: 100, Version: evil})
	if err != nil {
		t.Fatal(err)
	}
	page := html(t, rep)
	if n := strings.Count(strings.ToLower(page), "<script"); n != 1 {
		t.Errorf("%d script elements, want the page's own", n)
	}
	for _, bad := range []string{"<img src=x", "<!--", "\u202e", "</pre></details><script"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	wellFormed(t, page)
	var md, tex bytes.Buffer
	if err := errors.Join(rep.WriteMarkdown(&md), rep.WriteLaTeX(&tex, LaTeX{Published: PublishedAll})); err != nil {
		t.Fatal(err)
	}
	if i := strings.Index(md.String(), "<script"); i >= 0 && !strings.HasPrefix(lineOf(md.String(), i), "    ") {
		t.Error("markup in the Markdown: " + lineOf(md.String(), i))
	}
	checkMarkdown(t, md.String())
	checkLaTeX(t, tex.String())
}

func lineOf(s string, i int) string {
	start := strings.LastIndexByte(s[:i], '\n') + 1
	end := strings.IndexByte(s[i:], '\n')
	return s[start : i+end]
}

// wellFormed parses the page: every element is closed, and every drawing is XML.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	body := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>|<!doctype html>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = true, []string{"meta", "link", "br", "img"}, xml.HTMLEntity
	d.Strict = false
	var stack []string
	ids := map[string]bool{}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch e := tok.(type) {
		case xml.StartElement:
			stack = append(stack, e.Name.Local)
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("two elements have the id %q", a.Value)
					}
					ids[a.Value] = true
				}
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("attribute %s of %s", a.Name.Local, e.Name.Local)
				}
				if (a.Name.Local == "src" || a.Name.Local == "href") && !strings.HasPrefix(a.Value, "#") &&
					!strings.HasPrefix(a.Value, "data:") {
					t.Errorf("%s=%q leaves the page", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			if stack[len(stack)-1] != e.Name.Local {
				t.Fatalf("</%s> ends <%s>", e.Name.Local, stack[len(stack)-1])
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) != 0 {
		t.Errorf("open at the end: %q", stack)
	}
	for _, ref := range regexp.MustCompile(`(?:href="#|aria-labelledby=")([^"]+)"`).FindAllStringSubmatch(page, -1) {
		for _, id := range strings.Fields(ref[1]) {
			if !ids[id] {
				t.Errorf("nothing has the id %q", id)
			}
		}
	}
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			_, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("a drawing is not XML: %v\n%.300s", err, svg)
			}
		}
		if !strings.Contains(svg, `role="img"`) || !strings.Contains(svg, "<title") || !strings.Contains(svg, "<desc") {
			t.Errorf("a drawing without role, title or description: %.200s", svg)
		}
	}
}

// checkMarkdown looks that every row of a table has the columns of its head.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	cells := func(l string) int {
		return len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(strings.ReplaceAll(l, `\\`, ``), -1)) - 1
	}
	want, tables := 0, 0
	for _, l := range strings.Split(text, "\n") {
		switch {
		case !strings.HasPrefix(l, "|"):
			want = 0
		case want == 0:
			want = cells(l)
			tables++
		default:
			if n := cells(l); n != want {
				t.Errorf("%d columns, the head has %d: %s", n, want, l)
			}
		}
	}
	if tables == 0 {
		t.Error("no table")
	}
}

// spanned is how many columns a row has, with those that it spans.
func spanned(row string) int {
	n := strings.Count(row, "&") + 1
	for _, m := range regexp.MustCompile(`\\multicolumn\{(\d+)\}`).FindAllStringSubmatch(row, -1) {
		more, _ := strconv.Atoi(m[1])
		n += more - 1
	}
	return n
}

// checkLaTeX looks that every row has the columns of its tabular, and that braces and environments are closed.
func checkLaTeX(t *testing.T, text string) {
	t.Helper()
	columns, tables, depth := 0, 0, 0
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, "%") || strings.HasPrefix(l, `\resizebox`) || l == "}" {
			continue
		}
		plain := regexp.MustCompile(`\\[\\&%$#_{}]`).ReplaceAllString(l, "")
		depth += strings.Count(plain, "{") - strings.Count(plain, "}")
		if depth != 0 {
			t.Errorf("braces: %s", l)
			depth = 0
		}
		switch {
		case strings.HasPrefix(l, `\begin{tabular}{`):
			columns = len(strings.Trim(strings.TrimPrefix(l, `\begin{tabular}{`), "@{}"))
			tables++
		case strings.HasSuffix(l, ` \\`):
			if n := spanned(plain); n != columns {
				t.Errorf("%d columns, want %d: %s", n, columns, l)
			}
			if strings.HasPrefix(strings.TrimSpace(l), "[") {
				t.Errorf("a row that begins with [ is an argument of the line before: %s", l)
			}
		}
	}
	if tables == 0 || strings.Count(text, `\begin{`) != strings.Count(text, `\end{`) {
		t.Errorf("%d tables, %d begun, %d ended", tables, strings.Count(text, `\begin{`), strings.Count(text, `\end{`))
	}
}

// runs are three synthetic runs, made once.
var shared = struct {
	sync.Once
	runs []*Run
	dir  string
}{}

func TestMain(m *testing.M) {
	memtemp.Use()
	code := m.Run()
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

func sharedRuns(t testing.TB) []*Run {
	t.Helper()
	shared.Do(func() {
		dir, err := os.MkdirTemp("", "page")
		if err != nil {
			t.Fatal(err)
		}
		shared.dir = dir
		for i, c := range []classifier{standardNet(), augmixNet(), pixmixNet()} {
			s := &synthetic{c: c, n: 200, base: "cifar10", seed: uint64(i + 1)}
			run, err := Load(s.run(t, filepath.Join(dir, []string{"standard", "augmix", "pixmix"}[i])))
			if err != nil {
				t.Fatal(err)
			}
			shared.runs = append(shared.runs, run)
		}
	})
	if len(shared.runs) != 3 {
		t.Fatal("the shared runs could not be made")
	}
	return shared.runs
}

func TestFormats(t *testing.T) {
	rep := build(t, sharedRuns(t)...)
	var md, tex, flat bytes.Buffer
	if err := errors.Join(rep.WriteMarkdown(&md), rep.WriteLaTeX(&tex, LaTeX{Published: PublishedAll}), rep.WriteCSV(&flat)); err != nil {
		t.Fatal(err)
	}
	page := html(t, rep)
	wellFormed(t, page)
	checkMarkdown(t, md.String())
	checkLaTeX(t, tex.String())
	rep.tables(func(_ *Section, tab *Table) {
		rows, err := csv.NewReader(strings.NewReader(tab.CSV())).ReadAll()
		if err != nil || len(rows) != len(tab.Rows)+1 {
			t.Errorf("%s: %d rows, %v", tab.Title, len(rows), err)
			return
		}
		for i, r := range rows[1:] {
			if r[0] != tab.Rows[i].Name {
				t.Errorf("%s: row %d is %q", tab.Title, i, r[0])
			}
			for j, v := range r[1:] {
				if _, err := strconv.ParseFloat(v, 64); err != nil && strings.ContainsAny(v, "−–†") {
					t.Errorf("%s: cell %d of row %d: %q", tab.Title, j+1, i, v)
				}
			}
		}
	})
	lines, err := csv.NewReader(&flat).ReadAll()
	if err != nil || !slices.Equal(lines[0], CSVHeader) {
		t.Fatalf("%v, %q", err, lines[0])
	}
	// Every measured row is there, with all its digits.
	have := map[string]int{}
	for _, l := range lines[1:] {
		have[strings.Join(slices.Concat(l[:2], l[3:10]), "|")]++
	}
	measured := 0
	for _, run := range sharedRuns(t) {
		for i := range run.Rows {
			r := &run.Rows[i]
			measured++
			key := strings.Join([]string{
				r.Model, "measured", r.Dataset, r.Corruption, strconv.FormatFloat(r.Severity, 'f', -1, 64),
				strconv.Itoa(r.Difficulty), r.Text(), r.Metric,
				strconv.FormatFloat(r.Value, 'g', -1, 64),
			}, "|")
			if have[key] != 1 {
				t.Errorf("%d lines of %s", have[key], key)
			}
		}
	}
	if measured < 400 || len(lines) < measured+50 {
		t.Errorf("%d measured rows, %d lines", measured, len(lines))
	}
}

// TestCSVFormulas: a name that a spreadsheet would calculate is text in every cell; numbers stay numbers.
func TestCSVFormulas(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "m": "m", "a=b": "a=b", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+1+2": "'+1+2", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "-1.5": "-1.5", "+0.25": "+0.25", "-1e-05": "-1e-05", "-": "-", "＝1": "'＝1",
	} {
		if got := terminal.CSV(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	r := row("=1+1", "@data", metrics.Fog, 1, results.Top1Error, 0.2)
	rep := build(t, runOf(t, "a", r))
	var flat bytes.Buffer
	if err := rep.WriteCSV(&flat); err != nil {
		t.Fatal(err)
	}
	rep.tables(func(_ *Section, tab *Table) { flat.WriteString(tab.CSV()) })
	for _, line := range strings.Split(flat.String(), "\n") {
		for _, cell := range strings.Split(line, ",") {
			if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "@") {
				t.Errorf("a formula: %s", line)
			}
		}
	}
	if !strings.Contains(flat.String(), "'=1+1") {
		t.Error("the name is not there")
	}
}

func TestPNG(t *testing.T) {
	rep := build(t, runOf(t, "a", row("m", "cifar10-c", metrics.Fog, 0, results.Top1Error, 0.2)))
	dir := filepath.Join(t.TempDir(), "figures")
	names, err := rep.WriteFigures(dir, FigureOptions{Format: FigurePNG})
	if err != nil || len(names) != 1 || names[0] != "cifar10-c-error.png" {
		t.Fatalf("%q, %v", names, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, names[0]))
	if err != nil || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("%v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	bare := build(t, runOf(t, "a", row("m", "cifar10", "", 0, results.Top1Error, 0.2)))
	if _, err := bare.WriteFigures(t.TempDir(), FigureOptions{Format: FigurePNG}); !errors.Is(err, ErrEmpty) {
		t.Errorf("no figure: %v", err)
	}
}

// TestDeterminism: the same rows give the same bytes.
func TestDeterminism(t *testing.T) {
	a, b := html(t, build(t, sharedRuns(t)...)), html(t, build(t, sharedRuns(t)...))
	if a != b {
		t.Error("two reports of the same runs differ")
	}
	if strings.Contains(a, strconv.Itoa(time.Now().Year())+"-"+time.Now().Format("01-02")) {
		t.Error("the page holds today's date")
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, results.FileName)
	r := row("m", "d", "", 0, results.Top1Error, 0.5)
	good, err := r.AppendLine(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Value = 0.6
	conflict, err := r.AppendLine(nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(words ...string) {
		t.Helper()
		run, err := Load(dir)
		if err == nil {
			_, err = Build(t.Context(), []*Run{run}, Options{})
		}
		if err == nil {
			t.Fatalf("no error, want %q", words)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v does not say %q", err, w)
			}
		}
	}
	write(results.FileName, string(good)+"{}\n")
	expect(path+":2", "bad row")
	write(results.FileName, string(good)+string(conflict))
	expect(path+":1", path+":2", "contradict")
	write(results.FileName, string(good[:20]))
	expect(path+":1", "torn")
	write(results.FileName, "")
	expect("nothing to report", dir)
	write(results.FileName, string(good))
	write(results.ExamplesName, `{"model":"m","dataset":"d","image":"../../x.png"}`+"\n")
	expect(filepath.FromSlash(results.ExamplesName)+":1", "../../x.png")
	write(results.ExamplesName, "")
	write(records.FileName, "not a zip")
	expect(records.FileName)
	if _, err := Load(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := Build(t.Context(), []*Run{runOf(t, "a", r)}, Options{Replicates: 3}); !errors.Is(err, ErrOption) {
		t.Errorf("%v", err)
	}
	var many []results.Row
	for i := range maxSubjects + 1 {
		many = append(many, row("m"+strconv.Itoa(i), "d", "", 0, results.Top1Error, 0.5))
	}
	if _, err := Build(t.Context(), []*Run{runOf(t, "a", many...)}, Options{}); !errors.Is(err, ErrOption) {
		t.Errorf("%v", err)
	}
	bin := row("m", "d", "", 0, results.BinAccuracy, 0.5)
	bin.Bin, bin.Bins = 1, 2
	if _, err := Build(t.Context(), []*Run{runOf(t, "a", bin)}, Options{}); !errors.Is(err, results.ErrFormat) {
		t.Errorf("%v", err)
	}
}

// TestDifferences: paired where there are records, and the interval is the one of package metrics.
func TestDifferences(t *testing.T) {
	runs := sharedRuns(t)
	rep := build(t, runs...)
	tab := rep.table(t, "synthetic augmix − synthetic standard")
	find := func(tab *Table, name string) []Cell {
		for _, r := range tab.Rows {
			if r.Name == name {
				return r.Cells
			}
		}
		t.Fatalf("no row %q in %q", name, tab.Title)
		return nil
	}
	clean := find(tab, "Clean error (%)")
	var wrong [2][]float64
	for i, run := range runs[:2] {
		f, err := records.Open(run.Records)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Read(records.Cell{Model: run.Rows[0].Model, Dataset: "cifar10"})
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		wrong[i] = s.Wrong()
	}
	a, err1 := metrics.MeanStatistic(wrong[1])
	b, err2 := metrics.MeanStatistic(wrong[0])
	r := rng.New(99)
	iv, err3 := metrics.BootstrapDifference(a, b, metrics.BootstrapOptions{Source: r, Replicates: 2000})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	d := clean[3]
	if math.Abs(d.Value-100*iv.Estimate) > 1e-9 || math.Abs(d.Lo-100*iv.Lo) > 1 || math.Abs(d.Hi-100*iv.Hi) > 1 ||
		clean[4].Text != "paired" {
		t.Errorf("%+v, want about %+v", clean, iv)
	}
	for name, kind := range map[string]string{
		"C error (%)": "paired", "RMS C (%)": "paired", "Brier": "paired", "PGD error (%)": "unpaired", "AUROC (%)": "none",
	} {
		if c := find(tab, name); c[4].Text != kind || (c[3].Level > 0) != (kind != "none") ||
			(c[5].Text == "") != (kind == "none") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c := find(tab, "C error (%)"); !(c[3].Hi < 0) || c[5].Text != "yes" || c[0].Text != "lower" {
		t.Errorf("%+v", c)
	}
	find(rep.table(t, "synthetic augmix − synthetic standard, error on CIFAR-10-C"), "fog (%)")
	// Records that do not belong to the rows give no interval, and the page says so.
	s := &synthetic{
		c:    standardNet(),
		n:    150,
		base: "cifar10",
		seed: 9,
		no:   map[string]bool{"c": true, "p": true, "ood": true, "pgd": true, "examples": true},
	}
	dir := s.run(t, filepath.Join(t.TempDir(), "other"))
	for i := range s.rows {
		if s.rows[i].Metric == results.Top1Error {
			s.rows[i].Value += 0.01
			s.rows[i].Interval = nil
		}
	}
	if err := results.WriteFile(filepath.Join(dir, results.FileName), s.rows); err != nil {
		t.Fatal(err)
	}
	lying, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	s2 := &synthetic{c: augmixNet(), n: 150, base: "cifar10", seed: 9, no: s.no}
	honest, err := Load(s2.run(t, filepath.Join(t.TempDir(), "honest")))
	if err != nil {
		t.Fatal(err)
	}
	rep = build(t, lying, honest)
	if c := find(rep.table(t, "synthetic augmix − synthetic standard"), "Clean error (%)"); c[4].Text != "none" {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(html(t, rep), "so the paired interval is not shown") {
		t.Error("nothing is said about records that disagree")
	}
}

// TestSameModelInTwoRuns: names are told apart by the runs.
func TestSameModelInTwoRuns(t *testing.T) {
	r := row("m", "cifar10", "", 0, results.Top1Error, 0.1)
	q := r
	q.Value = 0.2
	md := build(t, runOf(t, "first", r), runOf(t, "second", q)).table(t, "Safety measures").Markdown()
	if !strings.Contains(md, "| m (first) | measured | first | **10.0** |") ||
		!strings.Contains(md, "| m (second) | measured | second | 20.0 |") {
		t.Errorf("got\n%s", md)
	}
}

// A run is called like its folder, and what augmix run measured like the method.
func TestRunNames(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{"one": "one", "one/.": "one", "augmix/eval": "augmix", "augmix/eval/": "augmix"} {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(full, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := results.WriteFile(filepath.Join(full, results.FileName), nil); err != nil {
			t.Fatal(err)
		}
		if r, err := Load(full); err != nil || r.Name != want {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}

// TestOthers: an aggregate that no table has a place for is listed.
func TestOthers(t *testing.T) {
	r := row("m", "cifar10", "", 0, "surprise", 0.125)
	md := build(t, runOf(t, "a", r)).table(t, "Other measurements").Markdown()
	if !strings.Contains(md, "| surprise, CIFAR-10 | 0.125 |") {
		t.Errorf("got\n%s", md)
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		v    float64
		d    int
		want string
	}{{-1.25, 1, "−1.3"}, {-0.01, 1, "0.0"}, {12.3456, 2, "12.35"}, {100, 0, "100"}} {
		if got := fixed(c.v, c.d); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
	}
	if got := thousands(1234567); got != "1,234,567" {
		t.Error(got)
	}
	if got := thousands(999); got != "999" {
		t.Error(got)
	}
}

// TestCancel: what takes long ends when its context does.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, []*Run{runOf(t, "a", row("m", "cifar10", "", 0, results.Top1Error, 0.2))}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("without records: %v", err)
	}
	if _, err := Build(t.Context(), nil, Options{}); !errors.Is(err, ErrEmpty) || !strings.HasSuffix(err.Error(), "no runs") {
		t.Errorf("no runs: %v", err)
	}
	if _, err := Build(t.Context(), append(sharedRuns(t), nil), Options{}); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), " is nil ") {
		t.Errorf("a run that is nil: %v", err)
	}
	if _, err := Build(&late{Context: ctx}, sharedRuns(t), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("while it draws from records: %v", err)
	}
}

// late is a context that was canceled but does not say so the first time.
type late struct {
	context.Context
	asked bool
}

func (l *late) Err() error {
	if !l.asked {
		l.asked = true
		return nil
	}
	return l.Context.Err()
}

// TestIDs: names that look like the page's own, or like each other with a number, do not collide.
func TestIDs(t *testing.T) {
	b := &builder{ids: map[string]bool{"main": true}}
	seen := map[string]bool{"main": true}
	for _, text := range []string{"x", "x", "x-2", "x 2", "main", "", "<>", "f", "x--t"} {
		id := b.id(text)
		if seen[id] || id == "" || strings.Contains(id, "--") {
			t.Errorf("%q became %q", text, id)
		}
		seen[id] = true
	}
}

// TestSentencesOfWhatIsThere: a table without groups and without extra corruptions does not speak of them, and only a figure of a -C set
// is after the paper's.
func TestSentencesOfWhatIsThere(t *testing.T) {
	var plain, extra []results.Row
	for _, set := range []string{"cifar10-c", "cifar10-c-bar"} {
		p := score.Benchmark(set)
		for _, name := range p.Primary() {
			plain = append(plain, row("net", set, name, 0, results.Top1Error, 0.3))
		}
		plain = append(plain, row("net", set, "", 0, results.Top1Error, 0.3), row("net", set, "", 1, results.Top1Error, 0.2))
	}
	extra = append(plain, row("net", "cifar10-c", "spatter", 0, results.Top1Error, 0.2))
	for _, c := range []struct {
		rows  []results.Row
		extra int
	}{{plain, 0}, {extra, 1}} {
		rep := build(t, runOf(t, "r", c.rows...))
		text := markdown(t, rep)
		if strings.Contains(text, "C\u0304 by severity and group") || !strings.Contains(text, "C\u0304 by severity") {
			t.Error("the table of a set without groups speaks of them")
		}
		for title, after := range map[string]bool{"Error on CIFAR-10-C by corruption": true, "Error on CIFAR-10-C\u0304 by corruption": false} {
			if f := rep.figure(title); f == nil || strings.Contains(f.Caption, "After figure 12") != after {
				t.Errorf("%s: after figure 12? want %v", title, after)
			}
		}
		if n := strings.Count(text, "without the extra ones"); n != c.extra {
			t.Errorf("%d means are without extra ones, want %d", n, c.extra)
		}
	}
	group := row("net", "cifar10-c", "", 0, results.Top1Error, 0.3)
	group.Group = "noise"
	if text := markdown(t, build(t, runOf(t, "r", append(plain, group)...))); !strings.Contains(text, "CIFAR-10-C by severity and group") {
		t.Error("the table of a set with groups does not speak of them")
	}
}
