package score

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// oodFiles writes predictions of ten classes: those of a labeled test set, and of images of 47 classes with labels of theirs.
func oodFiles(t *testing.T) (test, textures string) {
	t.Helper()
	labels, logits, _ := madeUp()
	strange := make([]int64, images)
	for i := range strange {
		strange[i] = int64(i) + 7
	}
	dir := t.TempDir()
	shape := []int{images, classes}
	test = saveZip(t, filepath.Join(dir, "test.npz"), map[string]*npy.Array{
		"logits": {Shape: shape, Data: logits["fog"][:images*classes]}, "labels": {Shape: []int{images}, Data: labels},
	})
	textures = saveZip(t, filepath.Join(dir, "textures.npz"), map[string]*npy.Array{
		"logits": {Shape: shape, Data: logits["snow"][images*classes:][:images*classes]}, "labels": {Shape: []int{images}, Data: strange},
	})
	return test, textures
}

// TestOODLabels: labels of out-of-distribution images are of no class that the model knows, and are not looked at.
func TestOODLabels(t *testing.T) {
	test, textures := oodFiles(t)
	r := scored(t, Files{Path: test, OOD: []string{textures}}, Options{Model: "m"})
	ofSet := func(x results.Row) bool {
		return x.OOD == "textures" && x.Metric == results.AUROC && x.Score == "" && x.N == 2*images
	}
	if !slices.ContainsFunc(r.Rows, ofSet) || errorOf(r, "", 0) == nil {
		t.Errorf("rows %+v", r.Rows)
	}
}

// TestSequenceLabels: nor are labels of sequences, one a video.
func TestSequenceLabels(t *testing.T) {
	labels, logits, _ := madeUp()
	dir := t.TempDir()
	saveZip(t, filepath.Join(dir, "tilt.npz"), map[string]*npy.Array{
		"logits": {Shape: []int{images / 2, 10, classes}, Data: logits["fog"]}, "labels": {Shape: []int{images / 2}, Data: labels[:images/2]},
	})
	if r := scored(t, Files{Path: dir}, Options{Model: "m"}); r.Layout != predictions.P || len(r.Rows) == 0 {
		t.Errorf("layout %s, rows %+v", r.Layout, r.Rows)
	}
}

// TestDetectionNames: rows of a score or a set without a name would be taken for those of the maximum softmax probability, or for means.
func TestDetectionNames(t *testing.T) {
	test, others := []float64{-0.9, -0.8}, []float64{-0.3, -0.2}
	for _, c := range []struct {
		set   string
		score metrics.OODScore
		says  string
	}{
		{"svhn", "", "[msp max_logit energy xent_uniform entropy gen], or one's own"},
		{"", metrics.MSP, "set without a name"},
	} {
		_, err := Detection(results.Row{}, c.set, c.score, test, others)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("set %q, score %q: %v", c.set, c.score, err)
		}
	}
	rows, err := Detection(results.Row{}, "svhn", "mine", test, others)
	if err != nil || len(rows) != 3 || rows[0].Score != "mine" {
		t.Errorf("a score of one's own: %v, %v", rows, err)
	}
}
