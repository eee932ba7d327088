package score

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
)

// TestUnusedOptions: what the files have no use for is refused and not passed over, and what they use is taken.
func TestUnusedOptions(t *testing.T) {
	test, textures := oodFiles(t)
	folder, one, _, _ := forms(t)
	labels, logits, _ := madeUp()
	dir := t.TempDir()
	sequences, five := filepath.Join(dir, "p"), filepath.Join(dir, "five")
	write := func(data any, shape []int, path ...string) {
		t.Helper()
		path[0] = filepath.Join(path...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path[0]), 0o777), npy.WriteFile(path[0], &npy.Array{Shape: shape, Data: data})); err != nil {
			t.Fatal(err)
		}
	}
	write(logits["fog"], []int{images / 2, 10, classes}, sequences, "tilt.npy")
	write(labels, []int{images}, five, "labels.npy")
	for severity := range 5 {
		write(logits["fog"][severity*images*classes:][:images*classes], []int{images, classes}, five, "fog", fmt.Sprintf("%d.npy", severity+1))
	}
	paths := map[predictions.Layout]string{
		predictions.Single: test, predictions.CIFARC: folder, predictions.ImageNetC: five, predictions.P: sequences,
	}
	given := &predictions.Labels{Path: "labels", Values: make([]int, images)}
	for i, label := range labels {
		given.Values[i] = int(label)
	}
	for _, c := range []struct {
		option  string
		f       Files
		o       Options
		allowed string
	}{
		{"ood", Files{OOD: []string{textures}}, Options{}, "single"},
		{"labels", Files{Labels: given}, Options{}, "single cifar-c imagenet-c"},
		{"frames", Files{Frames: 10}, Options{}, "p"},
		{"difficulty", Files{}, Options{Difficulty: 3}, "p"},
		{"zipf", Files{}, Options{Zipf: true}, "p"},
		{"bins", Files{}, Options{Metrics: Metrics{Bins: 10}}, "single cifar-c imagenet-c"},
		{"bins", Files{}, Options{Metrics: Metrics{Adaptive: metrics.Adaptive{Size: 10}}}, "single cifar-c imagenet-c"},
		{"reference-binning", Files{}, Options{Metrics: Metrics{Published: true}}, "single cifar-c imagenet-c"},
		{"severity", Files{Severity: 2}, Options{}, ""},
	} {
		for layout, path := range paths {
			c.f.Path = path
			_, err := c.f.Score(context.Background(), c.o)
			var unused *LayoutError
			switch {
			case slices.Contains(strings.Fields(c.allowed), string(layout)):
				if err != nil {
					t.Errorf("%s, %s: %v", c.option, layout, err)
				}
			case c.option == "severity" && layout == predictions.CIFARC: // which uses it, but not here
				if !errors.Is(err, ErrOption) || !strings.Contains(fmt.Sprint(err), "severity 2") {
					t.Errorf("%s, %s: %v", c.option, layout, err)
				}
			case !errors.As(err, &unused) || !errors.Is(err, ErrOption) || unused.Option != c.option || unused.Layout != layout:
				t.Errorf("%s, %s: %v", c.option, layout, err)
			}
		}
	}
	if _, err := (Files{Path: one, Severity: 5}).Score(context.Background(), Options{}); !errors.Is(err, ErrOption) {
		t.Errorf("a severity of five in one file: %v", err)
	}
}
