package report

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// measured is a run of one row.
func measured(path, data string, limit int) *Run {
	row := results.Row{
		Model: path, Dataset: "test", Metric: results.Top1Error, Value: 0.5, N: 10, Data: data, Origin: results.Measured,
		Time: time.Unix(1, 0),
	}
	row.Limit = limit
	r := &Run{Name: path, Path: path, Rows: []results.Located{{Row: row, File: path + "/results.jsonl", Line: 1}}}
	r.lift()
	return r
}

// TestOtherData: numbers of other samples under one name stand in parts of their own, without a difference between them.
func TestOtherData(t *testing.T) {
	text := func(runs ...*Run) string {
		t.Helper()
		rep, err := Build(t.Context(), runs, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := rep.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := text(measured("a", "one", 0), measured("b", "two", 0), measured("c", "one", 0))
	first, second, ok := strings.Cut(got, "Measured on one data set (data 2 of 2)")
	if !ok || !strings.Contains(first, "Measured on one data set (data 1 of 2)") {
		t.Fatalf("no parts:\n%s", got)
	}
	for _, words := range []string{"a, c: on test with the fingerprint one", "not comparable", "c − a", "other data under one name"} {
		if !strings.Contains(first, words) {
			t.Errorf("the first part lacks %q:\n%s", words, first)
		}
	}
	for _, words := range []string{"- **b** (data 2 of 2): Error on test 50.0 %.\n", "- **c** (data 1 of 2): Error on test 50.0 → 50.0"} {
		if !strings.Contains(first, words) {
			t.Errorf("headlines lack %q:\n%s", words, first)
		}
	}
	if !strings.Contains(second, "b: on test with the fingerprint two") {
		t.Errorf("the second part:\n%s", second)
	}
	for _, difference := range []string{"b − a", "b − c", "a − b", "c − b"} {
		if strings.Contains(got, difference) {
			t.Errorf("a difference across data: %s", difference)
		}
	}
	for what, other := range map[string]*Run{
		"the same data": measured("b", "one", 0), "an older row": measured("b", "", 0), "another limit": measured("b", "two", 5),
	} {
		if got := text(measured("a", "one", 0), other); strings.Contains(got, "Measured on one data set") {
			t.Errorf("%s: in parts", what)
		}
	}
	// A run that has both kinds is divided, and keeps what goes with either.
	both := measured("a", "one", 0)
	both.Rows = append(both.Rows, measured("a", "five", 0).Rows...)
	both.Rows[1].Dataset = "other"
	got = text(measured("x", "two", 0), measured("x", "five", 0), both)
	if n := strings.Count(got, "Measured on one data set"); n != 3 || !strings.Contains(got, "x, a: on test with the fingerprint two, other") {
		t.Errorf("%d parts of a divided run:\n%s", n, got)
	}
	// So is one whose form on disk has not all images; parts of the data that have names are no other data.
	for part, want := range map[string]bool{"": true, "held out": false} {
		some := measured("a", "one", 0)
		some.Rows = append(some.Rows, measured("a", "few", 0).Rows...)
		row := &some.Rows[1]
		row.Dataset, row.Corruption, row.Severity, row.Part = "test-c", "fog", 1, part
		if got := strings.Contains(text(measured("x", "one", 0), some), "(data 2 of 2)"); got != want {
			t.Errorf("part %q: in parts: %v", part, got)
		}
	}
}

// TestOtherFiles: images of the same names and labels with other bytes are other data, where both runs say which bytes.
func TestOtherFiles(t *testing.T) {
	of := func(name, content string) *Run {
		r := measured(name, "one", 0)
		if content != "" {
			r.Rows[0].Versions = map[string]string{"data": content}
		}
		return r
	}
	saysAll(t, markdown(t, build(t, of("a", "x"), of("b", "y"), of("c", "x"))), []string{
		"a, c: on test with the fingerprint one and the files x.", "b: on test with the fingerprint one and the files y.", "c − a",
	}, "b − a", "c − b")
	saysAll(t, markdown(t, build(t, of("a", "x"), of("b", ""))), []string{"b − a"}, "data 1 of 2")
	other := of("b", "y")
	other.Rows[0].Dataset = "other"
	saysAll(t, markdown(t, build(t, of("a", "x"), other)), nil, "the same samples")
}

// TestFilesAlone: predictions that only say the hash of their samples' bytes are told from others by that.
func TestFilesAlone(t *testing.T) {
	of := func(path, data, content string) *Run {
		r := measured(path, data, 0)
		if content != "" {
			r.Rows[0].Versions = map[string]string{results.VersionContent: content}
		}
		return r
	}
	for what, c := range map[string]struct {
		runs  []*Run
		parts int
	}{
		"other bytes":                {[]*Run{of("a", "", "x"), of("b", "", "y")}, 2},
		"the same bytes":             {[]*Run{of("a", "", "x"), of("b", "", "x")}, 1},
		"one with a fingerprint":     {[]*Run{of("a", "one", "x"), of("b", "", "x")}, 1},
		"another with one":           {[]*Run{of("a", "", "x"), of("b", "one", "y")}, 2},
		"one without bytes":          {[]*Run{of("a", "one", ""), of("b", "", "x")}, 1},
		"the second has a print too": {[]*Run{of("a", "", "x"), of("b", "one", "x"), of("c", "two", "")}, 2},
	} {
		text := markdown(t, build(t, c.runs...))
		if n := strings.Count(text, "Measured on one data set"); max(n, 1) != c.parts {
			t.Errorf("%s: %d parts, want %d", what, n, c.parts)
		}
		if what == "other bytes" && !strings.Contains(text, "b: on test with the files y.") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
}

// TestAmong: predictions among equally many classes of a data set that has only some of a model's stand in tables as any others do, and
// apart from predictions among other classes.
func TestAmong(t *testing.T) {
	among := func(name string, classes int) *Run {
		r := measured(name, "one", 5)
		r.Rows[0].Among, r.Rows[0].Limit = classes, 5
		r.lift()
		return r
	}
	text := func(runs ...*Run) string { return markdown(t, build(t, runs...)) }
	got := text(among("a", 9), among("b", 9))
	saysAll(t, got, []string{
		"All runs took each prediction among 9 classes", "Error on test 50.0 → 50.0", "**b − a.**", "| a | measured | a | **50.0** |",
	}, "Other measurements", "data 2 of 2")
	got = text(among("a", 9), among("b", 9), among("c", 1000))
	saysAll(t, got, []string{
		"a, b took each prediction among 9 classes", "c took each prediction among 1,000 classes", "among other classes",
		"c: on test with the fingerprint one, predictions among 1,000 classes", "**b − a (data 1 of 2).**",
	}, "c − a", "c − b")
}

// TestTwoNames: one data set under two names is said to be one.
func TestTwoNames(t *testing.T) {
	a, b := measured("a", "one", 0), measured("b", "one", 0)
	b.Rows[0].Dataset = "other"
	saysAll(t, markdown(t, build(t, a, b)), []string{"test and other are the same samples by their fingerprint, one."})
	saysAll(t, markdown(t, build(t, a, measured("c", "one", 0))), nil, "the same samples")
}

// TestRenditions: ImageNet-R has images of its own, so that its error stands beside the clean one of the same model.
func TestRenditions(t *testing.T) {
	both := func(name string) (clean, r *Run) {
		clean, r = measured(name, "one", 0), measured(name, "two", 0)
		clean.Rows[0].Dataset = "imagenet"
		r.Rows[0].Dataset, r.Rows[0].Value = "imagenet-r", 0.625
		return clean, r
	}
	a, aR := both("a")
	a.Rows = append(a.Rows, aR.Rows...)
	b, bR := both("b") // its rows of -R come first
	bR.Rows = append(bR.Rows, b.Rows...)
	rep, err := Build(t.Context(), []*Run{a, bR}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := rep.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	got := page.String()
	if strings.Contains(got, "Measured on one data set") {
		t.Errorf("in parts:\n%s", got)
	}
	row := regexp.MustCompile(`(?m)^.*Clean error.*R error.*\n.*\n.*50\.0.*62\.5`)
	if !row.MatchString(got) {
		t.Errorf("no line with both errors:\n%s", got)
	}
}
