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

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// TestRecipes reads every recipe of the source with every method: keys, values, networks and mixes exist, and what the
// papers say is what comes out.
func TestRecipes(t *testing.T) {
	dir := filepath.Join("..", "..", "recipe")
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d recipes, %v", len(paths), err)
	}
	found := map[string]train.Recipe{}
	bases := map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if first, rest, ok := strings.Cut(string(content), "\n"); ok && strings.HasPrefix(first, "base: ") {
			bases[strings.TrimPrefix(first, "base: ")] = true
			if !strings.HasPrefix(rest, "about: ") {
				t.Errorf("%s does not begin by saying which table it reproduces", path)
			}
		}
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		text, err := readRecipe(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if bases[filepath.Base(path)] && text.recipe.Model == "" {
			continue
		}
		checkRunKeys(t, name, text)
		if !strings.Contains(text.about, "table") {
			t.Errorf("%s: about %q names no table", name, text.about)
		}
		for _, method := range append(text.names(), "") {
			r, err := text.method(method)
			if err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
				continue
			}
			if err := r.Check(); err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
			}
			side, classes := 32, 10
			if strings.HasPrefix(name, "imagenet") {
				side, classes = 224, 1000
			}
			if _, err := models.Build(r.Model, graph.Shape{H: side, W: side, C: 3}, classes); err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
			}
			if m, err := mix.Parse(r.Mix); err != nil || mix.NeedsMixingSet(m) != (r.Mixset != "") {
				t.Errorf("%s, %s: mix %s with set %q: %v", name, method, r.Mix, r.Mixset, err)
			}
			found[name+"/"+method] = r
		}
	}
	for name, want := range map[string]func(r *train.Recipe) bool{
		"cifar10-wrn-40-2/augmix": func(r *train.Recipe) bool {
			return r.JSD && r.Lambda == 12 &&
				r.Views == 3 && r.Epochs == 100
		},
		"cifar100-wrn-40-2/mixup": func(r *train.Recipe) bool {
			return r.WeightDecay == 1e-4 &&
				r.Mix == "mixup-a1"
		},
		"cifar10-densenet-bc-100-12/cutout": func(r *train.Recipe) bool {
			return r.Epochs == 200 &&
				r.WeightDecay == 1e-4
		},
		"cifar100-resnext29-4x32/standard": func(r *train.Recipe) bool {
			return r.Epochs == 200 &&
				r.WeightDecay == 5e-4
		},
		"cifar100-wrn-40-4/augmix": func(r *train.Recipe) bool {
			return !r.JSD &&
				r.Mix == "augmix-m3-w3-d-1"
		},
		"cifar10-wrn-40-4/pixmix": func(r *train.Recipe) bool {
			return r.Mixset == "fractals" &&
				r.Model == "wrn-40-4-drop0.3"
		},
		"imagenet-resnet50/augmix": func(r *train.Recipe) bool {
			return r.Epochs == 180 && r.Batch == 256 &&
				!r.Nesterov && r.JSD
		},
		"imagenet-resnet50-pixmix/pixmix": func(r *train.Recipe) bool {
			return r.Batch == 512 && r.LR == 0.01 &&
				r.Nesterov
		},
		"cifar100-allconv/autoaugment-star": func(r *train.Recipe) bool {
			return r.Crop == "pad4:32" && r.Flip &&
				r.Batch == 128 && r.MinLR == 1e-6
		},
		"cifar10-resnext29-4x32/cutmix": func(r *train.Recipe) bool {
			return r.Nesterov && r.Momentum == 0.9 &&
				r.LR == 0.1
		},
		"cifar10-allconv/adversarial": func(r *train.Recipe) bool {
			return r.Adversarial && r.AdvEps == 8 && r.AdvStep == 2 && r.AdvSteps == 10
		},
		"cifar10-wrn-40-4/outlier-exposure": func(r *train.Recipe) bool {
			return r.OutlierBatch == 256 && r.OutlierWeight == 0.5 && r.Outliers != ""
		},
		"cifar10-small/augmix-nojsd": func(r *train.Recipe) bool { return !r.JSD && r.Epochs == 8 },
		"ablation-augmix/lambda-4":   func(r *train.Recipe) bool { return r.JSD && r.Lambda == 4 },
		"ablation-pixmix/iterative-fvis": func(r *train.Recipe) bool {
			n, drawn, err := r.Drawn()
			return drawn && n == 256 && err == nil && r.MixsetEvery == 1 && r.Mix == "pixmix-k4-b3"
		},
		"ablation-pixmix/k2-b5":              func(r *train.Recipe) bool { return r.Mix == "pixmix-k2-b5" },
		"cifar100-densenet-bc-100-12/augmix": func(r *train.Recipe) bool { return r.Data == "cifar-100-binary" },
	} {
		if r, ok := found[name]; !ok || !want(&r) {
			t.Errorf("%s: %v %+v", name, ok, r)
		}
	}
}

// checkRunKeys makes sure that what augmix run is told exists.
func checkRunKeys(t *testing.T, name string, text *recipeText) {
	t.Helper()
	if len(text.run.Methods) == 0 || len(text.run.Suites) == 0 {
		t.Errorf("%s does not say what augmix run does", name)
	}
	for i, m := range text.run.Methods {
		if text.methods[m] == nil || slices.Contains(text.run.Methods[:i], m) {
			t.Errorf("%s: run has method %s, there are %s", name, m, text.names())
		}
	}
	for _, s := range text.run.Suites {
		if !slices.ContainsFunc(evalSuites, func(e evalSuite) bool { return e.name == s }) {
			t.Errorf("%s: run has suite %s", name, s)
		}
	}
}

// TestBadRecipes: what is wrong is named with file and line.
func TestBadRecipes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "loop.yaml"), []byte("base: loop.yaml\n"))
	for name, c := range map[string]struct{ text, says string }{
		"unknown":   {"model: wrn-40-2\nlearning-rate: 3\n", "[2:1]"},
		"type":      {"model: wrn-40-2\n\nepochs: many\n", "[3:9]"},
		"method":    {"methods:\n  a:\n    lrr: 1\n", "[3:5]"},
		"no yaml":   {"model: [\n", "is not a recipe"},
		"list":      {"- a\n- b\n", "is not a recipe"},
		"empty":     {"", "0 YAML documents"},
		"two":       {"lr: 1\n---\nlr: 2\n", "2 YAML documents"},
		"no base":   {"base: nowhere.yaml\n", "nowhere.yaml"},
		"base loop": {"base: " + filepath.Join(dir, "loop.yaml") + "\n", "base of each other"},
		"range":     {"model: wrn-40-2\ndata: x\nlr: -1\n", "lr: -1"},
		"binary":    {"\x00\xff\xfe", "is not a recipe"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "bad.yaml")
			write(t, path, []byte(c.text))
			o := augmixIn(t.Context(), nil, "train", path, "--method", "a", "--data", cifarFolder(t, 8), "-o",
				filepath.Join(dir, "run"))
			if name == "range" || name == "unknown" || name == "type" {
				o = augmixIn(t.Context(), nil, "train", path, "--data", cifarFolder(t, 8), "-o", filepath.Join(dir,
					"run"))
			}
			if o.code == exitDone || !strings.Contains(o.err, c.says) {
				t.Errorf("exit code %d\n%s", o.code, o.err)
			}
		})
	}
}

func FuzzReadRecipe(f *testing.F) {
	f.Add([]byte("base: x.yaml\nmodel: wrn-40-2\nmethods:\n  a: {lr: 1}\n  b:\n"))
	f.Add([]byte("mean: [1, 2"))
	f.Add([]byte("a: &x [*x]"))
	path := filepath.Join(f.TempDir(), "r.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := readRecipe(path)
		if err != nil {
			return
		}
		for _, name := range r.names() {
			_, _ = r.method(name)
		}
	})
}

// cifarFolder makes a CIFAR-10 data set with both parts: n training and n/2 test images, whose class shows in colour.
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

var smallTraining = []string{
	"--model", "wrn-10-1", "--crop", "pad4:32", "--batch", "20", "--epochs", "3", "-j", "2",
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
	if err != nil || meta[weights.KeyModel] != "wrn-10-1" {
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
	whole, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	line := func(out string) []string {
		args := []string{"train", "--data", set, "--mix", "pixmix", "--mixset", "fractals-n3", "--lr", "0.05", "-o", out}
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
	if o.code != exitInterrupted || !strings.Contains(o.err, "--resume -o "+dir) {
		t.Fatalf("exit code %d\n%s", o.code, o.err)
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

func TestTrainUsage(t *testing.T) {
	set := cifarFolder(t, 10)
	out := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "no training data", []string{"--model", "resnet20"}},
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
	for _, want := range []string{"lr: 0.3\n", "nesterov: false\n", "split: train\n", "valid-split: test\n"} {
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
	if o.code != exitUsage || !strings.Contains(o.err, "jsd and adversarial do not go together") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
}

// TestTrainFolder trains on a folder of images of several sizes with another for validation; whether the images are
// held decoded or decoded in parts in every epoch makes no difference.
func TestTrainFolder(t *testing.T) {
	set := photos(t, 12)
	var trained [2]string
	for i, memory := range []string{"0", "100"} {
		dir := filepath.Join(t.TempDir(), "run")
		augmix(t, exitDone, "train", "--data", set, "--valid", set, "--model", "wrn-10-1", "--crop", "rrc:24", "--valid-size", "26",
			"--flip", "--epochs", "2", "--batch", "5", "-o", dir, "-q", "--memory", memory)
		rows, err := results.ReadFile(filepath.Join(dir, train.ResultsName))
		if err != nil || rows[len(rows)-1].Dataset != "folder" {
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
