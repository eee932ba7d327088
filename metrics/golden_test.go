package metrics

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/npy"
)

func TestGolden(t *testing.T) {
	golden.Run(t, "metrics", map[string]golden.Func{
		"classification": goldenClassification,
		"detection":      goldenDetection,
		"mce":            goldenMCE,
		"mfr":            goldenMFR,
		"stability":      goldenStability,
	})
}

// value is for calls whose error ends the test.
func value(t *testing.T) func(v float64, err error) float64 {
	return func(v float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func goldenClassification(t *testing.T, c *golden.Case) {
	n, classes := c.Int("n"), c.Int("classes")
	logits, ok := c.Array(c.Inputs[0]).Data.([]float32)
	if !ok || len(logits) != n*classes {
		t.Fatalf("%T", c.Array(c.Inputs[0]).Data)
	}
	labels := make([]int, n)
	for i, l := range c.Float64s(c.Inputs[1]) {
		labels[i] = int(l)
	}
	var all Classification
	var rec Records
	if err := AddRows(&all, 0, logits, labels); err != nil {
		t.Fatal(err)
	}
	var meanConf Mean
	for i, l := range labels {
		o, err := Score(i, logits[i*classes:][:classes], l)
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Add(&o); err != nil {
			t.Fatal(err)
		}
		meanConf.add(o.Conf)
	}
	get := value(t)
	cal := all.Calibration()
	exact := Adaptive{Size: c.Int("bin_size")}
	skip := Adaptive{Size: c.Int("bin_size"), SkipLast: true}
	golden.CompareValue(t, c, get(all.Error()), "error")
	golden.CompareValue(t, c, get(all.TopKError(5)), "top5_error")
	golden.CompareValue(t, c, get(meanConf.Value()), "mean_confidence")
	golden.CompareValue(t, c, get(all.NLL()), "cross_entropy")
	golden.CompareValue(t, c, get(cal.Error(RMS, exact)), "rms_calibration_all_bins")
	golden.CompareValue(t, c, get(cal.Error(MAD, exact)), "mad_calibration_all_bins")
	golden.CompareValue(t, c, get(cal.Error(Max, exact)), "max_calibration_all_bins")
	golden.CompareValue(t, c, get(cal.Error(RMS, skip)), "rms_calibration_skip_last")
	golden.CompareValue(t, c, get(cal.Error(MAD, skip)), "mad_calibration_skip_last")
	golden.CompareValue(t, c, get(cal.Error(Max, skip)), "max_calibration_skip_last")
	golden.CompareValue(t, c, get(cal.Error(RMS, Adaptive{Size: 50, SkipLast: true})), "rms_bins_of_50_skip_last")
	golden.CompareValue(t, c, get(cal.AURRA()), "aurra")
	golden.CompareValue(t, c, get(cal.SoftF1()), "soft_f1")
	golden.CompareValue(t, c, get(all.Brier()), "brier_multiclass")
	golden.CompareValue(t, c, get(cal.BrierBinary()), "brier_binary")

	stat := func(s Statistic, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return get(Value(s))
	}
	golden.CompareValue(t, c, stat(rec.TopKError(5)), "top5_error")
	golden.CompareValue(t, c, stat(rec.NLL()), "cross_entropy")
	golden.CompareValue(t, c, stat(rec.Brier()), "brier_multiclass")
	golden.CompareValue(t, c, stat(rec.BrierBinary()), "brier_binary")
	golden.CompareValue(t, c, stat(rec.Calibration(RMS, exact)), "rms_calibration_all_bins")
	golden.CompareValue(t, c, stat(rec.AURRA()), "aurra")
	golden.CompareValue(t, c, stat(rec.SoftF1()), "soft_f1")
}

func goldenDetection(t *testing.T, c *golden.Case) {
	var d Detection
	if err := d.AddAll(c.Float64s(c.Inputs[0]), true); err != nil {
		t.Fatal(err)
	}
	if err := d.AddAll(c.Float64s(c.Inputs[1]), false); err != nil {
		t.Fatal(err)
	}
	if d.Positives() != c.Int("positives") || d.Negatives() != c.Int("negatives") {
		t.Fatal(d.Positives(), d.Negatives())
	}
	get := value(t)
	golden.CompareValue(t, c, get(d.AUROC()), "auroc")
	golden.CompareValue(t, c, get(d.AveragePrecision()), "aupr")
	golden.CompareValue(t, c, get(d.FPR(c.Float("recall"), Nearest)), "fpr95")
	for m, key := range map[DetectionMetric]string{AUROC: "auroc", AveragePrecision: "aupr", FPR95Nearest: "fpr95"} {
		s, err := d.Statistic(m)
		if err != nil {
			t.Fatal(err)
		}
		golden.CompareValue(t, c, get(Value(s)), key)
	}
}

// percent is for the mce and mfr cases, which are in percent.
func percent(v float64, err error) (float64, error) { return 100 * v, err }

func goldenMCE(t *testing.T, c *golden.Case) {
	p, err := LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	var alex [][]float64
	c.Param(&alex, "alexnet")
	names := c.Texts("corruptions")
	base := AlexNetErrors()
	golden.CompareValues(t, c, "clean", []float64{base.Clean}, c.Floats("alexnet_clean_error"), golden.MaxAbs(0))
	errors := c.Float64s(c.Inputs[0])
	g := NewGrid(p, ErrorRate)
	if err := g.SetClean(c.Float("clean_error")); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		golden.CompareValues(t, c, name, base.Values[name], alex[i], golden.MaxAbs(0))
		for s, e := range errors[5*i:][:5] {
			if err := g.Set(name, s+1, e); err != nil {
				t.Fatal(err)
			}
		}
	}
	get := value(t)
	var want struct {
		CE  []float64 `json:"ce"`
		Rel []float64 `json:"relative_ce"`
	}
	c.Decode(&want, c.Values)
	var ce, rel []float64
	for _, name := range names {
		ce = append(ce, get(percent(g.Value(CE(name, base)))))
		rel = append(rel, get(percent(g.Value(RelativeCE(name, base)))))
	}
	golden.CompareValues(t, c, "ce", ce, want.CE, c.Tolerance)
	golden.CompareValues(t, c, "relative_ce", rel, want.Rel, c.Tolerance)
	golden.CompareValue(t, c, get(percent(g.Value(MeanCE(base)))), "mce")
	golden.CompareValue(t, c, get(percent(g.Value(RelativeMeanCE(base)))), "relative_mce")
	golden.CompareValue(t, c, get(percent(g.Value(MeanAll()))), "unnormalized_mean_error")
}

func goldenMFR(t *testing.T, c *golden.Case) {
	var flips, alex map[string]float64
	c.Param(&flips, "flip_probability")
	c.Param(&alex, "alexnet_flip_probability")
	p, err := LookupProfile("imagenet-p")
	if err != nil {
		t.Fatal(err)
	}
	g := NewSequenceGrid(p, FlipProbability, 1)
	base := AlexNetFlips()
	for name, v := range flips {
		if err := g.Set(name, 1, v); err != nil {
			t.Fatal(err)
		}
		golden.CompareValues(t, c, name, base.Values[name], []float64{alex[name]}, golden.MaxAbs(0))
	}
	golden.CompareValue(t, c, value(t)(percent(g.Value(MeanAll()))), "mfp")
	golden.CompareValue(t, c, value(t)(percent(g.Value(MeanRate(base)))), "mfr")
}

func goldenStability(t *testing.T, c *golden.Case) {
	videos, frames, classes := c.Int("videos"), c.Int("frames"), c.Int("classes")
	logits := c.Float64s(c.Inputs[0])
	preds := c.Float64s(c.Predicted)
	for key, mode := range map[string]struct {
		name       string
		difficulty int
	}{
		"sequence_d1": {Rotate, 1}, "sequence_d2": {Rotate, 2}, "noise": {ShotNoise, 2},
	} {
		s, err := NewStability(mode.name, mode.difficulty)
		if err != nil {
			t.Fatal(err)
		}
		s.MeasureZipf()
		byPred, err := NewStability(mode.name, mode.difficulty)
		if err != nil {
			t.Fatal(err)
		}
		for v := range videos {
			if _, err := AddVideo(s, v, logits[v*frames*classes:][:frames*classes], classes); err != nil {
				t.Fatal(err)
			}
			p := make([]int, frames)
			for f := range p {
				p[f] = int(preds[v*frames+f])
			}
			if _, err := byPred.AddPredictions(v, p); err != nil {
				t.Fatal(err)
			}
		}
		get := value(t)
		golden.CompareValue(t, c, get(s.FlipProbability()), key, "flip_probability")
		golden.CompareValue(t, c, get(byPred.FlipProbability()), key, "flip_probability")
		golden.CompareValue(t, c, get(s.Top5Distance()), key, "top5_distance")
		golden.CompareValue(t, c, get(s.ZipfDistance()), key, "zipf_distance")
	}
}

// TestGoldenScores replays the operation "ood_scores" of group "ood" by itself; the group's other operations make
// images.
func TestGoldenScores(t *testing.T) {
	root := os.Getenv(golden.EnvDir)
	if root == "" {
		root = filepath.Join("..", "..", "shared", "golden")
	}
	dir := filepath.Join(root, "ood")
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Skipf("external goldens skipped: %v", err)
	}
	var m struct {
		Cases []struct {
			Case, Op         string
			Inputs, Expected []string
			Tolerance        struct {
				MaxAbs float64 `json:"max_abs"`
			}
		}
	}
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	read := func(file string) *npy.Array {
		a, err := npy.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	found := 0
	for _, c := range m.Cases {
		if c.Op != "ood_scores" {
			continue
		}
		found++
		in := read(c.Inputs[0])
		logits, ok := in.Data.([]float32)
		if !ok {
			t.Fatalf("%s: %T", c.Case, in.Data)
		}
		classes := in.Shape[1]
		for k, s := range []OODScore{MSP, XentUniform} {
			want := read(c.Expected[k]).Float64s()
			if len(want) != in.Shape[0] {
				t.Fatalf("%s: %d expected scores of %d rows", c.Case, len(want), in.Shape[0])
			}
			for i, w := range want {
				o, err := Score(i, logits[i*classes:][:classes], NoLabel)
				if err != nil {
					t.Fatal(err)
				}
				if got := value(t)(s.Of(&o)); math.Abs(got-w) > min(c.Tolerance.MaxAbs, 1e-6*max(1, math.Abs(w))) {
					t.Errorf("%s: %s of row %d: %v, want %v", c.Case, s, i, got, w)
				}
			}
		}
	}
	if found == 0 {
		t.Fatal("no case ood_scores")
	}
}
