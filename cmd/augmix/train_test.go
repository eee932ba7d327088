package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// cifarFolder makes a CIFAR-10 data set with both parts: n training and n/2 test images, whose class shows in color.
func cifarFolder(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	file := func(name string, from, to int) {
		var b []byte
		for i := from; i < to; i++ {
			class := i % 10
			b = append(b, byte(class))
			for c := range 3 {
				for p := range 1024 {
					b = append(b, byte(20+23*((class+3*c)%10)+(i*7+p*(1+c)+p/32*5)%20))
				}
			}
		}
		write(t, filepath.Join(dir, name), b)
	}
	for k := range 5 {
		file(fmt.Sprintf("data_batch_%d.bin", k+1), k*n/5, (k+1)*n/5)
	}
	file("test_batch.bin", 0, n/2)
	return dir
}

// smallTraining trains a tiny network, of 726 parameters: what these tests are about is not what it learns.
var smallTraining = []string{
	"--model", "densenet-7-2", "--crop", "pad4:32", "--batch", "20", "--epochs", "3", "-j", "2",
	"-q",
}

func TestTrain(t *testing.T) {
	set := cifarFolder(t, 60)
	dir := filepath.Join(t.TempDir(), "run")
	o := augmix(t, exitDone, slices.Concat([]string{
		"train", "--data", set, "-o", dir, "--json", "--mix", "augmix",
		"--jsd",
	}, smallTraining)...)
	var s trainSummary
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Epochs != 3 || s.Error == nil || s.Best == nil {
		t.Fatalf("%s (%v)", o.out, err)
	}
	for _, name := range []string{train.LastName, train.BestName, train.ModelName, train.ResultsName, "args.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	rows, err := results.ReadFile(filepath.Join(dir, train.ResultsName))
	if err != nil {
		t.Fatal(err)
	}
	last := rows[len(rows)-1]
	if last.Model != "run" || last.Dataset != "cifar10" || last.Metric != results.Top1Error || last.N != 30 ||
		last.Value != *s.Error {
		t.Errorf("last row %+v", last)
	}
	_, meta, err := weights.ReadFile(filepath.Join(dir, train.ModelName))
	if err != nil || meta[weights.KeyModel] != "densenet-7-2" {
		t.Errorf("metadata %v, %v", meta, err)
	}

	// args.yaml is a recipe that trains the same again, and the weights are the same.
	again := filepath.Join(t.TempDir(), "run")
	augmix(t, exitDone, "train", filepath.Join(dir, "args.yaml"), "-o", again, "-j", "2", "-q")
	a, err1 := os.ReadFile(filepath.Join(dir, train.ModelName))
	b, err2 := os.ReadFile(filepath.Join(again, train.ModelName))
	if err1 != nil || err2 != nil || !reflect.DeepEqual(a, b) {
		t.Error("args.yaml trains another model")
	}

	// The folder is taken.
	if o := augmixIn(t.Context(), nil, slices.Concat([]string{"train", "--data", set, "-o", dir},
		smallTraining)...); o.code != exitFailed ||
		!strings.Contains(o.err, "resume") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
}

// TestTrainInterrupted: Ctrl-C ends with 130, and --resume alone goes on to the weights of an undisturbed run.
func TestTrainInterrupted(t *testing.T) {
	set := cifarFolder(t, 60)
	whole, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "the run")
	line := func(out string) []string {
		args := []string{"train", "--data", set, "--mix", "pixmix", "--mixset", "fractals-n3", "--lr", "0.05", "-o", out, "--name", "a model"}
		return slices.Concat(args, smallTraining, []string{"--epochs", "15"}) // long enough to be caught
	}
	augmix(t, exitDone, line(whole)...)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for ctx.Err() == nil { // after the first epoch, whose row is there
			if b, _ := os.ReadFile(filepath.Join(dir, train.ResultsName)); len(b) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		cancel(errInterrupted)
	}()
	o := augmixIn(ctx, nil, line(dir)...)
	if o.code != exitInterrupted || !strings.Contains(o.err, "train --resume -o '"+dir+"' --name 'a model' continues") {
		t.Fatalf("exit code %d\n%s", o.code, o.err)
	}
	for _, line := range [][]string{ // its folder stands for no weights yet
		{"eval", dir, set},
		{"export", dir, "-o", filepath.Join(t.TempDir(), "x.onnx")},
		{"train", "--data", set, "--model", "densenet-7-2", "--weights", dir, "-o", filepath.Join(t.TempDir(), "x")},
	} {
		if o := augmixIn(t.Context(), nil, line...); o.code != exitUsage || !strings.Contains(o.err, filepath.Join(dir, train.LastName)) {
			t.Errorf("%q: exit code %d\n%s", line, o.code, o.err)
		}
	}
	augmix(t, exitDone, "train", "--resume", "-o", dir, "-q")
	for _, name := range []string{train.LastName, train.ModelName} {
		a, err1 := os.ReadFile(filepath.Join(whole, name))
		b, err2 := os.ReadFile(filepath.Join(dir, name))
		if err1 != nil || err2 != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs from that of an undisturbed run (%v, %v)", name, err1, err2)
		}
	}
	if o := augmixIn(t.Context(), nil, "train", "--resume", "-o", dir, "--lr", "0.5"); o.code != exitFailed ||
		!strings.Contains(o.err, "lr was 0.05, now 0.5") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
}

// TestTrainMoved: a run goes on where its data are by now, whose own part validates, and what else it reads.
func TestTrainMoved(t *testing.T) {
	set, outliers, dir := cifarFolder(t, 20), cifarFolder(t, 10), t.TempDir()
	out, moved := filepath.Join(dir, "run"), filepath.Join(dir, "moved")
	line := []string{"train", "--data", set, "--outliers", outliers, "--outlier-batch", "10", "-o", out, "-q"}
	augmix(t, exitDone, slices.Concat(line, smallTraining, []string{"--epochs", "1"})...)
	now := map[string]string{}
	for i, was := range []string{set, outliers} {
		now[was] = filepath.Join(moved, fmt.Sprint(i), filepath.Base(was))
		if err := os.MkdirAll(filepath.Dir(now[was]), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(was, now[was]); err != nil {
			t.Fatal(err)
		}
	}
	resume := []string{"train", "--resume", "--epochs", "2", "--data", now[set] + "/", "--outliers", now[outliers], "-o", out}
	augmix(t, exitDone, resume...)
	o := augmix(t, exitFailed, append(resume, "--epochs", "3", "--outliers", now[set])...)
	if !strings.Contains(o.err, "outliers was "+now[outliers]) {
		t.Error(o.err)
	}
}

func TestTrainUsage(t *testing.T) {
	set := cifarFolder(t, 10)
	out := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "--data is missing, e.g. --data cifar-10-batches-bin", []string{"--model", "resnet20"}},
		{exitUsage, "model", []string{"--data", set}},
		{exitUsage, "there are", []string{"--data", set, "--model", "resnet21"}},
		{exitUsage, "augmax", []string{"--data", set, "--model", "resnet20", "--mix", "augmax"}},
		{exitUsage, "--method", []string{"--data", set, "--model", "resnet20", "--method", "x"}},
		{exitUsage, "standard input", []string{"--data", "-", "--model", "resnet20"}},
		{exitUsage, "schedule", []string{"--data", set, "--model", "resnet20", "--schedule", "linear"}},
		{exitFailed, "nowhere", []string{"--data", "nowhere", "--model", "resnet20"}},
	} {
		o := augmixIn(t.Context(), nil, append([]string{"train", "-o", out}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) {
			t.Errorf("%v: exit code %d, want %d that says %q\n%s", c.args, o.code, c.code, c.says, o.err)
		}
	}
	o := augmix(t, exitDone, "train", "--data", set, "--model", "resnet20", "--lr", "0.3", "--no-nesterov",
		"--dry-run", "-o", out)
	for _, want := range []string{"lr: 0.3\n", "nesterov: false\n", "split: train\n", "val-split: test\n"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a dry run has made the folder")
	}
}

// TestTrainMethods trains with each method by flags.
func TestTrainMethods(t *testing.T) {
	set, others := cifarFolder(t, 40), cifarFolder(t, 20)
	for name, flags := range map[string][]string{
		"adversarial": {"--adversarial", "--adv-steps", "2"},
		"outliers":    {"--outliers", others, "--outlier-batch", "10"},
		"stability":   {"--stability", "0.1", "--stability-noise", "0.1"},
		"preprocess":  {"--preprocess", "clahe"},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		augmix(t, exitDone, slices.Concat([]string{"train", "--data", set, "-o", dir}, smallTraining, flags,
			[]string{"--epochs", "1"})...)
		_, meta, err := weights.ReadFile(filepath.Join(dir, train.ModelName))
		if spec := meta[weights.KeyPreprocess]; err != nil || (spec == "clahe-c2-t8") != (name == "preprocess") {
			t.Errorf("%s: %v, preprocessing %q", name, err, spec)
		}
		augmix(t, exitDone, "train", "--resume", "-o", dir, "-q")
	}
	out := filepath.Join(t.TempDir(), "run")
	o := augmixIn(t.Context(), nil, "train", "--data", set, "--model", "resnet20", "--jsd", "--adversarial", "-o", out)
	if o.code != exitUsage || !strings.Contains(o.err, "--jsd and --adversarial do not go together") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
}

// TestTrainFolder trains on a folder of images of several sizes with another for validation; whether the images are
// held decoded or decoded in parts in every epoch makes no difference.
func TestTrainFolder(t *testing.T) {
	set := photos(t, 12)
	write(t, filepath.Join(set, "beside.png"), testImage(t, 1, 30, 30))
	var trained [2]string
	for i, memory := range []string{"0", "100"} {
		dir := filepath.Join(t.TempDir(), "run")
		o := augmix(t, exitDone, "train", "--data", set, "--val", set, "--model", "densenet-7-2", "--crop", "rrc:24", "--val-size", "26",
			"--flip", "--epochs", "2", "--batch", "5", "-o", dir, "--cache-mb", memory)
		if !strings.Contains(o.err, set+": left out: 1 image beside the class folders") {
			t.Error(o.err)
		}
		rows, err := results.ReadFile(filepath.Join(dir, train.ResultsName))
		if err != nil || rows[len(rows)-1].Dataset != "photos" {
			t.Errorf("%v, %v", rows, err)
		}
		content, err := os.ReadFile(filepath.Join(dir, train.ModelName))
		if err != nil {
			t.Fatal(err)
		}
		trained[i] = string(content)
	}
	if trained[0] != trained[1] {
		t.Error("images in memory train another model than images from disk")
	}
}

// TestTrainFlags: every key of a configuration is a flag of the same name, type and default.
func TestTrainFlags(t *testing.T) {
	var c cli
	ctx := parse(&c, "train", "-o", "run")
	got, want := train.Config{}, train.Default()
	setOptions(&got, ctx, false)
	if d := train.Differences(&want, &got); len(d) > 0 || got.CacheMB != want.CacheMB || got.Workers != want.Workers {
		t.Errorf("the flags have other defaults: %q", d)
	}
	for key := range want.Fields() {
		if !slices.ContainsFunc(ctx.Flags(), func(f *kong.Flag) bool { return f.Name == key && f.Help != "" && f.Group != nil }) {
			t.Errorf("no flag --%s with help and group", key)
		}
	}
}

// TestTrainHoldsOut: a folder without a test part validates on a share of itself, and can be extended; without validation
// the training error is shown.
func TestTrainHoldsOut(t *testing.T) {
	set, out := photos(t, 12), filepath.Join(t.TempDir(), "run")
	args := []string{"train", "--data", set, "--model", "densenet-7-2", "--crop", "16", "--batch", "4", "-j", "1"}
	o := augmix(t, exitDone, append(args, "--epochs", "1", "--val-fraction", "0.25", "-o", out)...)
	if !strings.Contains(o.err, "9 samples of 3 classes, 3 for validation") || !strings.Contains(o.err, "(best)") {
		t.Error(o.err)
	}
	o = augmix(t, exitDone, "train", "--resume", "--epochs", "2", "-o", out)
	if !strings.Contains(o.err, "extending the run from 1 to 2 epochs") || !strings.Contains(o.err, "epoch 2/2") {
		t.Error(o.err)
	}
	text, err := os.ReadFile(filepath.Join(out, "args.yaml"))
	if err != nil || !strings.Contains(string(text), "# extended after 3 steps, before which it had 1 epochs") ||
		!strings.Contains(string(text), "epochs: 2") {
		t.Errorf("%s %v", text, err)
	}
	o = augmix(t, exitFailed, "train", "--resume", "--epochs", "1", "-o", out)
	if !strings.Contains(o.err, "epochs was 2, now 1") {
		t.Error(o.err)
	}
	o = augmix(t, exitDone, append(args, "--epochs", "1", "-o", out+"2")...)
	if !strings.Contains(o.err, "training error") || !strings.Contains(o.err, "--val-fraction 0.1") {
		t.Error(o.err)
	}
	o = augmix(t, exitUsage, "train", "--data", set, "-o", out+"3")
	if !strings.Contains(o.err, "error: --model is missing, e.g. --model resnet20\n") {
		t.Error(o.err)
	}
	augmix(t, exitDone, append(args, "--dry-run", "-o", out+"4")...) // the earlier name
}

// Epochs that are not validated are told where none is, and with -v.
func TestSaysValidatedEpochs(t *testing.T) {
	args := []string{"train", "--data", "scenes:n=10,size=16", "--model", "densenet-7-2", "--epochs", "4", "--eval-every", "2", "--batch", "10"}
	for _, c := range []struct {
		more []string
		want int
	}{
		{[]string{"--val", "scenes:n=10,size=16,split=test"}, 2},
		{[]string{"--val", "scenes:n=10,size=16,split=test", "-v"}, 4},
		{[]string{"--val", "none"}, 4},
	} {
		o := augmix(t, exitDone, slices.Concat(args, c.more, []string{"-o", t.TempDir()})...)
		if n := strings.Count(o.err, "augmix: epoch "); n != c.want {
			t.Errorf("%q: %d epochs, want %d, in\n%s", c.more, n, c.want, o.err)
		}
	}
}

// TestTrainIdleFlags: a flag that nothing looks at is refused, a key of a recipe for several methods is not.
func TestTrainIdleFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	train := []string{"train", "--data", "scenes:n=20,size=16", "--model", "densenet-7-2", "--val", "none", "--plan", "-o", "run"}
	for _, flags := range [][]string{
		{"--mixset", "nowhere"},
		{"--views", "5"},
		{"--val-split", "test"},
		{"--schedule", "step", "--min-lr", "0.01"},
		{"--views", "3"},
		{"--lambda", "12"},
		{"--adv-eps", "8"},
		{"--outlier-weight", "0.5"},
		{"--momentum", "0.9", "--optimizer", "adam"},
	} {
		if o := augmix(t, 2, append(train, flags...)...); !strings.Contains(o.err, "has no effect") {
			t.Errorf("%s: %s", flags, o.err)
		}
	}
	recipe := "views: 5\nmixset: nowhere\nmethods: {a: {}}\n"
	if err := os.WriteFile("r.yaml", []byte(recipe), 0o666); err != nil {
		t.Fatal(err)
	}
	plan := augmix(t, 0, append(train, "r.yaml", "--method", "a")...).out
	write(t, "args.yaml", []byte(plan)) // which says all defaults
	augmix(t, 0, "train", "args.yaml", "--plan", "-o", "run")
	augmix(t, 0, "train", "--config", "args.yaml", "--plan", "-o", "run")
	augmix(t, 0, "train", "--config", "args.yaml", "--resume", "--plan", "-o", "run") // a run that is not there is begun
	var keys map[string]any
	text := augmix(t, 0, "train", "args.yaml", "--plan", "--json", "-o", "run").out
	if err := json.Unmarshal([]byte(text), &keys); err != nil || keys["model"] != "densenet-7-2" || len(keys) != strings.Count("\n"+plan, "\n")-strings.Count(plan, "\n-")-1 {
		t.Errorf("%d keys of\n%s\n%v", len(keys), plan, err)
	}
}

// --limit trains on samples evenly spread over the data: to the weights of a training on these alone. A resumed run keeps it.
func TestTrainLimit(t *testing.T) {
	set, few, dir := photos(t, 12), t.TempDir(), t.TempDir()
	for i := 0; i < 12; i += 2 { // in the order of the folders: cat 0, 3, 6, 9; dog 1, 4, 7, 10; fish 2, 5, 8, 11
		n := []int{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}[i]
		class := []string{"cat", "dog", "fish"}[n%3]
		write(t, filepath.Join(few, class, fmt.Sprintf("%04d.png", n)), testImage(t, n, 40+n%5, 36+n%3))
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	flags := []string{"--model", "densenet-7-2", "--crop", "16", "--batch", "3", "--epochs", "1", "-q", "-o"}
	augmix(t, exitDone, append(append([]string{"train", "--data", set, "--limit", "6"}, flags...), at("limit"))...)
	augmix(t, exitDone, append(append([]string{"train", "--data", few}, flags...), at("few"))...)
	weightsOf := func(name string) map[string][]float32 {
		list, _, err := weights.ReadFile(filepath.Join(at(name), "model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		out := map[string][]float32{}
		for _, v := range list {
			out[v.Name] = v.Data
		}
		return out
	}
	if !reflect.DeepEqual(weightsOf("limit"), weightsOf("few")) {
		t.Error("other weights than of the samples alone")
	}
	if args := tree(t, at("limit"))["args.yaml"]; !strings.Contains(args, "\nlimit: 6\n") {
		t.Error(args)
	}
	if args := tree(t, at("few"))["args.yaml"]; strings.Contains(args, "limit") {
		t.Error(args)
	}
	o := augmix(t, exitDone, append(append([]string{"train", "--data", set, "--limit", "6", "--plan"}, flags...), at("plan"))...)
	if !strings.Contains(o.out, "limit: 6") {
		t.Error(o.out)
	}
	augmix(t, exitDone, "train", "--resume", "--epochs", "2", "-q", "-o", at("limit"))
	if o := augmix(t, exitFailed, "train", "--resume", "--limit", "4", "-o", at("limit")); !strings.Contains(o.err, "limit was 6, now 4") {
		t.Error(o.err)
	}
	augmix(t, exitUsage, append(append([]string{"train", "--data", set, "--limit=-1"}, flags...), at("x"))...)
}
