package report

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// seriesRun writes and loads a run with records of clean and adversarial predictions, sequences and anomaly scores of n
// samples, made with --limit n. quality moves everything for the better.
func seriesRun(t *testing.T, model string, n int, quality float64) *Run {
	t.Helper()
	dir := t.TempDir()
	w, err := records.Create(filepath.Join(dir, records.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var rows []results.Row
	put := func(set, corruption string, view results.View, metric string, v float64) {
		r := row(model, set, corruption, 0, metric, v)
		view.Limit = n
		r.View, r.N = view, int64(n)
		if strings.HasSuffix(set, "-p") {
			r.Difficulty = 1
		}
		rows = append(rows, r)
	}
	cell := func(set, corruption string, view results.View) records.Cell {
		view.Limit = n
		return records.Cell{Model: model, Dataset: set, Corruption: corruption, View: view}
	}
	random := rng.NewKey(5).Rand() // the same for all models: their samples are paired
	for _, view := range []results.View{{}, {Attack: results.AttackPGD}} {
		var s records.Samples
		wrong := 0.0
		for i := range n {
			o := metrics.Outcome{Row: i, Classes: 10, Rank: 1, Conf: 0.9, NLL: 0.1, Brier: 0.1}
			if random.Float64() > quality {
				o.Rank = 2
				wrong += 1 / float64(n)
			}
			if err := s.Add(&o); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Add(cell("cifar10", "", view), &s); err != nil {
			t.Fatal(err)
		}
		put("cifar10", "", view, results.Top1Error, wrong)
	}
	p, err := metrics.LookupProfile("cifar10-p")
	if err != nil {
		t.Fatal(err)
	}
	all := 0.0
	for _, k := range p.Primary() {
		v, mean := make([]float64, n), 0.0
		for i := range v {
			v[i] = math.Round(30*random.Float64()*(1-quality)) / 30
			mean += v[i] / float64(n)
		}
		if err := w.AddSeries(records.Series{Cell: cell("cifar10-p", k, results.View{}), Name: results.FlipProbability}, v); err != nil {
			t.Fatal(err)
		}
		put("cifar10-p", k, results.View{}, results.FlipProbability, mean)
		all += mean / float64(len(p.Primary()))
	}
	put("cifar10-p", "", results.View{}, results.FlipProbability, all)
	normal, auroc := make([]float64, n), 0.0
	for i := range normal {
		normal[i] = -random.Float64()
	}
	err = w.AddSeries(records.Series{Cell: cell("cifar10", "", results.View{}), Name: records.OODScore}, normal)
	for _, set := range []string{"blobs", "gaussian"} {
		odd := make([]float64, n/5)
		for i := range odd {
			odd[i] = -random.Float64() + quality
		}
		err = errors.Join(err, w.AddSeries(records.Series{Cell: cell("cifar10", "", results.View{OOD: set}), Name: records.OODScore}, odd))
		var d metrics.Detection
		v, err1 := 0.0, errors.Join(d.AddAll(normal, false), d.AddAll(odd, true))
		if err1 == nil {
			v, err1 = d.AUROC()
		}
		err = errors.Join(err, err1)
		put("cifar10", "", results.View{OOD: set}, results.AUROC, v)
		auroc += v / 2
	}
	put("cifar10", "", results.View{}, results.AUROC, auroc)
	bins := row(model, "cifar10", "", 0, "", 0)
	bins.Limit = n
	rows = append(rows, results.ReliabilityRows(bins, []results.ReliabilityBin{{N: 5, Confidence: 0.2, Accuracy: 0.3}, {}})...)
	err = errors.Join(err, w.Close(), results.WriteFile(filepath.Join(dir, results.FileName), rows))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Runs of equal limits are compared like whole ones, and what is kept of sequences, adversarial examples and OOD scores gives
// intervals and paired differences.
func TestSeriesIntervals(t *testing.T) {
	const n = 200
	a, b := seriesRun(t, "plain", n, 0.6), seriesRun(t, "better", n, 0.8)
	if a.Limit != n {
		t.Fatalf("limit %d", a.Limit)
	}
	rep := build(t, a, b)
	overview := rep.table(t, "Safety measures")
	for i, c := range overview.Columns {
		for _, r := range overview.Rows {
			x := r.Cells[i]
			if !(x.Level > 0 && x.Lo <= x.Value && x.Value <= x.Hi && x.Lo < x.Hi) {
				t.Errorf("%s of %s: %+v", c.Head, r.Name, x.Number)
			}
		}
	}
	diff := rep.table(t, "better − plain")
	var names []string
	for _, r := range diff.Rows {
		names = append(names, r.Name)
		if r.Cells[4].Text != "paired" || r.Cells[5].Text == "" {
			t.Errorf("%s: %+v", r.Name, r.Cells)
		}
	}
	if got := strings.Join(names, ", "); got != "Clean error (%), mFP (%), PGD error (%), AUROC (%)" {
		t.Errorf("differences of %s", got)
	}
	// The interval of mFP is that of the mean over perturbations of each sequence.
	perturbation := rep.table(t, "Flip probability on CIFAR-10-P")
	for _, r := range perturbation.Rows {
		for i, x := range r.Cells {
			if r.Origin == results.Measured && x.Has() && x.Level == 0 {
				t.Errorf("%s of %s has no interval", perturbation.Columns[i].Head, r.Name)
			}
		}
	}
	text := html(t, rep)
	if !strings.Contains(text, "All runs looked at 200 samples of every data set") {
		t.Error("the page does not tell the limit")
	}
	var flat bytes.Buffer
	if err := rep.WriteCSV(&flat); err != nil || !strings.Contains(flat.String(), "pgd, limit 200") {
		t.Errorf("the list of numbers does not tell the limit (%v)", err)
	}
	if !strings.Contains(flat.String(), ",0.95,200,,no,interval from the records") {
		t.Errorf("the list of numbers has no intervals:\n%s", flat.String())
	}
}

// Rows of different limits keep them.
func TestMixedLimits(t *testing.T) {
	whole, part := row("m", "cifar10", "", 0, results.Top1Error, 0.1), row("m", "cifar10", "", 0, results.Top1Error, 0.2)
	part.Limit = 50
	for _, rows := range [][]results.Row{{whole, part}, {part, whole}} {
		r := runOf(t, "mixed", rows...)
		if r.Limit != 0 {
			t.Errorf("limit %d", r.Limit)
		}
		if r.Rows[0].View.Limit+r.Rows[1].View.Limit != 50 {
			t.Errorf("limits %d and %d", r.Rows[0].View.Limit, r.Rows[1].View.Limit)
		}
	}
}
