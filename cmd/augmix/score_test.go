package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// fakeModel makes logits that are right for a share of the labels.
func fakeModel(seed uint64, labels []int64, classes int, right float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	z := make([]float32, len(labels)*classes)
	for i := range z {
		z[i] = float32(2 * r.NormFloat64())
	}
	for i, l := range labels {
		if r.Float64() < right {
			z[i*classes+int(l)] += 8
		}
	}
	return z
}

func fakeLabels(n, classes int) []int64 {
	r := rand.New(rand.NewPCG(9, 9))
	l := make([]int64, n)
	for i := range l {
		l[i] = r.Int64N(int64(classes))
	}
	return l
}

func saveArray(t testing.TB, data any, shape []int, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := npy.WriteFile(name, &npy.Array{Shape: shape, Data: data}); err != nil {
		t.Fatal(err)
	}
	return name
}

// errorOf is the definition of the top-1 error.
func errorOf(z []float32, labels []int64) float64 {
	classes := len(z) / len(labels)
	wrong := 0
	for i, l := range labels {
		row := z[i*classes:][:classes]
		if slices.Index(row, slices.Max(row)) != int(l) {
			wrong++
		}
	}
	return float64(wrong) / float64(len(labels))
}

// scoreRows runs augmix score and returns its rows.
func scoreRows(t testing.TB, args ...string) []results.Located {
	t.Helper()
	out := filepath.Join(t.TempDir(), "results.jsonl")
	augmix(t, exitDone, append([]string{"score", "--out", out}, args...)...)
	rows, err := results.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// valueOf returns the only row of a cell, its view in words and its metric with the variant.
func valueOf(
	t testing.TB, rows []results.Located, dataset, corruption string, severity float64, view, metric string,
) *results.Located {
	t.Helper()
	r, err := results.One(rows, results.Is(results.ByDataset, dataset), results.Is(results.ByCorruption, corruption),
		func(r *results.Row) bool {
			return r.MetricName(r.Metric) == metric && r.Severity == severity && r.Text() == view
		})
	if err != nil {
		t.Fatalf("%s of %s/%s/%v/%s: %v", metric, dataset, corruption, severity, view, err)
	}
	return &r
}

func near(t testing.TB, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// A table worked by hand: three classes, four images, logits of logarithms so that probabilities are round.
func TestScoreByHand(t *testing.T) {
	rows := [][]float64{{.5, .25, .25}, {.1, .8, .1}, {.25, .25, .5}, {.2, .2, .6}}
	labels := []int64{0, 1, 1, 2} // the third is wrong
	var logits, probs []float64
	for _, r := range rows {
		for _, p := range r {
			logits, probs = append(logits, math.Log(p)+3), append(probs, p)
		}
	}
	want := map[string]float64{
		"error": .25,
		"nll":   -(math.Log(.5) + math.Log(.8) + math.Log(.25) + math.Log(.6)) / 4,
		// (.5^2+2*.25^2) + (.2^2+2*.1^2) + (.75^2+.25^2+.5^2) + (.4^2+2*.2^2)
		"brier": (.375 + .06 + .875 + .24) / 4,
		// bins of two, ascending: {.5 right, .5 wrong}, {.6 right, .8 right}
		"rms_calibration": math.Sqrt((2*0*0 + 2*.3*.3) / 4),
		"mad_calibration": .15,
		"brier_binary":    (.25 + .04 + .25 + .16) / 4,
		// descending .8 .6 .5 .5, the last two tied, one of them right: 1, 1, (2.5/3), 3/4
		"aurra": (1 + 1 + 2.5/3 + .75) / 4,
		// risks 0, 0, .5/3, 1/4; in the best order 0, 0, 0, 1/4
		"aurc":   (.5/3 + .25) / 4,
		"e_aurc": .5 / 3 / 4,
		// TP = .5, FP = .5+.2+.4, FN = .5
		"soft_f1": 1 / (1 + 1.1 + .5),
		// fifteen bins: .5 is in ((7/15, 8/15]] with gap 0; .8 and .6 are alone with gaps .2 and .4
		"ece":             (.2 + .4) / 4,
		"max_calibration": .4,
	}
	dir := t.TempDir()
	l := saveArray(t, labels, []int{4}, dir, "labels.npy")
	for name, data := range map[string][]float64{"logits": logits, "probs": probs} {
		path := saveArray(t, data, []int{4, 3}, dir, name+".npy")
		got := scoreRows(t, path, "--labels", l, "--bins", "adaptive:2", "--model", "hand", "--dataset", "mine")
		for metric, v := range want {
			r := valueOf(t, got, "mine", "", 0, "", metric)
			near(t, name+": "+metric, r.Value, v)
			if r.N != 4 || r.Model != "hand" || r.Origin != results.Measured || r.Versions["augmix"] == "" {
				t.Errorf("%s: row %+v", name, r)
			}
		}
		skipped := scoreRows(t, path, "--labels", l, "--bins", "adaptive:2,equal:1", "--reference-binning", "--per-class",
			"--dataset", "mine")
		// Sums of p - [true] of each class: .05, -.5, .45.
		if v := valueOf(t, skipped, "mine", "", 0, "", "classwise_ece").Value; math.Abs(v-1./12) > 1e-11 {
			t.Errorf("classwise ECE of one bin is %v", v)
		}
		near(t, "skipped", valueOf(t, skipped, "mine", "", 0, "", "rms_calibration_skip_last").Value, 0)
		near(t, "one bin", valueOf(t, skipped, "mine", "", 0, "", "ece").Value, .75-(.5+.8+.5+.6)/4)
	}
}

// cifarC makes a folder of CIFAR-10-C predictions and returns its errors by corruption and severity.
func cifarC(t testing.TB, n int) (dir string, labels []int64, errs map[string][]float64) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "c10")
	labels = fakeLabels(n, 10)
	saveArray(t, labels, []int{n}, dir, "labels.npy")
	errs = map[string][]float64{}
	p, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		t.Fatal(err)
	}
	for k, name := range p.Primary() {
		var all []float32
		for s := range 5 {
			z := fakeModel(uint64(10*k+s), labels, 10, .9-.12*float64(s))
			errs[name] = append(errs[name], errorOf(z, labels))
			all = append(all, z...)
		}
		saveArray(t, all, []int{5 * n, 10}, dir, name+".npy")
	}
	return dir, labels, errs
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func TestScoreCIFARC(t *testing.T) {
	const n = 120
	dir, labels, errs := cifarC(t, n)
	clean := fakeModel(99, labels, 10, .95)
	saveArray(t, clean, []int{n, 10}, dir, "clean.npy")
	rows := scoreRows(t, dir)
	near(t, "clean error", valueOf(t, rows, "cifar10", "", 0, "", "error").Value, errorOf(clean, labels))
	var all []float64
	bySeverity := make([][]float64, 5)
	for name, e := range errs {
		for s, v := range e {
			near(t, name, valueOf(t, rows, "cifar10-c", name, float64(s+1), "", "error").Value, v)
			bySeverity[s] = append(bySeverity[s], v)
		}
		near(t, "mean of "+name, valueOf(t, rows, "cifar10-c", name, 0, "", "error").Value, mean(e))
		all = append(all, e...)
	}
	near(t, "mean", valueOf(t, rows, "cifar10-c", "", 0, "", "error").Value, mean(all))
	for s, v := range bySeverity {
		near(t, "mean at a severity", valueOf(t, rows, "cifar10-c", "", float64(s+1), "", "error").Value, mean(v))
	}
	noise := slices.Concat(errs["gaussian_noise"], errs["shot_noise"], errs["impulse_noise"])
	near(t, "noise", valueOf(t, rows, "cifar10-c", "", 0, "noise", "error").Value, mean(noise))
	var rms []float64
	for _, r := range rows {
		if r.Metric == "rms_calibration" && r.Severity > 0 {
			rms = append(rms, r.Value)
		}
		if strings.Contains(r.Metric, "ce") && strings.HasSuffix(r.Metric, "mce") {
			t.Errorf("%s of CIFAR-10-C", r.Metric)
		}
	}
	if len(rms) != 75 {
		t.Fatalf("%d calibration errors", len(rms))
	}
	near(t, "mean calibration", valueOf(t, rows, "cifar10-c", "", 0, "", "rms_calibration").Value, mean(rms))

	// Labels five times over, and beside the files, say the same.
	five := slices.Concat(labels, labels, labels, labels, labels)
	saveArray(t, five, []int{5 * n}, dir, "labels.npy")
	sameRows(t, scoreRows(t, dir), rows)
	// No number depends on the number of workers.
	for _, j := range []string{"1", "2", "7"} {
		sameRows(t, scoreRows(t, dir, "-j", j), rows)
	}
}

// sameRows compares everything but times.
func sameRows(t *testing.T, got, want []results.Located) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		a, b := got[i].Row, want[i].Row
		a.Time, b.Time = time.Time{}, time.Time{}
		if !a.Equal(&b) {
			t.Fatalf("row %d is %+v, want %+v", i, a, b)
		}
	}
}

func TestScoreImageNetC(t *testing.T) {
	const n = 20
	labels := fakeLabels(n, 1000)
	base := metrics.AlexNetErrors()
	dir := filepath.Join(t.TempDir(), "model")
	saveArray(t, labels, []int{n}, dir, "labels.npy")
	clean := fakeModel(5, labels, 1000, .8)
	saveArray(t, clean, []int{n, 1000}, dir, "clean.npy")
	p, err := metrics.LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	var ces, relative []float64
	for k, name := range p.Primary() {
		var sum, alex float64
		for s := 1; s <= 5; s++ {
			z := fakeModel(uint64(100*k+s), labels, 1000, .8-.1*float64(s))
			sum += errorOf(z, labels)
			alex += base.Values[name][s-1]
			// All three ways to name files.
			switch k % 3 {
			case 0:
				saveArray(t, z, []int{n, 1000}, dir, name, fmt.Sprint(s)+".npy")
			case 1:
				saveArray(t, z, []int{n, 1000}, dir, name, fmt.Sprint(s), "logits.npy")
			default:
				saveArray(t, z, []int{n, 1000}, dir, fmt.Sprintf("%s_%d.npy", name, s))
			}
		}
		ces = append(ces, sum/alex)
		relative = append(relative, (sum-5*errorOf(clean, labels))/(alex-5*.435))
	}
	rows := scoreRows(t, dir, "--bootstrap", "50", "--seed", "3")
	mce := valueOf(t, rows, "imagenet-c", "", 0, "", "mce")
	near(t, "mCE", mce.Value, mean(ces))
	near(t, "relative mCE", valueOf(t, rows, "imagenet-c", "", 0, "", "relative_mce").Value, mean(relative))
	near(t, "CE", valueOf(t, rows, "imagenet-c", "shot_noise", 0, "", "ce").Value, ces[1])
	if iv := mce.Interval; iv == nil || !(iv.Lo < mce.Value && mce.Value < iv.Hi) || *mce.Seed != 3 || mce.N != n*75 {
		t.Errorf("mCE %+v", mce)
	}
	sameRows(t, scoreRows(t, dir, "--bootstrap", "50", "--seed", "3", "-j", "3"), rows)
	again := scoreRows(t, dir, "--bootstrap", "50", "--seed", "4")
	if *valueOf(t, again, "imagenet-c", "", 0, "", "mce").Interval == *mce.Interval {
		t.Error("another seed gives the same interval")
	}

	// The model as its own baseline has an mCE of 1.
	own := filepath.Join(t.TempDir(), "own.jsonl")
	augmix(t, exitDone, "score", dir, "--out", own, "--baseline", "none", "--dataset", "imagenet-c")
	rows = scoreRows(t, dir, "--baseline", own)
	near(t, "own mCE", valueOf(t, rows, "imagenet-c", "", 0, "", "mce").Value, 1)
	near(t, "own relative mCE", valueOf(t, rows, "imagenet-c", "", 0, "", "relative_mce").Value, 1)

	o := augmix(t, exitDone, "score", dir)
	for _, want := range []string{"Relative mCE", "CORRUPTION", "gaussian_noise", "RELATIVE CE", "taken for imagenet-c"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the table does not say %q", want)
		}
	}
}

func TestScoreSequences(t *testing.T) {
	const videos, frames, classes = 9, 12, 10
	dir := filepath.Join(t.TempDir(), "p10")
	r := rand.New(rand.NewPCG(4, 4))
	p, err := metrics.LookupProfile("cifar10-p")
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	flips := map[string]float64{}
	for _, name := range p.Primary() {
		z := make([]float32, videos*frames*classes)
		pred := make([]int64, videos*frames)
		for v := range videos {
			for f := range frames {
				row := z[(v*frames+f)*classes:][:classes]
				for c := range row {
					row[c] = float32(r.NormFloat64())
				}
				row[v%classes] += 2
				pred[v*frames+f] = int64(slices.Index(row, slices.Max(row)))
			}
		}
		n := 0
		for v := range videos {
			one := pred[v*frames:][:frames]
			for f := 1; f < frames; f++ {
				before := one[f-1]
				if strings.Contains(name, "noise") {
					before = one[0]
				}
				if one[f] != before {
					n++
				}
			}
		}
		flips[name] = float64(n) / (videos * (frames - 1))
		all = append(all, flips[name])
		saveArray(t, z, []int{videos, frames, classes}, dir, name+".npy")
		saveArray(t, pred, []int{videos, frames}, dir+"-classes", name+".npy")
		saveArray(t, z, []int{videos * frames, classes}, dir+"-flat", name+".npy")
	}
	rows := scoreRows(t, dir, "--bootstrap", "20", "--zipf")
	for name, v := range flips {
		near(t, name, valueOf(t, rows, "cifar10-p", name, 0, "", "flip_probability").Value, v)
	}
	m := valueOf(t, rows, "cifar10-p", "", 0, "", "flip_probability")
	near(t, "mFP", m.Value, mean(all))
	if m.Interval == nil || m.Difficulty != 1 || m.N != 10*videos {
		t.Errorf("mFP %+v", m)
	}
	valueOf(t, rows, "cifar10-p", "", 0, "", "top5_distance")
	valueOf(t, rows, "cifar10-p", "", 0, "", "zipf_distance")
	if slices.ContainsFunc(rows, func(r results.Located) bool { return r.Metric == "mfr" }) {
		t.Error("a flip rate of CIFAR-10-P")
	}
	flat := scoreRows(t, dir+"-flat", "--layout", "p", "--frames", fmt.Sprint(frames), "--model", "p10", "--bootstrap",
		"20", "--zipf")
	sameRows(t, flat, rows)
	// Predictions alone do for flips; with the benchmark's name ImageNet-P's rates come out.
	alone := scoreRows(t, dir+"-classes", "--dataset", "imagenet-p")
	base := metrics.AlexNetFlips()
	var rates []float64
	for name, v := range flips {
		rates = append(rates, v/base.Values[name][0])
		near(t, "rate of "+name, valueOf(t, alone, "imagenet-p", name, 0, "", "flip_rate").Value, v/base.Values[name][0])
	}
	near(t, "mFR", valueOf(t, alone, "imagenet-p", "", 0, "", "mfr").Value, mean(rates))
	// The model as its own baseline: rates of 1, also of the top-5 distance, for which nothing is published.
	own := filepath.Join(t.TempDir(), "own.jsonl")
	augmix(t, exitDone, "score", dir, "--out", own)
	self := scoreRows(t, dir, "--baseline", own)
	near(t, "own mFR", valueOf(t, self, "cifar10-p", "", 0, "", "mfr").Value, 1)
	near(t, "own mT5D", valueOf(t, self, "cifar10-p", "", 0, "", "mt5d").Value, 1)
	near(t, "own T5D", valueOf(t, self, "cifar10-p", "tilt", 0, "", "t5d").Value, 1)
	c10, _, _ := cifarC(t, 10)
	o := augmix(t, exitUsage, "score", c10, "--baseline", own)
	if !strings.Contains(o.err, "no rows of error") {
		t.Errorf("a baseline of flips for errors: %s", o.err)
	}
	augmix(t, exitFailed, "score", dir+"-flat", "--layout", "p")
	augmix(t, exitUsage, "score", dir, "--baseline", "alexnet")
}

func TestScoreOOD(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(200, 10)
	in := fakeModel(1, labels, 10, 1)
	out := fakeModel(2, labels[:80], 10, .3)
	a := saveArray(t, in, []int{200, 10}, dir, "in.npy")
	b := saveArray(t, out, []int{80, 10}, dir, "svhn.npy")
	c := saveArray(t, fakeModel(3, labels[:50], 10, .5), []int{50, 10}, dir, "textures.npy")
	top := func(z []float32, i int) float64 { return float64(slices.Max(z[i*10:][:10])) }
	wins := 0.0
	for i := range 80 {
		for j := range 200 {
			switch x, y := top(out, i), top(in, j); {
			case x < y:
				wins++
			case x == y:
				wins += .5
			}
		}
	}
	rows := scoreRows(t, a, "--ood", b, "--ood", c, "--bootstrap", "10")
	v := valueOf(t, rows, "cifar10", "", 0, "svhn", "auroc_max_logit")
	near(t, "AUROC by the largest logit", v.Value, wins/(80*200))
	if v.Interval == nil || v.N != 280 {
		t.Errorf("%+v", v)
	}
	for _, metric := range []string{"auroc", "aupr", "fpr95", "auroc_energy", "aupr_xent_uniform", "fpr95_max_logit"} {
		x := valueOf(t, rows, "cifar10", "", 0, "svhn", metric).Value
		y := valueOf(t, rows, "cifar10", "", 0, "textures", metric).Value
		near(t, "mean "+metric, valueOf(t, rows, "cifar10", "", 0, "", metric).Value, (x+y)/2)
	}
	if slices.ContainsFunc(rows, func(r results.Located) bool { return r.Metric == "error" }) {
		t.Error("an error without labels")
	}
	augmix(t, exitUsage, "score", a, "--layout", "ood")
	augmix(t, exitUsage, "score", a, "--ood", b, "--ood", b)
}

func TestScoreCompare(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(300, 10)
	l := saveArray(t, labels, []int{300}, dir, "labels.npy")
	za, zb := fakeModel(1, labels, 10, .9), fakeModel(2, labels, 10, .7)
	a := saveArray(t, za, []int{300, 10}, dir, "a.npy")
	b := saveArray(t, zb, []int{300, 10}, dir, "b.npy")
	rec := filepath.Join(dir, "records.npz")
	rows := scoreRows(t, a, "--compare", b, "--labels", l, "--bootstrap", "200", "--records", rec)
	d := valueOf(t, rows, "cifar10", "", 0, "minus b", "error")
	near(t, "difference", d.Value, errorOf(za, labels)-errorOf(zb, labels))
	if iv := d.Interval; iv == nil || !(iv.Lo < d.Value && d.Value < iv.Hi && iv.Hi < 0) {
		t.Errorf("difference %+v", d)
	}
	same := 0
	for i := range labels {
		x, y := za[i*10:][:10], zb[i*10:][:10]
		if slices.Index(x, slices.Max(x)) == slices.Index(y, slices.Max(y)) {
			same++
		}
	}
	near(t, "agreement", valueOf(t, rows, "cifar10", "", 0, "minus b", "agreement").Value, float64(same)/300)
	f, err := records.Open(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if s, err := f.Read(records.Cell{Model: "a", Dataset: "cifar10"}); err != nil || s.N() != 300 || len(f.Cells()) != 2 {
		t.Errorf("records: %v, %v", f.Cells(), err)
	}
	other := saveArray(t, labels[:299], []int{299}, dir, "other.npy")
	short := saveArray(t, zb[:2990], []int{299, 10}, dir, "short.npy")
	augmix(t, exitFailed, "score", a, "--compare", short, "--labels", other)
	augmix(t, exitUsage, "score", a, "--compare", a, "--labels", l)
	augmix(t, exitUsage, "score", a, a, "--labels", l)
	eleven := saveArray(t, make([]float32, 300*11), []int{300, 11}, dir, "eleven.npy")
	o := augmix(t, exitUsage, "score", a, "--compare", eleven, "--labels", l, "--kind", "logits", "-o", filepath.Join(dir, "none.jsonl"))
	if !strings.Contains(o.err, "on cifar10, ") || !strings.Contains(o.err, "eleven.npy on own") || !strings.Contains(o.err, "--dataset NAME") {
		t.Errorf("two data sets: %s", o.err)
	}
	two := augmix(t, exitDone, "score", a, b, "--labels", l, "--model", "first", "--model", "second, later")
	if !strings.Contains(two.out, "taken for cifar10, by its 10 classes; if it is another one, name the data set with --dataset NAME\n") {
		t.Errorf("nothing says that the data set was guessed:\n%s", two.out)
	}
	if !strings.Contains(two.out, "first on cifar10") || !strings.Contains(two.out, "second, later on cifar10") {
		t.Errorf("two models:\n%s", two.out)
	}
}

// TestScoreKeepsFiles: files of before stay as they are where one of those that were asked for cannot be written.
func TestScoreKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(30, 10)
	l := saveArray(t, labels, []int{30}, dir, "labels.npy")
	numbers := saveArray(t, labels, []int{30}, dir, "numbers.npy")
	sequences := filepath.Join(dir, "p")
	saveArray(t, fakeModel(1, labels, 10, .5), []int{5, 6, 10}, sequences, "tilt.npy")
	out, confusion, rec := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "confusion.csv"), filepath.Join(dir, "records.npz")
	for _, path := range []string{out, confusion, rec} {
		if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for want, args := range map[string][]string{
		"--records " + rec: {numbers, "--labels", l, "--confusion", confusion, "--records", rec},
		"--confusion":      {sequences, "--confusion", confusion, "--records", rec},
	} {
		o := augmix(t, exitUsage, append([]string{"score", "-o", out}, args...)...)
		if !strings.Contains(o.err, want) {
			t.Errorf("the error %q does not say %q", o.err, want)
		}
		for _, path := range []string{out, confusion, rec} {
			if text, err := os.ReadFile(path); err != nil || string(text) != "before" {
				t.Errorf("%s: %s is %q (%v)", want, path, text, err)
			}
		}
	}
}

// TestScoreQuiet: as from eval, a quiet run's results are printed, and nothing else is said.
func TestScoreQuiet(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(30, 10)
	l := saveArray(t, labels, []int{30}, dir, "labels.npy")
	path := saveArray(t, fakeModel(1, labels, 10, .5), []int{30, 10}, dir, "m.npy")
	for _, args := range [][]string{nil, {"--json"}} {
		said := augmix(t, exitDone, append([]string{"score", path, "--labels", l}, args...)...)
		quiet := augmix(t, exitDone, append([]string{"score", path, "--labels", l, "-q"}, args...)...)
		if !strings.Contains(said.out+said.err, "taken for") || strings.Contains(quiet.out, "taken for") || quiet.err != "" ||
			!strings.Contains(strings.ToLower(quiet.out), "brier") {
			t.Errorf("%v: a quiet run said %q and printed\n%s", args, quiet.err, quiet.out)
		}
	}
}

// TestScoreOtherClasses: data that have the name of a published set and other classes are said to.
func TestScoreOtherClasses(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(30, 10)
	l := saveArray(t, labels, []int{30}, dir, "labels.npy")
	path := saveArray(t, fakeModel(1, labels, 10, .5), []int{30, 10}, dir, "m.npy")
	for dataset, want := range map[string]bool{"imagenet": true, "cifar10": false, "mine": false} {
		o := augmix(t, exitDone, "score", path, "--labels", l, "--dataset", dataset)
		if said := strings.Contains(o.out, "10 classes under the name imagenet, which has 1000: published numbers are of those"); said != want {
			t.Errorf("%s: %s", dataset, o.out)
		}
	}
}

func TestScoreRefuses(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(30, 10)
	l := saveArray(t, labels, []int{30}, dir, "labels.npy")
	good := fakeModel(1, labels, 10, .5)
	spoil := func(name string, at int, v float32) string {
		z := slices.Clone(good)
		z[at] = v
		return saveArray(t, z, []int{30, 10}, dir, name+".npy")
	}
	whole, _, _ := cifarC(t, 10)
	gone, _, _ := cifarC(t, 10)
	if err := os.Remove(filepath.Join(gone, "fog.npy")); err != nil {
		t.Fatal(err)
	}
	uneven, _, _ := cifarC(t, 10)
	saveArray(t, good, []int{30, 10}, uneven, "fog.npy")
	misspelt, _, _ := cifarC(t, 10)
	if err := os.Rename(filepath.Join(misspelt, "fog.npy"), filepath.Join(misspelt, "fogg.npy")); err != nil {
		t.Fatal(err)
	}
	mixed, ten, _ := cifarC(t, 10)
	five := slices.Concat(ten, ten, ten, ten, ten)
	other := slices.IndexFunc(ten, func(l int64) bool { return l != ten[0] })
	five[10], five[10+other] = five[10+other], five[10] // severity 2
	saveArray(t, five, []int{50}, mixed, "labels.npy")
	models := filepath.Join(dir, "models")
	saveArray(t, good, []int{30, 10}, models, "model_a.npy")
	saveArray(t, labels, []int{30}, models, "labels.npy")
	wide := saveArray(t, good, []int{30, 10}, dir, "x.npy")
	for _, c := range []struct {
		name string
		code int
		says []string
		args []string
	}{
		{
			"NaN", exitFailed,
			[]string{"nan.npy", "row 17", "entry 3"},
			[]string{spoil("nan", 173, float32(math.NaN())), "--labels", l},
		},
		{
			"infinity", exitFailed,
			[]string{"inf.npy", "row 29"},
			[]string{spoil("inf", 299, float32(math.Inf(-1))), "--labels", l},
		},
		{
			"a label out of range", exitFailed,
			[]string{"row 3", "12"},
			[]string{wide, "--labels", saveArray(t, append([]int64{0, 1, 2, 12}, labels[4:]...), []int{30}, dir, "bad.npy")},
		},
		{"no labels", exitFailed, []string{"no labels", "--labels"}, []string{wide}},
		{"a level of no interval", 2, []string{"--level 0.95 has no effect (it needs --bootstrap"}, []string{wide, "--labels", l, "--level", "0.95"}},
		{"a seed of nothing", 2, []string{"--seed 0 has no effect"}, []string{wide, "--labels", l, "--seed", "0"}},
		{"a difficulty of no video", 2, []string{"--difficulty", "allowed: with p"}, []string{wide, "--labels", l, "--difficulty", "1"}},
		{
			"too few labels", exitFailed,
			[]string{"30 rows for 29 labels"},
			[]string{wide, "--labels", saveArray(t, labels[:29], []int{29}, dir, "few.npy")},
		},
		{
			"rows that do not sum to one", exitFailed,
			[]string{"sum to 1", "row 1"},
			[]string{
				saveArray(t, []float32{.5, .5, .6, .6}, []int{2, 2}, dir, "p.npy"), "--kind", "probs", "--labels",
				saveArray(t, []int64{0, 1}, []int{2}, dir, "two.npy"),
			},
		},
		{"AlexNet for CIFAR", exitUsage, []string{"AlexNet", "ImageNet"}, []string{whole, "--baseline", "alexnet"}},
		{"AlexNet for one file", exitUsage, []string{"folder"}, []string{wide, "--labels", l, "--baseline", "alexnet"}},
		{
			"mCE with a corruption missing", exitFailed,
			[]string{"fog/1"},
			[]string{gone, "--dataset", "imagenet-c", "--baseline", "alexnet"},
		},
		{"files of other lengths", exitFailed, []string{"fog.npy", "30 rows for 10 labels"}, []string{uneven}},
		{"a misspelt corruption", exitUsage, []string{"fogg"}, []string{misspelt}},
		{"labels of another order", exitFailed, []string{"brightness.npy", "one severity", "same order"}, []string{mixed}},
		{"files that are no corruptions", exitUsage, []string{"model_a", "--dataset"}, []string{models}},
		{"a benchmark of sequences", exitUsage, []string{"cifar10-p"}, []string{whole, "--dataset", "cifar10-p"}},
		{"bins", exitUsage, []string{"adaptive:N"}, []string{wide, "--bins", "some:3"}},
		{"clean images as a form", exitUsage, []string{"--dataset: name of a form: cifar10-c", "cifar10;"}, []string{wide, "--labels", l, "--dataset", "cifar10-c"}},
		{"bins twice", exitUsage, []string{"equal:10", "twice"}, []string{wide, "--bins", "equal:20,adaptive:5", "--bins", "equal:10"}},
		{"one file for two", exitUsage, []string{"--confusion", "--out too"}, []string{wide, "--labels", l, "--confusion", filepath.Join(dir, ".", "never.jsonl")}},
		{"a name too many", exitUsage, []string{"2 names"}, []string{wide, "--model", "a", "--model", "b"}},
		{"one replicate", exitUsage, []string{"--bootstrap 1"}, []string{wide, "--bootstrap", "1"}},
		{"a difficulty", exitUsage, []string{"--difficulty"}, []string{wide, "--difficulty", "0"}},
		{"a level", exitUsage, []string{"--level"}, []string{wide, "--level", "1"}},
		{"ood and a folder", exitUsage, []string{"--ood"}, []string{whole, "--ood", wide}},
		{"ood of two models", exitUsage, []string{"--ood: 2 models"}, []string{wide, wide, "--labels", l, "--ood", wide}},
		{"ood compared", exitUsage, []string{"--ood with --compare"}, []string{wide, "--labels", l, "--ood", wide, "--compare", wide}},
		{"frames of a file", exitUsage, []string{"--frames", "allowed: with p"}, []string{wide, "--labels", l, "--frames", "3"}},
		{"a severity of five", exitUsage, []string{"severity 2", "5 severities"}, []string{whole, "--severity", "2"}},
		{"no file", exitFailed, []string{"none.npy"}, []string{filepath.Join(dir, "none.npy")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(dir, "never.jsonl")
			o := augmix(t, c.code, append([]string{"score", "--out", out}, c.args...)...)
			for _, s := range c.says {
				if !strings.Contains(o.err, s) {
					t.Errorf("the error %q does not say %q", o.err, s)
				}
			}
			if _, err := os.Stat(out); err == nil || o.out != "" {
				t.Error("something was written")
			}
		})
	}
	// With a name they are corruptions, if the labels are there five times.
	saveArray(t, labels[:6], []int{6}, models, "labels.npy")
	valueOf(t, scoreRows(t, models, "--dataset", "mine-c"), "mine-c", "model_a", 0, "", "error")
	// What is missing is said, and the rest is there.
	rows := scoreRows(t, gone)
	valueOf(t, rows, "cifar10-c", "snow", 0, "", "error")
	o := augmix(t, exitDone, "score", gone)
	if !strings.Contains(o.out, "note: 1 of 15 corruptions are missing: fog\n") {
		t.Errorf("the note is missing:\n%s", o.out)
	}
	// A true class of probability 0 has no finite loss: no number, and the reason.
	p := saveArray(t, []float32{1, 0, 1, 0}, []int{2, 2}, dir, "certain.npy")
	two := saveArray(t, []int64{0, 1}, []int{2}, dir, "both.npy")
	rows = scoreRows(t, p, "--labels", two)
	if v := valueOf(t, rows, "own", "", 0, "", "nll").Value; v == v {
		t.Errorf("loss %v", v)
	}
	if o := augmix(t, exitDone, "score", p, "--labels", two); !strings.Contains(o.out, "the first is row 1") {
		t.Errorf("the reason is missing:\n%s", o.out)
	}
}

func TestScoreJSON(t *testing.T) {
	dir := t.TempDir()
	labels := fakeLabels(150, 10)
	a := saveArray(t, fakeModel(1, labels, 10, .9), []int{150, 10}, dir, "a.npy")
	saveArray(t, labels, []int{150}, dir, "a.labels.npy")
	out := filepath.Join(dir, "r.jsonl")
	o := augmix(t, exitDone, "score", a, "--json", "--out", out)
	var rows []json.RawMessage
	if err := json.Unmarshal([]byte(o.out), &rows); err != nil {
		t.Fatal(err)
	}
	written, err := results.ReadFile(out)
	if err != nil || len(rows) != len(written) || len(rows) < 11 {
		t.Fatalf("%d rows, %d written, %v", len(rows), len(written), err)
	}
	d, err := results.Reliability(written)
	if err != nil || len(d) != 1 || len(d[0].Bins) != metrics.DefaultWidthBins {
		t.Errorf("reliability diagrams %+v, %v", d, err)
	}
	for i := range rows {
		r, err := results.ParseLine(rows[i])
		if err != nil || r.Metric != written[i].Metric || r.Value != written[i].Value {
			t.Errorf("row %d: %v, %v", i, r, err)
		}
	}
}

// TestScoreAll: what people compare by is printed, the rest with --all.
func TestScoreAll(t *testing.T) {
	labels := fakeLabels(40, 3)
	z := saveArray(t, fakeModel(1, labels, 3, 0.5), []int{40, 3}, t.TempDir(), "z.npy")
	l := saveArray(t, labels, []int{40}, filepath.Dir(z), "labels.npy")
	short := augmix(t, exitDone, "score", z, "--labels", l, "--per-class").out
	long := augmix(t, exitDone, "score", z, "--labels", l, "--per-class", "--all").out
	for _, rare := range []string{"aurra", "soft_f1", "e_aurc", "classwise_ece", "smooth_ece"} {
		if strings.Contains(short, rare) || !strings.Contains(long, rare) {
			t.Errorf("%s: got\n%s\nand\n%s", rare, short, long)
		}
	}
	if !strings.Contains(short, "Error") {
		t.Errorf("got\n%s", short)
	}
}

// TestScoreEnsemble: the ensemble of all models stands beside them, and one model is none.
func TestScoreEnsemble(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, rows := range []string{"0,0.9,0.1\n0,0.4,0.6\n", "0,0.4,0.6\n0,0.9,0.1\n"} {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("seed%d.csv", i)))
		if err := os.WriteFile(paths[i], []byte("label,prob_0,prob_1\n"+rows), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]float64{}
	for _, r := range scoreRows(t, append(paths, "--ensemble", "--dataset", "pets")...) {
		if r.Metric == results.Top1Error {
			got[r.Model] = r.Value
		}
	}
	if want := map[string]float64{"seed0": 0.5, "seed1": 0.5, "ensemble": 0}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	augmix(t, exitUsage, "score", paths[0], "--ensemble")
	o := augmix(t, exitDone, append([]string{"score", "--ensemble"}, paths...)...)
	if want := "(" + filepath.ToSlash(paths[0]+", "+paths[1]) + ")\n"; !strings.Contains(o.out, want) {
		t.Errorf("no header with %s:\n%s", want, o.out)
	}
}
