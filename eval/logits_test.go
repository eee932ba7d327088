package eval

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
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
	_, err := predictions.Find(filepath.Join(some, "set-c"), predictions.Auto)
	if !errors.Is(err, predictions.ErrLayout) || !strings.Contains(err.Error(), "severities [2 5] of fog") {
		t.Errorf("scored as a whole: %v", err)
	}
	store := Store{LogitsDir: some}
	if !store.logitsThere("set-c", "fog", []float64{2, 5}) || store.logitsThere("set-c", "fog", []float64{2, 3}) ||
		store.logitsThere("set-c", "fog", nil) {
		t.Error("what is there and what is not")
	}
}
