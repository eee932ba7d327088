package npyset_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/raster"
)

// put writes an array of small images with these labels, none of nil.
func put(t *testing.T, path string, n int, labels []int, classes []string) {
	t.Helper()
	create := npyset.CreateNPY
	if filepath.Ext(path) == ".npz" {
		create = npyset.CreateNPZ
	}
	sink, err := create(path, classes, npyset.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		label := data.NoLabel
		if labels != nil {
			label = labels[i]
		}
		err = errors.Join(err, sink.Put(&data.Item{Key: "k", Label: label, Image: raster.New(2, 2)}))
	}
	if err := errors.Join(err, sink.Close()); err != nil {
		t.Fatal(err)
	}
}

// Labels and names of one array are never those of another in the folder, whichever was written first.
func TestForeignLabels(t *testing.T) {
	type set struct {
		name    string
		n       int
		labels  []int
		classes []string
	}
	sets := []set{
		{"train.npy", 3, []int{0, 2, 1}, []string{"disc", "square", "star"}},
		{"none.npy", 3, nil, nil},
		{"short.npy", 2, nil, nil},
		{"none.npz", 3, nil, nil},
		{"numbered.npy", 3, []int{4, 0, 1}, nil},
		{"numbered.npz", 3, []int{4, 0, 1}, nil},
		{"test.npz", 2, []int{1, 1}, []string{"cat", "dog"}},
		{"again.npy", 3, []int{0, 2, 1}, []string{"disc", "square", "star"}},
	}
	for range 2 {
		dir := t.TempDir()
		for _, s := range sets {
			put(t, filepath.Join(dir, s.name), s.n, s.labels, s.classes)
		}
		for _, s := range sets {
			src, err := open(filepath.Join(dir, s.name))
			if err != nil {
				t.Errorf("%s: %v", s.name, err)
				continue
			}
			if got := src.Info().Classes; !slices.Equal(got, s.classes) {
				t.Errorf("%s: classes %q, want %q", s.name, got, s.classes)
			}
			want := s.labels
			if want == nil {
				want = slices.Repeat([]int{data.NoLabel}, s.n)
			}
			var got []int
			for _, sample := range all(t, src) {
				got = append(got, sample.Label)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: labels %d, want %d", s.name, got, want)
			}
			src.Close()
		}
		slices.Reverse(sets)
	}
}
