package storage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
)

func TestResolve(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	if err := os.Mkdir("in", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"linked": "in", "circle": "circle"} {
		if err := os.Symlink(to, name); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for path, want := range map[string]string{
		"in": "in", "./in/": "in", "linked": "in", "linked/not/there": "in/not/there", "no": "no", "in/../linked/x": "in/x", "circle": "circle",
	} {
		if got := storage.Resolve(path); got != filepath.Join(root, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
