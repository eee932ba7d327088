package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

const tiny = `about: a test
data: scenes:n=40,size=16,split=train
val: scenes:n=20,size=16,split=test
model: wrn-10-1
crop: pad2:16
epochs: 1
batch: 20
workers: 2
methods:
  standard: {}
  noisy: {mix: gaussian}
run:
  methods: [standard, noisy]
  suites: [clean]
  eval: {input-size: 16}
`

func tinyRecipe(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// ran runs what is left and returns the names of the stages.
func ran(t *testing.T, file string, o Options) []string {
	t.Helper()
	names := []string{}
	o.Before = func(s *Stage) { names = append(names, s.Name) }
	x, err := New(file, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestResume: a stage is run again when an option or an input of it has changed, or an output is gone, and only then.
func TestResume(t *testing.T) {
	file, o := tinyRecipe(t, tiny), Options{Dir: t.TempDir()}
	all := []string{"train standard", "train noisy", "eval standard", "eval noisy", "sheet.png", "report.html", "report.md"}
	if got := ran(t, file, o); !slices.Equal(got, all) {
		t.Errorf("first %q", got)
	}
	o.Workers = 1 // changes no result
	if got := ran(t, file, o); len(got) > 0 {
		t.Errorf("again %q", got)
	}
	o.Workers, o.Limit = 0, 10
	if got := ran(t, file, o); !slices.Equal(got, []string{"eval standard", "eval noisy", "report.html", "report.md"}) {
		t.Errorf("with another limit %q", got)
	}
	if err := os.Remove(filepath.Join(o.Dir, "noisy", train.ModelName)); err != nil {
		t.Fatal(err)
	}
	if got := ran(t, file, o); !slices.Equal(got, []string{"train noisy"}) {
		t.Errorf("without a network %q", got)
	}
	if err := os.Remove(filepath.Join(o.Dir, ReportName)); err != nil {
		t.Fatal(err)
	}
	if got := ran(t, file, o); !slices.Equal(got, []string{ReportName}) {
		t.Errorf("without a report %q", got)
	}
	// The record of another version is not read: every stage looks itself, and nothing is trained or measured again.
	if err := os.WriteFile(filepath.Join(o.Dir, StagesName), []byte(`{"train noisy": {"digest": "x"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	before := fileTimes(t, o.Dir)
	if got := ran(t, file, o); !slices.Equal(got, all) {
		t.Errorf("without a record %q", got)
	}
	if after := fileTimes(t, o.Dir); !reflect.DeepEqual(after, before) {
		t.Errorf("results changed: %v, then %v", before, after)
	}
	x, err := New(file, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range x.Plan(t.Context()) {
		if !s.Done || s.Took <= 0 {
			t.Errorf("%s: %+v", s.Stage.Name, s)
		}
	}
}

// fileTimes returns the sizes of files of results.
func fileTimes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	for _, m := range []string{"standard", "noisy"} {
		for _, name := range []string{results.FileName, "eval/" + results.FileName} {
			st, err := os.Stat(filepath.Join(dir, m, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			sizes[m+"/"+name] = st.Size()
		}
	}
	return sizes
}

// TestDigest: every option that can change a result changes the digest of its stage.
func TestDigest(t *testing.T) {
	seed := uint64(3)
	digests := func(text string, o Options) map[string]string {
		o.Dir = "out"
		x, err := New(tinyRecipe(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for i := range x.Stages {
			s := &x.Stages[i]
			s.inputs = nil
			st, err := s.stamp()
			if err != nil {
				t.Fatal(err)
			}
			found[s.Name] = st.Digest
		}
		return found
	}
	base := digests(tiny, Options{})
	for name, c := range map[string]struct {
		got     map[string]string
		changed []string
	}{
		"seed":    {digests(tiny, Options{Seed: &seed}), []string{"train standard", "train noisy"}},
		"workers": {digests(tiny, Options{Workers: 5}), nil},
		"suite":   {digests(tiny, Options{Suites: []string{"c"}}), []string{"eval standard", "eval noisy"}},
		"epochs":  {digests(strings.Replace(tiny, "epochs: 1", "epochs: 2", 1), Options{}), []string{"train standard", "train noisy"}},
		"method":  {digests(strings.Replace(tiny, "mix: gaussian", "mix: cutout", 1), Options{}), []string{"train noisy", SheetName}},
		"about":   {digests(strings.Replace(tiny, "a test", "another", 1), Options{}), []string{ReportName, "report.md"}},
		"eval":    {digests(strings.Replace(tiny, "input-size: 16", "input-size: 8", 1), Options{}), []string{"eval standard", "eval noisy"}},
		"test": {
			digests(tiny, Options{Test: "scenes:n=8,size=16"}),
			[]string{"train standard", "train noisy", "eval standard", "eval noisy", SheetName},
		},
	} {
		for stage := range base {
			if differs := base[stage] != c.got[stage]; differs != slices.Contains(c.changed, stage) {
				t.Errorf("%s: %s changed: %v", name, stage, differs)
			}
		}
	}
}

func TestInterrupted(t *testing.T) {
	file, o := tinyRecipe(t, tiny), Options{Dir: t.TempDir()}
	x, err := New(file, o)
	if err != nil {
		t.Fatal(err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	x.Stages[1].Train.OnStep = func(*train.Step) { cancel(stopped) }
	var stage *StageError
	if err := x.Run(ctx); !errors.Is(err, stopped) || !errors.As(err, &stage) || stage.Stage != "train noisy" {
		t.Fatal(err)
	}
	if got := ran(t, file, o); got[0] != "train noisy" {
		t.Errorf("resumed with %q", got)
	}
	rows, err := x.Rows()
	if err != nil || len(rows) == 0 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestTrainArgs: the args.yaml of a training says whose it is.
func TestTrainArgs(t *testing.T) {
	if got := generate.ArgsCommand(trainArgs(nil, []train.Extension{{At: 5, From: 1}})); got != "train" {
		t.Errorf("of %q", got)
	}
}

// TestReportCanceled: a report that was canceled reads no runs.
func TestReportCanceled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := (Report{Runs: []string{"nowhere"}, Out: "x.md"}).Run(ctx); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// TestIterativeTime: the plan counts the time of the mixing sets that a run makes.
func TestIterativeTime(t *testing.T) {
	c := train.Default()
	c.Model, c.Crop, c.Epochs, c.Mix, c.Mixset, c.MixsetEvery = "wrn-10-1", "14", 3, "pixmix", "iterative-fvis-n60000", 2
	if took := c.IterativeTime(t.Context()); took < time.Minute {
		t.Errorf("120 000 images in %v", took)
	}
	c.Mixset = "fractals"
	if took := c.IterativeTime(t.Context()); took != 0 {
		t.Errorf("%v without images", took)
	}
}

// TestMixsetSize: without a crop the mixing set is for images of the size that they are resized to.
func TestMixsetSize(t *testing.T) {
	dir := t.TempDir()
	array := filepath.Join(dir, "own.npy")
	var b bytes.Buffer
	if err := npy.Write(&b, &npy.Array{Shape: []int{4, 20, 20, 3}, Data: make([]byte, 4*20*20*3)}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(array, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	c := train.Default()
	c.Data, c.Val, c.Size, c.Model, c.Mix, c.Mixset = "scenes:n=4,size=24", NoValidation, 16, "wrn-10-1", "pixmix", array
	if _, err := (&Train{Config: c}).Resolve(t.Context()); err != nil {
		t.Error(err)
	}
	c.Size = 0
	if _, err := (&Train{Config: c}).Resolve(t.Context()); err == nil {
		t.Error("images of 20 pixels are mixed into those of 24")
	}
}

// TestValidationPart: the part that val-split names is validated on, without val too; what says how validation data is read is refused
// where there is none, if it was asked for.
func TestValidationPart(t *testing.T) {
	dir := t.TempDir()
	for name, n := range map[string]int{"train.bin": 6, "test.bin": 4} { // CIFAR-100
		records := make([]byte, n*3074)
		records[0] = 1
		if err := os.WriteFile(filepath.Join(dir, name), records, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	resolve := func(change func(c *train.Config), asked ...string) (train.Config, error) {
		c := train.Default()
		c.Data, c.Model = dir, "wrn-10-1"
		change(&c)
		return (&Train{Config: c, Asked: asked}).Resolve(t.Context())
	}
	for asked, want := range map[string]string{"": "test", "train": "train", "all": "all"} {
		c, err := resolve(func(c *train.Config) { c.ValSplit = asked }, "val-split")
		if err != nil || c.Val != dir || c.ValSplit != want {
			t.Errorf("%q: validates %q of %q: %v", asked, c.ValSplit, c.Val, err)
		}
	}
	if _, err := resolve(func(c *train.Config) { c.ValSplit = "rest" }); err == nil || !strings.Contains(err.Error(), "rest") {
		t.Errorf("a part that is not there: %v", err)
	}
	for asked, want := range map[string]bool{"train": true, "test": false, "": false} {
		said := ""
		c := train.Default()
		c.Data, c.Model, c.Val, c.ValSplit = dir, "wrn-10-1", dir, asked
		say := func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
		if _, err := (&Train{Config: c, Say: say}).Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said, "validating on the training data itself") != want {
			t.Errorf("validating on part %q: said %q", asked, said)
		}
	}
	for key, change := range map[string]func(c *train.Config){
		"val-split":  func(c *train.Config) { c.Val, c.ValSplit = NoValidation, "test" },
		"val-labels": func(c *train.Config) { c.Val, c.ValLabels = NoValidation, "x.csv" },
		"val-only":   func(c *train.Config) { c.Split, c.ValOnly = "all", []string{"x"} }, // without validation data
		"mixset":     func(c *train.Config) { c.Mixset = "nowhere" },
	} {
		if _, err := resolve(change, "data", key); !errors.Is(err, train.ErrConfig) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
		if _, err := resolve(change, "data"); err != nil {
			t.Errorf("%s of a recipe: %v", key, err)
		}
	}
}

// TestErrors: wrong options are told by their keys, and flags are not spoken of.
func TestErrors(t *testing.T) {
	model := func(e Eval) func() error {
		return func() error {
			e.In = "scenes:n=4,size=16"
			_, err := e.Run(t.Context())
			return err
		}
	}
	fit := func(change func(c *train.Config)) func() error {
		return func() error {
			c := train.Default()
			c.Data, c.Model = "scenes:n=4,size=16", "wrn-10-1"
			change(&c)
			_, err := (&Train{Config: c, Dir: t.TempDir()}).Run(t.Context())
			return err
		}
	}
	plan := func(text string, o Options) func() error {
		return func() error {
			_, err := New(tinyRecipe(t, text), o)
			return err
		}
	}
	named := func(method string) string { return strings.ReplaceAll(tiny, "standard", `"`+method+`"`) }
	for _, c := range []struct {
		do   func() error
		is   error
		says string
	}{
		{model(Eval{Suites: []string{"cc"}}), ErrOption, "suite: cc (allowed: clean, c, cbar, p, pgd, ood, fourier, cues, calibration)"},
		{model(Eval{Limit: -1}), ErrOption, "limit: -1 (allowed: 1 and up"},
		{model(Eval{Logits: true}), ErrOption, "logits"},
		{model(Eval{Suites: []string{"fourier"}}), ErrOption, "fourier: no folder"},
		{model(Eval{TenCrop: true, Suites: []string{"pgd"}}), ErrOption, "ten-crop"},
		{model(Eval{Norm: "1,2/3"}), ErrOption, "norm: 1,2/3"},
		{model(Eval{File: "nowhere.npz"}), os.ErrNotExist, "cannot open the model"},
		{fit(func(c *train.Config) { c.Data = "" }), train.ErrConfig, "data is missing"},
		{fit(func(c *train.Config) { c.Val = "-" }), ErrOption, "standard input"},
		{fit(func(c *train.Config) { c.LR = -1 }), train.ErrConfig, "lr: -1"},
		{fit(func(c *train.Config) { c.Mix = "augmax" }), mix.ErrSpec, "augmax"},
		{fit(func(c *train.Config) { c.Mix, c.Mixset = "pixmix", "fractals-n0" }), ErrOption, "mixset: fractals-n0"},
		{plan(tiny, Options{Methods: []string{"augmax"}}), recipe.ErrRecipe, "allowed here: noisy, standard"},
		{plan(tiny, Options{Methods: []string{"noisy", "noisy"}}), ErrOption, "each method once"},
		{plan(tiny, Options{Weights: "w.npz"}), ErrOption, "weights: w.npz has no effect: no method that is compared leaves this to you"},
		{plan(tiny, Options{Styles: "s"}), ErrOption, "styles: s has no effect"},
		{plan(tiny, Options{StyleWeights: "s.npz"}), ErrOption, "style-weights: s.npz has no effect"},
		{plan(tiny, Options{Network: "n.npz"}), ErrOption, "network: n.npz has no effect"},
		{plan(named(".."), Options{}), ErrOption, `method: ".." (allowed: the name of a folder`},
		{plan(named("a/b"), Options{}), ErrOption, `method: "a/b" (allowed: the name of a folder`},
		{plan(named("Report.html"), Options{}), ErrOption, "which is no file of the experiment: sheet.png, report.html, report.md, stages.json"},
		{plan(named(SheetName), Options{}), ErrOption, `method: "sheet.png"`},
		{plan(tiny+"weights: required\n", Options{}), ErrOption, "method standard: configuration: weights: the recipe starts from a trained wrn-10-1"},
		{plan("model: wrn-10-1\n", Options{}), ErrOption, "no methods"},
		{plan("methods: {a: {}}\n", Options{}), train.ErrConfig, "method a: configuration: data is missing"},
		{plan(strings.Replace(tiny, "epochs: 1", "epochs: -1", 1), Options{}), train.ErrConfig, "method standard: configuration: epochs: -1"},
		{
			func() error { _, err := (&Quickstart{Dir: t.TempDir(), Test: "x"}).WriteRecipe(); return err },
			ErrOption, "test needs data",
		},
		{func() error { return Report{Out: "x.pdf"}.Run(t.Context()) }, ErrOption, "out: x.pdf"},
		{func() error { _, err := Sheet{Count: -1}.Draw(t.Context()); return err }, ErrOption, "count: -1"},
		{func() error {
			_, err := Sheet{Mix: []string{"pixmix"}, Mixset: "iterative-fvis"}.Draw(t.Context())
			return err
		}, ErrOption, "mixset"},
		{func() error {
			_, err := Sheet{Mix: []string{"augmix"}, Mixset: "fractals"}.Draw(t.Context())
			return err
		}, ErrOption, "mixset"},
		{func() error { _, err := Sheet{Samples: 4}.Draw(t.Context()); return err }, ErrOption, "samples: they are of augmentations"},
		{func() error { _, err := Sheet{Samples: 3, ColorSwap: true}.Draw(t.Context()); return err }, ErrOption, "samples: "},
	} {
		err := c.do()
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "--") {
			t.Errorf("error %v, want %v that says %q", err, c.is, c.says)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, StagesName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := New(tinyRecipe(t, tiny), Options{Dir: dir}); !errors.Is(err, ErrStages) {
		t.Errorf("a damaged record: %v", err)
	}
}

// TestRequired: weights that the recipe leaves to the user, and the classes of the data, reach every stage; files that are
// missing are found before the first method trains.
func TestRequired(t *testing.T) {
	text := strings.Replace(tiny, "noisy: {mix: gaussian}", "noisy: {weights: other.npz}", 1) + "weights: required\ncoarse: true\n"
	o := Options{Dir: t.TempDir(), Weights: "mine.npz"}
	x, err := New(tinyRecipe(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"mine.npz", "other.npz"} {
		if got := x.Stages[i].Train.Config.Weights; got != want {
			t.Errorf("%s: weights %q, want %q", x.Stages[i].Name, got, want)
		}
		if e := x.Stages[2+i].Eval; !e.Coarse {
			t.Errorf("%s: the coarse classes are lost", x.Stages[2+i].Name)
		}
	}
	if err := x.Run(t.Context()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "mine.npz") {
		t.Errorf("%v", err)
	}
	text = strings.Replace(tiny, "noisy: {mix: gaussian}", "noisy: {mix: pixmix, mixset: fractals-n4+fvis.npy}", 1)
	o.Weights = "" // which this recipe does not ask for
	if x, err = New(tinyRecipe(t, text), o); err != nil {
		t.Fatal(err)
	}
	stages := 0
	x.options.Before = func(*Stage) { stages++ }
	if err := x.Run(t.Context()); !errors.Is(err, ErrOption) || stages > 0 || !strings.Contains(err.Error(), "train noisy") {
		t.Errorf("%v after %d stages", err, stages)
	}
}

// TestCheckInputs: data sets that cannot be opened are found before the first method trains, the test set too, and by Check alone.
func TestCheckInputs(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	for stage, text := range map[string]string{
		"train standard": strings.Replace(tiny, "data: scenes:n=40,size=16,split=train", "data: "+gone, 1),
		"train noisy":    strings.Replace(tiny, "{mix: gaussian}", "{val: "+gone+"}", 1),
		"eval standard":  strings.Replace(tiny, "run:\n", "run:\n  test: "+gone+"\n", 1),
	} {
		x, err := New(tinyRecipe(t, text), Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		x.options.Before = func(s *Stage) { t.Errorf("%s is run", s.Name) }
		for _, err := range []error{x.Check(), x.Run(t.Context())} {
			var at *StageError
			if !errors.As(err, &at) || at.Stage != stage || !strings.Contains(err.Error(), gone) {
				t.Errorf("want an error of %s: %v", stage, err)
			}
		}
	}
}

// TestParts: a method is trained on one part of the data and measured on another, and the rows say which.
func TestParts(t *testing.T) {
	text := `about: a test
data: scenes:n=60,size=16,split=train
val: scenes:n=60,size=16,split=test
without: [class:CLASS]
val-only: [class:CLASS]
model: wrn-10-1
crop: pad2:16
epochs: 1
batch: 20
workers: 1
methods:
  standard: {}
run:
  suites: [clean]
  eval: {input-size: 16PART}
`
	src, err := formats.Open("scenes:n=60,size=16", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	class := src.Info().Classes[2]
	for part, want := range map[string]string{"": "only class:" + class, ", part: held out": "held out"} {
		o := Options{Dir: t.TempDir()}
		file := tinyRecipe(t, strings.NewReplacer("CLASS", class, "PART", part).Replace(text))
		ran(t, file, o)
		rows, err := results.ReadFile(filepath.Join(o.Dir, "standard", "eval", results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, r := range rows {
			if r.Part != want {
				t.Errorf("%s: part %q, want %q", r.Metric, r.Part, want)
			}
			n++
		}
		if n == 0 {
			t.Error("no rows")
		}
	}
	e := Eval{In: "scenes:n=4,size=16", C: "somewhere", Input: Input{Only: []string{"x"}}, File: "x.npz"}
	if _, err := e.Run(t.Context()); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "made on the fly") {
		t.Error(err)
	}
}

// TestEvalOtherImages: what was measured on images that were made in one way is not taken for what another way gives.
func TestEvalOtherImages(t *testing.T) {
	t.Chdir(t.TempDir())
	ran(t, tinyRecipe(t, strings.Replace(tiny, "methods: [standard, noisy]", "methods: [standard]", 1)), Options{Dir: "runs"})
	first := Eval{
		File: "runs/standard/model.safetensors", In: "scenes:n=6,size=20,split=test", Dir: "out", Suites: []string{"clean", "c", "p", "pgd", "ood"},
		Size: 16, Crop: 16, Subset: []string{"fog", "frost"}, Severity: "1,3", Perturbation: []string{"tilt"}, PGDSteps: 1, Limit: 2,
	}
	rows, err := first.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Metric == results.Top1Error && r.Severity > 0 && r.Versions[results.VersionImages] == "" {
			t.Errorf("%+v does not say how its images were made", r)
		}
	}
	for name, c := range map[string]struct {
		change func(e *Eval)
		says   string // "": nothing is refused
	}{
		"the same": {func(*Eval) {}, ""},
		"size":     {func(e *Eval) { e.Size = 18 }, "clean images made otherwise (size 16 bilinear, crop 16)"},
		"filter":   {func(e *Eval) { e.Filter = "box" }, "now size 16 box, crop 16"},
		"profile":  {func(e *Eval) { e.Profile = "224" }, "made otherwise (size 16 bilinear, crop 16, profile auto"},
		"JPEG":     {func(e *Eval) { e.Image = "raw" }, "JPEG 85), now"},
		"profile, clean": {func(e *Eval) { // which no corruption is made with
			e.Profile, e.Suites, e.Subset, e.Severity, e.Perturbation, e.PGDSteps = "", []string{"clean"}, nil, "", nil, 0
		}, ""},
		"more corruptions": {func(e *Eval) { e.Subset = []string{"fog", "frost", "snow"} }, ""},
	} {
		e := first
		c.change(&e)
		before, err := os.ReadFile("out/results.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Run(t.Context())
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, eval.ErrOption) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if after, err := os.ReadFile("out/results.jsonl"); err != nil || c.says != "" && !slices.Equal(before, after) {
			t.Errorf("%s: the rows changed, %v", name, err)
		}
	}
	other := first
	other.Dir, other.Subset = "none", []string{"plasma_noise"}
	if _, err := other.Run(t.Context()); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "none of the ten of the cifar profile") {
		t.Errorf("a corruption of larger images: %v", err)
	}
	if _, err := os.Stat("none"); err == nil {
		t.Error("it is seen after something was measured")
	}
}

// TestBuiltInSuites: what the built-in recipes measure exists.
func TestBuiltInSuites(t *testing.T) {
	for _, name := range recipe.Names() {
		r, err := recipe.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		var e Eval
		if err := r.Eval(&e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, s := range r.Run.Suites {
			if !slices.ContainsFunc(Suites(), func(x Suite) bool { return x.Name == s }) {
				t.Errorf("%s: suite %s", name, s)
			}
		}
	}
}

// TestNetworkOfCheckpoint: a checkpoint says itself what Eval would otherwise have to be told.
func TestNetworkOfCheckpoint(t *testing.T) {
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Preprocess = "scenes:n=10,size=16", NoValidation, "wrn-10-1", 1, 10, "clahe"
	dir := t.TempDir()
	if _, err := (&Train{Config: c, Dir: dir}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, err := eval.LoadNetwork(filepath.Join(dir, train.LastName), eval.LoadOptions{})
	if err != nil || n.Preprocess == nil {
		t.Errorf("%v, %v", n, err)
	}
	rows, err := Eval{File: filepath.Join(dir, train.LastName), In: "scenes:n=10,size=16,split=test", Preprocess: "none"}.Run(t.Context())
	if err != nil || len(rows) == 0 || rows[0].Preprocess != results.PreprocessNone {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestOtherData: a stage is done anew when the files of its data are others, though names and sizes are the same, and what it
// had made is kept.
func TestOtherData(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	arrays := func(part string, n int, shift byte) { t.Helper(); writeArrays(t, in(part), n, shift) }
	arrays("train", 20, 0)
	arrays("test", 10, 0)
	text := strings.ReplaceAll(tiny, "scenes:n=40,size=16,split=train", in("train/x.npy"))
	text = strings.ReplaceAll(text, "scenes:n=20,size=16,split=test", in("test/x.npy"))
	text = strings.ReplaceAll(text, "  noisy: {mix: gaussian}\n", "")
	text = strings.ReplaceAll(text, "[standard, noisy]", "[standard]")
	file, o := tinyRecipe(t, text), Options{Dir: in("out")}
	ran(t, file, o)
	if got := ran(t, file, o); len(got) > 0 {
		t.Errorf("again %q", got)
	}
	kept := func(name string) {
		t.Helper()
		if _, err := os.Stat(in(name)); err != nil {
			t.Error(err)
		}
	}
	arrays("test", 10, 1)
	if got, want := ran(t, file, o), []string{"eval standard", ReportName, "report.md"}; !slices.Equal(got, want) {
		t.Errorf("another test set: %q, want %q", got, want)
	}
	kept("out/standard/eval-old/results.jsonl")
	arrays("train", 20, 1)
	if got, want := ran(t, file, o), []string{"train standard", "eval standard", ReportName, "report.md"}; !slices.Equal(got, want) {
		t.Errorf("another training set: %q, want %q", got, want)
	}
	kept("out/standard-old/model.safetensors")
	if got := ran(t, file, o); len(got) > 0 {
		t.Errorf("at last %q", got)
	}
	// Data that are gone change nothing that is done.
	if err := os.RemoveAll(in("train")); err != nil {
		t.Fatal(err)
	}
	if got := ran(t, file, o); len(got) > 0 {
		t.Errorf("without the data %q", got)
	}
}

// TestOtherModel: a network that was given more epochs is measured anew, and what was measured of it before is kept; so is what a
// training that was stopped has made of data that are others by now.
func TestOtherModel(t *testing.T) {
	dir := t.TempDir()
	writeArrays(t, filepath.Join(dir, "train"), 20, 0)
	writeArrays(t, filepath.Join(dir, "test"), 10, 0)
	text := strings.ReplaceAll(tiny, "scenes:n=40,size=16,split=train", filepath.Join(dir, "train", "x.npy"))
	text = strings.ReplaceAll(text, "scenes:n=20,size=16,split=test", filepath.Join(dir, "test", "x.npy"))
	text = strings.ReplaceAll(text, "[standard, noisy]", "[standard]")
	file, o := tinyRecipe(t, text), Options{Dir: filepath.Join(dir, "out")}
	all := ran(t, file, o)
	longer := tinyRecipe(t, strings.ReplaceAll(text, "epochs: 1", "epochs: 2"))
	x, err := New(longer, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(t.Context()); !errors.Is(err, train.ErrOccupied) || !strings.Contains(err.Error(), "epochs was 1, now 2") {
		t.Fatal(err)
	}
	extended := *x.Stages[0].Train
	extended.Extend = true
	if _, err := extended.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := ran(t, longer, o), []string{"train standard", "eval standard", ReportName, "report.md"}; !slices.Equal(got, want) {
		t.Errorf("with more epochs: %q, want %q", got, want)
	}
	exists := func(name string) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(o.Dir, "standard", name)); err != nil {
			t.Error(err)
		}
	}
	exists("eval-old/results.jsonl")

	o.Dir = filepath.Join(dir, "stopped")
	ctx, cancel := context.WithCancel(t.Context())
	o.Before = func(s *Stage) {
		if s.Train != nil {
			s.Train.OnEpoch = func(*train.Epoch) { cancel() }
		}
	}
	if x, err = New(longer, o); err != nil {
		t.Fatal(err)
	}
	if err := x.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	writeArrays(t, filepath.Join(dir, "train"), 22, 1)
	if got := ran(t, longer, o); !slices.Equal(got, all) {
		t.Errorf("stopped, then with other data: %q, want %q", got, all)
	}
	exists("../standard-old/last.safetensors")

	// The folder of a run that was extended and is not at its new end stands for the earlier weights, which is said.
	ctx, cancel = context.WithCancel(t.Context())
	extended = *x.Stages[0].Train
	extended.Config.Epochs, extended.Extend, extended.OnEpoch = 4, true, func(*train.Epoch) { cancel() }
	if _, err := extended.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	said := ""
	e := Eval{
		File: extended.Dir, In: filepath.Join(dir, "test", "x.npy"), Suites: []string{suiteClean},
		Say: func(format string, args ...any) { said += fmt.Sprintf(format, args...) },
	}
	if _, err := e.Run(t.Context()); err != nil || !strings.Contains(said, "model.safetensors: the run was given more epochs since, of which 3 of 4") {
		t.Errorf("%q %v", said, err)
	}
}

// writeArrays writes n images of two classes and their labels as npy files; shift tells one set from another.
func writeArrays(t *testing.T, dir string, n int, shift byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	pixels, labels := make([]byte, n*16*16*3), make([]byte, n)
	for i := range pixels {
		pixels[i] = byte(i*i%251) + shift
	}
	for i := range labels {
		labels[i] = byte(i % 2)
	}
	for name, file := range map[string][]byte{
		"x.npy": append([]byte(npyHeader("|u1", n, 16, 16, 3)), pixels...), "labels.npy": append([]byte(npyHeader("|u1", n)), labels...),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// npyHeader is the header of an npy file.
func npyHeader(kind string, shape ...int) string {
	var dims strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&dims, "%d,", n)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, &dims)
	text += strings.Repeat(" ", 127-10-len(text)) + "\n"
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), 0}) + text
}
