package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// matrixOf reads a confusion matrix without its names.
func matrixOf(t testing.TB, path string) (names []string, counts [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		names, counts = append(names, line[0]), append(counts, line[1:])
	}
	if !slices.Equal(lines[0][1:], names) {
		t.Errorf("columns %v, lines %v", lines[0], names)
	}
	return names, counts
}

// TestPerClass: eval and score count the same confusions, a run that resumes has the rows of the first, and a report shows
// them.
func TestPerClass(t *testing.T) {
	set, dir := photos(t, 12), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "train", "--data", set, "--model", "densenet-7-2", "--crop", "16", "--batch", "4", "--epochs", "1", "-o", in("net"), "-q")
	args := []string{"eval", in("net/model.safetensors"), set, "--per-class", "--logits", "-o", in("eval"), "-q"}
	first := augmix(t, exitDone, args...)
	for _, want := range []string{"CLASS", "ERROR", "cat"} {
		if !strings.Contains(first.out, want) {
			t.Errorf("no %q in\n%s", want, first.out)
		}
	}
	before, err := os.ReadFile(in("eval/results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if again := augmix(t, exitDone, args...); again.out != first.out {
		t.Errorf("resumed it prints\n%s, not\n%s", again.out, first.out)
	}
	if after, err := os.ReadFile(in("eval/results.jsonl")); err != nil || string(after) != string(before) {
		t.Errorf("resuming changed the rows (%v)", err)
	}

	names, counts := matrixOf(t, in("eval/confusion/net/photos.csv"))
	if !slices.Equal(names, []string{"cat", "dog", "fish"}) {
		t.Errorf("classes %v", names)
	}
	rows, err := results.ReadFile(in("eval/results.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for i := range rows {
		if r := &rows[i]; r.Class != "" {
			of[r.Metric]++
			at := slices.Index(names, r.Class)
			right, err := strconv.Atoi(counts[at][at])
			if r.Metric == results.Top1Error && (err != nil || r.Value != float64(4-right)/4) {
				t.Errorf("error of %s %v, counts %v", r.Class, r.Value, counts[at])
			}
			if r.N != 4 {
				t.Errorf("%d images of %s, want 4", r.N, r.Class)
			}
		}
	}
	if of[results.Top1Error] != 3 || of[results.ConfusionShare] == 0 {
		t.Errorf("rows %v", of)
	}

	o := augmix(t, exitDone, "score", in("eval/logits/net/photos.npy"), "--per-class", "--confusion", in("score.csv"))
	if !strings.Contains(o.out, "CLASS") {
		t.Error(o.out)
	}
	if _, same := matrixOf(t, in("score.csv")); !slices.EqualFunc(same, counts, slices.Equal[[]string]) {
		t.Errorf("score counts %v, eval %v", same, counts)
	}
	augmix(t, exitDone, "report", in("eval"), "-o", in("report.md"), "-q")
	text, err := os.ReadFile(in("report.md"))
	if err != nil || !strings.Contains(string(text), "## Errors of single classes") || !strings.Contains(string(text), "| cat |") {
		t.Errorf("%s %v", text, err)
	}

	if o := augmix(t, exitUsage, "eval", in("net/model.safetensors"), set, "--suite", "c", "--per-class"); !strings.Contains(o.err, "suite clean") {
		t.Error(o.err)
	}
}
