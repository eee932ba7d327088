package formats_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
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
	// A folder may be called like one.
	dir := touch(t, t.TempDir(), "odd[1]*/cat/")
	if _, err := formats.Open(filepath.Join(dir, "odd[1]*"), formats.Options{}); err != nil {
		t.Error(err)
	}
}
