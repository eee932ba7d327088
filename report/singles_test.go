package report

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

func markdown(t *testing.T, rep *Report) string {
	t.Helper()
	var b strings.Builder
	if err := rep.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// saysAll looks for texts, and that others are not there.
func saysAll(t *testing.T, text string, want []string, not ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
	for _, w := range not {
		if strings.Contains(text, w) {
			t.Errorf("%q in\n%s", w, text)
		}
	}
}

// ownAlone are the rows of a corruption of the user's own that was scored alone, whose mean is over it.
func ownAlone(model string) []results.Row {
	rows := []results.Row{row(model, "scenes", "", 0, results.Top1Error, 0.5), row(model, "scenes-c", "", 0, results.Top1Error, 0.91)}
	for s := 1; s <= 5; s++ {
		rows = append(rows, row(model, "scenes-c", "posterize2", s, results.Top1Error, 0.91))
	}
	return append(rows, row(model, "scenes-c", "posterize2", 0, results.Top1Error, 0.91))
}

// TestOwnMean: a mean over one corruption of the user's own is never said to be over those of the benchmark.
func TestOwnMean(t *testing.T) {
	rep := build(t, runOf(t, "r", ownAlone("m")...))
	saysAll(t, markdown(t, rep), []string{
		"Mean is over the one corruption (posterize2) that was measured.",
		"Means are over what was measured: m on scenes-C over one corruption (posterize2).",
		"| Mean (%) | posterize2 (%) |",
	}, "15 corruptions of the benchmark")
	if finds := strings.Join(rep.Headlines[0].Finds, "\n"); !strings.Contains(finds, "the mean over one corruption (posterize2)") {
		t.Error(finds)
	}
	var csv strings.Builder
	if err := rep.WriteCSV(&csv); err != nil || !strings.Contains(csv.String(), "mean over one corruption (posterize2)") {
		t.Error(err, csv.String())
	}
}

// TestOwnMeanBeside: beside a mean over the benchmark's corruptions it is marked, and no difference is drawn.
func TestOwnMeanBeside(t *testing.T) {
	whole := row("whole", "scenes-c", "", 0, results.Top1Error, 0.4)
	rep := build(t, runOf(t, "a", whole, row("whole", "scenes-c", "fog", 0, results.Top1Error, 0.4)), runOf(t, "b", ownAlone("m")...))
	saysAll(t, rep.table(t, "Safety measures").Markdown(), []string{"91.0▽", "| 40.0 |"})
	saysAll(t, markdown(t, rep), []string{
		"of the benchmark, without the extra ones, where not marked ▽", "▽ Means over other corruptions, so not comparable with the rest: " +
			"m on scenes-C over one corruption (posterize2).",
		"no difference of m, a mean over one corruption (posterize2), to whole, a mean over the corruptions of the benchmark",
	})
	var tex strings.Builder
	if err := rep.WriteLaTeX(&tex, LaTeX{}); err != nil || !strings.Contains(tex.String(), `\nabla`) {
		t.Error(err)
	}
}

// TestOwnBesidePublished: a corruption of the user's own has a column beside those of the benchmark.
func TestOwnBesidePublished(t *testing.T) {
	rows := []results.Row{row("m", "scenes", "", 0, results.Top1Error, 0.1)}
	for i, k := range []string{"fog", "contrast", "posterize2"} {
		v := 0.2 + 0.1*float64(i)
		for s := 1; s <= 5; s++ {
			rows = append(rows, row("m", "scenes-c", k, s, results.Top1Error, v))
		}
		rows = append(rows, row("m", "scenes-c", k, 0, results.Top1Error, v))
	}
	rep := build(t, runOf(t, "r", rows...))
	saysAll(t, rep.table(t, "Error on scenes-C by corruption").Markdown(), []string{"| Fog (%) | Contrast (%) | posterize2 (%) |", "| 20.0 | 30.0 | 40.0 |"})
	saysAll(t, markdown(t, rep), []string{
		"There is no mean, which needs severities 1 to 5 of all 15 corruptions of the benchmark.",
		"Corruptions (Error on scenes-C): no mean, which needs",
	}, "Mean is over", "measurements of single corruptions", "Corruptions (Error on scenes-C): not measured")
}

// TestSubsetOfSeverities: errors of corruptions at some severities are in a table of their own.
func TestSubsetOfSeverities(t *testing.T) {
	rows := []results.Row{row("m", "scenes", "", 0, results.Top1Error, 0.1)}
	for _, k := range []string{"fog", "contrast", "posterize2"} {
		for _, s := range []int{1, 3, 5} {
			rows = append(rows, row("m", "scenes-c", k, s, results.Top1Error, 0.2+0.01*float64(s)))
		}
	}
	rep := build(t, runOf(t, "r", rows...))
	saysAll(t, rep.table(t, "Error on scenes-C at single severities").Markdown(), []string{
		"| Corruption | Sev. 1 (%) | Sev. 3 (%) | Sev. 5 (%) |", "| fog | 21.0 | 23.0 | 25.0 |", "| posterize2 | 21.0 | 23.0 | 25.0 |",
	})
	saysAll(t, markdown(t, rep), []string{
		"measured: 3 corruptions (contrast, fog, posterize2), severities 1, 3, 5, so not among the axes",
	}, "measurements of single corruptions", "Error on scenes-C): not measured")
}

// TestManySingles: where there are too many single numbers for a table, that is said.
func TestManySingles(t *testing.T) {
	rows := []results.Row{row("m", "scenes", "", 0, results.Top1Error, 0.1)}
	for _, k := range []string{"fog", "contrast"} {
		for i := range 120 {
			r := row("m", "scenes-c", k, 0, results.Top1Error, 0.2)
			r.Severity = 0.025 * float64(i+1)
			rows = append(rows, r)
		}
	}
	md := markdown(t, build(t, runOf(t, "r", rows...)))
	saysAll(t, md, []string{"more than are shown here (a table has at most 200 numbers)"}, "at single severities")
}

// TestFractionalSeverities: without means by severity the report says what was measured, and the errors between are there.
func TestFractionalSeverities(t *testing.T) {
	rows := []results.Row{row("m", "cifar10", "", 0, results.Top1Error, 0.1)}
	for _, k := range []string{"fog", "contrast", "snow"} {
		for i := range 10 {
			r := row("m", "cifar10-c", k, 0, results.Top1Error, 0.2)
			r.Severity = 0.5 * float64(i+1)
			rows = append(rows, r)
		}
	}
	rep := build(t, runOf(t, "r", rows...))
	saysAll(t, markdown(t, rep), []string{
		"CIFAR-10-C: no curves of the mean against severity, which need all corruptions of the benchmark; measured: 3 corruptions " +
			"(contrast, fog, snow), severities 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5.",
	}, "no errors by severity")
	if n := len(rep.table(t, "Error on CIFAR-10-C at single severities").Columns); n != 10 {
		t.Errorf("%d columns", n)
	}
}
