package storage_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
)

// TestCreateAtomicFolder: a folder in the place of the file is told before a byte is written, by its own name.
func TestCreateAtomicFolder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "sheet.png")
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := storage.CreateAtomic(name)
	if !errors.Is(err, syscall.EISDIR) || !strings.Contains(err.Error(), name+": ") || strings.Contains(err.Error(), storage.TempSuffix) {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Error(names, err)
	}
}
