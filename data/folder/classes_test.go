package folder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/raster"
)

// put makes a data set of an image for each label.
func put(t *testing.T, root string, classes []string, labels ...int) {
	t.Helper()
	sink, err := folder.Create(root, classes, folder.SinkOptions{Overwrite: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range labels {
		if err := sink.Put(&data.Item{Key: fmt.Sprint("k", label), Label: label, Image: raster.New(1, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
}

// Classes without samples keep their numbers where nobody keeps empty folders: in stores, archives and git.
func TestClassesWithoutSamples(t *testing.T) {
	classes := []string{"alpha", "empty", "zeta"}
	for _, c := range []struct {
		labels []int
		list   string
	}{
		{[]int{0, 2}, "alpha\nempty\nzeta\n"},
		{[]int{1}, "alpha\nempty\nzeta\n"},
		{nil, "alpha\nempty\nzeta\n"},
		{[]int{2, 1, 0}, ""}, // the folders say it
	} {
		root := t.TempDir()
		put(t, root, classes, c.labels...)
		if text, err := os.ReadFile(filepath.Join(root, "classes.txt")); string(text) != c.list || c.list == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("labels %v: list %q (%v)", c.labels, text, err)
		}
		for _, class := range classes {
			if err := os.Remove(filepath.Join(root, class)); err == nil != !slices.Contains(c.labels, slices.Index(classes, class)) {
				t.Errorf("labels %v: folder %s: %v", c.labels, class, err)
			}
		}
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Info().Classes; !slices.Equal(got, classes) {
			t.Errorf("labels %v: classes %q", c.labels, got)
		}
		slices.Sort(c.labels)
		if got := labels(t, src); !slices.Equal(got, c.labels) {
			t.Errorf("labels %v were %v", got, c.labels)
		}
	}
}

// A list that a sink before left in a shared folder does not outlive the folders that it was of.
func TestListOfSharedFolder(t *testing.T) {
	root := t.TempDir()
	put(t, root, nil, 0, 2)
	put(t, root, nil, 1, 3)
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "classes.txt")); string(text) != "00000\n00001\n00002\n00003\n" {
		t.Errorf("list %q (%v)", text, err)
	}
	if got := labels(t, src); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("labels %v", got)
	}
}
