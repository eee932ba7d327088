package report

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/metrics"
)

// seedRun is a made-up run whose training had a seed; margin is the model's own luck.
func seedRun(t *testing.T, root string, c classifier, seed int, margin float64) *Run {
	t.Helper()
	c.margin += margin
	s := &synthetic{
		c: c, n: 150, base: "cifar10", seed: 4,
		no: map[string]bool{"c": true, "p": true, "ood": true, "pgd": true, "examples": true},
	}
	dir := s.run(t, filepath.Join(root, fmt.Sprintf("seed%d", seed), strings.ReplaceAll(c.name, " ", "-")))
	args := fmt.Sprintf("model: resnet20\nmix: %s\nepochs: 4\nseed: %d\n", strings.ReplaceAll(c.name, " ", "-"), seed)
	if err := os.WriteFile(filepath.Join(dir, "args.yaml"), []byte(args), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestAverageSeeds: means by hand, differences between runs of equal seeds, and every run's own numbers.
func TestAverageSeeds(t *testing.T) {
	dir := t.TempDir()
	runs := []*Run{
		seedRun(t, dir, standardNet(), 1, 0), seedRun(t, dir, standardNet(), 2, -1.5), seedRun(t, dir, standardNet(), 3, -3),
		seedRun(t, dir, augmixNet(), 1, 0.5), seedRun(t, dir, augmixNet(), 2, -1.5),
	}
	apart := build(t, runs...).table(t, "Safety measures")
	var names []string
	var errs []float64
	for _, r := range apart.Rows {
		if r.Origin == "measured" {
			names, errs = append(names, r.Name), append(errs, r.Cells[0].Value)
		}
	}
	if want := []string{
		"synthetic standard (seed 1)", "synthetic standard (seed 2)", "synthetic standard (seed 3)", "synthetic augmix (seed 1)",
		"synthetic augmix (seed 2)",
	}; !slices.Equal(names, want) {
		t.Fatalf("%q", names)
	}

	rep, err := Build(t.Context(), runs, Options{AverageSeeds: true, Replicates: 200})
	if err != nil {
		t.Fatal(err)
	}
	means := rep.table(t, "Safety measures").Rows
	for i, want := range []float64{(errs[0] + errs[1] + errs[2]) / 3, (errs[3] + errs[4]) / 2} {
		if c := means[i].Cells[0]; math.Abs(c.Value-want) > 1e-12 || !(c.Lo < want && want < c.Hi) || means[i].Name != names[3*i][:len(names[3*i])-9] {
			t.Errorf("%s: %+v, want a mean of %v", means[i].Name, c, want)
		}
	}
	for i, r := range rep.table(t, "Safety measures by training seed").Rows {
		if r.Name != names[i] || r.Cells[0].Value != errs[i] {
			t.Errorf("row %d: %s, %v", i, r.Name, r.Cells[0].Value)
		}
	}
	clean := rep.table(t, "synthetic augmix − synthetic standard").Rows[0].Cells
	each := []float64{100 * (errs[3] - errs[0]), 100 * (errs[4] - errs[1])}
	iv, err := metrics.OverSeeds(each, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("[%s, %s]", signed(iv.Lo, 2), signed(iv.Hi, 2)); clean[4].Text != "paired" || clean[6].Text != want ||
		clean[7].Text != signed(each[0], 2)+", "+signed(each[1], 2) {
		t.Errorf("%+v, want %s of %v", clean, want, each)
	}
	if len(rep.Headlines) != 2 || !strings.HasSuffix(rep.Headlines[0].What, "4 epochs, mean of seeds 1, 2, 3") {
		t.Errorf("%+v", rep.Headlines)
	}
	var flat strings.Builder
	if err := rep.WriteCSV(&flat); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "synthetic standard", "synthetic augmix") {
		if !strings.Contains(flat.String(), "\n"+name+",") {
			t.Errorf("the CSV has no %s", name)
		}
	}
	wellFormed(t, html(t, rep))
}

// TestAverageOfEqualRuns: the interval of the mean difference of copies is that of one.
func TestAverageOfEqualRuns(t *testing.T) {
	dir := t.TempDir()
	var runs []*Run
	for _, c := range []classifier{standardNet(), augmixNet()} {
		for seed := 1; seed <= 2; seed++ {
			runs = append(runs, seedRun(t, dir, c, seed, 0))
		}
	}
	one := build(t, runs[0], runs[2]).table(t, "synthetic augmix − synthetic standard").Rows[0].Cells[3]
	rep, err := Build(t.Context(), runs, Options{AverageSeeds: true})
	if err != nil {
		t.Fatal(err)
	}
	two := rep.table(t, "synthetic augmix − synthetic standard").Rows[0].Cells[3]
	if math.Abs(one.Value-two.Value)+math.Abs(one.Lo-two.Lo)+math.Abs(one.Hi-two.Hi) > 1e-9 || two.Level != 0.95 {
		t.Errorf("%+v, of one %+v", two, one)
	}
	// Runs that are not alike: another network, no seed, one run.
	other := seedRun(t, dir, standardNet(), 3, 0)
	other.Training = strings.Replace(other.Training, "resnet20", "resnet56", 1)
	none := seedRun(t, dir, standardNet(), 4, 0)
	none.Training, none.Seed = "", ""
	for _, few := range [][]*Run{runs[:1], {runs[0], other}, {runs[0], none}, {runs[0], runs[2]}} {
		if _, err := Build(t.Context(), few, Options{AverageSeeds: true}); !errors.Is(err, ErrOption) {
			t.Error(err)
		}
	}
}
