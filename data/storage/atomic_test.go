package storage_test

import (
	"errors"
	"io"
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

// TestWriteAtomic: a file appears whole, also where its beginning is written last; after an error there is none, and it names the file
// once.
func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.bin")
	full := errors.New("full")
	err := storage.WriteAtomic(name, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return full
	})
	if !errors.Is(err, full) || strings.Count(err.Error(), name) != 1 {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Error(names, err)
	}
	err = storage.WriteAtomic(name, func(w io.Writer) error {
		_, err1 := io.WriteString(w, "....body")
		_, err2 := w.(io.WriterAt).WriteAt([]byte("head"), 0)
		_, err3 := io.WriteString(w, "tail")
		return errors.Join(err1, err2, err3)
	})
	if got, readErr := os.ReadFile(name); err != nil || readErr != nil || string(got) != "headbodytail" {
		t.Errorf("%q, %v, %v", got, err, readErr)
	}
}
