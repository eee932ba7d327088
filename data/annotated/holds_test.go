package annotated

import (
	"os"
	"path/filepath"
	"testing"
)

// A path is looked at where links lead, and need not exist.
func TestHolds(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "set")
	if err := os.MkdirAll(filepath.Join(root, "images"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "images"), filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	tree := &Tree{Root: root}
	for path, want := range map[string]bool{
		"set": true, "set/images/new/one": true, "link/new": true, "set2": false, "other/new": false, "..": false, "set/..": false, "set/..x": true,
	} {
		if got := tree.Holds(filepath.Join(dir, filepath.FromSlash(path))); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
