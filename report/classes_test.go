package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// classRowsOf are the rows of n classes, of which class i is wrong i times in n and taken for the next one.
func classRowsOf(model string, n int) []results.Row {
	rows := []results.Row{row(model, "own", "", 0, results.Top1Error, 0.5)}
	for i := range n {
		r := row(model, "own", "", 0, results.Top1Error, float64(i)/float64(n))
		r.Class = fmt.Sprintf("class%03d", i)
		rows = append(rows, r)
		r.Metric, r.Said = results.ConfusionShare, fmt.Sprintf("class%03d", (i+1)%n)
		rows = append(rows, r)
	}
	return rows
}

func TestClasses(t *testing.T) {
	few := build(t, runOf(t, "a", classRowsOf("a", 12)...), runOf(t, "b", classRowsOf("b", 12)...))
	if got := few.table(t, "Error by class").Markdown(); !strings.Contains(got, "| class011 | 91.7 | 91.7 |\n| class010 |") {
		t.Error(got)
	}
	if got := few.table(t, "Most frequent confusions").Markdown(); strings.Count(got, "\n") != 2+2*10 ||
		!strings.Contains(got, "| a | class011 | class000 | 91.7 |") {
		t.Error(got)
	}
	var md bytes.Buffer
	if err := few.WriteMarkdown(&md); err != nil || strings.Contains(md.String(), "Everything else") {
		t.Errorf("classes are repeated: %v\n%s", err, md.String())
	}
	var many bytes.Buffer
	if err := build(t, runOf(t, "a", classRowsOf("a", 60)...)).WriteMarkdown(&many); err != nil ||
		!strings.Contains(many.String(), "60 classes were measured") || strings.Contains(many.String(), "Error by class") {
		t.Error(err, many.String())
	}
}

// TestClassesCompared: the better model of a class is bold, not a model's easiest class, and the classes of confusions stand in LaTeX too.
func TestClassesCompared(t *testing.T) {
	rows := classRowsOf("b", 4)
	for i := range rows {
		if rows[i].Class == "class003" {
			rows[i].Value = 0.5
		}
	}
	rep := build(t, runOf(t, "a", classRowsOf("a", 4)...), runOf(t, "b", rows...))
	errors, confusions := rep.table(t, "Error by class"), rep.table(t, "Most frequent confusions")
	if got := errors.Markdown(); strings.Count(got, "**") != 2 || !strings.Contains(got, "| class003 | 75.0 | **50.0** |") {
		t.Error(got)
	}
	if got := errors.LaTeX(LaTeX{}); strings.Count(got, "textbf") != 1 || !strings.Contains(got, `class003 & 75.0 & \textbf{50.0}`) {
		t.Error(got)
	}
	if got := confusions.Markdown(); strings.Contains(got, "**") {
		t.Error(got)
	}
	got := confusions.LaTeX(LaTeX{})
	saysAll(t, got, []string{`\begin{tabular}{@{}lllr@{}}`, "Model & Class & Taken for & Share", "a & class003 & class000 & 75.0", "in percent"})
	if strings.Contains(got, "bold") {
		t.Error(got)
	}
}

// TestClassesOfParts: errors by class of a part, or of another form of the data, have tables of their own.
func TestClassesOfParts(t *testing.T) {
	rows := classRowsOf("a", 3)
	of := func(change func(r *results.Row)) {
		for _, r := range classRowsOf("a", 4) {
			change(&r)
			rows = append(rows, r)
		}
	}
	of(func(r *results.Row) { r.Part = "held-out" })
	of(func(r *results.Row) { r.Dataset = "own-r" })
	other := row("a", "own", "", 0, results.Brier, 0.5)
	other.Class = "class001"
	rows = append(rows, other)
	rep := build(t, runOf(t, "a", rows...))
	saysAll(t, markdown(t, rep), []string{"1 measurements of single corruptions, severities and classes are not repeated"})
	for _, c := range []struct{ of, class string }{{"", "| class002 | 66.7 |"}, {", held-out", "| class003 | 75.0 |"}, {", own-R", "| class003 | 75.0 |"}} {
		byClass, confusions := rep.table(t, "Error by class"+c.of), rep.table(t, "Most frequent confusions"+c.of)
		saysAll(t, byClass.Markdown(), []string{c.class})
		saysAll(t, confusions.Markdown(), []string{"| Class | Taken for |"})
		if part := strings.TrimPrefix(c.of, ", "); !strings.Contains(byClass.Caption, part) || !strings.Contains(confusions.Caption, part) {
			t.Errorf("%q, %q do not say %q", byClass.Caption, confusions.Caption, part)
		}
	}
}

func TestWriteClasses(t *testing.T) {
	var b bytes.Buffer
	WriteText(&b, classRowsOf("m", 25), false)
	text := b.String()
	if strings.Index(text, "CONFUSED") > strings.Index(text, "CLASS ") || !strings.Contains(text, "and 5 classes with smaller errors") ||
		strings.Count(text, "\n") != 2+2+10+2+20+1 {
		t.Error(text)
	}
	b.Reset()
	if WriteClasses(&b, classRowsOf("m", 0)); b.Len() > 0 {
		t.Error(b.String())
	}
}

// TestCues: the shape bias of models, and that of each category, is in the report.
func TestCues(t *testing.T) {
	rows := []results.Row{row("a", "cue-conflict", "", 0, results.ShapeBias, 0.221), row("a", "cue-conflict", "", 0, results.CueAccuracy, 0.6)}
	cat := row("a", "cue-conflict", "", 0, results.ShapeBias, 0.35)
	cat.Class = "cat"
	rep := build(t, runOf(t, "a", append(rows, cat)...))
	if got := rep.table(t, "Shape or texture").Markdown(); !strings.Contains(got, "| a | measured | a | 22.1 | 60.0 |") {
		t.Error(got)
	}
	if got := rep.table(t, "Shape bias by category").Markdown(); !strings.Contains(got, "| cat | 35.0 |") {
		t.Error(got)
	}
}
