package report

import (
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
)

// TestCaveats: numbers that are not the measurement beside them are marked, and the caption says why.
func TestCaveats(t *testing.T) {
	row := func(dataset, corruption, metric string, v float64) results.Row {
		return results.Row{
			Model: "net", Dataset: dataset, Corruption: corruption, Metric: metric, Value: v, N: 10, Origin: results.Measured,
			Time: time.Unix(1, 0),
		}
	}
	auroc := row("cifar10", "", results.AUROC, 0.9)
	auroc.Over = []string{"blobs", "gaussian"}
	blobs := row("cifar10", "", results.AUROC, 0.9)
	blobs.OOD = "blobs"
	frost := row("cifar10-c", "frost", results.Top1Error, 0.5)
	frost.Versions = map[string]string{results.VersionFrost: results.FrostGenerated}
	mean := row("cifar10-c", "", results.Top1Error, 0.5)
	build := func(rows ...results.Row) string {
		t.Helper()
		run := &Run{Name: "a", Path: "a"}
		for i, r := range rows {
			run.Rows = append(run.Rows, results.Located{Row: r, File: "a", Line: i + 1})
		}
		rep, err := Build(t.Context(), []*Run{run}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := rep.WriteMarkdown(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	seven := "7 sets (blobs, gaussian, lsun, places69, rademacher, svhn, textures)"
	sets := "over 2 sets (blobs, gaussian), published ones over " + seven
	ice := "generated ice crystals for frost"
	text := build(auroc, blobs, frost, mean)
	for _, want := range []string{
		"90.0‡", "‡ Measured means of OOD detection are " + sets, "50.0§", "§ Measured with " + ice,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if !strings.Contains(text, "over 2 sets (blobs, gaussian).") {
		t.Error("the table by set does not say what its mean is over")
	}
	mean.Versions = map[string]string{results.VersionTrainedOn: "contrast, gaussian noise"}
	if text := build(blobs, frost, mean); !strings.Contains(text, "50.0§¶") ||
		!strings.Contains(text, "¶ Trained on what the benchmark tests, so not comparable: net on contrast, gaussian noise.") {
		t.Error("a network that was trained on what is tested has no mark")
	}
	var said strings.Builder
	if WriteText(&said, []results.Row{mean}, false); !strings.Contains(said.String(), "trained on contrast, gaussian noise, which the benchmark tests") {
		t.Error(said.String())
	}
	// Corruptions of C-bar and for validation: their own numbers, not those of C.
	others := map[string]string{results.VersionTrainedOnBar: "lines, ripple", results.VersionTrainedOnValidation: "spatter"}
	bar, spatter := row("cifar10-c-bar", "", results.Top1Error, 0.25), row("cifar10-c", "spatter", results.Top1Error, 0.125)
	bar.Versions, spatter.Versions, mean.Versions = others, others, others
	if text := build(mean, bar, spatter); strings.Contains(text, "50.0¶") || !strings.Contains(text, "25.0¶") ||
		!strings.Contains(text, "net on lines, ripple") {
		t.Error(text)
	}
	said.Reset()
	if WriteText(&said, []results.Row{mean}, false); strings.Contains(said.String(), "trained on") {
		t.Error(said.String())
	}
	if WriteText(&said, []results.Row{mean, spatter}, false); !strings.Contains(said.String(), "trained on spatter, which") {
		t.Error(said.String())
	}
	mean.Versions = nil
	frost.Versions = nil
	if text := build(blobs, frost, mean); strings.Contains(text, "§") || strings.Contains(text, ice) {
		t.Error("frost of photographs is marked")
	}
	auroc.Over = nil
	if text := build(auroc, blobs); !strings.Contains(text, "over one set (blobs), published") {
		t.Error("older rows do not say their sets")
	}
	auroc.Over = published.OODSets("cifar10")
	if text := build(auroc, blobs); strings.Contains(text, "90.0‡") || !strings.Contains(text, "Means of OOD detection are over "+seven+".") {
		t.Error("the mean over the papers' seven sets is marked, or they are not named")
	}
}

// TestPublishedBins: beside published calibration errors, which leave the last bin out, stands the measured one that does too, or the
// other one with a mark.
func TestPublishedBins(t *testing.T) {
	rms := row("net", "cifar10", "", 0, results.RMSCalibration, 0.071)
	less := row("net", "cifar10", "", 0, results.RMSCalibration, 0.042)
	less.SkipLast = true
	for want, rows := range map[string][]results.Row{"7.1‖": {rms}, "4.2": {rms, less}} {
		g := build(t, runOf(t, "a", rows...)).table(t, "PixMix, table 8")
		cell := g.Rows[len(g.Rows)-1].Cells
		got := ""
		for j := range cell {
			if cell[j].Has() {
				got += cell[j].value(&g.Columns[j]) + cell[j].Marks
			}
		}
		if got != want || strings.Contains(g.Caption, "leaves out the last one") != (len(rows) == 1) {
			t.Errorf("%q, want %q: %s", got, want, g.Caption)
		}
	}
}

// TestCaveatsOfDifferences: tables of differences mark their numbers too, and have no difference of means over other OOD sets.
func TestCaveatsOfDifferences(t *testing.T) {
	run := func(name string, sets ...string) *Run {
		base := results.Row{Model: name, Dataset: "cifar10", N: 10, Origin: results.Measured, Time: time.Unix(1, 0)}
		auroc, energy, c := base, base, base
		auroc.Metric, auroc.Value, auroc.Over = results.AUROC, 0.9, sets
		energy.Metric, energy.Value, energy.Over, energy.Score = results.AUROC, 0.8, sets, "energy"
		c.Dataset, c.Metric, c.Value = "cifar10-c", results.Top1Error, 0.5
		c.Versions = map[string]string{results.VersionFrost: results.FrostGenerated}
		r := &Run{Name: name, Path: name}
		for i, row := range []results.Row{auroc, energy, c} {
			r.Rows = append(r.Rows, results.Located{Row: row, File: name, Line: i + 1})
		}
		return r
	}
	for _, same := range []bool{true, false} {
		b := run("b", "blobs", "gaussian")
		if !same {
			b = run("b", "blobs", "svhn")
		}
		rep, err := Build(t.Context(), []*Run{run("a", "blobs", "gaussian"), b}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := rep.WriteMarkdown(&text); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(text.String(), "## Differences")
		differences, _, _ := strings.Cut(rest, "\n## ")
		_, others, _ := strings.Cut(text.String(), "## Other measurements")
		if !strings.Contains(differences, "50.00§") || !strings.Contains(differences, "§ Measured with") {
			t.Errorf("no mark of frost in\n%s", differences)
		}
		if strings.Contains(differences, "AUROC") != same || strings.Contains(others, "80.0‡") == same {
			t.Errorf("same sets %t:\n%s\n%s", same, differences, others)
		}
	}
}
