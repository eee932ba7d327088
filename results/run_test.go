package results

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitForm(t *testing.T) {
	for name, want := range map[string][2]string{
		"cifar10": {"cifar10", ""}, "cifar10-c": {"cifar10", "c"}, "cifar10-c-bar": {"cifar10", "c-bar"},
		"imagenet-p": {"imagenet", "p"}, "imagenet-r": {"imagenet", "r"}, "imagenet-c-299": {"imagenet-299", "c"},
		"tiny-imagenet-c": {"tiny-imagenet", "c"}, "imagenet-64": {"imagenet-64", ""}, "-c": {"-c", ""}, "": {"", ""},
		"icons-50": {"icons-50", ""}, "my-own-c": {"my-own", "c"}, "imagenet-c-64-299": {"imagenet-64-299", "c"},
		"imagenet-c-299-64": {"imagenet-299-64", "c"}, "imagenet-p-64-64": {"imagenet-64-64", "p"}, "-64": {"-64", ""},
	} {
		if base, form := SplitForm(name); base != want[0] || form != want[1] || Base(name) != want[0] {
			t.Errorf("%q: %q, %q", name, base, form)
		}
	}
}

// TestSampleSet: forms are made of their base's images, ImageNet-R's are its own.
func TestSampleSet(t *testing.T) {
	for name, want := range map[string]string{
		"imagenet": "imagenet", "imagenet-c": "imagenet", "imagenet-c-64": "imagenet-64", "imagenet-r": "imagenet-r",
		"imagenet-r-64": "imagenet-r-64", "imagenet-r-c": "imagenet-r", "icons-50": "icons-50",
	} {
		if got := SampleSet(name); got != want || IsForm(name) != (want != name) {
			t.Errorf("%q: %q, want %q; a form: %v", name, got, want, IsForm(name))
		}
	}
}

func TestReliabilityRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bins := make([]ReliabilityBin, rapid.IntRange(1, 20).Draw(t, "bins"))
		filled := 0
		for i := range bins {
			bins[i] = ReliabilityBin{Confidence: math.NaN(), Accuracy: math.NaN()}
			if n := rapid.Int64Range(0, 3).Draw(t, "n"); n > 0 {
				filled++
				bins[i] = ReliabilityBin{n, rapid.Float64Range(0, 1).Draw(t, "conf"), rapid.Float64Range(0, 1).Draw(t, "acc")}
			}
		}
		base := sample()
		base.View = rapid.SampledFrom([]View{{}, {Attack: AttackPGD}, {Part: "bin 1 of 2", Limit: 3}}).Draw(t, "view")
		rows := ReliabilityRows(base, bins)
		if len(rows) != 2*filled {
			t.Fatalf("%d rows of %d bins", len(rows), filled)
		}
		var located []Located
		for i, r := range rows {
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			located = append(located, Located{r, "f", i + 1})
		}
		located = append(located, Located{sample(), "f", 99})
		diagrams, err := Reliability(located)
		if err != nil {
			t.Fatal(err)
		}
		if filled == 0 {
			if len(diagrams) != 0 {
				t.Fatalf("%+v", diagrams)
			}
			return
		}
		key := base.Key()
		key.Metric = ""
		if len(diagrams) != 1 || diagrams[0].Key != key {
			t.Fatalf("%+v", diagrams)
		}
		same := slices.EqualFunc(diagrams[0].Bins, bins, func(a, b ReliabilityBin) bool {
			return a.N == b.N && sameFloat(a.Confidence, b.Confidence) && sameFloat(a.Accuracy, b.Accuracy)
		})
		if !same {
			t.Fatalf("got %v, want %v", diagrams[0].Bins, bins)
		}
	})
}

func TestReliabilityRefuses(t *testing.T) {
	change := func(f func(rows []Located) []Located) []Located {
		rows := ReliabilityRows(sample(), []ReliabilityBin{{5, 0.2, 0.3}, {7, 0.8, 0.9}})
		var located []Located
		for i, r := range rows {
			located = append(located, Located{r, "f.jsonl", i + 1})
		}
		return f(located)
	}
	for words, f := range map[string]func(r []Located) []Located{
		"only one":            func(r []Located) []Located { return r[1:] },
		`f.jsonl:2: `:         func(r []Located) []Located { r[1].Bin = 0; return r },
		"bin 3 of 2":          func(r []Located) []Located { r[1].Bin = 3; return r },
		"at most 10000":       func(r []Located) []Located { r[1].Bins = 99999999; return r },
		"diagram of 2 bins":   func(r []Located) []Located { r[2].Bins = 3; return r },
		"holds 6 samples":     func(r []Located) []Located { r[1].N = 6; return r },
		"of 0 samples":        func(r []Located) []Located { r[0].N = 0; return r },
		"bin_confidence 1.5":  func(r []Located) []Located { r[0].Value = 1.5; return r },
		"bin_confidence NaN ": func(r []Located) []Located { r[0].Value = math.NaN(); return r },
	} {
		if _, err := Reliability(change(f)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func example() Example {
	return Example{
		Model: "m", Dataset: "cifar10-c", Corruption: "fog", Severity: 3, Key: "test/1", Image: "1.png", Label: "ship",
		CleanPred: "ship", CleanConf: 0.9, Pred: "frog", Conf: 0.5,
	}
}

func TestExamples(t *testing.T) {
	dir := t.TempDir()
	if list, err := ReadExamples(dir); err != nil || list != nil {
		t.Errorf("none: %v, %v", list, err)
	}
	other := example()
	other.Clean = "1-clean.png"
	want := []Example{example(), other}
	if err := WriteExamples(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadExamples(dir)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	files, err := os.ReadDir(filepath.Join(dir, "examples"))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	for _, change := range []func(*Example){
		func(e *Example) { e.Model = "" },
		func(e *Example) { e.Dataset = "" },
		func(e *Example) { e.Image = "" },
		func(e *Example) { e.Image = "../secret.png" },
		func(e *Example) { e.Clean = `..\secret.png` },
		func(e *Example) { e.Clean = ".." },
		func(e *Example) { e.Severity = 6 },
		func(e *Example) { e.Conf = 1.01 },
		func(e *Example) { e.CleanConf = math.NaN() },
	} {
		e := example()
		change(&e)
		if err := WriteExamples(dir, []Example{example(), e}); !errors.Is(err, ErrFormat) ||
			!strings.Contains(err.Error(), "example 1") {
			t.Errorf("%+v: %v", e, err)
		}
	}
	if again, err := ReadExamples(dir); err != nil || len(again) != 2 {
		t.Errorf("a failed write changed the file: %v, %v", again, err)
	}
	path := filepath.Join(dir, filepath.FromSlash(ExamplesName))
	for _, line := range []string{
		`{}`, `[]`, `{"model":"m","dataset":"d","image":"i","extra":1}`,
		`{"model":"m","dataset":"d","image":"i"} x`,
	} {
		if err := os.WriteFile(path, []byte("\n"+line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadExamples(dir); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), path+":2") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func FuzzExample(f *testing.F) {
	f.Add([]byte(`{"model":"m","dataset":"d","image":"1.png","confidence":0.5,"clean_confidence":1}`))
	f.Add([]byte(`{"model":"m","dataset":"d","image":"1.png","ten_crop":true,"limit":5}`))
	f.Add([]byte(`{"model":"m","dataset":"d","image":"1.png","view":"ten-crop, limit 5"}`))
	f.Add([]byte(`{"image":"../x"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseExample(line)
		if err == nil && e.Validate() != nil {
			t.Errorf("%q was read as %+v, which is none", line, e)
		}
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", line, err)
		}
	})
}

func ExampleReliabilityRows() {
	base := Row{Model: "wrn", Dataset: "cifar10", Time: noon, Origin: Measured}
	for _, r := range ReliabilityRows(base, []ReliabilityBin{{}, {N: 40, Confidence: 0.75, Accuracy: 0.7}}) {
		fmt.Println(r.Bin, "of", r.Bins, r.Metric, r.Value, r.N)
	}
	// Output:
	// 2 of 2 bin_confidence 0.75 40
	// 2 of 2 bin_accuracy 0.7 40
}

// Rows that repeat those of a bin change nothing, and rows that contradict them are refused.
func TestReliabilityRepeats(t *testing.T) {
	var rows []Located
	for i, r := range ReliabilityRows(sample(), []ReliabilityBin{{5, 0.2, 0.3}}) {
		rows = append(rows, Located{r, "f.jsonl", i + 1})
	}
	again := rows[1]
	again.Line = 3
	d, err := Reliability(append(slices.Clone(rows), again))
	if err != nil || len(d) != 1 || d[0].Bins[0] != (ReliabilityBin{5, 0.2, 0.3}) {
		t.Errorf("%+v, %v", d, err)
	}
	for name, change := range map[string]func(*Located){
		"another accuracy": func(r *Located) { r.Value = 0.9 },
		"another n":        func(r *Located) { r.N = 6 },
	} {
		other := again
		change(&other)
		for _, all := range [][]Located{append(slices.Clone(rows), other), append([]Located{other}, rows...)} {
			d, err := Reliability(all)
			if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "f.jsonl:2") || !strings.Contains(err.Error(), "f.jsonl:3") {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
		}
	}
}
