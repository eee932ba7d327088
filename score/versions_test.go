package score

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// say writes what is to be said of predictions.
func say(t *testing.T, path string, versions map[string]string) {
	t.Helper()
	text, err := predictions.MarshalVersions(versions)
	if err == nil {
		err = os.WriteFile(predictions.VersionsPath(path), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestVersionsOfFiles: rows say what is said beside the files behind them: marks of any, and else what is said of all.
func TestVersionsOfFiles(t *testing.T) {
	folder, _, _, _ := forms(t)
	all, err := filepath.Glob(filepath.Join(folder, "*.npy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		versions := map[string]string{results.VersionTrainedOn: "fog, snow", "weights": "sha256:1", "files": path}
		if strings.HasSuffix(path, "frost.npy") {
			versions[results.VersionFrost] = results.FrostGenerated
		}
		say(t, path, versions)
	}
	r := scored(t, Files{Path: folder}, Options{Model: "m", Versions: map[string]string{"own": "1"}})
	for _, row := range r.Rows {
		v := row.Versions
		frost := row.Corruption == "frost" || row.Corruption == "" && (row.Group == "" || row.Group == "weather")
		if v[results.VersionTrainedOn] != "fog, snow" || v["weights"] != "sha256:1" || v["own"] != "1" ||
			(v[results.VersionFrost] != "") != frost || (v["files"] != "") != (row.Corruption != "") {
			t.Errorf("%s: versions %v", lineOf(t, &row), v)
		}
	}
	fog := filepath.Join(folder, "fog.npy")
	alone := scored(t, Files{Path: fog, Labels: &predictions.Labels{Values: fiveTimes()}}, Options{})
	if got := alone.Rows[0].Versions; got["files"] != fog {
		t.Errorf("of one file %v", got)
	}
	name := predictions.VersionsPath(fog)
	if err := os.WriteFile(name, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := (Files{Path: folder}).Score(t.Context(), Options{}); !errors.Is(err, predictions.ErrContent) || !strings.Contains(err.Error(), name) {
		t.Errorf("a damaged file: %v", err)
	}
}

// fiveTimes are the labels of an array of [forms].
func fiveTimes() (all []int) {
	labels, _, _ := madeUp()
	for range 5 {
		for _, label := range labels {
			all = append(all, int(label))
		}
	}
	return all
}

// TestVersionsOfEnsemble: rows of an ensemble, and of its comparison, are marked with what any of its models was trained on.
func TestVersionsOfEnsemble(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a.npz"), filepath.Join(t.TempDir(), "b.npz")
	_, one, _, _ := forms(t)
	text, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	for path, names := range map[string]string{a: "fog", b: "snow, frost"} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		say(t, path, map[string]string{results.VersionTrainedOn: names, "weights": names})
	}
	both := scored(t, Files{Path: a, Ensemble: []string{b}}, Options{Keep: true})
	single := scored(t, Files{Path: a}, Options{Keep: true})
	compared, err := Compare(both, single)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range append(both.Rows, compared...) {
		if v := row.Versions; v[results.VersionTrainedOn] != "fog, frost, snow" || v["weights"] != "" {
			t.Errorf("%s: versions %v", lineOf(t, &row), v)
		}
	}
}

// TestOriginOfFiles: rows have the view and the fingerprint that are said beside the files, records their cells, and files of two views
// are not scored together.
func TestOriginOfFiles(t *testing.T) {
	folder, _, _, _ := forms(t)
	all, err := filepath.Glob(filepath.Join(folder, "*.npy"))
	if err != nil {
		t.Fatal(err)
	}
	view := results.View{Part: "pets & more", Limit: 55, Preprocess: "clahe"}
	said := map[string]string{results.VersionView: view.Encode() + " seed=4", results.VersionSamples: "sha256:1"}
	for _, path := range all {
		say(t, path, said)
	}
	r := scored(t, Files{Path: folder}, Options{Model: "m", Keep: true})
	if r.View() != view || r.at(r.cells[0]).View != view || len(r.Summary()) == 0 {
		t.Errorf("view %+v, cell %+v, %d lines", r.View(), r.at(r.cells[0]), len(r.Summary()))
	}
	for _, row := range r.Rows {
		if row.Part != view.Part || row.Limit != view.Limit || row.Preprocess != view.Preprocess || row.Data != "sha256:1" ||
			row.Versions[results.VersionView] != "seed=4" || row.Versions[results.VersionSamples] != "" {
			t.Fatalf("%+v", row)
		}
	}
	fog := filepath.Join(folder, "fog.npy")
	say(t, fog, map[string]string{results.VersionView: "limit=7"})
	_, err = (Files{Path: folder}).Score(t.Context(), Options{Model: "m"})
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "fog, severity 1 (limit 7) beside ") {
		t.Errorf("two views: %v", err)
	}
	// Words that are no view are those of who wrote them.
	for _, path := range all {
		say(t, path, map[string]string{results.VersionView: "from the left"})
	}
	r = scored(t, Files{Path: folder}, Options{Model: "m"})
	if row := r.Rows[0]; r.View() != (results.View{}) || row.Versions[results.VersionView] != "from the left" {
		t.Errorf("%+v", row)
	}
}

// TestCompareViews: two models may see the same images otherwise, and images of two parts are not compared.
func TestCompareViews(t *testing.T) {
	_, one, _, _ := forms(t)
	text, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	of := func(name string, view results.View) *Result {
		path := filepath.Join(t.TempDir(), name+".npz")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		say(t, path, map[string]string{results.VersionView: view.Encode()})
		return scored(t, Files{Path: path}, Options{Bootstrap: Bootstrap{Replicates: 10}})
	}
	plain, clahe := of("plain", results.View{}), of("clahe", results.View{Preprocess: "clahe", Limit: images, Part: "pets"})
	rows, err := Compare(clahe, plain)
	if err != nil || len(rows) < 5 || rows[0].Preprocess != "clahe" || rows[0].Against != "plain" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if _, err := Compare(clahe, of("cats", results.View{Part: "cats"})); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "cats") {
		t.Error(err)
	}
}

// TestAmongMore: the makers of ImageNet-R and ImageNet-A choose among 200 classes, and rows of predictions among more say so.
func TestAmongMore(t *testing.T) {
	for _, c := range []struct {
		dataset        string
		classes, among int
		view           string
	}{
		{"imagenet-r", 1000, 1000, ""},
		{"imagenet-a-64", 1000, 1000, "limit=9"},
		{"imagenet-r", 200, 0, ""},
		{"imagenet", 1000, 0, ""},
		{"imagenet-r", 500, 300, "among=300"},
	} {
		const n = 9
		logits, labels := make([]float32, n*c.classes), make([]int64, n)
		for i := range logits {
			logits[i] = float32(i % 7)
		}
		path := saveZip(t, filepath.Join(t.TempDir(), "m.npz"), map[string]*npy.Array{
			"logits": {Shape: []int{n, c.classes}, Data: logits}, "labels": {Shape: []int{n}, Data: labels},
		})
		say(t, path, map[string]string{results.VersionView: c.view, "weights": "1"})
		r := scored(t, Files{Path: path}, Options{Dataset: c.dataset})
		if row := r.Rows[0]; row.Among != c.among || (row.Limit == 9) != (c.view == "limit=9") {
			t.Errorf("%d classes of %s (%s): among %d, limit %d", c.classes, c.dataset, c.view, row.Among, row.Limit)
		}
	}
}
