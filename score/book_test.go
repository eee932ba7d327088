package score

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

func errorRow(dataset, corruption string, severity int, v float64) results.Row {
	return results.Row{
		Model: "m", Dataset: dataset, Corruption: corruption, Severity: float64(severity), Metric: results.Top1Error, Value: v, N: 100,
	}
}

// whole returns the rows of every cell of ImageNet-C, and the same numbers in a grid.
func whole(t *testing.T) ([]results.Row, *metrics.Grid) {
	t.Helper()
	p, err := metrics.LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	grid := metrics.NewGrid(p, metrics.ErrorRate)
	rows := []results.Row{errorRow("imagenet", "", 0, 0.24)}
	err = grid.SetClean(0.24)
	for i, name := range p.Primary() {
		for s := 1; s <= 5; s++ {
			v := 0.3 + 0.021*float64(i) + 0.053*float64(s)
			rows = append(rows, errorRow("imagenet-c", name, s, v))
			err = errors.Join(err, grid.Set(name, s, v))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows, grid
}

// Rows of means are those of package metrics, to the bit, whatever the order of the cells.
func TestBenchmarkMeans(t *testing.T) {
	rows, grid := whole(t)
	var b Book
	slices.Reverse(rows)
	b.Add(rows...)
	base := results.Row{Model: "m", Dataset: "imagenet-c"}
	var got []results.Row
	for _, name := range []string{"fog", "snow"} {
		some, err := b.Means(base, name)
		if err != nil || len(some) != 1 {
			t.Fatalf("%+v, %v", some, err)
		}
		got = append(got, some...)
	}
	some, notes, err := b.BenchmarkMeans(base, Baseline{})
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, %v", notes, err)
	}
	got = append(got, some...)
	// 2 corruptions, the mean, 5 severities, 4 groups, 15 CE and relative CE, mCE and relative mCE.
	if len(got) != 2+1+5+4+30+2 {
		t.Errorf("%d rows", len(got))
	}
	alex := metrics.AlexNetErrors()
	for _, r := range got {
		agg, n := metrics.MeanAll(), int64(7500)
		switch {
		case r.Metric == results.CE:
			agg, n = metrics.CE(r.Corruption, alex), 500
		case r.Metric == results.RelativeCE:
			agg, n = metrics.RelativeCE(r.Corruption, alex), 500
		case r.Metric == results.MeanCE:
			agg = metrics.MeanCE(alex)
		case r.Metric == results.RelativeMeanCE:
			agg = metrics.RelativeMeanCE(alex)
		case r.Corruption != "":
			agg, n = metrics.UCE(r.Corruption), 500
		case r.Severity > 0:
			agg, n = metrics.SeverityMean(int(r.Severity)), 1500
		case r.Group == "noise":
			agg, n = metrics.GroupMean(metrics.Noise), 1500
		case r.Group != "":
			agg, n = metrics.GroupMean(metrics.Group(r.Group)), 2000
		}
		if want, err := grid.Value(agg); err != nil || r.Value != want || r.N != n {
			t.Errorf("%v: %v of %d, want %v of %d (%v)", r.Key(), r.Value, r.N, want, n, err)
		}
	}
}

// What is missing is said, and the rest is there.
func TestMissingParts(t *testing.T) {
	rows, _ := whole(t)
	var b Book
	b.Add(slices.Delete(rows, 7, 8)...) // of shot noise
	some, notes, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "imagenet-c"}, Baseline{})
	if err != nil || len(some) != 3+14*2 { // groups without noise, CE of the others
		t.Errorf("%d rows, %v", len(some), err)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "mCE needs shot_noise/2") }) {
		t.Errorf("notes %q", notes)
	}
	if _, _, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "imagenet-c"}, Baseline{Required: true}); !errors.Is(err, metrics.ErrMissing) {
		t.Errorf("a required baseline: %v", err)
	}
	for c, words := range map[results.Cell]string{
		{Dataset: "imagenet-c", Metric: results.Top1Error}:                           "only 14 of 15 corruptions",
		{Dataset: "imagenet-c", Metric: results.Top1Error, Severity: 2}:              "only 14 of 15 corruptions",
		{Dataset: "imagenet-c", Metric: results.MeanCE}:                              "only 74 of 75 cells",
		{Dataset: "imagenet-c", Metric: results.Top1Error, Corruption: "shot_noise"}: "only 4 of 5 severities",
		{Dataset: "imagenet-c", Metric: results.ECE}:                                 "no row of ece",
		{Dataset: "imagenet-p", Metric: results.MeanFlipRate}:                        "no row of mfr",
		{Dataset: "imagenet", Metric: results.AUROC}:                                 "no row of auroc on ImageNet",
		{Dataset: "imagenet-c", Metric: results.AUROC, View: results.View{OOD: "x"}}: "no row of auroc",
		{Dataset: "imagenet-c", Metric: results.CE}:                                  "no row of ce",
	} {
		n := b.Get(c)
		if n.Has() || !strings.Contains(n.Note, words) {
			t.Errorf("%+v: %+v, want %q", c, n, words)
		}
	}
}

// Means of other metrics are plain means of all cells, and undefined where a cell is.
func TestOtherMeans(t *testing.T) {
	var b Book
	p := metrics.OwnProfile("d-c", metrics.CorruptionKind, metrics.Corruption{Name: "a"}, metrics.Corruption{Name: "b"})
	b.Profile = func(string) *metrics.Profile { return p }
	sum := 0.0
	for _, name := range []string{"a", "b"} {
		for s := 1; s <= 5; s++ {
			e := errorRow("d-c", name, s, 0.5)
			ece, brier := e, e
			ece.Metric, ece.Value = results.ECE, 0.01*float64(s)
			brier.Metric, brier.Value = results.Brier, 0.2
			if name == "b" && s == 3 {
				brier.Value = math.NaN()
			}
			sum += ece.Value
			b.Add(e, ece, brier)
		}
	}
	rows, _, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "d-c"}, Baseline{})
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, r := range rows {
		if r.Severity == 0 {
			values[r.Metric] = r.Value
		}
	}
	if len(values) != 3 || values[results.ECE] != sum/10 || !math.IsNaN(values[results.Brier]) || values[results.Top1Error] != 0.5 {
		t.Errorf("%v", values)
	}
	if n := b.Get(results.Cell{Dataset: "d-c", Metric: results.Brier}); n.Has() {
		t.Errorf("%+v", n)
	}
}

// Rows over severities alone give the mean over corruptions.
func TestMeansOfMeans(t *testing.T) {
	var b Book
	p, err := metrics.LookupProfile("cifar10-c-bar")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range p.Primary() {
		b.Add(errorRow("cifar10-c-bar", name, 0, 0.1*float64(i%2)))
	}
	n := b.Get(results.Cell{Dataset: "cifar10-c-bar", Metric: results.Top1Error})
	if math.Abs(n.Value-0.05) > 1e-15 || n.State != Computed || n.N != 1000 {
		t.Errorf("%+v", n)
	}
	// Accuracy says the error.
	r := errorRow("icons-50", "", 0, 0.75)
	r.Metric = results.Accuracy
	b.Add(r)
	if n := b.Get(results.Cell{Dataset: "icons-50", Metric: results.Top1Error}); n.Value != 0.25 || n.State != Computed {
		t.Errorf("%+v", n)
	}
}

// Sequences are kept by difficulty, and divided by a baseline of the same.
func TestSequenceMeans(t *testing.T) {
	p, err := metrics.LookupProfile("imagenet-p")
	if err != nil {
		t.Fatal(err)
	}
	var b Book
	alex := metrics.AlexNetFlips()
	for _, name := range p.Primary() {
		for d := 1; d <= 2; d++ {
			r := errorRow("imagenet-p", name, 0, alex.Values[name][0]/float64(d))
			r.Metric, r.Difficulty = results.FlipProbability, d
			b.Add(r)
		}
	}
	mfr := results.Cell{Dataset: "imagenet-p", Metric: results.MeanFlipRate}
	if n := b.Get(mfr); math.Abs(n.Value-1) > 1e-12 {
		t.Errorf("%+v", n)
	}
	mfr.Difficulty = 2
	if n := b.Get(mfr); n.Has() || !strings.Contains(n.Note, "difficulty 2") {
		t.Errorf("%+v", n)
	}
	rows, notes, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "imagenet-p", Difficulty: 2}, Baseline{})
	if err != nil || len(rows) != 1 || len(notes) != 1 {
		t.Errorf("%+v, %v, %v", rows, notes, err)
	}

	// Nobody has published what top-5 distances are divided by: said, unless nothing is to be divided.
	for _, name := range p.Primary() {
		r := errorRow("imagenet-p", name, 0, 2)
		r.Metric, r.Difficulty = results.Top5Distance, 1
		b.Add(r)
	}
	for _, base := range []Baseline{{}, {None: true}} {
		_, notes, err := b.BenchmarkMeans(results.Row{Model: "m", Dataset: "imagenet-p", Difficulty: 1}, base)
		if said := strings.Contains(strings.Join(notes, "\n"), "no mT5D"); err != nil || said == base.None {
			t.Errorf("%+v: %q, %v", base, notes, err)
		}
	}
}
