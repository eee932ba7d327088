package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// nets are networks by the digest of what they were trained on and how: tests of the same data share a training.
var nets = map[[sha256.Size]byte][]byte{}

// TestEvalFewForBins: eval says why there are no RMS and MAD calibration errors, as score does, once for all forms.
func TestEvalFewForBins(t *testing.T) {
	net := trainedNet(t, photos(t, 12))
	args := []string{"eval", net, "--suite", "clean,c,calibration", "--subset", "contrast", "--severity", "1,2"}
	const note = "note: adaptive calibration: 50 images fill no bin of 100, so that there are no RMS and MAD calibration errors\n"
	if o := augmix(t, exitDone, append(args, photos(t, 50))...); strings.Count(o.err, note) != 1 {
		t.Errorf("of few images: %s", o.err)
	}
	if o := augmix(t, exitDone, append(args, photos(t, 100))...); strings.Contains(o.err, "adaptive") {
		t.Errorf("of enough: %s", o.err)
	}
}

// TestEvalOneBin: eval says why the calibration errors of the papers' code are missing where images fill one bin, and measures nothing
// again because of that.
func TestEvalOneBin(t *testing.T) {
	args := []string{
		"eval", trainedNet(t, photos(t, 12)), photos(t, 100), "--suite", "clean,calibration", "--reference-binning",
		"-o", filepath.Join(t.TempDir(), "out"),
	}
	const note = "note: adaptive calibration: 100 images fill one bin of 100, so that there are no RMS and MAD calibration errors without the last bin\n"
	for _, again := range []bool{false, true} {
		if o := augmix(t, exitDone, args...); strings.Count(o.err, note) != 1 || strings.Contains(o.err, "not measured again") != again {
			t.Errorf("again %t: %s", again, o.err)
		}
	}
}

// trainedNet returns the file of a tiny network, trained on the data set by [smallTraining] and more options.
func trainedNet(t testing.TB, set string, more ...string) string {
	t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%q", more)
	files := tree(t, set)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %q", name, files[name])
	}
	key := [sha256.Size]byte(h.Sum(nil))
	path := filepath.Join(t.TempDir(), "net", train.ModelName)
	if nets[key] == nil {
		dir := filepath.Join(t.TempDir(), "net")
		augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", dir, "--lr", "0.02"}, smallTraining, more)...)
		nets[key] = []byte(tree(t, dir)[train.ModelName])
	}
	write(t, path, nets[key])
	return path
}

// byKey returns rows by what they measured.
func byKey(t testing.TB, path string) map[results.Key]results.Row {
	t.Helper()
	rows, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[results.Key]results.Row{}
	for i := range rows {
		k := rows[i].Key()
		k.HasSeed, k.Seed = false, 0
		out[k] = rows[i].Row
	}
	return out
}

// TestEvalFromDiskAndOnTheFly: the sets that augmix corrupt and augmix perturb write give the numbers that are measured
// on the fly with the same seed.
func TestEvalFromDiskAndOnTheFly(t *testing.T) {
	set := cifarFolder(t, 20)
	net := trainedNet(t, set)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "corrupt", set, "-o", in("c"), "--subset", "fog,gaussian_noise", "--seed", "7", "-q")
	augmix(t, exitDone, "corrupt", set, "-o", in("cbar"), "--subset", "cbar", "--seed", "7", "-q")
	augmix(t, exitDone, "perturb", set, "-o", in("p"), "--subset", "shot_noise,tilt", "--seed", "7", "-q")
	common := []string{
		"eval", net, set, "--suite", "clean,c,cbar,p,calibration", "--subset", "fog,gaussian_noise", "--perturbation",
		"shot_noise,tilt",
		"--seed", "7", "-q",
	}
	augmix(t, exitDone, slices.Concat(common, []string{"-o", in("way")})...)
	augmix(t, exitDone, slices.Concat(common, []string{
		"-o", in("disk"), "--c", in("c"), "--cbar", in("cbar"), "--p",
		in("p"),
	})...)
	way, disk := byKey(t, filepath.Join(in("way"), "results.jsonl")), byKey(t, filepath.Join(in("disk"),
		"results.jsonl"))
	if len(way) < 100 || len(way) != len(disk) {
		t.Errorf("%d rows on the fly, %d from disk", len(way), len(disk))
	}
	for k, w := range way {
		d, ok := disk[k]
		if same := d.Value == w.Value || math.IsNaN(d.Value) && math.IsNaN(w.Value); !ok || !same || d.N != w.N {
			t.Errorf("%v: %v of %d on the fly, %v of %d from disk", k, w.Value, w.N, d.Value, d.N)
		}
	}
	// Severities of a form on disk are those that are asked for.
	for _, form := range []string{"c", "folder"} {
		if form == "folder" {
			augmix(t, exitDone, "corrupt", set, "-o", in("folder"), "--subset", "fog,gaussian_noise", "--seed", "7", "--severity", "2,4", "--output-format",
				"folder", "--image", "png", "-q")
		}
		augmix(t, exitDone, "eval", net, set, "--suite", "c", "--subset", "fog,gaussian_noise", "--severity", "2,4", "--c", in(form), "-o", in("some-"+form), "-q")
		n := 0
		for k, s := range byKey(t, filepath.Join(in("some-"+form), results.FileName)) {
			if k.Corruption == "" || k.Severity == 0 {
				continue
			}
			if n++; s.Value != disk[k].Value || k.Severity != 2 && k.Severity != 4 {
				t.Errorf("%s: %v: %v, want %v", form, k, s.Value, disk[k].Value)
			}
		}
		if n != 2*2*4 {
			t.Errorf("%s: %d rows of severities", form, n)
		}
	}
	// The model's file is signed: another one under the same name is refused.
	other := trainedNet(t, cifarFolder(t, 40))
	o := augmixIn(t.Context(), nil, "eval", other, set, "-o", in("way"))
	if o.code != exitUsage || !strings.Contains(o.err, "another model called net") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
	// What is there is not measured again: without the data of the forms the same command succeeds.
	if err := os.RemoveAll(in("c")); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(in("disk"), "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, slices.Concat(common, []string{
		"-o", in("disk"), "--c", in("c"), "--cbar", in("cbar"), "--p",
		in("p"),
	})...)
	after, err := os.ReadFile(filepath.Join(in("disk"), "results.jsonl"))
	if err != nil || string(after) != string(before) {
		t.Errorf("results.jsonl has changed (%v)", err)
	}
}

// TestLogitsOfViews: logits of a part and of other preprocessing lie beside the plain ones, and their scores say what they are of.
func TestLogitsOfViews(t *testing.T) {
	set := cifarFolder(t, 60)
	net := trainedNet(t, set)
	dir := t.TempDir()
	common := []string{"eval", net, set, "--suite", "clean", "--name", "net", "-o", dir, "--logits", "-q"}
	augmix(t, exitDone, common...)
	plain, err := os.ReadFile(filepath.Join(dir, "logits", "net", "cifar10.npy"))
	if err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, slices.Concat(common, []string{"--preprocess", "clahe"})...)
	augmix(t, exitDone, slices.Concat(common, []string{"--only", "class:cat,class:dog", "--part", "cats / dogs"})...)
	if now, err := os.ReadFile(filepath.Join(dir, "logits", "net", "cifar10.npy")); err != nil || string(now) != string(plain) {
		t.Errorf("the plain logits are others (%v)", err)
	}
	for name, of := range map[string]results.View{
		"net": {}, "net-clahe-c2-t8": {Preprocess: "clahe-c2-t8"}, "net-cats-dogs": {Part: "cats / dogs"},
	} {
		out := filepath.Join(t.TempDir(), "scored.jsonl")
		augmix(t, exitDone, "score", filepath.Join(dir, "logits", name), "--out", out, "-q")
		for _, r := range byKey(t, out) {
			if r.Preprocess != of.Preprocess || r.Part != of.Part || r.Data == "" {
				t.Fatalf("%s: %+v", name, r)
			}
		}
	}
}

// TestEvalAndScore: augmix score takes the same numbers from the saved logits.
func TestEvalAndScore(t *testing.T) {
	set := cifarFolder(t, 120) // at five severities more than a batch
	net := trainedNet(t, set)
	dir := t.TempDir()
	o := augmix(t, exitDone, "eval", net, set, "--suite", "clean,c,p,calibration", "-o", dir, "--logits", "--limit", "55",
		"-q", "--perturbation",
		"gaussian_noise,scale", "--subset", "common")
	if !strings.Contains(o.out, "  mCE (mean over 15, unnormalized), limit 55  ") { // as score calls it
		t.Error(o.out)
	}
	measured := byKey(t, filepath.Join(dir, "results.jsonl"))
	logits := filepath.Join(dir, "logits", "net")
	compared := 0
	for _, name := range []string{"cifar10.npy", "cifar10-c", "cifar10-p", "."} { // the last are all
		path := filepath.Join(dir, "scored.jsonl")
		augmix(t, exitDone, "score", filepath.Join(logits, name), "--out", path, "-q")
		scored := byKey(t, path)
		for k := range measured {
			if name == "." && k.Bins == 0 && scored[k].Metric == "" {
				t.Errorf("score has no %v", k)
			}
		}
		for k, s := range scored {
			m, ok := measured[k]
			if !ok {
				t.Errorf("score has %v, eval has not", k)
				continue
			}
			if compared++; m.Value != s.Value && !(math.IsNaN(m.Value) && math.IsNaN(s.Value)) || m.N != s.N || m.Data != s.Data {
				t.Errorf("%v: eval %v of %d, score %v of %d", k, m.Value, m.N, s.Value, s.N)
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d rows compared", compared)
	}
	for args, want := range map[string]string{
		logits + " --dataset mine": "--dataset with " + logits + ", in which eval --logits saved all forms of a data set (allowed: with one of them",
		dir:                        "a folder for each model (allowed: " + logits + ")",
		filepath.Dir(logits):       "a folder for each model (allowed: " + logits + ")",
	} {
		if o := augmix(t, exitUsage, append([]string{"score"}, strings.Fields(args)...)...); !strings.Contains(o.err, want) {
			t.Errorf("%s: %s", args, o.err)
		}
	}
}

func TestEvalTable(t *testing.T) {
	set := cifarFolder(t, 60)
	net := trainedNet(t, set)
	o := augmix(t, exitDone, "eval", net, set, "--suite", "clean,c", "--subset", "fog,snow", "--severity", "1,5", "-q")
	for _, want := range []string{
		"net on cifar10\n", "net on cifar10-c\n", "error, %      1      5", "   snow  ",
		"   fog  ",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	o = augmix(t, exitDone, "eval", net, set, "--json", "-q", "--name", "mine", "--dataset", "test")
	var rows []struct {
		Model, Dataset, Metric string
		Value                  float64
		N                      int
	}
	if err := json.Unmarshal([]byte(o.out), &rows); err != nil || len(rows) < 3 || rows[0].Model != "mine" ||
		rows[0].Dataset != "test" ||
		rows[0].Metric != "error" || rows[0].N != 30 {
		t.Errorf("%v\n%s", err, o.out)
	}
}

func TestEvalUsage(t *testing.T) {
	set := cifarFolder(t, 20)
	net := trainedNet(t, set)
	logits := filepath.Join(t.TempDir(), "logits.npy")
	write(t, logits, []byte("x"))
	text := filepath.Join(t.TempDir(), "x.safetensors")
	write(t, text, []byte("no weights"))
	// What no suite looks at is refused, each by the name of what would.
	for args, says := range map[string]string{
		"--ood x=nowhere": "ood: without --suite ood", "--c nowhere": "c: without --suite c,", "--p nowhere": "p: without --suite p",
		"--cbar nowhere": "cbar: without --suite cbar", "--pgd-eps 9": "pgd-eps: without --suite pgd", "--difficulty 3": "difficulty: without --suite p",
		"--radius 3": "radius: without --suite fourier", "--ood-score energy": "ood-score: without --suite ood",
		"--perturbation tilt": "perturbation: without --suite p", "--frost-dir nowhere": "frost-dir: without --suite c,",
		"--subset fog": "subset: without --suite c,", "--severity 3": "severity: without --suite c or cbar",
		"--suite c --c x --profile 224": "profile: without --suite c, cbar or p, made", "--suite cbar --cbar x --quality 10": "quality: without",
		"--suite c,cbar --c x --cbar y --image jpeg": "image: without",
		"--suite ood --logits -o x":                  "logits: without --suite clean, c, cbar or p", "--suite p --style-weights x": "style-weights: without --suite c",
	} {
		o := augmixIn(t.Context(), nil, slices.Concat([]string{"eval", net, set}, strings.Fields(args))...)
		if o.code != exitUsage || !strings.Contains(o.err, says) {
			t.Errorf("%s: exit code %d, %s", args, o.code, o.err)
		}
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "allowed: clean, c, cbar, p", []string{net, set, "--suite", "cc"}},
		{exitUsage, "augmix score", []string{logits, set}},
		{exitUsage, "norm: 1,2/3", []string{net, set, "--norm", "1,2/3"}},
		{exitUsage, "--limit", []string{net, set, "--limit", "-1"}},
		{exitUsage, "logits: no folder", []string{net, set, "--logits"}},
		{exitUsage, "difficulty: 4", []string{net, set, "--suite", "p", "--difficulty", "4"}},
		{exitUsage, "corruption \"fogg\"", []string{net, set, "--suite", "c", "--subset", "fogg"}},
		{exitFailed, "cannot open the model", []string{"nowhere.safetensors", set}},
		{exitFailed, "not a file of weights", []string{text, set}},
		{exitFailed, "nowhere", []string{net, "nowhere"}},
		{exitFailed, "snow", []string{net, set, "--suite", "c", "--subset", "snow", "--c", t.TempDir()}},
	} {
		o := augmixIn(t.Context(), nil, append([]string{"eval"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) {
			t.Errorf("%v: exit code %d, want %d that says %q\n%s", c.args, o.code, c.code, c.says, o.err)
		}
	}
}

// TestEvalRecords: records are those that augmix score takes from the saved logits; without them a cell is measured
// again, and --no-records writes none.
func TestEvalRecords(t *testing.T) {
	set := cifarFolder(t, 120) // at five severities more than a batch
	net := trainedNet(t, set)
	dir := t.TempDir()
	path := filepath.Join(dir, records.FileName)
	args := []string{"eval", net, set, "-o", dir, "--logits", "-q"}
	augmix(t, exitDone, append(args, "--suite", "clean")...)
	args = append(args, "--suite", "clean,c", "--subset", "fog,snow")
	augmix(t, exitDone, args...)
	read := func(path string) map[records.Cell]*records.Samples {
		f, err := records.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		out := map[records.Cell]*records.Samples{}
		for _, c := range f.Cells() {
			if out[c], err = f.Read(c); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	measured := read(path)
	if len(measured) != 11 { // clean and 2 corruptions at 5 severities
		t.Errorf("%d cells", len(measured))
	}
	scored := filepath.Join(t.TempDir(), "scored.npz")
	for _, name := range []string{"cifar10.npy", "cifar10-c"} {
		augmix(t, exitDone, "score", filepath.Join(dir, "logits", "net", name), "--model", "net", "--records", scored, "-q")
		for c, s := range read(scored) {
			if !reflect.DeepEqual(measured[c], s) {
				t.Errorf("%v: other records than those of augmix score", c)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, args...)
	if !reflect.DeepEqual(read(path), measured) {
		t.Error("records that were removed do not come back the same")
	}
	other := t.TempDir()
	augmix(t, exitDone, "eval", net, set, "--no-records", "-o", other, "-q")
	if _, err := os.Stat(filepath.Join(other, records.FileName)); !os.IsNotExist(err) {
		t.Errorf("--no-records: %v", err)
	}
}

// TestEvalDiagrams: with the suite calibration each severity has a reliability diagram of all corruptions together,
// whose accuracy is that of the benchmark's mean error.
func TestEvalDiagrams(t *testing.T) {
	set := cifarFolder(t, 60)
	net, dir := trainedNet(t, set), t.TempDir()
	augmix(t, exitDone, "eval", net, set, "--suite", "c,calibration", "--severity", "2,5", "-o", dir, "-q")
	rows, err := results.ReadFile(filepath.Join(dir, "results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	diagrams, err := results.Reliability(rows)
	if err != nil || len(diagrams) != 2 {
		t.Fatalf("%d diagrams, %v", len(diagrams), err)
	}
	for _, d := range diagrams {
		sum, count := 0.0, 0.0
		for i := range rows {
			if r := &rows[i]; r.Metric == results.Top1Error && r.Corruption != "" && r.Severity == d.Key.Severity {
				sum, count = sum+r.Value*float64(r.N), count+float64(r.N)
			}
		}
		wrong, n := 0.0, 0.0
		for _, b := range d.Bins {
			if b.N > 0 {
				wrong, n = wrong+float64(b.N)*(1-b.Accuracy), n+float64(b.N)
			}
		}
		if n != count || n != 15*30 || math.Abs(wrong-sum) > 1e-6 {
			t.Errorf("severity %v: %v wrong of %v, by the errors %v of %v", d.Key.Severity, wrong, n, sum, count)
		}
	}
}

// OOD sets of the user's own: folders, and CIFAR sets, of which the test part is taken.
func TestEvalOwnOOD(t *testing.T) {
	set := cifarFolder(t, 100)
	net := trainedNet(t, set, "--model", "wrn-10-1") // learns more in as few epochs
	out := t.TempDir()
	first := augmix(t, exitDone, "eval", net, set, "--suite", "ood", "--ood", "same="+set+";shapes="+photos(t, 9), "-o", out)
	for _, want := range []string{"note: ood: same is the test set itself", "note: shapes has fewer images than the others (by 1)"} {
		if !strings.Contains(first.err, want) {
			t.Errorf("no %q in %s", want, first.err)
		}
	}
	rows, err := results.ReadFile(filepath.Join(out, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for i := range rows {
		if rows[i].Metric == results.AUROC {
			values[rows[i].OOD] = rows[i].Value
		}
	}
	mean := (values["gaussian"] + values["rademacher"] + values["blobs"] + values["same"] + values["shapes"]) / 5
	if len(values) != 6 || math.Abs(values[""]-mean) > 1e-12 {
		t.Errorf("%v", values)
	}
	// A fifth of the test set against all of it: each of the ten is beside itself, and above half of the others on average.
	if v := values["same"]; v < 0.2 || v > 0.8 {
		t.Errorf("AUROC of the test set against itself: %v", v)
	}
	// Another score beside it: rows of its own, whose name says so wherever they are printed.
	text := augmix(t, exitDone, "eval", net, set, "--suite", "ood", "--ood-score", "gen", "-o", out, "-q").out
	if both, err := results.ReadFile(filepath.Join(out, results.FileName)); err != nil || len(both) != len(rows)+3*4 {
		t.Errorf("%d rows after %d, %v", len(both), len(rows), err)
	} else if last := both[len(both)-1]; last.Score != "gen" {
		t.Errorf("%+v", last)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(strings.ToLower(line), "auroc") && !strings.Contains(line, "gen") {
			t.Errorf("does not say by which score: %s", line)
		}
	}
	if !strings.Contains(text, "gen") {
		t.Errorf("got\n%s", text)
	}
	augmix(t, exitDone, "eval", net, set, "--suite", "ood", "--ood-score", "knn", "--ood-train", set, "--ood-neighbors", "3", "--features", "-o", out, "-q")
	if _, err := os.Stat(filepath.Join(out, "features", "net", "cifar10", "blobs.npy")); err != nil {
		t.Error(err)
	}
	if all, err := results.ReadFile(filepath.Join(out, results.FileName)); err != nil || all[len(all)-1].Score != "knn-k3" {
		t.Errorf("%+v, %v", all[len(all)-1], err)
	}
	if o := augmix(t, exitUsage, "eval", net, set, "--suite", "ood", "--ood-score", "vim"); !strings.Contains(o.err, "error: --ood-score vim: without --ood-train") {
		t.Error(o.err)
	}
	for _, c := range []struct {
		code      int
		set, says string
	}{
		{exitUsage, "gaussian=" + set, "name of a generated set"}, {exitFailed, "x=/no/such/set", "ood: x"},
	} {
		o := augmix(t, c.code, "eval", net, set, "--suite", "ood", "--ood", c.set, "-q")
		if !strings.Contains(o.err, c.says) {
			t.Errorf("%s: %s", c.set, o.err)
		}
	}
}

// Severities between the published ones are rows of their own, and no mean is over them.
func TestEvalFractions(t *testing.T) {
	set := cifarFolder(t, 20)
	net, dir := trainedNet(t, set), filepath.Join(t.TempDir(), "out")
	args := []string{"eval", net, set, "--suite", "c", "--subset", "contrast", "--severity", "0.5,2.5,3", "-o", dir}
	o := augmix(t, exitDone, args...)
	if !strings.Contains(o.out, "0.5") || !strings.Contains(o.out, "2.5") {
		t.Error(o.out)
	}
	var at []float64
	for k, r := range byKey(t, filepath.Join(dir, results.FileName)) {
		if k.Severity == 0 {
			t.Errorf("a mean: %v", k)
		}
		if k.Metric == results.Top1Error {
			at = append(at, r.Severity)
		}
	}
	if slices.Sort(at); !slices.Equal(at, []float64{0.5, 2.5, 3}) {
		t.Errorf("rows of severities %v", at)
	}
	if o := augmix(t, exitDone, args...); !strings.Contains(o.err, "reus") && strings.Contains(o.err, "images/s") {
		t.Errorf("measured again: %s", o.err)
	}
	if o := augmix(t, exitUsage, "eval", net, set, "--suite", "c", "--severity", "0-1"); !strings.Contains(o.err, "suite clean measures") {
		t.Error(o.err)
	}
}

// Rows of parameters of one's own are others than those of published ones, and each is resumed by itself.
func TestEvalOwnParameters(t *testing.T) {
	set := cifarFolder(t, 20)
	net, dir := trainedNet(t, set), t.TempDir()
	mine := filepath.Join(dir, "my.yaml")
	eval := func(profile string) []results.Key {
		augmix(t, exitDone, "eval", net, set, "--suite", "c", "--subset", "contrast", "--severity", "2", "-o", filepath.Join(dir, "out"),
			"--profile", profile, "-q")
		return slices.Collect(maps.Keys(byKey(t, filepath.Join(dir, "out", results.FileName))))
	}
	text := augmix(t, exitDone, "list", "corruptions", "contrast", "--profile", "32").out
	parts := map[string]bool{}
	for _, factor := range []string{"0.75", "0.7"} {
		if err := os.WriteFile(mine, []byte(strings.Replace(text, "0.75", factor, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, k := range eval(mine) {
			parts[k.Part] = true
			if !strings.HasPrefix(k.Part, "parameters ") {
				t.Errorf("%v does not say that its parameters are not published ones", k)
			}
		}
	}
	for _, k := range eval("32") {
		parts[k.Part] = true
	}
	if len(parts) != 3 || !parts[""] {
		t.Errorf("rows say %v", parts)
	}
}

// TestEvalOneMap: a folder has one heat map, and another model's is not written over it.
func TestEvalOneMap(t *testing.T) {
	set := cifarFolder(t, 60)
	net, out := trainedNet(t, set), t.TempDir()
	args := []string{"eval", net, set, "--suite", "fourier", "--radius", "1", "--limit", "4", "-o", out, "-q"}
	augmix(t, exitDone, args...)
	before := tree(t, out)["fourier.npy"]
	for _, other := range [][]string{{"--name", "other"}, {"--dataset", "other"}, {"--limit", "3"}, {"--seed", "3"}} {
		o := augmix(t, exitUsage, append(args, other...)...)
		if !strings.Contains(o.err, "fourier.npy holds the map of net on cifar10") || tree(t, out)["fourier.npy"] != before {
			t.Errorf("%v: %s", other, o.err)
		}
	}
	augmix(t, exitDone, args...)
}
