package score

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
)

// TestLabelsThatRepeatOften: of labels of five severities every severity may be, so that what was taken is said; not of labels that
// repeat five times and no more, as those of the published files do.
func TestLabelsThatRepeatOften(t *testing.T) {
	dir := t.TempDir()
	notes := func(labels []int64) int {
		n := len(labels)
		path := saveZip(t, filepath.Join(dir, "a.npz"), map[string]*npy.Array{
			"labels": {Shape: []int{n}, Data: labels}, "fog": {Shape: []int{n, 10}, Data: make([]float32, n*10)},
		})
		r := scored(t, Files{Path: path, Kind: predictions.Logits}, Options{})
		if e := errorOf(r, "fog", 5); e == nil || e.N != int64(n/5) {
			t.Fatalf("severity 5: %+v", e)
		}
		said := slices.DeleteFunc(r.Notes, func(s string) bool { return !strings.Contains(s, "read as 5 severities of") })
		return len(said)
	}
	if n := notes(slices.Repeat([]int64{0, 1, 2, 3}, 30)); n != 1 {
		t.Errorf("%d notes on cycles of four labels in 120 rows", n)
	}
	if n := notes(slices.Repeat([]int64{0, 1, 1, 3}, 5)); n != 0 {
		t.Errorf("%d notes on four labels five times", n)
	}
}

func TestPeriod(t *testing.T) {
	for text, want := range map[string]int{"": 1, "a": 1, "aaaa": 1, "abab": 2, "aba": 3, "abcabcab": 8, "aabaab": 3} {
		var labels []int
		for _, r := range text {
			labels = append(labels, int(r))
		}
		if got := period(labels); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
