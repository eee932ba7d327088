package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// supported tells tests that this operating system has locks.
const supported = true

// open is os.OpenFile, but that the file can be removed while it is open, as elsewhere.
func open(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	const access = windows.GENERIC_READ | windows.GENERIC_WRITE
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// lockedAt is where the byte lies that is locked: far behind the end, as Windows would keep readers from any other.
const lockedAt = 1 << 30 // times 4 GiB

// lock takes the lock of f.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return verdict(windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedAt}))
}

// unlock releases the lock of f; without one it does nothing.
func unlock(f *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{OffsetHigh: lockedAt})
}

// verdict says what the answer of LockFileEx means: a lock, a lock of somebody else, no locks at all
// (errNoLocks), or a failure. Drivers of file systems say in three ways that they know no locks.
func verdict(err error) error {
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrLocked
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION),
		errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED):
		return errNoLocks
	}
	return err
}
