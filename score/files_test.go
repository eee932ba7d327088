package score

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

const images, classes = 40, 10

// madeUp returns labels, and for each of the 15 corruptions logits of five severities and their class numbers.
func madeUp() (labels []int64, logits map[string][]float32, numbers map[string][]int64) {
	logits, numbers = map[string][]float32{}, map[string][]int64{}
	for i := range images {
		labels = append(labels, int64(i*7%classes))
	}
	state := uint32(1)
	profile, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		panic(err)
	}
	for _, name := range profile.Primary() {
		for range 5 {
			for _, label := range labels {
				z := make([]float32, classes)
				for k := range z {
					state = state*1664525 + 1013904223
					z[k] = float32(state>>8) / (1 << 22)
				}
				z[label] += 2
				logits[name] = append(logits[name], z...)
				numbers[name] = append(numbers[name], int64(slices.Index(z, slices.Max(z))))
			}
		}
	}
	return labels, logits, numbers
}

func saveZip(t *testing.T, path string, arrays map[string]*npy.Array) string {
	t.Helper()
	z, err := npy.CreateZip(path, false)
	for name, a := range arrays {
		if err == nil {
			err = z.Write(name, a)
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// forms writes the same predictions as a folder, as one file, and as class numbers.
func forms(t *testing.T) (folder, one, numbers, severity3 string) {
	t.Helper()
	dir := t.TempDir()
	labels, logits, classOf := madeUp()
	l := &npy.Array{Shape: []int{images}, Data: labels}
	all, num, three := map[string]*npy.Array{"labels": l}, map[string]*npy.Array{"labels": l}, map[string]*npy.Array{"labels": l}
	folder = filepath.Join(dir, "folder")
	if err := errors.Join(os.Mkdir(folder, 0o777), npy.WriteFile(filepath.Join(folder, "labels.npy"), l)); err != nil {
		t.Fatal(err)
	}
	for name, z := range logits {
		all[name] = &npy.Array{Shape: []int{5 * images, classes}, Data: z}
		num[name] = &npy.Array{Shape: []int{5 * images}, Data: classOf[name]}
		three[name] = &npy.Array{Shape: []int{images, classes}, Data: z[2*images*classes:][:images*classes]}
		if err := npy.WriteFile(filepath.Join(folder, name+".npy"), all[name]); err != nil {
			t.Fatal(err)
		}
	}
	return folder, saveZip(t, filepath.Join(dir, "one.npz"), all), saveZip(t, filepath.Join(dir, "numbers.npz"), num),
		saveZip(t, filepath.Join(dir, "three.npz"), three)
}

func scored(t *testing.T, f Files, o Options) *Result {
	t.Helper()
	r, err := f.Score(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func lineOf(t *testing.T, r *results.Row) string {
	t.Helper()
	line, err := r.AppendLine(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// TestForms: a folder and one file of the same predictions give the same rows, and class numbers the same errors and
// nothing else.
func TestForms(t *testing.T) {
	folder, one, numbers, _ := forms(t)
	o := Options{Model: "m", Bootstrap: Bootstrap{Replicates: 20}, Time: time.Unix(1, 0)}
	a, b := scored(t, Files{Path: folder}, o), scored(t, Files{Path: one}, o)
	if !slices.EqualFunc(a.Rows, b.Rows, func(x, y results.Row) bool { return lineOf(t, &x) == lineOf(t, &y) }) || len(a.Rows) < 100 {
		t.Errorf("%d and %d rows, or other ones", len(a.Rows), len(b.Rows))
	}
	n := scored(t, Files{Path: numbers}, o)
	for i := range n.Rows {
		x := &n.Rows[i]
		if x.Metric != results.Top1Error {
			t.Errorf("class numbers have %s", x.Metric)
			continue
		}
		same := slices.ContainsFunc(a.Rows, func(y results.Row) bool {
			return results.ByCell(&y) == results.ByCell(x) && y.Value == x.Value && y.N == x.N && lineOf(t, &y) == lineOf(t, x)
		})
		if !same {
			t.Errorf("another row %+v", x)
		}
	}
	if len(n.Rows) != 15*6+1+5+4 || n.Dataset != "cifar10-c" || n.Kind != predictions.Classes {
		t.Errorf("%d rows of %s, kind %v", len(n.Rows), n.Dataset, n.Kind)
	}
	if notes := strings.Join(n.Notes, "\n"); !strings.Contains(notes, "errors only") || len(n.Notes) != 3 {
		t.Errorf("notes %s", notes)
	}
	dir := t.TempDir()
	if err := WriteRecords(filepath.Join(dir, records.FileName), n); !errors.Is(err, ErrOption) {
		t.Errorf("records of class numbers: error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}

// TestOneSeverity: an array as long as the labels is one severity, which has to be said.
func TestOneSeverity(t *testing.T) {
	folder, _, _, three := forms(t)
	_, err := Files{Path: three}.Score(context.Background(), Options{Model: "m"})
	if !errors.Is(err, ErrNoSeverity) || !strings.Contains(fmt.Sprint(err), `three.npz: array "`) {
		t.Errorf("error %v", err)
	}
	r, all := scored(t, Files{Path: three, Severity: 3}, Options{Model: "m"}), scored(t, Files{Path: folder}, Options{Model: "m"})
	if errorOf(r, "fog", 3).Value != errorOf(all, "fog", 3).Value || errorOf(r, "fog", 0) != nil || errorOf(r, "", 0) != nil {
		t.Error("another error of fog, or means over severities")
	}
	if got, want := errorOf(r, "", 3).Value, errorOf(all, "", 3).Value; math.Abs(got-want) > 1e-15 {
		t.Errorf("mean at severity 3 %v, want %v", got, want)
	}
	if lines := r.Summary(); len(lines) != 1 || lines[0].Label != "Error (mean over 15, severity 3)" {
		t.Errorf("summary %v", lines)
	}
	if !slices.Contains(r.Notes, "4 of 5 severities are missing: 1, 2, 4, 5") || len(r.Notes) != 3 { // and none about a mean that is not there
		t.Errorf("notes %q", r.Notes)
	}
	// So is an array with labels in its own file.
	dir := t.TempDir()
	saveZip(t, filepath.Join(dir, "fog.npz"), map[string]*npy.Array{
		"logits": {Shape: []int{5, 2}, Data: make([]float32, 10)}, "labels": {Shape: []int{5}, Data: []int64{0, 0, 1, 0, 1}},
	})
	own := scored(t, Files{Path: dir, Severity: 2}, Options{Dataset: "own-c"})
	if r := &own.Rows[0]; r.Severity != 2 || r.N != 5 {
		t.Errorf("severity %v of %d images, want 2 of 5", r.Severity, r.N)
	}
}

// TestSummary: mCE is found under its name, and what is missing is said once.
func TestSummary(t *testing.T) {
	folder, _, _, _ := forms(t)
	r := scored(t, Files{Path: folder}, Options{Model: "m"})
	lines := r.Summary()
	if len(lines) != 1 || lines[0].Label != "mCE (mean over 15, unnormalized)" || lines[0].Row.Value != errorOf(r, "", 0).Value {
		t.Errorf("%+v", lines)
	}
	want := "mCE is not normalized: AlexNet's published errors are ImageNet errors; CIFAR papers report the plain mean over corruptions"
	if !slices.Contains(r.Notes, want) {
		t.Errorf("notes %q", r.Notes)
	}
	_, logits, _ := madeUp()
	labels, _, _ := madeUp()
	few := saveZip(t, filepath.Join(t.TempDir(), "few.npz"), map[string]*npy.Array{
		"labels": {Shape: []int{images}, Data: labels},
		"fog":    {Shape: []int{5 * images, classes}, Data: logits["fog"]},
		"snow":   {Shape: []int{5 * images, classes}, Data: logits["snow"]},
	})
	r = scored(t, Files{Path: few}, Options{Model: "m"})
	missing := slices.DeleteFunc(slices.Clone(r.Notes), func(n string) bool { return !strings.Contains(n, "missing") })
	if len(missing) != 1 || !strings.HasPrefix(missing[0], "13 of 15 corruptions are missing: gaussian_noise, ") {
		t.Errorf("notes %q", r.Notes)
	}
}

// TestClassesOfSequences: class numbers of sequences say how many classes there are, as far as they occur.
func TestClassesOfSequences(t *testing.T) {
	for most, want := range map[int64]string{
		9: "taken for cifar10-p, by its names and class numbers up to 9", 999: "taken for imagenet-p, by its names and class numbers up to 999",
		994: "taken for own-p, by its names and class numbers up to 994",
	} {
		dir := filepath.Join(t.TempDir(), "p")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"tilt", "snow"} {
			a := &npy.Array{Shape: []int{2, 3}, Data: []int64{0, 3, most, 1, 1, 2}}
			if err := npy.WriteFile(filepath.Join(dir, name+".npy"), a); err != nil {
				t.Fatal(err)
			}
		}
		r := scored(t, Files{Path: dir, Workers: 2}, Options{Zipf: true})
		for _, want := range []string{want, "predicted classes alone: flip probabilities only; distances need logits or probabilities"} {
			if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, want) }) {
				t.Errorf("notes %q, want %q", r.Notes, want)
			}
		}
	}
}

// TestUndefinedWhere: a note of an undefined number says of which corruption it is.
func TestUndefinedWhere(t *testing.T) {
	c, err := NewCell("fog", 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	o, err := metrics.ScoreProbs(0, []float64{1, 0}, 1)
	if err == nil {
		err = c.Add(&o)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, notes, err := c.Rows(results.Row{}, Metrics{})
	if want := "nll of fog, severity 3: undefined: "; err != nil || !strings.HasPrefix(notes[0], want) {
		t.Errorf("notes %q, %v", notes, err)
	}
}

// TestGuessedDataset: a file that is taken for a published data set by its classes says so, and one of a name or of other classes does not.
func TestGuessedDataset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mnist.npz")
	labels := &npy.Array{Shape: []int{3}, Data: []int64{0, 9, 1}}
	ten, eleven := make([]float32, 30), make([]float32, 33)
	ten[0], eleven[0] = 2, 2 // logits
	for _, c := range []struct {
		scores        *npy.Array
		dataset, note string
	}{
		{&npy.Array{Shape: []int{3, 10}, Data: ten}, "", "taken for cifar10, by its 10 classes" + NameDataset},
		{&npy.Array{Shape: []int{3}, Data: []int64{9, 0, 1}}, "", "taken for cifar10, by its class numbers up to 9" + NameDataset},
		{&npy.Array{Shape: []int{3, 11}, Data: eleven}, "", ""},
		{&npy.Array{Shape: []int{3, 10}, Data: ten}, "mnist", ""},
	} {
		saveZip(t, path, map[string]*npy.Array{"labels": labels, "outputs": c.scores})
		r := scored(t, Files{Path: path}, Options{Dataset: c.dataset})
		i := slices.IndexFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "taken for") })
		if (i >= 0) != (c.note != "") || i >= 0 && r.Notes[i] != c.note {
			t.Errorf("%v: notes %q, want %q", c.scores.Shape, r.Notes, c.note)
		}
	}
}

// TestFirstOf: an error names the first of many parts.
func TestFirstOf(t *testing.T) {
	var names []string
	for i := range 60_000 {
		names = append(names, fmt.Sprint("arr", i))
	}
	if text := firstOf(names); !strings.HasSuffix(text, "arr19 and 59980 more") {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
	if text := firstOf(names[:2]); text != "arr0, arr1" {
		t.Error(text)
	}
}
