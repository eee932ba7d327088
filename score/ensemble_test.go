package score_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// errors of a benchmark by corruption, over severities.
func ensembleErrors(t *testing.T, f score.Files) map[string]float64 {
	t.Helper()
	r, err := f.Score(context.Background(), score.Options{Dataset: "cats-dogs-c"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, row := range r.Rows {
		if row.Metric == results.Top1Error && row.Severity == 0 {
			out[row.Corruption] = row.Value
		}
	}
	return out
}

// TestEnsembleFolder: of folders, every corruption and severity is averaged with its like, and what is not alike is refused by name.
func TestEnsembleFolder(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, path := range []string{a, b} {
		if err := saveLogits(path); err != nil {
			t.Fatal(err)
		}
	}
	// b knows fog with certainty, and says nothing of snow.
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(b, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("fog.csv", strings.Repeat("9,-9\n-9,9\n", 10))
	write("snow.csv", strings.Repeat("2,2\n", 20))
	alone := ensembleErrors(t, score.Files{Path: a})
	got := ensembleErrors(t, score.Files{Path: a, Ensemble: []string{b}})
	if got["fog"] != 0 || got["snow"] != alone["snow"] || alone["fog"] == 0 {
		t.Errorf("%v, alone %v", got, alone)
	}

	refused := func(want string, f score.Files) {
		t.Helper()
		_, err := f.Score(context.Background(), score.Options{Dataset: "cats-dogs-c"})
		if !errors.Is(err, predictions.ErrEnsemble) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	both := score.Files{Path: a, Ensemble: []string{b}}
	write("labels.txt", "0\n1\n0\n0\n")
	refused("the labels in "+filepath.Join(b, "labels.txt"), both)
	write("labels.txt", strings.Repeat("0\n1\n0\n0\n", 5))
	refused("the labels in "+filepath.Join(b, "labels.txt"), both)
	write("labels.txt", strings.Repeat("0\n1\n0\n1\n", 5))
	if again := ensembleErrors(t, both); !maps.Equal(again, got) {
		t.Errorf("labels of b five times over: %v, want %v", again, got)
	}
	if again := ensembleErrors(t, score.Files{Path: b, Ensemble: []string{a}}); !maps.Equal(again, got) {
		t.Errorf("labels of the first five times over: %v, want %v", again, got)
	}
	write("labels.txt", "0\n1\n0\n1\n")
	if err := os.Rename(filepath.Join(b, "snow.csv"), filepath.Join(b, "frost.csv")); err != nil {
		t.Fatal(err)
	}
	refused(b+" has nothing that goes with "+filepath.Join(a, "snow.csv"), both)
	refused("layout", score.Files{Path: a, Ensemble: []string{filepath.Join(b, "fog.csv")}})
	_, err := score.Files{Path: filepath.Join(a, "fog.csv"), Ensemble: []string{b}, OOD: []string{"x"}}.Score(context.Background(), score.Options{})
	if !errors.Is(err, score.ErrOption) {
		t.Errorf("OOD sets of an ensemble: %v", err)
	}
}
