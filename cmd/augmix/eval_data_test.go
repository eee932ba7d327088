package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

// classFolder makes a folder of n 32x32 images a class. An image is a function of its class's name and its number.
func classFolder(t testing.TB, dir string, n int, classes ...string) string {
	t.Helper()
	for _, class := range classes {
		for i := range n {
			write(t, filepath.Join(dir, class, string(rune('a'+i))+".png"), testImage(t, 31*int(class[0])+i, 32, 32))
		}
	}
	return dir
}

// cleanRow returns the row of the clean error in a folder of results.
func cleanRow(t testing.TB, dir string) results.Row {
	t.Helper()
	rows, err := results.ReadFile(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	row, err := results.One(rows, func(r *results.Row) bool {
		return r.Metric == results.Top1Error && r.View == results.View{}
	})
	if err != nil {
		t.Fatal(err)
	}
	return row.Row
}

// TestEvalMatchesClasses: labels go by the names of folders. A folder less changes no prediction's label, and folders that
// the model does not know are refused.
func TestEvalMatchesClasses(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	whole := classFolder(t, in("photos"), 6, "ape", "bee", "cat")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", whole, "-o", in("net")}, smallTraining)...)
	model := filepath.Join(in("net"), "model.safetensors")
	for name, classes := range map[string][]string{"b": {"bee"}, "c": {"cat"}, "bc": {"bee", "cat"}} {
		classFolder(t, in(name), 6, classes...)
		augmix(t, exitDone, "eval", model, in(name), "--among", "model", "-o", in("eval-"+name), "-q")
	}
	b, c, both := cleanRow(t, in("eval-b")), cleanRow(t, in("eval-c")), cleanRow(t, in("eval-bc"))
	if want := (b.Value + c.Value) / 2; both.N != 12 || both.Value != want {
		t.Errorf("error of both classes %v, want the mean %v of %v and %v", both.Value, want, b.Value, c.Value)
	}
	augmix(t, exitDone, "corrupt", in("bc"), "-o", in("tree"), "--subset", "fog", "--seed", "3", "-q")
	form := func(out string, more ...string) results.Row {
		augmix(t, exitDone, slices.Concat([]string{
			"eval", model, in("bc"), "--suite", "c", "--subset", "fog", "--seed", "3", "-o", in(out), "-q",
		}, more)...)
		rows, err := results.ReadFile(filepath.Join(in(out), results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		return rows[0].Row
	}
	if disk, way := form("disk", "--c", in("tree")), form("way"); disk.Value != way.Value {
		t.Errorf("fog: %v from disk, %v on the fly", disk.Value, way.Value)
	}
	classFolder(t, in("other"), 2, "ape", "eel")
	o := augmix(t, exitUsage, "eval", model, in("other"))
	for _, words := range []string{"eel", "cat", "other classes than the model"} {
		if !strings.Contains(o.err, words) {
			t.Errorf("%q lacks %q", o.err, words)
		}
	}
	// Exports have the names too.
	augmix(t, exitDone, "export", model, "-o", in("net.onnx"), "-q")
	if m, err := onnx.ReadFile(in("net.onnx")); err != nil || m.Metadata[weights.KeyNames] != `["ape","bee","cat"]` {
		t.Errorf("ONNX: %v, %v", m, err)
	}
	// A model without names takes a set of as many classes, and no other.
	bare := in("bare.safetensors")
	bareWeights(t, model, bare)
	options := []string{"--model", "densenet-7-2", "--norm", "half", "--input-size", "32"}
	augmix(t, exitDone, slices.Concat([]string{"eval", bare, whole, "-q"}, options)...)
	o = augmix(t, exitUsage, slices.Concat([]string{"eval", bare, in("bc"), "-q"}, options)...)
	if !strings.Contains(o.err, "has 2 classes, the model 3 without names") {
		t.Errorf("%q says nothing of the classes", o.err)
	}
}

// bareWeights writes the tensors of a model without a word about them.
func bareWeights(t testing.TB, model, path string) {
	t.Helper()
	ts, _, err := weights.ReadFile(model)
	if err == nil {
		err = weights.WriteFile(path, ts, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEvalOtherData: a folder of results is of one test set. Neither other samples nor other images are taken for it.
func TestEvalOtherData(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	set := classFolder(t, in("x/test"), 4, "ape", "bee")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", in("net")}, smallTraining)...)
	model := filepath.Join(in("net"), "model.safetensors")
	augmix(t, exitDone, "eval", model, set, "-o", in("a"), "-q")
	augmix(t, exitDone, "eval", model, set, "-o", in("a"), "-q")
	augmix(t, exitDone, "eval", model, set, "--limit", "4", "-o", in("a"), "-q") // a limit is another measurement

	other := classFolder(t, in("y/test"), 3, "ape", "bee")
	o := augmix(t, exitUsage, "eval", model, other, "-o", in("a"), "-q")
	if !strings.Contains(o.err, "holds results on other data called test") || !strings.Contains(o.err, in("a")) {
		t.Errorf("other samples: %q", o.err)
	}
	augmix(t, exitDone, "eval", model, other, "-o", in("b"), "--name", "other", "-q")
	augmix(t, exitDone, "report", in("a"), in("b"), "-o", in("r.md"))
	page, err := os.ReadFile(in("r.md"))
	if err != nil || !strings.Contains(string(page), "(data 2 of 2)") || strings.Contains(string(page), "other − net") {
		t.Errorf("report of both: %v\n%s", err, page)
	}

	write(t, filepath.Join(set, "ape", "a.png"), testImage(t, 99, 32, 32)) // of the same name, other pixels
	o = augmix(t, exitUsage, "eval", model, set, "-o", in("a"), "-q")
	if !strings.Contains(o.err, "holds results on other data called test") {
		t.Errorf("other pixels: %q", o.err)
	}
}

// TestEvalOtherNetwork: numbers of weights that were taken as another network, or of images that were normalized or resized otherwise,
// are not taken for those that are asked for, and the options that are kept stay those of the numbers.
func TestEvalOtherNetwork(t *testing.T) {
	set := cifarFolder(t, 20)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	model, bare := trainedNet(t, set), in("bare.safetensors")
	bareWeights(t, model, bare)
	write(t, in("others/a.png"), testImage(t, 1, 40, 36))
	first := []string{bare, "--model", "densenet-7-2", "--norm", "half"}
	for _, c := range []struct {
		out         string
		first, then []string
		says        string
	}{
		{"norm", first, []string{bare, "--model", "densenet-7-2", "--norm", "imagenet"}, "norm 0.5,0.5,0.5/0.5,0.5,0.5, densenet-7-2 of 32x32x3, now norm 0.485"},
		{"size", first, []string{bare, "--model", "densenet-7-2", "--norm", "half", "--input-size", "24", "--size", "24"}, "now norm 0.5,0.5,0.5/0.5,0.5,0.5, densenet-7-2 of 24x24x3"},
		{"described", []string{model}, []string{model, "--norm", "imagenet"}, "norm: mean [0.485 0.456 0.406]"},
		{"filter", []string{model, "--suite", "ood", "--ood", "x=" + in("others")}, []string{model, "--suite", "ood", "--ood", "x=" + in("others"), "--filter", "box"}, "the others by box"},
	} {
		eval := func(code int, args []string) outcome {
			return augmix(t, code, slices.Concat([]string{"eval"}, args, []string{set, "-o", in(c.out), "-q"})...)
		}
		eval(exitDone, c.first)
		before := tree(t, in(c.out))
		o := eval(exitUsage, c.then)
		after := tree(t, in(c.out))
		if !strings.Contains(o.err, c.says) || c.out != "filter" && !maps.Equal(after, before) {
			t.Errorf("%s: %s", c.out, o.err)
		}
		eval(exitDone, c.first)
		if after = tree(t, in(c.out)); !maps.Equal(after, before) {
			t.Errorf("%s: measured again", c.out)
		}
	}
	// Rows of older versions do not say it.
	path := filepath.Join(in("norm"), results.FileName)
	rows, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var old []byte
	for i := range rows {
		delete(rows[i].Versions, "network")
		if old, err = rows[i].AppendLine(old); err != nil {
			t.Fatal(err)
		}
	}
	write(t, path, old)
	augmix(t, exitDone, slices.Concat([]string{"eval"}, first, []string{set, "-o", in("norm"), "-q"})...)
	if now := tree(t, in("norm"))[results.FileName]; now != string(old) {
		t.Error("results of an older version were measured again")
	}
}

// TestEvalOtherFiles: an evaluation is not resumed on forms or OOD sets whose files were replaced by others of the same names
// and sizes, nor are their numbers taken for those of the new files.
func TestEvalOtherFiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	set := cifarFolder(t, 12)
	net := trainedNet(t, set)
	for _, format := range []string{"npy", "folder"} {
		augmix(t, exitDone, "corrupt", set, "-o", in(format+"/c"), "--subset", "fog,contrast", "--output-format", format, "-q")
		augmix(t, exitDone, "perturb", set, "-o", in(format+"/p"), "--subset", "tilt", "--output-format", format, "-q")
	}
	write(t, in("ood/a.png"), testImage(t, 1, 32, 32))
	run := func(code int, format, out string) outcome {
		return augmix(t, code, "eval", net, set, "--suite", "clean,c,p,ood", "--subset", "fog,contrast", "--perturbation", "tilt",
			"--c", in(format+"/c"), "--p", in(format+"/p"), "--ood", "own="+in("ood"), "-o", in(out), "-q")
	}
	for _, c := range []struct{ format, file, names string }{
		{"npy", "npy/c/fog.npy", "npy/c/fog"},
		{"npy", "npy/p/tilt.npy", "npy/p/tilt"},
		{"folder", "folder/c/contrast/3", "folder/c/contrast"},
		{"folder", "folder/p/tilt", "folder/p/tilt"},
		{"npy", "ood/a.png", "ood"},
	} {
		out := "ev-" + c.format
		run(exitDone, c.format, out)
		rows, err := os.ReadFile(in(out + "/" + results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		path := in(c.file)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			path = firstFile(t, path)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		other := slices.Clone(whole)
		other[len(other)-1] ^= 0xff
		write(t, path, other)
		o := run(exitFailed, c.format, out)
		if !strings.Contains(o.err, in(c.names)+":") || !strings.Contains(o.err, "not those that the results") {
			t.Errorf("%s: %q", c.file, o.err)
		}
		if now, err := os.ReadFile(in(out + "/" + results.FileName)); err != nil || string(now) != string(rows) {
			t.Errorf("%s: the results have changed (%v)", c.file, err)
		}
		write(t, path, whole)
		run(exitDone, c.format, out)
	}
}

// TestEvalMoreSeverities: an evaluation goes on with the severities that a form in folders got since; other files of those that were
// measured are refused, also where the rows are of an older version.
func TestEvalMoreSeverities(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	set := cifarFolder(t, 12)
	net := trainedNet(t, set)
	run := func(code int, severities string) outcome {
		if code == exitDone {
			augmix(t, exitDone, "corrupt", set, "-o", in("c"), "--subset", "fog", "--severity", severities, "--output-format", "folder", "-q")
		}
		return augmix(t, code, "eval", net, set, "--suite", "c", "--subset", "fog", "--severity", severities, "--c", in("c"), "-o", in("ev"), "-q")
	}
	rows := in("ev/" + results.FileName)
	run(exitDone, "1,2")
	was, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	run(exitDone, "1,2,4")
	now, err := os.ReadFile(rows)
	if err != nil || !strings.HasPrefix(string(now), string(was)) || strings.Count(string(now), `"severity":4,`) == 0 {
		t.Errorf("%v\n%s\nthen\n%s", err, was, now)
	}
	var files []string
	for _, severity := range []string{"1", "2", "4"} {
		src, err := formats.Open(in("c/fog/"+severity), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data.Files(src)...)
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
	older, err := data.GlanceFiles(files) // of all severities
	if err != nil {
		t.Fatal(err)
	}
	path := firstFile(t, in("c/fog/2"))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(whole)
	other[len(other)-1] ^= 0xff
	for range 2 {
		run(exitDone, "1,2,4")
		write(t, path, other)
		if o := run(exitFailed, "1,2,4"); !strings.Contains(o.err, in("c/fog")+": its files are not those") {
			t.Error(o.err)
		}
		write(t, path, whole)
		write(t, rows, regexp.MustCompile(`"files:\w+"`).ReplaceAll(now, []byte(`"`+older+`"`)))
	}
}

// TestEvalSomeSequences: with --limit the sequences of folders are those of arrays and of what is made on the fly, evenly spread. What
// an older version measured on the first ones is not taken for them.
func TestEvalSomeSequences(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	set := classFolder(t, in("set/test"), 5, "ape", "bee")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", in("net")}, smallTraining)...)
	for _, format := range []string{"npy", "folder", "wds"} {
		augmix(t, exitDone, "perturb", set, "-o", in(format), "--subset", "tilt", "--output-format", format, "-q")
	}
	eval := func(code int, out string, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{
			"eval", filepath.Join(in("net"), "model.safetensors"), set, "--suite", "p", "--perturbation", "tilt", "--limit", "3",
			"--logits", "-q", "-o", in(out),
		}, more)...)
	}
	eval(exitDone, "made")
	want := tree(t, filepath.Join(in("made"), "logits", "net"))
	for _, format := range []string{"npy", "folder", "wds"} {
		eval(exitDone, "of-"+format, "--p", in(format))
		if got := tree(t, filepath.Join(in("of-"+format), "logits", "net")); got["test-p/tilt.npy"] == "" || got["test-p/tilt.npy"] != want["test-p/tilt.npy"] {
			t.Errorf("%s: other sequences", format)
		}
	}
	path := filepath.Join(in("of-folder"), results.FileName)
	rows, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	eval(exitDone, "of-folder", "--p", in("folder"))
	write(t, path, []byte(strings.ReplaceAll(string(rows), ", sequences evenly spread", "")))
	if o := eval(exitUsage, "of-folder", "--p", in("folder")); !strings.Contains(o.err, "tilt made otherwise (crop 32), now crop 32, sequences evenly spread") {
		t.Error(o.err)
	}
	write(t, path, rows)
	if err := os.RemoveAll(in("folder")); err != nil {
		t.Fatal(err)
	}
	eval(exitDone, "of-folder", "--p", in("folder")) // what is gone stays measured
	if now, err := os.ReadFile(path); err != nil || string(now) != string(rows) {
		t.Errorf("measured again: %v", err)
	}
}

// firstFile returns the first file below a folder.
func firstFile(t testing.TB, dir string) (first string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			first = path
			return filepath.SkipAll
		}
		return err
	})
	if err != nil || first == "" {
		t.Fatalf("no file in %s: %v", dir, err)
	}
	return first
}

// TestEvalNothing: an evaluation of nothing is an error.
func TestEvalNothing(t *testing.T) {
	net := trainedNet(t, cifarFolder(t, 40))
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.MkdirAll(filepath.Join(empty, "cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	if o := augmix(t, exitFailed, "eval", net, empty); strings.Contains(o.out, "NaN") || o.err == "" {
		t.Errorf("%q %q", o.out, o.err)
	}
}

// TestEvalUnlabeled: images without labels are refused before a folder is made, by the suites that need labels.
func TestEvalUnlabeled(t *testing.T) {
	net := trainedNet(t, cifarFolder(t, 40))
	flat, out := filepath.Join(t.TempDir(), "flat"), filepath.Join(t.TempDir(), "out")
	write(t, filepath.Join(flat, "one.png"), testImage(t, 1, 40, 36))
	for suite, want := range map[string]int{"clean": exitFailed, "c": exitFailed, "pgd": exitFailed, "ood": exitDone} {
		o := augmix(t, want, "eval", net, flat, "--suite", suite, "--size", "32", "--crop", "32", "-o", out)
		_, err := os.Stat(out)
		if want == exitDone && err != nil || want == exitFailed && (err == nil || !strings.Contains(o.err, "no label")) {
			t.Errorf("%s: %v, %q", suite, err, o.err)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNothing: every command refuses a data set without samples, and says which it is.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	empty, out := filepath.Join(dir, "empty"), filepath.Join(dir, "out")
	if err := os.MkdirAll(filepath.Join(empty, "cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	scores := filepath.Join(dir, "scores.csv")
	write(t, scores, []byte("label,logit_0,logit_1\n"))
	small := []string{"--model", "densenet-7-2", "--epochs", "1", "-o", out}
	for _, c := range []struct {
		names string
		args  []string
	}{
		{empty, []string{"augment", empty, "-o", out}},
		{empty, []string{"corrupt", empty, "-o", out}},
		{empty, []string{"perturb", empty, "-o", out}},
		{empty, []string{"data", "convert", empty, "-o", out}},
		{empty, []string{"data", "verify", empty}},
		{empty, []string{"sheet", empty, "-o", out + ".png"}},
		{empty, slices.Concat([]string{"train", "--data", empty}, small)},
		{empty, slices.Concat([]string{"train", "--data", "scenes:n=8,size=16", "--val", empty}, small)},
		{empty, slices.Concat([]string{"train", "--data", "scenes:n=8,size=16", "--mix", "pixmix", "--mixset", empty}, small)},
		{empty, []string{"augment", "scenes:n=8,size=16", "--mix", "pixmix", "--mixset", empty, "-o", out}},
		{scores, []string{"score", scores}},
	} {
		o := augmix(t, exitFailed, c.args...)
		if !strings.Contains(o.err, c.names) || strings.Contains(o.out, "NaN") {
			t.Errorf("%q: %q does not name %s", c.args, o.err, c.names)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestPartsOfFolder: a folder of train and test means its parts, in training and in evaluation.
func TestPartsOfFolder(t *testing.T) {
	dir := t.TempDir()
	set := filepath.Join(dir, "set")
	classFolder(t, filepath.Join(set, "train"), 6, "ape", "bee", "cat")
	classFolder(t, filepath.Join(set, "test"), 2, "ape", "bee", "cat")
	net := filepath.Join(dir, "net")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", net}, smallTraining)...)
	trained := cleanRow(t, net)
	augmix(t, exitDone, "eval", filepath.Join(net, "last.safetensors"), set, "-o", filepath.Join(dir, "eval"), "-q")
	measured := cleanRow(t, filepath.Join(dir, "eval"))
	if trained.N != 6 || measured.N != 6 || trained.Value != measured.Value {
		t.Errorf("validation %v of %d, evaluation %v of %d", trained.Value, trained.N, measured.Value, measured.N)
	}
	if trained.Dataset != "set" || measured.Dataset != "set" || trained.Data == "" || trained.Data != measured.Data {
		t.Errorf("validation on %s %s, evaluation on %s %s", trained.Dataset, trained.Data, measured.Dataset, measured.Data)
	}
}

// TestLeftovers: what killed runs leave half written is gone after the same command, and other files stay.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	set := cifarFolder(t, 40)
	training := slices.Concat([]string{"train", "--data", set, "-o", in("net")}, smallTraining)
	augmix(t, exitDone, training...)
	model := in("net/model.safetensors")
	evaluation := []string{
		"eval", model, set, "--suite", "clean,c", "--subset", "fog", "--severity", "1", "--logits", "-o", in("eval"), "-q",
	}
	augmix(t, exitDone, evaluation...)
	left := []string{
		"net/.last.safetensors.13623-0.partial", "net/.model.safetensors.1-2.partial", "net/.results.jsonl.3-0.partial",
		"eval/.args.yaml.7-0.partial",
		"eval/records.npz.tmp1888599751", "eval/logits/net/.cifar10.npy.9-0.partial",
		"eval/logits/net/cifar10-c/.fog.npy.2666235450.partial", "eval/logits/net/cifar10-c/fog.labels.npy.tmp12",
		"eval/examples/.examples.tmp-5",
	}
	kept := []string{"net/.mine.1-0.partial", "eval/notes.txt.tmp5", "eval/logits/net/cifar10-c/.fog.npy.partial"}
	for _, name := range slices.Concat(left, kept) {
		write(t, in(name), nil)
	}
	augmix(t, exitDone, slices.Concat(training, []string{"--resume"})...)
	augmix(t, exitDone, evaluation...)
	for _, name := range left {
		if _, err := os.Lstat(in(name)); !os.IsNotExist(err) {
			t.Errorf("%s is there (%v)", name, err)
		}
	}
	for _, name := range kept {
		if _, err := os.Lstat(in(name)); err != nil {
			t.Error(err)
		}
	}
}

// TestEvalSaysWhatItMeasured: rows of generated frost say so, and a mean of OOD detection names its sets.
func TestEvalSaysWhatItMeasured(t *testing.T) {
	set := cifarFolder(t, 40)
	net := trainedNet(t, set)
	out := t.TempDir()
	augmix(t, exitDone, "eval", net, set, "--suite", "c,ood", "--subset", "fog,frost", "--severity", "1", "-o", out, "-q")
	rows, err := results.ReadFile(filepath.Join(out, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	frost, means := 0, 0
	for i := range rows {
		r := &rows[i]
		said := r.Versions["frost"] == "generated"
		if r.Corruption == "frost" {
			frost++
		}
		if said != (r.Corruption == "frost") {
			t.Errorf("%v: generated frost said: %v", r.Key(), said)
		}
		detection := r.Metric == results.AUROC || r.Metric == results.AUPR || r.Metric == results.FPR95
		if detection && r.OOD == "" {
			means++
			if !slices.Equal(r.Over, []string{"blobs", "gaussian", "rademacher"}) {
				t.Errorf("%v is over %q", r.Key(), r.Over)
			}
		} else if r.Over != nil {
			t.Errorf("%v is over %q", r.Key(), r.Over)
		}
		if r.Data == "" {
			t.Errorf("%v has no fingerprint", r.Key())
		}
	}
	if frost == 0 || means != 3 {
		t.Errorf("%d rows of frost, %d means of detection", frost, means)
	}
}
