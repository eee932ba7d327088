package eval

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// measureAll runs the suites whose records are not those of corruptions.
func measureAll(t *testing.T, e *Evaluator, open func() (data.Source, error)) {
	t.Helper()
	gaussian, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		e.Perturbations(t.Context(), &PerturbationSuite{Names: []string{"brightness", "gaussian_noise"}, Difficulty: 2, Open: open}),
		e.OOD(t.Context(), &OODSuite{Open: open, Score: metrics.MSP, Generated: []*ood.Set{gaussian}}),
	)
	if err != nil {
		t.Fatal(err)
	}
}

// The records of sequences and anomaly scores are what the rows were made from, and a second run needs no predictions.
func TestSeriesBehindRows(t *testing.T) {
	set := texture(9)
	path := filepath.Join(t.TempDir(), records.FileName)
	rec, err := OpenRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Store: Store{Records: rec}, Dataset: "own", Limit: 7}
	measureAll(t, e, set.again)
	f, err := records.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read := func(set, corruption, ood string, difficulty int, name string) []float64 {
		t.Helper()
		v, err := f.ReadSeries(records.Series{Cell: records.Cell{
			Model: "m", Dataset: set, Corruption: corruption, Difficulty: difficulty, View: results.View{OOD: ood, Limit: 7},
		}, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	seen := 0
	for _, r := range e.Rows {
		if r.Corruption == "" || r.Metric == results.FlipRate {
			continue
		}
		seen++
		v := read("own-p", r.Corruption, "", 2, r.Metric)
		stat, err := metrics.MeanStatistic(v)
		if err != nil {
			t.Fatal(err)
		}
		if mean, err := metrics.Value(stat); err != nil || len(v) != 7 || math.Abs(mean-r.Value) > 1e-12 {
			t.Errorf("%s %s: mean of %v, row %v (%v)", r.Corruption, r.Metric, v, r.Value, err)
		}
	}
	if seen != 4 {
		t.Errorf("%d rows of perturbations", seen)
	}
	var d metrics.Detection
	normal, odd := read("own", "", "", 0, records.OODScore), read("own", "", "gaussian", 0, records.OODScore)
	auroc, err := d.AUROC()
	if err == nil {
		t.Error("an AUROC of nothing", auroc)
	}
	if err := errors.Join(d.AddAll(normal, false), d.AddAll(odd, true)); err != nil {
		t.Fatal(err)
	}
	auroc, err = d.AUROC()
	if want := value(t, e, results.AUROC, "gaussian, limit 7"); err != nil || auroc != want || len(normal) != 7 {
		t.Errorf("AUROC %v from records of %d, row %v (%v)", auroc, len(normal), want, err)
	}

	again, err := OpenRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	idle := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Store: Store{Known: e.Rows, Records: again}, Dataset: "own", Limit: 7}
	measureAll(t, idle, func() (data.Source, error) { return nil, errors.New("read again") })
	// Rows without their records are measured again.
	empty, err := OpenRecorder(filepath.Join(t.TempDir(), records.FileName))
	if err != nil {
		t.Fatal(err)
	}
	busy := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Store: Store{Known: e.Rows, Records: empty}, Dataset: "own", Limit: 7}
	measureAll(t, busy, set.again)
	if len(empty.listed) != len(again.listed) || len(again.listed) != 6 {
		t.Errorf("%d and %d series, want 6", len(empty.listed), len(again.listed))
	}
}

// Each prediction on adversarial images is kept, under the attack's view.
func TestAdversarialRecords(t *testing.T) {
	rec, err := OpenRecorder(filepath.Join(t.TempDir(), records.FileName))
	if err != nil {
		t.Fatal(err)
	}
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Store: Store{Records: rec}, Dataset: "grays"}
	open := openGrays(0, 100, 125, 126, 127, 128, 129, 130, 200, 255)
	if err := e.Adversarial(t.Context(), open, Prepare{}, attack.PixMix(), 1); err != nil {
		t.Fatal(err)
	}
	s := rec.samples[records.Cell{Model: "m", Dataset: "grays", View: results.View{Attack: results.AttackPGD}}]
	if s == nil || s.N() != 10 {
		t.Fatalf("%+v", s)
	}
	wrong := 0.0
	for _, w := range s.Wrong() {
		wrong += w / 10
	}
	if got := value(t, e, results.Top1Error, results.AttackPGD); math.Abs(got-wrong) > 1e-12 {
		t.Errorf("row %v, records %v", got, wrong)
	}
}

// Two seeds share the places of records. Diagrams are of the predictions of their seed, whatever lies there, and what has its diagrams
// is not measured again.
func TestDiagramsOfTheirSeed(t *testing.T) {
	names, err := transform.ExpandCorruptions([]string{"common"}, cbar.CIFAR)
	if err != nil {
		t.Fatal(err)
	}
	measure := func(path string, known []results.Row, open func() (data.Source, error), seed uint64, names []string) []results.Row {
		t.Helper()
		rec, err := OpenRecorder(path)
		if err != nil {
			t.Fatal(err)
		}
		here := near()
		e := &Evaluator{
			Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Calibration: true, Store: Store{Records: rec, Known: known},
		}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: names, Open: open, Seed: seed}
		c.Plan = transform.Corruptions{Severities: []float64{3}, Frost: smallFrost(t)}
		if err := e.Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return e.Rows
	}
	set := func() (data.Source, error) { return small().again() }
	shared, other := filepath.Join(t.TempDir(), "a.npz"), filepath.Join(t.TempDir(), "b.npz")
	known := measure(shared, nil, set, 0, names[:10])
	known = append(known, measure(shared, known, set, 1, names)...)
	got := measure(shared, known, set, 0, names)
	want := measure(other, nil, set, 0, names)
	bins := 0
	for _, w := range want {
		if w.Bin > 0 {
			bins++
		}
		if !slices.ContainsFunc(got, func(r results.Row) bool { return r.Key() == w.Key() && r.Value == w.Value && r.N == w.N }) {
			t.Errorf("no %v of %v of %d", w.Key(), w.Value, w.N)
		}
	}
	if bins == 0 || len(got) != len(want) {
		t.Errorf("%d rows with %d of bins, want %d", len(got), bins, len(want))
	}
	known = append(known, got...)
	none := func() (data.Source, error) { return nil, errors.New("read again") }
	for seed := range uint64(2) {
		again := measure(shared, known, none, seed, names)
		for i := range again {
			if !slices.ContainsFunc(known, func(r results.Row) bool { return r.Key() == again[i].Key() && r.Value == again[i].Value }) {
				t.Errorf("seed %d: another %v", seed, again[i].Key())
			}
		}
	}
}
