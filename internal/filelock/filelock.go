// Package filelock keeps two programs, or two parts of one, from writing the same file. A lock belongs to one open of a
// file; it is released when that is closed or, by the operating system, when the process ends, however it ends, so that a
// crash leaves nothing behind to clear away.
//
// Locks bind those who ask for them here: others read, write and remove a locked file as they like. On Linux, macOS
// and the BSDs they are those of flock(2), on Windows those of LockFileEx. Other operating systems, and file systems
// that know no locks, as some network file systems do not, are left without: there [Open] only opens, calls [Warn], and it is for the
// user not to start two programs at one place.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrLocked is returned for a file that another open of it has locked, in this process or another.
var ErrLocked = errors.New("file is locked")

// errNoLocks is what lock returns where there are no locks.
var errNoLocks = errors.New("no locks here")

// Warn is told of a folder whose files cannot be locked, once in a program. Set it before the first Open; nil: nobody is told.
var Warn func(dir string)

var (
	warned   sync.Map // folders
	lockFile = lock   // another in tests
)

// File is a file that is open and locked.
type File struct{ *os.File }

// Close releases the lock and closes the file.
func (f *File) Close() error {
	// Closing alone releases it later where another goroutine starts a program at this moment: from fork to exec that process has the
	// file open too.
	unlock(f.File)
	return f.File.Close()
}

// Open opens a file for reading and writing, makes it if it is not there, and locks it until it is closed. It does not
// wait: while another has the lock the error wraps [ErrLocked] and names the file. The file may be removed while it is
// open and locked; who opens that name then gets a new file, and its lock.
func Open(path string) (*File, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	err = lockFile(f)
	if errors.Is(err, errNoLocks) {
		warn(filepath.Dir(path))
		return &File{f}, nil
	}
	if err != nil {
		_ = f.Close()
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("%w: %s", err, path)
		}
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return &File{f}, nil
}

func warn(dir string) {
	if _, before := warned.LoadOrStore(dir, true); !before && Warn != nil {
		Warn(dir)
	}
}
