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
	"github.com/augmix-go/augmix/results"
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
	if a, b := means[0].Source, means[1].Source; a != runs[0].Name+" and 2 more" || b != runs[3].Name+" and 1 more" {
		t.Errorf("sources %q, %q", a, b)
	}
	for i, r := range rep.table(t, "Safety measures by training seed").Rows {
		if c := r.Cells[0]; r.Name != names[i] || c.Value != errs[i] || c.Level != 0.95 {
			t.Errorf("row %d: %s, %+v", i, r.Name, c)
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

// TestAverageOfOtherTrainings: runs whose trainings differ in more than the seed are no mean, and what they differ in is said.
func TestAverageOfOtherTrainings(t *testing.T) {
	dir := t.TempDir()
	runs := []*Run{seedRun(t, dir, standardNet(), 1, 0), seedRun(t, dir, standardNet(), 2, -1), seedRun(t, dir, standardNet(), 3, 0)}
	runs[1].settings["lr"] = "0.1"
	runs[2].settings["lr"] = "1"
	const want = "the trainings of seeds 1 and 2 are not averaged, as they differ in lr too"
	_, err := Build(t.Context(), runs, Options{AverageSeeds: true})
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	runs[2].settings["lr"] = "0.1"
	rep, err := Build(t.Context(), runs, Options{AverageSeeds: true})
	if err != nil {
		t.Fatal(err)
	}
	if rows := rep.table(t, "Safety measures by training seed").Rows; len(rows) != 2 {
		t.Errorf("%d runs in the mean, want 2", len(rows))
	}
}

// TestIntervalsInAnyOrder: a run by itself beside a mean has its interval, whichever comes first.
func TestIntervalsInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	mean := []*Run{seedRun(t, dir, standardNet(), 1, 0), seedRun(t, dir, standardNet(), 2, -1.5)}
	alone := seedRun(t, dir, augmixNet(), 1, 0.5)
	for _, run := range append(mean, alone) {
		for i := range run.Rows {
			run.Rows[i].Interval = nil // so that it comes from the records
		}
	}
	for _, runs := range [][]*Run{{mean[0], mean[1], alone}, {alone, mean[0], mean[1]}} {
		rep, err := Build(t.Context(), runs, Options{AverageSeeds: true, Replicates: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rep.table(t, "Safety measures").Rows {
			if c := r.Cells[0]; r.Origin == results.Measured && c.Level != 0.95 {
				t.Errorf("%s: %+v", r.Name, c)
			}
		}
	}
}

// seeded is a run of a training with a seed whose rows are given.
func seeded(t *testing.T, mix, seed string, rows ...results.Row) *Run {
	t.Helper()
	run := runOf(t, mix+seed, rows...)
	run.Seed, run.Training = seed, "resnet20, "+mix+", 4 epochs, seed "+seed
	return run
}

// benchmarkRows are a model's clean error and its error on all corruptions of CIFAR-10-C but one.
func benchmarkRows(model string, clean, corrupted float64, without string) []results.Row {
	rows := []results.Row{row(model, "cifar10", "", 0, results.Top1Error, clean)}
	p, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		panic(err)
	}
	for _, name := range p.Primary() {
		for severity := 1; severity <= 5 && name != without; severity++ {
			rows = append(rows, row(model, "cifar10-c", name, severity, results.Top1Error, corrupted))
		}
	}
	return rows
}

func averaged(t *testing.T, runs ...*Run) *Report {
	t.Helper()
	rep, err := Build(t.Context(), runs, Options{AverageSeeds: true, Replicates: 100})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestMeansOverEverySeed: a number that a seed lacks has no mean over seeds, whatever the others have, and the report says so.
func TestMeansOverEverySeed(t *testing.T) {
	lacking := func(without ...string) *Report {
		var runs []*Run
		for i, name := range without {
			runs = append(runs, seeded(t, "mix", fmt.Sprint(i+1), benchmarkRows("m", 0.25, 0.125*float64(i+1), name)...))
		}
		return averaged(t, runs...)
	}
	heads := func(rep *Report) (found []string) {
		for _, c := range rep.table(t, "Safety measures").Columns {
			found = append(found, c.Head)
		}
		return found
	}
	whole := lacking("", "", "")
	c := whole.table(t, "Safety measures").Rows[0].Cells[1]
	if got := heads(whole); !slices.Equal(got, []string{"Clean error", "C error"}) || c.Value != 0.25 || c.Note != "mean of 3 seeds, from 0.125 to 0.375" ||
		c.N != 750000 {
		t.Errorf("%q, %+v", got, c)
	}
	for _, without := range [][]string{{"", "", "fog"}, {"snow", "fog"}} {
		rep := lacking(without...)
		if got := heads(rep); !slices.Equal(got, []string{"Clean error"}) {
			t.Errorf("without %q: %q", without, got)
		}
		t1 := rep.table(t, "Error on CIFAR-10-C by corruption")
		for i, col := range t1.Columns {
			if col.Head == "Fog" || col.Head == "Mean" {
				t.Errorf("without %q: %s has %v", without, col.Head, t1.Rows[0].Cells[i].Value)
			}
		}
		if md := inForm(t, rep, "md"); !strings.Contains(md, "m: no means over seeds of ") || !strings.Contains(md, "such as Error on CIFAR-10-C, ") {
			t.Errorf("without %q: not said in\n%s", without, md)
		}
	}
	none := newSubject("m", "m", results.Measured, "")
	none.members = []*Subject{newSubject("a", "m", results.Measured, ""), newSubject("b", "m", results.Measured, "")}
	none.members[1].book.Add(row("m", "cifar10", "", 0, results.Top1Error, 0.5))
	if n := none.Get(results.Cell{Dataset: "cifar10", Metric: results.Top1Error}); n.Has() || n.Note != "only 1 of 2 seeds" {
		t.Errorf("%+v", n)
	}
}

// TestDifferencesOfEqualSeeds: two means over other seeds are compared over those that both have.
func TestDifferencesOfEqualSeeds(t *testing.T) {
	errs := []float64{0.25, 0.5, 0.375}
	var runs []*Run
	for i, e := range errs {
		runs = append(runs, seeded(t, "one", fmt.Sprint(i+1), benchmarkRows("m", e, e, "")...))
	}
	for i, e := range errs[:2] { // copies
		runs = append(runs, seeded(t, "two", fmt.Sprint(i+1), benchmarkRows("other", e, e, "")...))
	}
	for _, turned := range []bool{false, true} {
		if turned {
			runs = append(slices.Clone(runs[3:]), runs[:3]...)
		}
		rep := averaged(t, runs...)
		title := map[bool]string{false: "other − m", true: "m − other"}[turned]
		g := rep.table(t, title)
		for _, r := range g.Rows {
			if x, y, d := r.Cells[1], r.Cells[2], r.Cells[3]; d.Value != 0 || x.Value != 37.5 || y.Value != 37.5 || r.Cells[7].Text != "0.00, 0.00" {
				t.Errorf("%s, %s: %v - %v is %v, each %s", title, r.Name, y.Value, x.Value, d.Value, r.Cells[7].Text)
			}
		}
		if !strings.Contains(g.Caption, "over the seeds 1, 2, which both have") {
			t.Error(g.Caption)
		}
		if h := rep.Headlines[1].Finds[0]; !strings.Contains(h, "37.5 → 37.5 (0.0) against") || !strings.Contains(h, ", seeds 1, 2") {
			t.Error(h)
		}
	}
	// What a seed lacks that the other mean has not.
	part := append([]*Run{runs[0], runs[1]}, runs[2], runs[3], seeded(t, "one", "3", benchmarkRows("m", 0.375, 0.375, "fog")...))
	for _, h := range averaged(t, part...).Headlines[1:] {
		if !strings.HasPrefix(h.Finds[0], "Error on CIFAR-10-C 37.5 → 37.5 (0.0)") {
			t.Error(h)
		}
	}
	// One run of a seed, and one of a seed that the mean has not.
	for seed, want := range map[string]float64{"2": 0, "7": 12.5} {
		rep := averaged(t, runs[2], runs[3], runs[4], seeded(t, "two", seed, benchmarkRows("other", 0.5, 0.5, "")...))
		g := rep.table(t, "other − m")
		if d := g.Rows[0].Cells[3].Value; d != want || strings.Contains(g.Caption, "which both have") != (seed == "2") {
			t.Errorf("seed %s: %v, want %v: %s", seed, d, want, g.Caption)
		}
	}
}

// TestCaveatsOfSeeds: what marks a number of one seed marks the mean, and means over other sets have no mean.
func TestCaveatsOfSeeds(t *testing.T) {
	ood := func(set string, v float64) results.Row {
		r := row("m", "cifar10", "", 0, results.AUROC, v)
		r.OOD = set
		return r
	}
	mean := func(v float64, sets ...string) results.Row {
		r := row("m", "cifar10", "", 0, results.AUROC, v)
		r.Over = sets
		return r
	}
	second := benchmarkRows("m", 0.25, 0.5, "")
	for i := range second {
		second[i].Versions = map[string]string{results.VersionTrainedOn: "contrast"}
		if second[i].Corruption == "frost" {
			second[i].Versions[results.VersionFrost] = results.FrostGenerated
		}
	}
	first := benchmarkRows("m", 0.25, 0.5, "")
	rep := averaged(t, seeded(t, "x", "1", append(slices.Clone(first), mean(0.5, "svhn"), ood("svhn", 0.5))...),
		seeded(t, "x", "2", append(second, mean(0.75, "svhn"), ood("svhn", 0.75))...))
	g := rep.table(t, "Safety measures")
	if c := g.Rows[0].Cells[1]; c.marks() != "†§¶" || !strings.Contains(g.Caption, "m on contrast") {
		t.Errorf("marks %q: %s", c.marks(), g.Caption)
	}
	if c := g.Rows[0].Cells[2]; c.Value != 0.625 || !strings.Contains(g.Caption, "over one set (svhn)") {
		t.Errorf("%+v: %s", c, g.Caption)
	}
	rep = averaged(t, seeded(t, "x", "1", append(slices.Clone(first), mean(0.5, "svhn"), ood("svhn", 0.5))...),
		seeded(t, "x", "2", append(slices.Clone(first), mean(0.75, "svhn", "lsun"), ood("lsun", 0.75), ood("svhn", 0.75))...))
	if cols := rep.table(t, "Safety measures").Columns; len(cols) != 2 {
		t.Errorf("a mean of means over other sets: %+v", cols)
	}
	if md := inForm(t, rep, "md"); !strings.Contains(md, "no means over seeds of 2 numbers that not all of the seeds 1, 2 have alike, such as AUROC on CIFAR-10.") {
		t.Error(md)
	}
	if csv := rep.table(t, "AUROC by set").CSV(); !strings.Contains(csv, "svhn") || strings.Contains(csv, "Mean") || strings.Contains(csv, "lsun") {
		t.Error(csv)
	}
}
