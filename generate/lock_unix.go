//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package generate

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock takes the lock at path, which the system releases when the process ends however it ends.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		return f, nil // some network file systems have no locks; the run continues without
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: another process holds %s", ErrBusy, path)
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
