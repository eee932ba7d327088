package experiment

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/eval"
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
	for _, c := range []struct {
		do   func() error
		is   error
		says string
	}{
		{model(Eval{Suites: []string{"cc"}}), ErrOption, "suite: cc (allowed: clean, c, cbar, p, pgd, ood, fourier, calibration)"},
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
		{plan("model: wrn-10-1\n", Options{}), ErrOption, "no methods"},
		{plan("methods: {a: {}}\n", Options{}), ErrOption, "test"},
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
