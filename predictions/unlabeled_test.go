package predictions

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// TestUnlabeled: labels and ids that nobody asks for may be anything, in every format, also of an ensemble.
func TestUnlabeled(t *testing.T) {
	s := newSample(20, 3)
	scores := &npy.Array{Shape: []int{20, 3}, Data: s.rows}
	strange := s
	strange.labels = make([]int64, 20)
	for i := range strange.labels {
		strange.labels[i] = -1 - int64(i)
	}
	few := archive(t, map[string]*npy.Array{
		"logits": scores, "labels": {Shape: []int{2}, Data: []float32{.5, 7}}, "target": {Shape: []int{1}, Data: []int64{1}},
		"id": {Shape: []int{3}, Data: []int64{1, 2, 3}},
	})
	for name, path := range map[string]string{
		"npz": few, "csv": file(t, "a.csv", []byte(strings.ReplaceAll(s.csv(","), ",x,", ",x,none"))),
		"jsonl": file(t, "a.jsonl", []byte(strings.ReplaceAll(s.jsonl(), `"label":`, `"label":"none","was":`))), "parquet": strange.parquetList(t),
	} {
		if _, _, _, _, err := read(path, Options{}); err == nil {
			t.Errorf("%s: strange labels are taken", name)
		}
		rows, labels, ids, r, err := read(path, Options{Unlabeled: true})
		if err != nil || len(rows) != 60 || len(labels)+len(ids) > 0 || r.Labeled() || r.Identified() {
			t.Errorf("%s: %d numbers, %d labels, %d ids: %v", name, len(rows), len(labels), len(ids), err)
		}
		if rows, _, _, _, err = read(path, Options{Unlabeled: true, With: []Part{{Path: few}}}); err != nil || len(rows) != 60 {
			t.Errorf("%s in an ensemble: %d numbers: %v", name, len(rows), err)
		}
	}
}
