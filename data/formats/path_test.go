package formats_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
)

// Paths that name no file here are one clear line, not "no such file".
func TestForeignPaths(t *testing.T) {
	for path, word := range map[string]string{
		"gs://b/x": "remote paths of this kind are not read", "hf://datasets/x": "remote paths",
		"https://example.org/x.tar": "remote paths", "HTTP://example.org/{000..010}.tar": "remote paths",
		filepath.Join(t.TempDir(), "*.jpg"): "patterns are not expanded",
	} {
		_, err := formats.Open(path, formats.Options{})
		if !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", path, err, word)
		}
	}
	// Where files of this machine are written, one of any scheme is refused, and no folder is made of it.
	t.Chdir(t.TempDir())
	for _, format := range []string{"npy", "npz", "medmnist", "file", "cifar10", "wds", "folder"} {
		_, err := formats.Create("s3://bucket/gen1", formats.SinkOptions{Format: format, Classes: []string{"a"}}, nil)
		if !errors.Is(err, storage.ErrLocal) || !strings.HasPrefix(err.Error(), "s3://bucket/gen1: not written to stores (allowed: ") {
			t.Errorf("%s: %v", format, err)
		}
	}
	if left, err := os.ReadDir("."); len(left) > 0 || err != nil {
		t.Errorf("made %v, %v", left, err)
	}
	// A folder may be called like one.
	dir := touch(t, t.TempDir(), "odd[1]*/cat/")
	if _, err := formats.Open(filepath.Join(dir, "odd[1]*"), formats.Options{}); err != nil {
		t.Error(err)
	}
}
