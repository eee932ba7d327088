//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// File systems without locks cannot be had in a test; this is what they answer.
func TestVerdict(t *testing.T) {
	for _, err := range []error{nil, unix.ENOTSUP, unix.EOPNOTSUPP, unix.ENOSYS, unix.ENOLCK, unix.EINVAL} {
		if got := verdict(err); got != nil {
			t.Errorf("%v: %v, want to go on", err, got)
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
