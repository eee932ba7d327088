package data

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
}

// CreateAtomic begins the file of that name. An existing file stays as it is until Commit replaces it.
func CreateAtomic(name string) (*AtomicFile, error) {
	f, err := createTemp(name)
	if err != nil {
		return nil, err
	}
	return &AtomicFile{name: name, f: f}, nil
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
			return nil, fmt.Errorf("cannot create %s: %w", name, err)
		}
		return f, nil
	}
}

// CreateNew creates a file for reading and writing in place of a file or a link that has the name. What a link leads to
// is left alone.
func CreateNew(name string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(name, flags, 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, flags, 0o666)
}

// Write appends p to the file.
func (a *AtomicFile) Write(p []byte) (int, error) {
	if a.f == nil {
		return 0, fmt.Errorf("cannot write %s: %w", a.name, fs.ErrClosed)
	}
	n, err := a.f.Write(p)
	if err != nil {
		a.err = fmt.Errorf("cannot write %s: %w", a.name, err)
		return n, a.err
	}
	return n, nil
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
	if err == nil {
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

// WriteFileAtomic writes a whole file: temporary name, sync, rename, sync of the folder.
func WriteFileAtomic(name string, content []byte) error {
	a, err := CreateAtomic(name)
	if err != nil {
		return err
	}
	defer a.Abort()
	if _, err := a.Write(content); err != nil {
		return err
	}
	return a.Commit()
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

// EncodeLines makes the text of a list file (classes.txt): one line each, and an error that wraps ErrLabel for a name
// that would not survive as one line.
func EncodeLines(lines []string) ([]byte, error) {
	var b bytes.Buffer
	for i, s := range lines {
		if s == "" || strings.ContainsAny(s, "\r\n\x00") {
			return nil, fmt.Errorf("%w: class %d is named %q (a name is one line of text, not empty)", ErrLabel, i, s)
		}
		b.WriteString(s)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// DecodeLines is the inverse of EncodeLines. It takes either line ending and a last line without one.
func DecodeLines(text []byte) []string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if len(text) == 0 {
		return nil
	}
	var lines []string
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\r"))))
	}
	return lines
}
