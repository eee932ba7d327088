package eval

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// TestLogitsOfSomeSeverities: a file a severity where not all five are measured, so that no reader takes them for five.
func TestLogitsOfSomeSeverities(t *testing.T) {
	measure := func(dir string, severities []float64) {
		here, set := near(), small()
		e := &Evaluator{Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Store: Store{LogitsDir: dir}}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog"}, Open: set.again}
		c.Plan = transform.Corruptions{Severities: severities}
		if err := e.Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) []float32 {
		a, err := npy.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return a.Data.([]float32)
	}
	dir := t.TempDir()
	all, some := filepath.Join(dir, "all"), filepath.Join(dir, "some")
	measure(all, nil)
	measure(some, []float64{2, 5})
	logits := read(filepath.Join(all, "set-c", "fog.npy"))
	block := len(logits) / 5
	if block != 21*7 {
		t.Fatalf("%d logits a severity", block)
	}
	for name, severity := range map[string]int{"fog_2.npy": 2, "fog_5.npy": 5} {
		want := logits[(severity-1)*block : severity*block]
		if got := read(filepath.Join(some, "set-c", name)); !slices.Equal(got, want) {
			t.Errorf("%s: other logits", name)
		}
	}
	found, err := predictions.Find(filepath.Join(some, "set-c"), predictions.Auto)
	if err != nil || found.Layout != predictions.ImageNetC || len(found.Parts) != 2 || found.Parts[0].Severity != 2 || found.Parts[1].Severity != 5 {
		t.Errorf("read as %+v, %v", found, err)
	}
	store := Store{LogitsDir: some}
	fog := results.Row{Dataset: "set-c", Corruption: "fog"}
	if !store.logitsThere(fog, "fog", []float64{2, 5}) || store.logitsThere(fog, "fog", []float64{2, 3}) || store.logitsThere(fog, "fog", nil) {
		t.Error("what is there and what is not")
	}
	if err := os.Remove(filepath.Join(some, "set-c", "fog_5.versions.json")); err != nil || store.logitsThere(fog, "fog", []float64{2, 5}) {
		t.Errorf("logits of which nothing is said count as there (%v)", err)
	}
}

// TestVersionsOfLogits: beside logits lies what their rows say, generated frost with its own alone.
func TestVersionsOfLogits(t *testing.T) {
	here, set, dir := near(), small(), t.TempDir()
	e := &Evaluator{
		Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Store: Store{LogitsDir: dir},
		Versions: map[string]string{results.VersionTrainedOn: "fog"},
	}
	c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog", "frost"}, Open: set.again, GeneratedFrost: true}
	c.Plan = transform.Corruptions{Severities: []float64{1}, Frost: smallFrost(t)}
	if err := errors.Join(e.Clean(t.Context(), set, Prepare{}), e.Corruptions(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ file, corruption string }{{"set.npy", ""}, {"set-c/fog_1.npy", "fog"}, {"set-c/frost_1.npy", "frost"}} {
		said, err := predictions.ReadVersions(filepath.Join(dir, x.file))
		i := slices.IndexFunc(e.Rows, func(r results.Row) bool { return r.Corruption == x.corruption })
		if want := e.Rows[i].Versions; err != nil || said[results.VersionTrainedOn] != "fog" ||
			(said[results.VersionFrost] != "") != (x.corruption == "frost") || said[results.VersionImages] != want[results.VersionImages] {
			t.Errorf("%s: %v, %v; its row says %v", x.file, said, err, want)
		}
	}
}

// TestLogitsOfAnotherView: logits of some of the samples, or of another seed, are not taken for those of all, nor the other way round.
func TestLogitsOfAnotherView(t *testing.T) {
	dir := t.TempDir()
	var known []results.Row
	path := filepath.Join(dir, "set-c", "fog.npy")
	// measure returns whether it measured anew.
	measure := func(limit int, seed uint64, logits bool) bool {
		t.Helper()
		here, set := near(), small()
		reused := false
		e := &Evaluator{Model: Model{Predictor: &here, Name: "m"}, Dataset: "set", Limit: limit, Reused: func(string) { reused = true }}
		e.Known = known
		if logits {
			e.LogitsDir = dir
		}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog"}, Open: set.again, Seed: seed}
		if err := e.Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if !reused {
			known = append(known, e.Rows...)
		}
		if want := 21 * 5; logits && limit == 0 && !hasRows(path, want) || logits && limit > 0 && !hasRows(path, limit*5) {
			t.Errorf("limit %d, seed %d: another number of rows", limit, seed)
		}
		return !reused
	}
	for i, c := range []struct {
		limit  int
		seed   uint64
		logits bool
		anew   bool
	}{
		{0, 0, false, true},
		{4, 0, true, true},
		{0, 0, true, true},
		{0, 0, true, false},
		{0, 1, true, true},
		{0, 1, true, false},
		{0, 0, true, true},
		{4, 0, true, true},
	} {
		if got := measure(c.limit, c.seed, c.logits); got != c.anew {
			t.Errorf("%d: %+v: measured anew: %v", i, c, got)
		}
	}
	// Older versions did not say the view: one that is alone is that of the logits.
	beside := predictions.VersionsPath(path)
	if err := os.WriteFile(beside, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	known = slices.DeleteFunc(known, func(r results.Row) bool { return r.Limit == 0 })
	if measure(4, 0, true) {
		t.Error("logits of an older version are not reused")
	}
}
