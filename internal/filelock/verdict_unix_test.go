//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// File systems without locks cannot be had in a test; this is what they answer.
func TestVerdict(t *testing.T) {
	if got := verdict(nil); got != nil {
		t.Errorf("a lock: %v", got)
	}
	for _, err := range []error{unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.ENOLCK, unix.EINVAL} {
		if got := verdict(err); !errors.Is(got, errNoLocks) {
			t.Errorf("%v: %v, want %v", err, got, errNoLocks)
		}
	}
	if got := verdict(unix.EWOULDBLOCK); !errors.Is(got, ErrLocked) {
		t.Errorf("%v: %v, want ErrLocked", unix.EWOULDBLOCK, got)
	}
	for _, err := range []error{unix.EIO, unix.EBADF, unix.EACCES} {
		if got := verdict(err); !errors.Is(got, err) || errors.Is(got, ErrLocked) {
			t.Errorf("%v: %v, want the same", err, got)
		}
	}
}

// TestSharedOpen: closing releases the lock also while another process has this open of the file, as one that is just being started.
func TestSharedOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := unix.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(shared)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if !free(t, path) {
		t.Error("a closed file is still locked")
	}
}

// TestNoLocks: a file is opened where there are no locks, and whoever asked is told once for each folder.
func TestNoLocks(t *testing.T) {
	defer func(was func(*os.File) error) { lockFile, Warn = was, nil }(lockFile)
	lockFile = func(*os.File) error { return errNoLocks }
	var told []string
	Warn = func(dir string) { told = append(told, dir) }
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two, one} {
		f, err := Open(filepath.Join(dir, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if !slices.Equal(told, []string{one, two}) {
		t.Errorf("told of %q", told)
	}
}
