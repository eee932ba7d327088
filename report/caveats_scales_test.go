package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// says gives rows a version.
func says(key, version string, rows ...results.Row) []results.Row {
	for i := range rows {
		rows[i].Versions = map[string]string{key: version}
	}
	return rows
}

// inForm writes a report in a form.
func inForm(t *testing.T, rep *Report, form string) string {
	t.Helper()
	var b strings.Builder
	var err error
	switch form {
	case "md":
		err = rep.WriteMarkdown(&b)
	case "tex":
		err = rep.WriteLaTeX(&b, LaTeX{Published: PublishedNone})
	case "csv":
		err = rep.WriteCSV(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOtherBaseline: numbers that are not divided by AlexNet's figures are marked and have no difference to those that are.
func TestOtherBaseline(t *testing.T) {
	model := func(name string, mce float64) []results.Row {
		return []results.Row{
			row(name, "imagenet-c", "", 0, results.MeanCE, mce), row(name, "imagenet-c", "fog", 0, results.CE, mce),
			row(name, "imagenet-p", "", 0, results.MeanFlipRate, mce), row(name, "imagenet-c", "fog", 0, results.Top1Error, 0.5),
		}
	}
	clean := func(name string) results.Row { return row(name, "imagenet", "", 0, results.Top1Error, 0.25) }
	divided := model("other", 0.796875)
	other := append(append(says(results.VersionBaseline, "imA (1a2b)", divided[:3]...), divided[3]), clean("other"))
	run := runOf(t, "b", other...)
	rep := build(t, runOf(t, "a", append(model("alex", 0.8125), clean("alex"))...), run)
	const note = "Not divided by AlexNet's published figures, so not comparable with numbers that are: other by those of imA (1a2b)."
	for title, columns := range map[string]int{"Safety measures": 2, "Corruption error (CE) on ImageNet-C": 2, "AugMix, table 2": 2} {
		g := rep.table(t, title)
		marked := 0
		for _, r := range g.Rows {
			for i := range r.Cells {
				if c := &r.Cells[i]; c.Marks == markBase && r.Name == "other" {
					marked++
				} else if c.Marks != "" {
					t.Errorf("%s: %s has the marks %q", title, r.Name, c.Marks)
				}
			}
		}
		if marked != columns || !strings.Contains(g.Caption, markBase+" "+note) {
			t.Errorf("%s: %d marks, want %d: %s", title, marked, columns, g.Caption)
		}
	}
	if caption := rep.table(t, "Corruption error (CE) on ImageNet-C").Caption; !strings.Contains(caption, "AlexNet's, where marked ◊ those of another model") {
		t.Error(caption)
	}
	differences := rep.table(t, "other − alex")
	if len(differences.Rows) != 1 || differences.Rows[0].Name != "Clean error (%)" {
		t.Errorf("differences of %+v", differences.Rows)
	}
	md := inForm(t, rep, "md")
	for _, want := range []string{"79.7◊", "no difference of other, divided by the figures of imA (1a2b), to alex, divided by the figures of AlexNet."} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
	for _, h := range rep.Headlines {
		if strings.Contains(strings.Join(h.Finds, " "), "against") && strings.Contains(strings.Join(h.Finds, " "), "mCE") {
			t.Errorf("a headline compares what is divided by other figures: %q", h.Finds)
		}
	}
	if tex := inForm(t, rep, "tex"); !strings.Contains(tex, `79.7\textsuperscript{$\diamond$}`) || !strings.Contains(tex, "other by those of imA (1a2b)") {
		t.Error(tex)
	}
	if csv := inForm(t, rep, "csv"); strings.Count(csv, "divided by the figures of imA (1a2b)") != 3 {
		t.Error(csv)
	}
	if h := build(t, run).Headlines[0].Finds[0]; !strings.Contains(h, "divided by the figures of imA (1a2b)") {
		t.Error(h)
	}
	var said strings.Builder
	if WriteText(&said, other, false); strings.Count(said.String(), "divided by the figures of imA (1a2b), not by AlexNet's") != 2 { // data sets
		t.Error(said.String())
	}
}

// TestTwoBaselines: where flips and top-5 distances are divided by figures of their own, each line says whose.
func TestTwoBaselines(t *testing.T) {
	row := func(metric, version string) results.Row {
		return results.Row{Metric: metric, Versions: map[string]string{results.VersionBaseline: version}}
	}
	lines := scaled([]results.Row{
		row(results.FlipRate, "own (1)"), row(results.Top5Rate, "own (2)"), row(results.MeanFlipRate, "own (1)"), {Metric: results.Top1Error},
	})
	want := []string{
		"Flip rate, mFR: divided by the figures of own (1), not by AlexNet's",
		"T5D: divided by the figures of own (2), not by AlexNet's",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

// TestOtherBins: calibration errors with other bins are marked, those computed of them too, and have no difference to others.
func TestOtherBins(t *testing.T) {
	model := func(name string, v float64) []results.Row {
		rows := []results.Row{row(name, "cifar10", "", 0, results.RMSCalibration, v)}
		for severity := 1; severity <= 5; severity++ {
			for _, c := range []string{
				"gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "snow", "frost", "fog",
				"brightness", "contrast", "elastic_transform", "pixelate", "jpeg_compression",
			} {
				rows = append(rows, row(name, "cifar10-c", c, severity, results.RMSCalibration, v))
			}
		}
		return rows
	}
	ece := func(name string) results.Row { return row(name, "cifar10", "", 0, results.ECE, 0.125) }
	brier := func(name string) results.Row { return row(name, "cifar10", "", 0, results.Brier, 0.25) }
	few := append(says(results.VersionBins, "adaptive:10", model("few", 0.0625)...), says(results.VersionBins, "equal:30", ece("few"))...)
	rep := build(t, runOf(t, "a", append(model("usual", 0.03125), ece("usual"), brier("usual"))...), runOf(t, "b", append(few, brier("few"))...))
	for title, want := range map[string]string{
		"Calibration on CIFAR-10":   "6.3△ 12.5△ 0.250",
		"Calibration on CIFAR-10-C": "6.3†△",
	} {
		g := rep.table(t, title)
		var got []string
		for i := range g.Rows[1].Cells {
			c := &g.Rows[1].Cells[i]
			got = append(got, c.value(&g.Columns[i])+c.marks())
		}
		if text := strings.Join(got, " "); text != want || !strings.Contains(g.Caption, "of equal width, where marked △ others") ||
			!strings.Contains(g.Caption, "△ Other bins, so not comparable with the rest: few with adaptive bins of 10") {
			t.Errorf("%s: %s, want %s; %s", title, text, want, g.Caption)
		}
	}
	if g := rep.table(t, "few − usual"); len(g.Rows) != 1 || g.Rows[0].Name != "Brier" {
		t.Errorf("differences of %+v", g.Rows)
	}
	md := inForm(t, rep, "md")
	if want := "no difference of few, with adaptive bins of 10, to usual, with the default bins."; strings.Count(md, want) != 2 {
		t.Errorf("no %q twice in\n%s", want, md)
	}
	if csv := inForm(t, rep, "csv"); !strings.Contains(csv, "with 30 bins of equal width") {
		t.Error(csv)
	}
	var said strings.Builder
	if WriteText(&said, few, false); !strings.Contains(said.String(), "ECE: with 30 bins of equal width") {
		t.Error(said.String())
	}
}
