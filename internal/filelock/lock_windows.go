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

// lock takes the lock of f. What it locks is one byte far behind the end, as Windows would keep readers from any other.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return verdict(windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at))
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
