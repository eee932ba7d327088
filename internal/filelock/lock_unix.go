//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// supported tells tests that this operating system has locks.
const supported = true

// lock takes the lock of f. It is flock and not fcntl, whose locks end as soon as the process closes any other open of
// the same file.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return verdict(err)
		}
	}
}

// unlock releases the lock of f for every process that has this open of the file; without one it does nothing.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }

// verdict says what the answer of flock means: a lock, a lock of somebody else, no locks at all (errNoLocks), or
// a failure. File systems say in several ways that they know no locks: ENOTSUP and EOPNOTSUPP, which are one number on
// Linux and two on the BSDs; ENOSYS, by FUSE file systems without that call; ENOLCK, by NFS without a lock server; and
// EINVAL, by some that do not know the operation.
func verdict(err error) error {
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS),
		errors.Is(err, unix.ENOLCK), errors.Is(err, unix.EINVAL):
		return errNoLocks
	}
	return err
}
