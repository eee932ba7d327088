package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/recipe"
)

// tinyRecipe trains two networks of a few weights on a few drawn images.
const tinyRecipe = `about: a test
data: scenes:n=40,size=16,split=train
val: scenes:n=20,size=16,split=test
model: wrn-10-1
crop: pad2:16
epochs: 1
batch: 20
workers: 2
methods:
  standard: {}
  noisy:
    mix: gaussian
run:
  methods: [standard, noisy]
  suites: [clean, ood]
  eval: {input-size: 16}
`

func tinyRun(t *testing.T) (recipe, dir string) {
	t.Helper()
	dir = t.TempDir()
	recipe = filepath.Join(dir, "tiny.yaml")
	write(t, recipe, []byte(tinyRecipe))
	return recipe, filepath.Join(dir, "out")
}

func TestRun(t *testing.T) {
	recipe, dir := tinyRun(t)
	plan := augmix(t, exitDone, "run", recipe, "-o", dir, "--plan")
	for _, want := range []string{"train standard", "train noisy", "eval standard", "report.html", "left: about"} {
		if !strings.Contains(plan.out, want) {
			t.Errorf("the plan lacks %q:\n%s", want, plan.out)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a plan made the folder")
	}
	first := augmix(t, exitDone, "run", recipe, "-o", dir)
	for _, want := range []string{"standard", "noisy", "clean error", "OOD AUROC"} {
		if !strings.Contains(first.out, want) {
			t.Errorf("the table lacks %q:\n%s", want, first.out)
		}
	}
	if !strings.HasSuffix(first.err, "augmix: open "+filepath.Join(dir, "report.html")+"\n") {
		t.Errorf("the end does not say what to open:\n%s", first.err)
	}
	for _, name := range []string{"report.html", "report.md", "sheet.png", "noisy/model.safetensors", "noisy/eval/results.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	// Nothing is left to do, and nothing is done.
	before := tree(t, dir)
	second := augmix(t, exitDone, "run", recipe, "-o", dir)
	if strings.Contains(second.err, "augmix train") || second.out != first.out {
		t.Errorf("the second run did something:\n%s%s", second.err, second.out)
	}
	if after := tree(t, dir); len(after) != len(before) {
		t.Errorf("%d files, then %d", len(before), len(after))
	}
	var stages []plannedStage
	o := augmix(t, exitDone, "run", recipe, "-o", dir, "--plan", "--json")
	if err := json.Unmarshal([]byte(o.out), &stages); err != nil {
		t.Fatal(err)
	}
	for _, s := range stages {
		if !s.Done {
			t.Errorf("stage %s is not done", s.Stage)
		}
	}
	// A lost network is trained again, its evaluation is still right, the other method is left alone.
	if err := os.RemoveAll(filepath.Join(dir, "noisy", "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	third := augmix(t, exitDone, "run", recipe, "-o", dir)
	if !strings.Contains(third.err, "train noisy") || strings.Contains(third.err, "train standard:") || third.out != first.out {
		t.Errorf("after the loss of a network:\n%s%s", third.err, third.out)
	}
}

// A CIFAR set with both parts is trained on one, and the other is measured and drawn.
func TestRunCIFAR(t *testing.T) {
	recipe, dir := tinyRun(t)
	write(t, recipe, []byte(strings.NewReplacer("pad2:16", "pad2:32", "{input-size: 16}", "{}").Replace(tinyRecipe)))
	set := cifarFolder(t, 40)
	augmix(t, exitDone, "run", recipe, "-o", dir, "--data", set, "--method", "noisy", "--suite", "clean", "--limit", "10")
	text, err := os.ReadFile(filepath.Join(dir, "noisy", "args.yaml"))
	if err != nil || !strings.Contains(string(text), "split: train") || !strings.Contains(string(text), "val-split: test") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, name := range []string{"sheet.png", "report.html"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// The same seed gives the same numbers.
func TestRunAgain(t *testing.T) {
	recipe, dir := tinyRun(t)
	a := augmix(t, exitDone, "run", recipe, "-o", dir, "--method", "noisy")
	b := augmix(t, exitDone, "run", recipe, "-o", dir+"2", "--method", "noisy")
	if a.out != b.out || !strings.Contains(a.out, "clean error") {
		t.Errorf("%s\n%s", a.out, b.out)
	}
}

// A method with more epochs than it was trained for is refused with a way out, which is then gone.
func TestRunExtended(t *testing.T) {
	recipe, dir := tinyRun(t)
	line := []string{"run", recipe, "-o", dir, "--method", "standard", "--suite", "clean"}
	augmix(t, exitDone, line...)
	write(t, recipe, []byte(strings.ReplaceAll(tinyRecipe, "epochs: 1", "epochs: 2")))
	way := "augmix train --resume --epochs N -o " + filepath.Join(dir, "METHOD")
	if o := augmix(t, exitFailed, line...); !strings.Contains(o.err, "epochs was 1, now 2") || !strings.Contains(o.err, way) {
		t.Error(o.err)
	}
	augmix(t, exitDone, "train", "--resume", "--epochs", "2", "-o", filepath.Join(dir, "standard"))
	o := augmix(t, exitDone, line...)
	if old := filepath.Join(dir, "standard", "eval-old"); !strings.Contains(o.err, "eval standard: what it reads changed") || !strings.Contains(o.err, old) {
		t.Error(o.err)
	}
}

func TestRunInterrupted(t *testing.T) {
	recipe, dir := tinyRun(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	o := augmixIn(ctx, nil, "run", recipe, "-o", dir)
	if o.code != exitInterrupted || !strings.Contains(o.err, "resumes there") {
		t.Fatalf("exit code %d\n%s", o.code, o.err)
	}
	augmix(t, exitDone, "run", recipe, "-o", dir)
}

func TestRunUsage(t *testing.T) {
	recipe, dir := tinyRun(t)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"cifar10-small", []string{"run", "nothing", "-o", dir}},
		{"allowed here: noisy, standard", []string{"run", recipe, "-o", dir, "--method", "augmax"}},
		{"each method once", []string{"run", recipe, "-o", dir, "--method", "noisy,noisy"}},
		{"--seed", []string{"run", recipe, "-o", dir, "--seed", "x"}},
		{"--test needs --data", []string{"quickstart", "-o", dir, "--test", "x"}},
		{"has no test set", []string{"quickstart", "-o", dir, "--data", photos(t, 6)}},
	} {
		o := augmixIn(t.Context(), nil, c.args...)
		if o.code == exitDone || !strings.Contains(o.err, c.want) {
			t.Errorf("%v: exit code %d, no %q in\n%s", c.args, o.code, c.want, o.err)
		}
	}
	write(t, filepath.Join(dir, experiment.StagesName), []byte("{"))
	if o := augmixIn(t.Context(), nil, "run", recipe, "-o", dir); o.code != exitFailed || !strings.Contains(o.err, experiment.StagesName) {
		t.Errorf("damaged stamps: %d %s", o.code, o.err)
	}
}

// The quick start on images of one's own.
func TestQuickstartData(t *testing.T) {
	dir := t.TempDir()
	for _, part := range []string{"train", "val"} {
		for i := range 6 {
			class := []string{"cat", "dog", "fish"}[i%3]
			write(t, filepath.Join(dir, "pets", part, class, string(rune('a'+i))+".png"), testImage(t, i, 48, 40))
		}
	}
	out := filepath.Join(dir, "quick")
	o := augmix(t, exitDone, "quickstart", "--data", filepath.Join(dir, "pets"), "-o", out, "--plan")
	if !strings.Contains(o.out, "train pixmix") {
		t.Error(o.out)
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a plan leaves %s: %v", out, err)
	}
	path, err := (&experiment.Quickstart{Dir: out, Data: filepath.Join(dir, "pets")}).WriteRecipe()
	if err != nil || path != filepath.Join(out, "recipe.yaml") {
		t.Fatal(path, err)
	}
	text, err := recipe.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	r, e := text.Config, experiment.Eval{}
	if err := text.Eval(&e); err != nil || e.Limit != 0 {
		t.Errorf("six test images are measured with limit %d, %v", e.Limit, err)
	}
	if r.Data != filepath.Join(dir, "pets", "train") || r.Val != filepath.Join(dir, "pets", "val") || r.Size != 36 || r.Crop != "random:32" || r.Epochs != 200 {
		t.Errorf("%+v", r)
	}
}

// TestQuickstartRecipe: a recipe of the quick start takes the place of such a one alone, and a plan writes none.
func TestQuickstartRecipe(t *testing.T) {
	dir := t.TempDir()
	recipe := filepath.Join(dir, "recipe.yaml")
	const own = "# augmix quickstart; its base is a built-in recipe\nabout: earlier\n"
	for _, text := range []string{own, "about: mine\n"} {
		write(t, recipe, []byte(text))
		code := exitUsage
		if text == own {
			code = exitDone
		}
		o := augmix(t, code, "quickstart", "-o", dir, "--plan")
		if says := "--out: " + recipe + " is not of a quick start, and would be replaced (allowed: "; code == exitUsage && !strings.Contains(o.err, says) {
			t.Errorf("%s, want %s", o.err, says)
		}
		if got, err := os.ReadFile(recipe); err != nil || string(got) != text {
			t.Errorf("a plan leaves %q, %v", got, err)
		}
	}
	if o := augmix(t, exitUsage, "quickstart", "-o", dir); !strings.Contains(o.err, "would be replaced") {
		t.Error(o.err)
	}
	write(t, recipe, []byte(own))
	if _, err := (&experiment.Quickstart{Dir: dir}).WriteRecipe(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(recipe); err != nil || strings.Contains(string(got), "earlier") {
		t.Errorf("the recipe is %q, %v", got, err)
	}
}

// A run appears in MLflow's store with its recipe and a point an epoch, and stays one run when it is resumed: after it was killed, with
// more epochs, and where nothing is left. Where MLflow has deleted it, what follows is another, and that is said.
func TestTrainMLflow(t *testing.T) {
	recipe, dir := tinyRun(t)
	store, run := filepath.Join(dir, "mlruns"), filepath.Join(dir, "r")
	one := func(name string) (path, content string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(store, "*", "*", filepath.FromSlash(name)))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v %v", name, found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		return found[0], string(text)
	}
	check := func(want map[string]string) {
		t.Helper()
		for name, want := range want {
			if _, content := one(name); !strings.Contains(content, want) {
				t.Errorf("%s holds %q, want %q", name, content, want)
			}
		}
	}
	train := func(args ...string) string {
		t.Helper()
		return augmix(t, exitDone, append([]string{"train", "-o", run, "--mlflow", store}, args...)...).err
	}
	rewrite := func(from, to string) {
		t.Helper()
		path, content := one("meta.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(content, from, to, 1)), 0o666); err != nil || !strings.Contains(content, from) {
			t.Fatalf("%q: %v", content, err)
		}
	}
	train(recipe, "--method", "standard", "--epochs", "2")
	check(map[string]string{
		"params/model": "wrn-10-1", "params/epochs": "2", "metrics/error": " 2\n", "metrics/train_loss": " 1\n", "meta.yaml": "status: 3\n",
	})
	rewrite("status: 3\n", "status: 1\n") // as where it was killed before it said its end
	train("--resume")
	check(map[string]string{"meta.yaml": "status: 3\n", "params/epochs": "2"})
	train("--resume", "--epochs", "3")
	check(map[string]string{"params/epochs": "3", "metrics/error": " 3\n", "meta.yaml": "status: 3\n"})
	if _, points := one("metrics/train_loss"); strings.Count(points, "\n") != 3 {
		t.Errorf("points %q, want 3", points)
	}
	_, before := one("meta.yaml")
	train("--resume")
	if _, after := one("meta.yaml"); after != before {
		t.Errorf("nothing was left, and %q became %q", before, after)
	}
	rewrite("lifecycle_stage: active", "lifecycle_stage: deleted")
	if said := train("--resume", "--epochs", "4"); !strings.Contains(said, "has no run") {
		t.Errorf("a deleted run: said %q", said)
	}
	if found, err := filepath.Glob(filepath.Join(store, "0", "*", "metrics", "error")); err != nil || len(found) != 2 {
		t.Errorf("runs %v, %v", found, err)
	}
}
