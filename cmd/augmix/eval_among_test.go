package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// constantNet writes a network of 1000 classes without names whose logits are the given ones, others 0, for every image.
func constantNet(t testing.TB, path string, logits map[int]float32) {
	t.Helper()
	g, err := models.Build("densenet-7-2", graph.Shape{H: 32, W: 32, C: 3}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(1))
	var ts []weights.Tensor
	for _, x := range net.Tensors() {
		if len(x.Shape) > 0 && x.Shape[0] == 1000 {
			clear(x.Data)
			for class, v := range logits {
				if len(x.Shape) == 1 {
					x.Data[class] = v
				}
			}
		}
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	if err := weights.WriteFile(path, ts, nil); err != nil {
		t.Fatal(err)
	}
}

// TestEvalAmong: folders named by wnids are matched with a model of 1000 classes without names, and predictions are among the
// classes that are there, in error, calibration and saved logits alike; rows say so.
func TestEvalAmong(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	// Class 0 has logit 0, class 3 has 1; class 7, a cock, wins unless it is left out.
	constantNet(t, in("net.safetensors"), map[int]float32{3: 1, 7: 9})
	wnids := imagenet.Classes()
	set := in("some")
	for i := range 6 {
		class := wnids[3]
		if i < 2 {
			class = wnids[0]
		}
		write(t, filepath.Join(set, class, string(rune('a'+i))+".png"), testImage(t, i, 32, 32))
	}
	run := func(code int, set string, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{
			"eval", in("net.safetensors"), set, "--model", "densenet-7-2", "--norm", "half", "--input-size", "32", "--suite", "clean,calibration",
		}, more)...)
	}
	rowOf := func(out, dataset, metric string, among int) results.Row {
		t.Helper()
		rows, err := results.ReadFile(filepath.Join(in(out), results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		row, err := results.One(rows, func(r *results.Row) bool {
			return r.Dataset == dataset && r.Metric == metric && r.View == results.View{Among: among}
		})
		if err != nil {
			t.Fatalf("%s of %s among %d: %v", metric, dataset, among, err)
		}
		return row.Row
	}
	o := run(exitDone, set, "--logits", "-o", in("out"))
	for _, words := range []string{"are wnids", "2 of the model's 1000 classes: predictions are among these 2", "(--among model: among all)"} {
		if !strings.Contains(o.err, words) {
			t.Errorf("%q lacks %q", o.err, words)
		}
	}
	if r := rowOf("out", "some", results.Top1Error, 2); r.Value != 2.0/6 || r.N != 6 {
		t.Errorf("error %v of %d, by hand 2/6 of 6", r.Value, r.N)
	}
	// Among two, class 3 has the probability 1/(1+1/e): NLL and the one bin of the reliability diagram by hand.
	p := 1 / (1 + math.Exp(-1))
	if r, want := rowOf("out", "some", results.NLL, 2), -(4*math.Log(p)+2*math.Log(1-p))/6; math.Abs(r.Value-want) > 1e-6 {
		t.Errorf("NLL %v, by hand %v", r.Value, want)
	}
	if r, want := rowOf("out", "some", results.ECE, 2), math.Abs(p-4.0/6); math.Abs(r.Value-want) > 1e-6 {
		t.Errorf("ECE %v, by hand %v", r.Value, want)
	}
	augmix(t, exitDone, "score", in("out/logits/net-among-2/some.npy"), "--model", "net", "--out", in("scored.jsonl"), "-q")
	compared := 0
	for k, s := range byKey(t, in("scored.jsonl")) {
		k.Among = 2
		m, ok := byKey(t, in("out/"+results.FileName))[k]
		if ok && m.Value != s.Value && m.Value == m.Value {
			t.Errorf("%v: eval %v, score %v", k, m.Value, s.Value)
		}
		if ok {
			compared++
		}
	}
	if compared < 8 {
		t.Errorf("only %d rows compared", compared)
	}
	o = run(exitDone, set, "--suite", "c", "--subset", "fog", "--severity", "1")
	if !strings.Contains(o.out, "error, %, among 2 classes      1") {
		t.Errorf("the table of severities does not say among how many:\n%s", o.out)
	}
	// Among all, class 7 wins everywhere. Both kinds of rows lie in one folder, each with logits of its own.
	run(exitDone, set, "--among", "model", "--logits", "-o", in("out"), "-q")
	if r := rowOf("out", "some", results.Top1Error, 0); r.Value != 1 {
		t.Errorf("error among all %v, by hand 1", r.Value)
	}
	before, err := os.ReadFile(in("out/" + results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	run(exitDone, set, "--logits", "-o", in("out"), "-q")
	if now, err := os.ReadFile(in("out/" + results.FileName)); err != nil || string(now) != string(before) {
		t.Errorf("measured again: %v", err)
	}
	for _, name := range []string{"out/logits/net/some.npy", "out/logits/net-among-2/some.npy"} {
		if _, err := os.Stat(in(name)); err != nil {
			t.Error(err)
		}
	}
	// Folders that are only half wnids are refused with those that are not, and folders without one as before.
	write(t, in("half/n01440764/a.png"), testImage(t, 1, 32, 32))
	write(t, in("half/zebra/a.png"), testImage(t, 1, 32, 32))
	if o := run(exitUsage, in("half"), "-o", in("none")); !strings.Contains(o.err, `1 of the 2 classes`) || !strings.Contains(o.err, `"zebra"`) {
		t.Error(o.err)
	}
	write(t, in("strange/zebra/a.png"), testImage(t, 1, 32, 32))
	if o := run(exitUsage, in("strange"), "-o", in("none")); !strings.Contains(o.err, "has 1 class, the model 1000 without names") {
		t.Error(o.err)
	}
	if _, err := os.Stat(in("none")); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
	// A list renames folders.
	write(t, in("names.txt"), []byte("zebra n02391049\n"))
	run(exitDone, in("strange"), "--classes", in("names.txt"), "--among", "model", "-o", in("renamed"), "-q")
	rowOf("renamed", "strange", results.Top1Error, 0)
	// Among one class no prediction is wrong.
	if o := run(exitUsage, in("strange"), "--classes", in("names.txt"), "-o", in("none")); !strings.Contains(o.err, "has 1 of the model's 1000 classes") ||
		!strings.Contains(o.err, "among model") {
		t.Error(o.err)
	}
}

// TestEvalRenditions: predictions on ImageNet-R are among its 200 classes, which is what the set asks for, and rows say where
// they are not. They lie in one folder with those of ImageNet.
func TestEvalRenditions(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	constantNet(t, in("net.safetensors"), map[int]float32{1: 1})
	image := testImage(t, 1, 32, 32)
	for _, s := range imagenet.Sets() {
		if s.Name == imagenet.R {
			for _, class := range s.Classes {
				write(t, filepath.Join(in("r"), class, "a.png"), image)
			}
		}
	}
	run := func(set string, more ...string) {
		augmix(t, exitDone, slices.Concat([]string{
			"eval", in("net.safetensors"), set, "--model", "densenet-7-2", "--norm", "half", "--input-size", "32", "-o", in("out"), "-q",
		}, more)...)
	}
	run(in("r"), "--dataset", "imagenet-r")
	run(in("r"), "--dataset", "imagenet-r", "--among", "model")
	for _, class := range []string{"n01443537", "n01440764"} {
		write(t, filepath.Join(in("other"), class, "a.png"), image)
	}
	run(in("other"), "--dataset", "imagenet")
	run(in("other"), "--dataset", "imagenet", "--among", "model")
	plan := augmix(t, exitDone, "eval", in("net.safetensors"), in("other"), "--model", "densenet-7-2", "--norm", "half", "--input-size", "32",
		"--dataset", "imagenet", "--plan")
	if !strings.Contains(plan.err, "note: "+in("other")+": 2 classes under the name imagenet, which has 1000") {
		t.Errorf("the name of another set: %s", plan.err)
	}
	rows := byKey(t, filepath.Join(in("out"), results.FileName))
	got := map[string]map[int]float64{}
	for k, r := range rows {
		if k.Metric == results.Top1Error {
			if got[k.Dataset] == nil {
				got[k.Dataset] = map[int]float64{}
			}
			got[k.Dataset][k.Among] = r.Value
		}
	}
	// Class 1, the goldfish, is one of the 200, so the network is right once either way.
	if r := got["imagenet-r"]; len(r) != 2 || r[0] != 199.0/200 || r[1000] != 199.0/200 {
		t.Errorf("imagenet-r by number of classes: %v", r)
	}
	if r := got["imagenet"]; len(r) != 2 || r[2] != 0.5 || r[0] != 0.5 {
		t.Errorf("imagenet by number of classes: %v", r)
	}
}

// TestEvalCues: a network of ImageNet-1K's classes that says "bear" of everything, by its largest mean probability and not by its
// largest one, is of the shape of a bear's images and of the texture of others.
func TestEvalCues(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	// Four bears with logit 2 have a larger mean than six cats of which one has 3.
	constantNet(t, in("net.safetensors"), map[int]float32{294: 2, 295: 2, 296: 2, 297: 2, 281: 3})
	for i, name := range []string{"bear/bear1-cat1", "bear/bear2-dog10", "bear/bear3-bear1", "cat/cat1-bear2", "oven/oven1-car1"} {
		write(t, in("set/"+name+".png"), testImage(t, i, 32, 32))
	}
	run := func(code int, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{
			"eval", in("net.safetensors"), in("set"), "--model", "densenet-7-2", "--norm", "half", "--input-size", "32", "--suite", "cues", "-o", in("out"),
		}, more)...)
	}
	for range 2 { // the second time everything is there
		if o := run(exitDone); !strings.Contains(o.out, "shape bias    66.67 %") || !strings.Contains(o.out, "cue accuracy  75.00 %") {
			t.Errorf("%s", o.out)
		}
	}
	if got := byKey(t, in("out/"+results.FileName)); len(got) != 8 {
		t.Errorf("%d rows", len(got))
	}
	if o := run(exitUsage, "--suite", "clean,cues"); !strings.Contains(o.err, "cues with another one") {
		t.Error(o.err)
	}
	write(t, in("set/oven/oven2-spoon1.png"), testImage(t, 9, 32, 32))
	if o := run(exitFailed, "--name", "other"); !strings.Contains(o.err, "oven2-spoon1") || !strings.Contains(o.err, "airplane1-truck") {
		t.Error(o.err)
	}
}

// TestEvalOnlyPart: a test set whose only folder is a part is that part, which is said, and not one class; so is that val stands for test.
func TestEvalOnlyPart(t *testing.T) {
	dir := t.TempDir()
	classFolder(t, filepath.Join(dir, "set", "Training"), 2, "ape", "bee")
	net := filepath.Join(dir, "net")
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", filepath.Join(dir, "set"), "-o", net}, smallTraining)...)
	o := augmix(t, exitDone, "eval", filepath.Join(net, "model.safetensors"), filepath.Join(dir, "set"))
	if !strings.Contains(o.err, "set: taking the train part") || strings.Contains(o.err, "class") {
		t.Error(o.err)
	}
	classFolder(t, filepath.Join(dir, "set", "val"), 2, "ape", "bee")
	for split, n := range map[string]int{"": 1, "test": 1, "val": 0} {
		o = augmix(t, exitDone, "eval", filepath.Join(net, "model.safetensors"), filepath.Join(dir, "set"), "--split", split)
		if strings.Count(o.err, "set: taking the test part, the folder val") != n {
			t.Errorf("--split %q: %s", split, o.err)
		}
	}
}

// TestEvalNumbers: folders that are numbers are those of the model's classes, padded or not, some or all, with a form on disk too.
func TestEvalNumbers(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	classes := []string{"ape", "bee", "cat", "dog"}
	whole := classFolder(t, in("whole"), 3, classes...)
	augmix(t, exitDone, slices.Concat([]string{"train", "--data", whole, "-o", in("net")}, smallTraining)...)
	named, bare := filepath.Join(in("net"), "model.safetensors"), in("bare.safetensors")
	bareWeights(t, named, bare)
	some := classFolder(t, in("some"), 3, "bee", "dog")
	errorOf := func(out, model, set string, more ...string) float64 {
		o := augmix(t, exitDone, slices.Concat([]string{"eval", model, set, "-o", in(out)}, more)...)
		if set != some && !strings.Contains(o.err, "are taken for those of the model's classes") {
			t.Errorf("%s: %q", out, o.err)
		}
		rows, err := results.ReadFile(filepath.Join(in(out), results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			if rows[i].Metric == results.NLL {
				return rows[i].Value
			}
		}
		return -1
	}
	want := errorOf("want", named, some)
	for name, folders := range map[string][2]string{"plain": {"1", "3"}, "padded": {"001", "3"}} {
		set := in(name)
		for i, class := range []string{"bee", "dog"} {
			if err := os.MkdirAll(set, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(filepath.Join(set, folders[i]), os.DirFS(filepath.Join(some, class))); err != nil {
				t.Fatal(err)
			}
		}
		if got := errorOf(name+"-named", named, set); got != want {
			t.Errorf("%s: NLL %v of a model with names, want %v", name, got, want)
		}
		if got := errorOf(name+"-bare", bare, set, "--model", "densenet-7-2", "--norm", "half", "--input-size", "32"); got != want {
			t.Errorf("%s: NLL %v of a model without names, want %v", name, got, want)
		}
	}
	augmix(t, exitDone, "corrupt", in("padded"), "-o", in("c"), "--subset", "fog", "-q")
	errorOf("disk", named, in("padded"), "--suite", "clean,c", "--subset", "fog", "--c", in("c"))
	for name, folders := range map[string][]string{"twice": {"1", "01"}, "beyond": {"1", "4"}} {
		classFolder(t, in(name), 2, folders...)
		if o := augmix(t, exitUsage, "eval", named, in(name)); !strings.Contains(o.err, "other classes than the model") {
			t.Errorf("%s: %q", name, o.err)
		}
	}
}
