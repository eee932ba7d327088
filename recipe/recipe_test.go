package recipe

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/train"
)

// TestBuiltIn reads every built-in recipe with every method: keys, values, networks and mixes exist, and what the
// papers say is what comes out.
func TestBuiltIn(t *testing.T) {
	paths, err := filepath.Glob("*.yaml")
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d recipes, %v", len(paths), err)
	}
	found := map[string]train.Config{}
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
		text, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if bases[filepath.Base(path)] && text.Config.Model == "" {
			continue
		}
		checkRun(t, name, text)
		if !slices.ContainsFunc([]string{"table", "figure", "section", "appendix"}, func(word string) bool {
			return strings.Contains(text.About, word)
		}) {
			t.Errorf("%s: about %q names no table, figure or section", name, text.About)
		}
		for _, method := range append(text.Methods(), "") {
			r, err := text.Method(method)
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
			if strings.HasPrefix(name, "places365") {
				side, classes = 224, 365
			}
			if _, err := models.Build(r.Model, graph.Shape{H: side, W: side, C: 3}, classes); err != nil {
				t.Errorf("%s, %s: %v", name, method, err)
			}
			if m, err := mix.ParseSpec(r.Mix); err != nil || m.NeedsMixingSet() != (r.Mixset != "") {
				t.Errorf("%s, %s: mix %s with set %q: %v", name, method, r.Mix, r.Mixset, err)
			}
			found[name+"/"+method] = r
		}
	}
	for name, want := range map[string]func(r *train.Config) bool{
		"cifar10-wrn-40-2/augmix": func(r *train.Config) bool {
			return r.JSD && r.Lambda == 12 && r.Views == 3 && r.Epochs == 100
		},
		"cifar100-wrn-40-2/mixup": func(r *train.Config) bool {
			return r.WeightDecay == 1e-4 && r.Mix == "mixup-a1"
		},
		"cifar10-densenet-bc-100-12/cutout": func(r *train.Config) bool {
			return r.Epochs == 200 && r.WeightDecay == 5e-4
		},
		"cifar100-densenet-bc-100-12/mixup": func(r *train.Config) bool { return r.WeightDecay == 1e-4 },
		"cifar100-resnext29-4x32/standard": func(r *train.Config) bool {
			return r.Epochs == 200 && r.WeightDecay == 5e-4
		},
		"cifar100-wrn-40-4/augmix": func(r *train.Config) bool {
			return !r.JSD && r.Mix == "augmix-m3-w3-d-1"
		},
		"cifar10-wrn-40-4/pixmix": func(r *train.Config) bool {
			return r.Mixset == "fractals+fvis.npy" && r.Model == "wrn-40-4-drop0.3"
		},
		"imagenet-resnet50/augmix": func(r *train.Config) bool {
			return r.Epochs == 180 && r.Batch == 256 && r.Nesterov && r.JSD && slices.Equal(r.LRMilestones, []int{60, 120, 160})
		},
		"imagenet-resnet50/autoaugment-star": func(r *train.Config) bool {
			return r.Mix == "autoaugment-imagenet-star" && r.Epochs == 180
		},
		"imagenet-resnet50/standard": func(r *train.Config) bool {
			return r.LRBatch == 256 && r.Warmup == 5 && slices.Equal(r.LRMilestones, []int{30, 60, 80})
		},
		"ablation-augmix-imagenet/alpha-10": func(r *train.Config) bool {
			return r.JSD && r.Epochs == 90 && r.Mix == "augmix-m1-w3-d-1-a10-f800000"
		},
		"places365-resnet18/pixmix": func(r *train.Config) bool {
			return r.Epochs == 10 && r.Model == "resnet18" && r.Mixset == "fractals+fvis.npy" && r.Weights == train.WeightsRequired
		},
		"imagenet-resnet50-noise/adversarial-l2": func(r *train.Config) bool {
			return r.Adversarial && r.AdvNorm == "l2" && r.AdvEps == 3*255 && r.Weights == train.WeightsRequired
		},
		"imagenet-resnet50-stability/w0.1-a0.05": func(r *train.Config) bool {
			return r.Stability == 0.1 && r.StabilityNoise == 0.05 && r.Epochs == 5
		},
		"imagenet-resnet50-clahe/clahe": func(r *train.Config) bool { return r.Preprocess == "clahe" && r.Epochs == 5 },
		"icons50-style/augmix": func(r *train.Config) bool {
			return slices.Equal(r.Without, []string{"microsoft"}) && slices.Equal(r.ValOnly, r.Without) && r.JSD && r.WeightDecay == 1e-4
		},
		"icons50-style/shake-shake": func(r *train.Config) bool {
			return r.Model == "shakeshake26-2x96d" && r.Epochs == 500 && !r.JSD && r.Nesterov
		},
		"icons50-subtype/standard": func(r *train.Config) bool { return len(r.Without) == 50 && slices.Equal(r.Without, r.ValOnly) },
		"cifar100-superclass-4/standard": func(r *train.Config) bool {
			return len(r.Without) == 80 && slices.Equal(r.Without, r.ValOnly) && r.Classes == "cifar100-superclasses" && len(r.Mean) == 3
		},
		"ablation-pixmix/mix-aug": func(r *train.Config) bool { return r.Mixset == "fractals+fvis.npy" },
		"imagenet-resnet50-pixmix/pixmix": func(r *train.Config) bool {
			return r.Batch == 512 && r.LR == 0.01 && r.LRBatch == 0 && r.Nesterov && r.Weights == train.WeightsRequired
		},
		"cifar100-allconv/autoaugment-star": func(r *train.Config) bool {
			return r.Crop == "pad4:32" && r.Flip && r.Batch == 128 && r.MinLR == 1e-6
		},
		"cifar10-resnext29-4x32/cutmix": func(r *train.Config) bool {
			return r.Nesterov && r.Momentum == 0.9 && r.LR == 0.1
		},
		"cifar10-allconv/adversarial": func(r *train.Config) bool {
			return r.Adversarial && r.AdvEps == 8 && r.AdvStep == 2 && r.AdvSteps == 10
		},
		"cifar10-wrn-40-4/outlier-exposure": func(r *train.Config) bool {
			return r.OutlierBatch == 256 && r.OutlierWeight == 0.5 && r.Outliers != ""
		},
		"cifar10-small/augmix-nojsd": func(r *train.Config) bool { return !r.JSD && r.Epochs == 8 },
		"ablation-augmix/lambda-4":   func(r *train.Config) bool { return r.JSD && r.Lambda == 4 },
		"ablation-pixmix/iterative-fvis": func(r *train.Config) bool {
			n, iterative, err := train.ParseIterative(r.Mixset)
			return iterative && n == 256 && err == nil && r.MixsetEvery == 1 && r.Mix == "pixmix-k4-b3"
		},
		"ablation-pixmix/k2-b5":              func(r *train.Config) bool { return r.Mix == "pixmix-k2-b5" },
		"cifar100-densenet-bc-100-12/augmix": func(r *train.Config) bool { return r.Data == "cifar-100-binary" },
	} {
		if r, ok := found[name]; !ok || !want(&r) {
			t.Errorf("%s: %v %+v", name, ok, r)
		}
	}
}

// checkRun makes sure that the section run lists methods that exist.
func checkRun(t *testing.T, name string, text *Recipe) {
	t.Helper()
	if len(text.Run.Methods) == 0 || len(text.Run.Suites) == 0 {
		t.Errorf("%s does not say what a run does", name)
	}
	for i, m := range text.Run.Methods {
		if !slices.Contains(text.Methods(), m) || slices.Contains(text.Run.Methods[:i], m) {
			t.Errorf("%s: run has method %s, there are %s", name, m, text.Methods())
		}
	}
	var eval struct {
		Limit   int               `yaml:"limit"`
		Part    string            `yaml:"part"`
		Dataset string            `yaml:"dataset"`
		OOD     map[string]string `yaml:"ood"`
	}
	if err := text.Eval(&eval); err != nil || eval.Limit != map[bool]int{true: 1000}[strings.HasPrefix(name, "cifar10-small") ||
		strings.HasPrefix(name, "cifar10-finetune")] {
		t.Errorf("%s: eval %+v, %v", name, eval, err)
	}
	if text.Config.Seed != 1 {
		t.Errorf("%s: seed %d, recorded results have 1", name, text.Config.Seed)
	}
}

// TestBad: what is wrong is named with file and line.
func TestBad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	loop := write("loop.yaml", "base: loop.yaml\n")
	for name, c := range map[string]struct{ text, says string }{
		"unknown":   {"model: wrn-40-2\nlearning-rate: 3\n", "[2:1]"},
		"old key":   {"model: wrn-40-2\ndrops: [3]\n", "[2:1]"},
		"type":      {"model: wrn-40-2\n\nepochs: many\n", "[3:9] epochs: many (allowed: a whole number)"},
		"fraction":  {"epochs: 2.7\n", "[1:9] epochs: 2.7 (allowed: a whole number)"},
		"octal":     {"epochs: 010\n", "[1:9] epochs: 010 (allowed: a whole number)"},
		"negative":  {"seed: -1\n", "[1:7] seed: -1 (allowed: a whole number, 0 and up)"},
		"words":     {"lr: high\n", "[1:5] lr: high (allowed: a number)"},
		"yes":       {"flip: yes\n", "[1:7] flip: yes (allowed: true or false)"},
		"text":      {"data: [x]\n", "[1:7] data: [x] (allowed: text)"},
		"in a list": {"lr-milestones: [1.5, 2]\n", "[1:17] lr-milestones: 1.5 (allowed: a whole number)"},
		"no list":   {"methods:\n  a:\nrun:\n  suites: c\n", "[4:11] suites: c (allowed: a list)"},
		"of method": {"methods:\n  a:\n    epochs: 1.5\n", "[3:13] epochs: 1.5 (allowed: a whole number)"},
		"of eval":   {"methods:\n  a:\nrun:\n  eval:\n    limit: 2.9\n", "[5:12] limit: 2.9 (allowed: a whole number)"},
		"method":    {"methods:\n  a:\n    lrr: 1\n", "[3:5]"},
		"no method": {"methods:\n  b:\n", "no method a (allowed here: b)"},
		"run":       {"methods:\n  a:\nrun:\n  suite: c\n", "[4:3]"},
		"eval":      {"methods:\n  a:\nrun:\n  eval:\n    limits: 3\n", "[5:5]"},
		"no yaml":   {"model: [\n", "is not a recipe"},
		"list":      {"- a\n- b\n", "is not a recipe"},
		"empty":     {"", "0 YAML documents"},
		"two":       {"lr: 1\n---\nlr: 2\n", "2 YAML documents"},
		"base loop": {"base: " + loop + "\n", "base of each other"},
		"binary":    {"\x00\xff\xfe", "is not a recipe"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write("bad.yaml", c.text)
			r, err := Read(path)
			if err == nil {
				_, err = r.Method("a")
			}
			if err == nil {
				err = r.Eval(&struct {
					Limit int `yaml:"limit"`
				}{})
			}
			if !errors.Is(err, ErrRecipe) || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), path) && name != "base loop" {
				t.Errorf("error %v, want one of %s that says %q", err, path, c.says)
			}
		})
	}
	if _, err := Read(write("bad.yaml", "base: nowhere.yaml\n")); err == nil || !strings.Contains(err.Error(), "nowhere.yaml") {
		t.Errorf("error %v", err)
	}
	if _, err := Read(dir); !errors.Is(err, ErrRecipe) || !strings.Contains(err.Error(), dir+" is a folder") {
		t.Errorf("error %v", err)
	}
	if _, err := Read("nothing"); err == nil || !strings.Contains(err.Error(), "cifar10-small") {
		t.Errorf("error %v", err)
	}
}

// TestBuiltInBesideFiles: what lies in the current folder under the name of a built-in recipe, or of its base, changes none of them:
// the folder that a run has left, another cifar.yaml. A file of the recipe's own name is taken in its place.
func TestBuiltInBesideFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	text := func(name string) string {
		r, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Marshal(&r.Config)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	names := []string{"quickstart", "cifar10-wrn-40-2"}
	want := []string{text(names[0]), text(names[1])}
	for _, dir := range []string{"quickstart", "imagenet.yaml", "cifar10-wrn-40-2.yaml"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"cifar.yaml": "lr: 7\n", "mine.yaml": "base: cifar10-wrn-40-2.yaml\n", "cifar100-small": "base: cifar.yaml\n"} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range names {
		if got := text(name); got != want[i] {
			t.Errorf("%s is another recipe:\n%s", name, got)
		}
	}
	if got := text("mine.yaml"); got != want[1] {
		t.Errorf("a recipe on a built-in one is another:\n%s", got)
	}
	if got := text("cifar100-small"); !strings.Contains(got, "lr: 7") {
		t.Errorf("a file and its base are not taken:\n%s", got)
	}
}

// TestMarshal: what Marshal writes is a recipe of the same configuration.
func TestMarshal(t *testing.T) {
	r, err := Read("imagenet-resnet50")
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Method("augmix")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "args.yaml")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	back, err := Read(path)
	if err != nil || len(train.Differences(&back.Config, &c)) > 0 || back.Config.CacheMB != c.CacheMB {
		t.Errorf("%v\n%s", err, text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("base: x.yaml\nmodel: wrn-40-2\nmethods:\n  a: {lr: 1}\n  b:\n"))
	f.Add([]byte("mean: [1, 2"))
	f.Add([]byte("a: &x [*x]"))
	f.Add([]byte("run: {eval: {limit: 3}, methods: [a]}"))
	path := filepath.Join(f.TempDir(), "r.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Read(path)
		if err != nil {
			return
		}
		for _, name := range r.Methods() {
			_, _ = r.Method(name)
		}
		_ = r.Eval(&struct {
			Limit int `yaml:"limit"`
		}{})
	})
}
