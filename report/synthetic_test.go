package report

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

// The runs of these tests are synthetic: predictions are drawn from a made-up model of a classifier (a margin that
// shrinks with severity, and noise) and go through package metrics as real ones would. No number in them was measured
// on images.

// classifier is a made-up classifier.
type classifier struct {
	name       string
	margin     float64 // logit of the true class on clean images
	robustness float64 // how much of the margin a severity leaves
	sharpness  float64 // logits are multiplied by it: above 1 is overconfident
	flip       float64
	ood        float64
}

func standardNet() classifier {
	return classifier{"synthetic standard", 5.2, 0.62, 2.6, 0.034, 1.6}
}

func augmixNet() classifier { return classifier{"synthetic augmix", 5.2, 0.8, 1.7, 0.017, 1.9} }
func pixmixNet() classifier { return classifier{"synthetic pixmix", 5.3, 0.84, 1.05, 0.016, 3.1} }

const synthClasses = 10

// strength is how hard a corruption is, the same for every classifier.
func strength(corruption string) float64 {
	r := rng.NewKey(7).Str(corruption).Rand()
	return 0.55 + 0.9*r.Float64()
}

// logits draws the logits of one image; the image's own noise is the same for all classifiers.
func (c *classifier) logits(dst []float64, i, label int, corruption string, severity int) {
	own := rng.NewKey(1).Uint(uint64(i)).Rand()
	mine := rng.NewKey(2).Str(c.name).Str(corruption).Uint(uint64(severity)).Uint(uint64(i)).Rand()
	margin := c.margin
	if severity > 0 {
		margin *= math.Pow(c.robustness, strength(corruption)*float64(severity))
	}
	for k := range dst {
		dst[k] = c.sharpness * (0.8*own.Normal() + 0.9*mine.Normal())
	}
	dst[label] += c.sharpness * margin
}

type synthetic struct {
	c       classifier
	n       int
	base    string
	seed    uint64
	rows    []results.Row
	w       *records.Writer
	no      map[string]bool // parts to leave out
	replica int
	scores  bool // the records have the scores of OOD images
}

func (s *synthetic) row(set, corruption string, severity int, view results.View, metric string, v float64, n int) *results.Row {
	seed := s.seed
	s.rows = append(s.rows, results.Row{
		Model: s.c.name, Dataset: set, Corruption: corruption, Severity: float64(severity), View: view, Metric: metric, Value: v,
		N: int64(n), Seed: &seed, Versions: map[string]string{"augmix": "synthetic"}, Origin: results.Measured,
		Time: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC),
	})
	return &s.rows[len(s.rows)-1]
}

// cell scores all images of one cell.
func (s *synthetic) cell(
	t testing.TB,
	set, corruption string,
	severity int,
) (*metrics.Classification, *metrics.Records) {
	t.Helper()
	var all metrics.Classification
	var samples records.Samples
	logits := make([]float64, synthClasses)
	for i := range s.n {
		s.c.logits(logits, i, i%synthClasses, corruption, severity)
		o, err := metrics.Score(i, logits, i%synthClasses)
		if err := errors.Join(err, all.Add(&o), samples.Add(&o)); err != nil {
			t.Fatal(err)
		}
	}
	if s.w != nil {
		c := records.Cell{Model: s.c.name, Dataset: set, Corruption: corruption, Severity: float64(severity)}
		if err := s.w.Add(c, &samples); err != nil {
			t.Fatal(err)
		}
	}
	r, err := samples.Records()
	if err != nil {
		t.Fatal(err)
	}
	return &all, r
}

func interval(t testing.TB, r *results.Row, s metrics.Statistic, err error, replicates int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	src := rng.New(5)
	iv, err := metrics.Bootstrap(s, metrics.BootstrapOptions{Source: src, Replicates: replicates})
	if err != nil {
		t.Fatal(err)
	}
	r.Interval = &results.Interval{Lo: iv.Lo, Hi: iv.Hi, Level: iv.Level}
}

func (s *synthetic) classification(t testing.TB, set, corruption string, severity int) {
	all, rec := s.cell(t, set, corruption, severity)
	e, err1 := all.Error()
	rms, err2 := all.Calibration().Error(metrics.RMS, metrics.Adaptive{})
	brier, err3 := all.Brier()
	nll, err4 := all.NLL()
	ece, err5 := all.EqualWidth().ECE()
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		t.Fatal(err)
	}
	r := s.row(set, corruption, severity, results.View{}, results.Top1Error, e, s.n)
	stat, err := rec.TopKError(1)
	interval(t, r, stat, err, s.replica)
	s.row(set, corruption, severity, results.View{}, results.RMSCalibration, rms, s.n)
	if corruption != "" {
		return
	}
	s.row(set, "", 0, results.View{}, results.Brier, brier, s.n)
	s.row(set, "", 0, results.View{}, results.NLL, nll, s.n)
	s.row(set, "", 0, results.View{}, results.ECE, ece, s.n)
	r = &s.rows[len(s.rows)-4]
	stat, err = rec.Calibration(metrics.RMS, metrics.Adaptive{})
	interval(t, r, stat, err, s.replica)
}

func bins(b []metrics.Bin) []results.ReliabilityBin {
	var out []results.ReliabilityBin
	for _, x := range b {
		out = append(out, results.ReliabilityBin{N: int64(x.N), Confidence: x.Confidence, Accuracy: x.Accuracy})
	}
	return out
}

// run writes a run directory.
func (s *synthetic) run(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if s.replica == 0 {
		s.replica = 100
	}
	if !s.no["records"] {
		w, err := records.Create(filepath.Join(dir, records.FileName))
		if err != nil {
			t.Fatal(err)
		}
		s.w = w
	}
	s.classification(t, s.base, "", 0)
	clean, _ := (&synthetic{c: s.c, n: s.n}).cell(t, s.base, "", 0)
	proto := s.rows[0]
	s.rows = append(s.rows, results.ReliabilityRows(proto, bins(clean.EqualWidth().Bins()))...)
	c := s.base + results.SuffixC
	p, err := metrics.LookupProfile(c)
	if err != nil {
		t.Fatal(err)
	}
	if !s.no["c"] {
		var pooled metrics.Classification
		for _, name := range p.Primary() {
			for sev := 1; sev <= 5; sev++ {
				s.classification(t, c, name, sev)
				one, _ := (&synthetic{c: s.c, n: s.n / 4}).cell(t, c, name, sev)
				if err := pooled.Merge(one); err != nil {
					t.Fatal(err)
				}
			}
		}
		proto.Dataset = c
		s.rows = append(s.rows, results.ReliabilityRows(proto, bins(pooled.EqualWidth().Bins()))...)
	}
	if s.scores {
		s.oodScores(t)
	}
	if s.w != nil {
		if err := s.w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s.rest(t, dir)
	if !s.no["fourier"] {
		m := hill(32, 0.05, 0.02*(1-s.c.robustness))
		writeFourier(t, dir, m)
		s.row(s.base, "", 0, results.View{Fourier: true}, results.Top1Error, m.ring(0, m.Side), s.n)
	}
	if err := results.WriteFile(filepath.Join(dir, results.FileName), s.rows); err != nil {
		t.Fatal(err)
	}
	args := fmt.Sprintf(
		"# synthetic: made by the tests of package page\ncommand: eval\nseed: %d\nmodel: %s\n",
		s.seed,
		s.c.name,
	)
	if err := os.WriteFile(filepath.Join(dir, "args.yaml"), []byte(args), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// oodScores records scores of the test set and of OOD sets, and the rows that they give.
func (s *synthetic) oodScores(t testing.TB) {
	t.Helper()
	r := rng.NewKey(s.seed).Str(s.c.name).Str("ood").Rand()
	draw := func(view results.View, shift float64) (out []float64) {
		for range s.n {
			out = append(out, r.Normal()+shift)
		}
		c := records.Cell{Model: s.c.name, Dataset: s.base, View: view}
		if err := s.w.AddSeries(records.Series{Cell: c, Name: records.OODScore}, out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	test := draw(results.View{}, 0)
	base := results.Row{
		Model: s.c.name, Dataset: s.base, Seed: &s.seed, Origin: results.Measured,
		Versions: map[string]string{"augmix": "synthetic"}, Time: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC),
	}
	first := len(s.rows)
	for k, set := range []string{"gaussian", "rademacher", "blobs", "textures", "svhn"} {
		rows, err := score.Detection(base, set, metrics.MSP, test, draw(results.View{OOD: set}, s.c.ood+0.3*float64(k%3)))
		if err != nil {
			t.Fatal(err)
		}
		s.rows = append(s.rows, rows...)
	}
	s.rows = append(s.rows, score.DetectionMeans(base, s.rows[first:])...)
}

// rest are sequences, adversarial examples, OOD detection and images.
func (s *synthetic) rest(t testing.TB, dir string) {
	r := rng.NewKey(s.seed).Str(s.c.name).Rand()
	if !s.no["p"] {
		p, err := metrics.LookupProfile(s.base + results.SuffixP)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Primary() {
			v := s.c.flip * (0.5 + strength(name)) * (0.95 + 0.1*r.Float64())
			row := s.row(p.Name, name, 0, results.View{}, results.FlipProbability, v, s.n)
			row.Difficulty = 1
			row.Interval = &results.Interval{Lo: v * 0.93, Hi: v * 1.07, Level: 0.95}
			row = s.row(p.Name, name, 0, results.View{}, results.Top5Distance, 40*v, s.n)
			row.Difficulty = 1
		}
	}
	if !s.no["pgd"] {
		v := 1 - 0.25*s.c.robustness*r.Float64()
		row := s.row(s.base, "", 0, results.View{Attack: results.AttackPGD}, results.Top1Error, v, s.n)
		row.Interval = &results.Interval{Lo: v - .006, Hi: v + .006, Level: 0.95}
	}
	if !s.no["ood"] {
		var sum [2]float64
		sets := []string{"gaussian", "rademacher", "blobs", "textures", "svhn"}
		for k, set := range sets {
			var d metrics.Detection
			for range 1000 {
				if err := errors.Join(d.Add(r.Normal(), false),
					d.Add(r.Normal()+s.c.ood+0.3*float64(k%3), r.Float64() < 2)); err != nil {
					t.Fatal(err)
				}
			}
			a, err1 := d.AUROC()
			b, err2 := d.AveragePrecision()
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			s.row(s.base, "", 0, results.View{OOD: set}, results.AUROC, a, 2000)
			s.row(s.base, "", 0, results.View{OOD: set}, results.AUPR, b, 2000)
			sum[0] += a / float64(len(sets))
			sum[1] += b / float64(len(sets))
		}
		s.row(s.base, "", 0, results.View{}, results.AUROC, sum[0], 2000)
		s.row(s.base, "", 0, results.View{}, results.AUPR, sum[1], 2000)
	}
	if s.no["examples"] {
		return
	}
	var list []results.Example
	for i, name := range []string{metrics.Fog, metrics.GlassBlur, metrics.JPEGCompression, metrics.Snow} {
		e := results.Example{
			Model: s.c.name, Dataset: s.base + "-c", Corruption: name, Severity: float64(5 - i%2), Key: fmt.Sprintf("test/%04d", 17*i),
			Image: fmt.Sprintf("%d.png", i), Clean: fmt.Sprintf("%d-clean.png", i), Label: "ship", CleanPred: "ship",
			CleanConf: 0.97 - 0.03*float64(i), Conf: 0.5 + 0.1*float64(i),
			Pred: []string{"airplane", "truck", "frog", "deer"}[i],
		}
		list = append(list, e)
		for f, noise := range map[string]int{e.Image: 70, e.Clean: 6} {
			path := filepath.Join(dir, "examples", f)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, scene(i, noise), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := results.WriteExamples(dir, list); err != nil {
		t.Fatal(err)
	}
}

// scene draws a small ship with noise.
func scene(i, noise int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 32, 32))
	r := rng.New(uint64(i))
	for y := range 32 {
		for x := range 32 {
			c := [3]int{120 + 3*y, 170 + y, 220}
			if y > 22 {
				c = [3]int{30, 80 + 2*(x%5), 140}
			}
			if y > 16 && y <= 22 && x > 6+y-17+i && x < 26-(y-17) {
				c = [3]int{150, 40, 40}
			}
			if x == 15+i && y > 5 && y <= 16 {
				c = [3]int{60, 50, 40}
			}
			d := int(r.Uint64()%uint64(2*noise)) - noise
			q := func(v int) uint8 { return uint8(min(max(v+d, 0), 255)) }
			m.Set(x, y, color.RGBA{q(c[0]), q(c[1]), q(c[2]), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// three makes the runs of the three made-up classifiers.
func three(t testing.TB, base string, n int) []*Run {
	t.Helper()
	var runs []*Run
	for i, c := range []classifier{standardNet(), augmixNet(), pixmixNet()} {
		s := &synthetic{c: c, n: n, base: base, seed: uint64(i + 1)}
		run, err := Load(s.run(t, filepath.Join(t.TempDir(), []string{"standard", "augmix", "pixmix"}[i])))
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	return runs
}
