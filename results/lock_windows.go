package results

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for this open of it, until it is closed or the process ends. It returns [ErrBusy] if another has
// it. What is locked is one byte far behind the end, as Windows would keep readers from anything else.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrBusy
	}
	return err
}
