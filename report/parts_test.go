package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// partRows are a model's errors on parts of ICONS-50.
func partRows(model string) (rows []results.Row) {
	for _, p := range []struct {
		part string
		v    float64
	}{{"subtype", 0.4}, {"traditional", 0.03}, {"seen-subtype", 0.1}, {"", 0.2}} {
		r := row(model, "icons-50", "", 0, results.Top1Error, p.v)
		r.Part = p.part
		rows = append(rows, r)
	}
	return rows
}

// TestParts: errors on parts of a data set stand beside those that the paper's accuracies leave, what was seen beside what was held out.
func TestParts(t *testing.T) {
	rows := partRows("m")
	c := row("m", "icons-50", "", 0, results.RMSCalibration, 0.25)
	c.Part = "subtype"
	rows = append(rows, c)
	rep := build(t, runOf(t, "r", append(rows, row("elsewhere", "cifar10", "", 0, results.Top1Error, 0.1))...))
	f := rep.figure("Errors on parts of ICONS-50")
	p := only(t, f)
	if want := []string{"all", "seen-subtype", "subtype", "traditional"}; f.ID != "icons-50-parts" || !slices.Equal(p.X.Categories, want) {
		t.Fatalf("%s: %v, want %v", f.ID, p.X.Categories, want)
	}
	if y := p.Series[0].Y; y[0] != 0.2 || y[1] != 0.1 || y[2] != 0.4 || y[3] != 0.03 {
		t.Errorf("%v", y)
	}
	k := slices.IndexFunc(p.Series, func(s chart.Series) bool { return s.Name == "Standard, ResNet (ImageNet-C paper)" })
	if k < 0 || !p.Series[k].Published || math.Abs(p.Series[k].Y[2]-(1-0.575)) > 1e-12 || !math.IsNaN(p.Series[k].Y[1]) {
		t.Fatalf("ResNet of the paper: %d of %+v", k, p.Series)
	}
	if slices.ContainsFunc(p.Series, func(s chart.Series) bool { return s.Name == "elsewhere" }) {
		t.Error("a model of other data is drawn")
	}
	g := rep.table(t, "Errors on parts of ICONS-50")
	if len(g.Columns) != 4 || len(g.Rows) != 5 {
		t.Errorf("%d columns, %d rows", len(g.Columns), len(g.Rows))
	}
	i := slices.IndexFunc(rep.Headlines, func(h Headline) bool { return h.Model == "m" })
	if i < 0 || !slices.Contains(rep.Headlines[i].Finds, "Error on ICONS-50, subtype: 40.0 %.") {
		t.Errorf("%+v", rep.Headlines)
	}
	if k := rep.table(t, "Calibration on ICONS-50, subtype"); len(k.Columns) != 1 {
		t.Errorf("%d columns of calibration", len(k.Columns))
	}
	for n, want := range map[int]string{
		4: "", 5: " The first 3 of 4 published rows; the table has all.", 8: " Without the published rows, which the table has.",
		9: " The first 8 of 9 models and no published row; the table has all.",
	} {
		var runs []*Run
		for i := range n {
			runs = append(runs, runOf(t, string(rune('a'+i)), partRows(string(rune('a'+i)))...))
		}
		f := build(t, runs...).figure("Errors on parts of ICONS-50")
		if _, left, _ := strings.Cut(f.Caption, "first version of the ImageNet-C paper."); left != want {
			t.Errorf("%d models: the caption ends in %q, want %q", n, left, want)
		}
		if p := only(t, f); len(p.Series) != min(n+4, chart.Colors) {
			t.Errorf("%d models: %d series", n, len(p.Series))
		}
	}
	if build(t, runOf(t, "r", row("m", "cifar10", "", 0, results.Top1Error, 0.1))).figure("Errors on parts of CIFAR-10") != nil {
		t.Error("parts of a data set that has none")
	}
}

// TestCalibrationOfRenditions: numbers of ImageNet-R are of its images and no means, as those of a form are.
func TestCalibrationOfRenditions(t *testing.T) {
	rep := build(t, runOf(t, "r", row("m", "imagenet", "", 0, results.ECE, 0.1), row("m", "imagenet-r", "", 0, results.ECE, 0.2),
		row("m", "imagenet-c", "", 0, results.ECE, 0.3)))
	for set, want := range map[string]bool{"ImageNet": false, "ImageNet-R": false, "ImageNet-C": true} {
		if k := rep.table(t, "Calibration on "+set); strings.Contains(k.Caption, "means over corruptions and severities") != want {
			t.Errorf("%s: %s", set, k.Caption)
		}
	}
}
