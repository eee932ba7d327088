package experiment

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// TestSeen: a recipe that holds samples out measures the others too where it names them, into the same results, and both anew
// where either is lost or the test set is another.
func TestSeen(t *testing.T) {
	dir := t.TempDir()
	writeArrays(t, filepath.Join(dir, "train"), 20, 0)
	writeArrays(t, filepath.Join(dir, "test"), 12, 0)
	text := strings.ReplaceAll(tiny, "scenes:n=40,size=16,split=train", filepath.Join(dir, "train", "x.npy"))
	text = strings.ReplaceAll(text, "scenes:n=20,size=16,split=test", filepath.Join(dir, "test", "x.npy")+"\nval-only: ['1', '3', '10']")
	text = strings.ReplaceAll(text, "[standard, noisy]", "[standard]")
	text = strings.ReplaceAll(text, "eval: {input-size: 16}", "seen: known\n  eval: {input-size: 16, part: held out}")
	file, o := tinyRecipe(t, text), Options{Dir: filepath.Join(dir, "out")}
	evals := []string{"eval standard", "eval standard, known"}
	sizes := func() map[string]int {
		t.Helper()
		rows, err := results.ReadFile(filepath.Join(o.Dir, "standard", "eval", results.FileName))
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, r := range rows {
			if r.Metric == results.Top1Error {
				n[r.Part] += int(r.N)
			}
		}
		return n
	}
	check := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if n := sizes(); len(n) != 2 || n["known"]+n["held out"] != 12 || n["held out"] == 0 {
			t.Errorf("%s: samples %v", what, n)
		}
	}
	after := []string{ReportName, "report.md"}
	check("first", ran(t, file, o), slices.Concat([]string{"train standard"}, evals, after))
	check("again", ran(t, file, o), []string{})
	if err := os.RemoveAll(filepath.Join(o.Dir, "standard", "eval")); err != nil {
		t.Fatal(err)
	}
	check("without results", ran(t, file, o), slices.Concat(evals, after))
	writeArrays(t, filepath.Join(dir, "test"), 12, 1)
	check("another test set", ran(t, file, o), slices.Concat(evals, after))
	kept, err := filepath.Glob(filepath.Join(o.Dir, "standard", "eval-old*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept %q, %v: want the results of the other test set once", kept, err)
	}
	for _, bad := range []string{"val-without: ['2']\nval-only: ['1']", "val-without: ['2']", ""} {
		text := strings.ReplaceAll(text, "val-only: ['1', '3', '10']", bad)
		if _, err := New(tinyRecipe(t, text), o); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "seen") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestReads: a stage is done anew where other files are in what it reads, beside its data set.
func TestReads(t *testing.T) {
	set := func() string {
		t.Helper()
		dir := t.TempDir()
		writeArrays(t, dir, 4, 0)
		return filepath.Join(dir, "x.npy")
	}
	file := func(name string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("first"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, c := set(), set(), set()
	weights, classes := file(train.ModelName), file("classes.csv")
	e := &Eval{TemperatureOn: set(), OODTrain: set(), Profile: file("own.yaml")}
	e.Styles, e.Classes = set(), classes
	for _, s := range []struct {
		stage Stage
		want  []string
	}{
		{Stage{Train: &Train{Config: train.Config{Mixset: a, Weights: weights, Classes: classes}}}, []string{"classes", "mixset", "weights"}},
		{
			Stage{Train: &Train{Config: train.Config{Mixset: b + "+" + c, Weights: filepath.Dir(weights)}}},
			[]string{"mixset " + b, "mixset " + c, "weights"},
		},
		{Stage{Train: &Train{Config: train.Config{Mixset: c + "+fractals-n10"}}}, []string{"mixset " + c}},
		{Stage{Train: &Train{Config: train.Config{Mixset: "fractals", Classes: formats.ClassMaps()[0]}}}, nil},
		{Stage{Eval: e}, []string{"classes", "ood-train", "profile", "styles", "temperature-on"}},
	} {
		reads := s.stage.reads(map[string]string{})
		slices.Sort(s.want)
		if got := slices.Sorted(maps.Keys(reads)); !slices.Equal(got, s.want) {
			t.Errorf("looks at %q, want %q", got, s.want)
		}
	}
	seen := map[string]string{}
	s := Stage{Train: &Train{Config: train.Config{Weights: weights}}}
	was := s.reads(seen)
	if err := os.WriteFile(weights, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := was.differ(s.reads(seen)); !slices.Equal(got, []string{"weights"}) {
		t.Errorf("with other weights, which an earlier stage has made: %q differ", got)
	}
}

// TestSuitesInstead: what a recipe says of suites is left out where others are measured instead.
func TestSuitesInstead(t *testing.T) {
	text := strings.ReplaceAll(tiny, "eval: {input-size: 16}",
		"eval: {input-size: 16, subset: [fog], severity: '3', ood-score: knn, ood-train: x, ood: {a: b}}")
	text = strings.ReplaceAll(text, "suites: [clean]", "suites: [clean, c, ood]")
	for suites, want := range map[string]Eval{
		"":      {Subset: []string{"fog"}, Severity: "3", OODScore: "knn", OODTrain: "x", OOD: map[string]string{"a": "b"}},
		"clean": {},
		"cbar":  {Severity: "3"},
		"p,ood": {OODScore: "knn", OODTrain: "x", OOD: map[string]string{"a": "b"}},
	} {
		o := Options{Dir: t.TempDir()}
		if suites != "" {
			o.Suites = strings.Split(suites, ",")
		}
		x, err := New(tinyRecipe(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(x.Stages, func(s Stage) bool { return s.Eval != nil })
		e := x.Stages[i].Eval
		got := Eval{Subset: e.Subset, Severity: e.Severity, OODScore: e.OODScore, OODTrain: e.OODTrain, OOD: e.OOD}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", suites, got, want)
		}
		if full := e.WithDefaults(); full.checkSuiteOptions() != nil {
			t.Errorf("%q: %v", suites, full.checkSuiteOptions())
		}
	}
}

// planOf returns the training and the evaluation of a recipe with one method, which are not run.
func planOf(t *testing.T, text string, o Options) (*train.Config, *Eval) {
	t.Helper()
	o.Dir, o.Methods = t.TempDir(), []string{"standard"}
	x, err := New(tinyRecipe(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return &x.Stages[0].Train.Config, x.Stages[1].Eval
}

// TestEvaluationReads: the test set is read as the network was trained to see images.
func TestEvaluationReads(t *testing.T) {
	c, e := planOf(t, tiny+"channels: [3, 2, 1]\nwindow: '0:4095'\ngray: true\ninput-format: scenes\n", Options{})
	in, err := c.Input()
	if err != nil {
		t.Fatal(err)
	}
	if got := e.input(); !reflect.DeepEqual(got.Reading, in.Reading) || !slices.Equal(got.Channels, in.Channels) || got.Format != in.Format {
		t.Errorf("the test set is read as %+v, the training set as %+v", got, in)
	}
	// Another set may be of another format.
	text := strings.ReplaceAll(tiny+"input-format: scenes\n", "  suites: [clean]", "  test: elsewhere\n  suites: [clean]")
	if _, e := planOf(t, text, Options{}); e.InputFormat != "" {
		t.Errorf("a test set of its own has the format %q of the training set", e.InputFormat)
	}
}

// TestEvaluationLabels: the labels and the patterns of the validation data are taken for that alone.
func TestEvaluationLabels(t *testing.T) {
	const scenes = "scenes:n=20,size=16,split=test"
	parts := partedFolder(t, "val", "test")
	text := tiny + "val-labels: y.npy\nval-only: ['1*']\n"
	test := func(lines string) string {
		return strings.ReplaceAll(text, "  suites: [clean]", "  "+lines+"\n  suites: [clean]")
	}
	type taken struct {
		labels string
		only   int
	}
	for _, c := range []struct {
		what, text string
		o          Options
		train      string // val-labels of the training
		want       taken
	}{
		{"Val", text, Options{}, "y.npy", taken{"y.npy", 1}},
		{"Val by name", test("test: " + scenes), Options{}, "y.npy", taken{"y.npy", 1}},
		{"another set", test("test: scenes:n=10"), Options{}, "y.npy", taken{}},
		{"another set with its rest", test("test: scenes:n=10\n  seen: known"), Options{}, "y.npy", taken{"", 1}},
		{"another part", strings.ReplaceAll(test("test: "+parts+"\n  test-split: test"), scenes, parts), Options{}, "y.npy", taken{}},
		{"instead of Val", text, Options{Test: "scenes:n=10"}, "", taken{"", 1}},
		{"other data", text, Options{Data: partedFolder(t, "train", "test")}, "", taken{"", 1}},
	} {
		conf, e := planOf(t, c.text, c.o)
		if got := (taken{e.Labels, len(e.Only)}); got != c.want || conf.ValLabels != c.train {
			t.Errorf("%s: the evaluation takes %+v, the training %q, want %+v, %q", c.what, got, conf.ValLabels, c.want, c.train)
		}
	}
}

// TestEvaluationParts: a file of labels is that of the part that validates.
func TestEvaluationParts(t *testing.T) {
	dir := partedFolder(t, "train", "val", "test")
	c := &train.Config{Val: dir, ValLabels: "y.npy"}
	for split, want := range map[string]bool{"": false, "val": true, "test": false} {
		if got := validates(c, dir, Input{Split: split}); got != want {
			t.Errorf("part %q validates: %v, want %v", split, got, want)
		}
	}
}

// TestMeasuredSet: without a test set the test part of the data is measured, and nothing that is trained on.
func TestMeasuredSet(t *testing.T) {
	parts, whole, test := partedFolder(t, "train", "test"), partedFolder(t, ""), partedFolder(t, "")
	withVal := partedFolder(t, "train", "val")
	recipe := func(lines string) string {
		_, rest, _ := strings.Cut(tiny, "model:")
		return lines + "\nmodel:" + rest
	}
	for _, c := range []struct {
		lines string
		o     Options
		want  string // In and Split; empty: refused
	}{
		{"data: " + parts, Options{}, parts + " test"},
		{"data: " + withVal, Options{}, withVal + " test"}, // for which val stands
		{"data: " + parts + "\nval-fraction: 0.2", Options{}, parts + " test"},
		{"data: " + parts + "\nval: none", Options{}, parts + " test"},
		{"data: nowhere", Options{}, "nowhere "},
		{"data: " + whole, Options{Test: test}, test + " "},
		{"data: " + whole + "\nval-fraction: 0.2", Options{Test: test}, test + " "},
		{"data: " + whole, Options{Data: parts}, parts + " test"},

		{"data: " + whole, Options{}, ""},
		{"data: " + whole + "\nval-fraction: 0.2", Options{}, ""},
		{"data: " + whole + "\nval: none\nlimit: 2", Options{}, ""},
		{"data: " + whole + "\nonly: ['cat/*']", Options{}, ""},
		{"data: " + parts + "\nsplit: all", Options{}, ""},
		{"data: " + parts + "\nsplit: test", Options{}, ""},
		{"data: " + withVal + "\nsplit: val", Options{}, ""},
		{"data: " + partedFolder(t, "train"), Options{}, ""},
		{"data: scenes:n=40,size=16", Options{}, ""},
		{"data: " + parts, Options{Data: whole}, ""},
	} {
		c.o.Dir, c.o.Methods = t.TempDir(), []string{"standard"}
		x, err := New(tinyRecipe(t, recipe(c.lines)), c.o)
		if c.want == "" {
			if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "no test part apart from what is trained on (allowed: ") {
				t.Errorf("%s, %+v: %v", c.lines, c.o, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %+v: %v", c.lines, c.o, err)
			continue
		}
		if e := x.Stages[1].Eval; e.In+" "+e.Split != c.want {
			t.Errorf("%s, %+v: measures %s %s, want %s", c.lines, c.o, e.In, e.Split, c.want)
		}
		if config := &x.Stages[0].Train.Config; config.ValFraction > 0 && config.Val != "" {
			t.Errorf("%s, %+v: validates on %s beside a share of its data", c.lines, c.o, config.Val)
		}
	}
}
