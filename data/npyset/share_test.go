package npyset

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestShareUnknown: where it cannot be found out what lies under the shared name, that is an error and not the other name, which would be
// right too and is not that of a run that can.
func TestShareUnknown(t *testing.T) {
	dir := t.TempDir()
	images, shared := filepath.Join(dir, "x.npy"), filepath.Join(dir, classesFile)
	if err := os.Symlink(classesFile, shared); err != nil { // to itself: nobody can open that
		t.Skip("no symbolic links here: ", err)
	}
	err := writeBeside(images, classesFile, []byte("cat\n"))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("written beside what cannot be read: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "x_"+classesFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the own name was taken: %v", err)
	}
	if err := errors.Join(os.Remove(shared), os.Mkdir(shared, 0o755)); err != nil { // something else has the name
		t.Fatal(err)
	}
	if err := writeBeside(images, classesFile, []byte("cat\n")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "x_"+classesFile)); string(text) != "cat\n" {
		t.Errorf("%q, %v", text, err)
	}
}
