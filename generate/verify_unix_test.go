//go:build unix

package generate

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe or a device in the place of a file is damage; neither is read.
func TestVerifyPipe(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, testJob(dir, 5, nil))
	file := filepath.Join(dir, "items.log")
	replace := func(with func() error) {
		t.Helper()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := with(); err != nil {
			t.Fatal(err)
		}
		d, err := Verify(t.Context(), Output{Path: dir}, 2)
		if err != nil || len(d.Changed) != 1 || d.Changed[0] != "items.log" {
			t.Errorf("%+v, %v", d, err)
		}
	}
	replace(func() error { return syscall.Mkfifo(file, 0o644) })
	replace(func() error { return os.Symlink("/dev/zero", file) })
}
