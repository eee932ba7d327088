package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Folders beside the goldens are found, missing ones told from an AUGMIX_GOLDEN that is wrong.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"golden", "models", "cifar10"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(EnvDir, filepath.Join(dir, "golden"))
	if got, err := Beside("models"); err != nil || got != filepath.Join(dir, "models") {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Beside("photos"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, _, err := CIFAR10("test_batch", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without sheets: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cifar10", "test_batch.labels"), make([]byte, 999), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := CIFAR10("test_batch", 1); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("999 labels of 1,000 images: %v", err)
	}
	t.Setenv(EnvDir, filepath.Join(dir, "elsewhere"))
	if _, err := Beside("models"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an %s that is wrong: %v", EnvDir, err)
	}
}
