package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// TempSuffix ends the name of every file that is not finished yet. Readers of folders skip such names, and whatever a
// crash leaves behind can be deleted by it.
const TempSuffix = ".partial"

// AtomicFile is a file being written that appears under its name only when it is complete. Until Commit the bytes lie
// under a hidden temporary name in the same folder.
type AtomicFile struct {
	name string
	f    *os.File // nil once committed or aborted
	err  error    // first failed write; Commit fails after it

	absent bool // an existing file is an error
}

// CreateAtomic begins the file of that name. An existing file stays as it is until Commit replaces it.
func CreateAtomic(name string) (*AtomicFile, error) {
	if err := CheckLocal(name); err != nil {
		return nil, err
	}
	if st, err := os.Lstat(name); err == nil && st.IsDir() { // the rename would say it late, and name the temporary file
		return nil, CreateError(name, syscall.EISDIR)
	}
	f, err := createTemp(name)
	if err != nil {
		return nil, err
	}
	return &AtomicFile{name: name, f: f}, nil
}

// WriteAtomic makes the file of that name of what write writes: it appears whole, or not at all.
func WriteAtomic(name string, write func(io.Writer) error) error {
	a, err := CreateAtomic(name)
	if err != nil {
		return err
	}
	defer a.Abort()
	if err := write(a); err != nil && a.err == nil { // else the file's own error says it
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return a.Commit()
}

// CreateError is the error of a file of that name, in whose place a temporary one could not be made for the reason err. It names no
// temporary file, which nobody gave, and wraps what err wraps.
func CreateError(name string, err error) error {
	if temporary := (*fs.PathError)(nil); errors.As(err, &temporary) {
		err = temporary.Err
	}
	return fmt.Errorf("cannot create %s: %w", name, err)
}

// createTemp opens a fresh file beside name for writing, with the permissions a plain os.Create would give.
func createTemp(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	for try := 0; ; try++ {
		temp := fmt.Sprintf("%s.%s.%d-%d%s", dir, base, os.Getpid(), try, TempSuffix)
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 10000 {
			continue
		}
		if err != nil {
			return nil, CreateError(name, err)
		}
		return f, nil
	}
}

// Write appends p to the file.
func (a *AtomicFile) Write(p []byte) (int, error) {
	if a.f == nil {
		return 0, fmt.Errorf("cannot write %s: %w", a.name, fs.ErrClosed)
	}
	n, err := a.f.Write(p)
	return n, a.note(err)
}

// WriteAt replaces bytes that were written, such as a header that is known at the end. What is written next goes where it would have
// gone.
func (a *AtomicFile) WriteAt(p []byte, off int64) (int, error) {
	if a.f == nil {
		return 0, fmt.Errorf("cannot write %s: %w", a.name, fs.ErrClosed)
	}
	n, err := a.f.WriteAt(p, off)
	return n, a.note(err)
}

func (a *AtomicFile) note(err error) error {
	if err != nil {
		a.err = fmt.Errorf("cannot write %s: %w", a.name, err)
		return a.err
	}
	return nil
}

// Commit makes the bytes durable and gives the file its name. After an error, here or in a Write before, nothing is
// left behind and a file that had the name before is untouched.
func (a *AtomicFile) Commit() error {
	if a.f == nil {
		return fmt.Errorf("cannot finish %s: %w", a.name, fs.ErrClosed)
	}
	if a.err != nil {
		a.Abort()
		return a.err
	}
	err := a.f.Sync()
	if cerr := a.f.Close(); err == nil {
		err = cerr
	}
	if err == nil && a.absent {
		if err = os.Link(a.f.Name(), a.name); err == nil { // fails where the name is taken, which a rename does not
			err = os.Remove(a.f.Name())
		}
	} else if err == nil {
		err = os.Rename(a.f.Name(), a.name)
	}
	if err != nil {
		os.Remove(a.f.Name())
		a.f = nil
		return fmt.Errorf("cannot finish %s: %w", a.name, err)
	}
	a.f = nil
	return SyncDir(filepath.Dir(a.name))
}

// Abort drops the file. After Commit it does nothing, so that it can be deferred.
func (a *AtomicFile) Abort() {
	if a.f != nil {
		a.f.Close()
		os.Remove(a.f.Name())
		a.f = nil
	}
}

// SyncDir makes the names in a folder durable, after a rename into it. It does nothing on Windows, where folders cannot
// be synced, and on file systems that say they cannot.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot sync folder %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !isInvalid(err) {
		return fmt.Errorf("cannot sync folder %s: %w", dir, err)
	}
	return nil
}
