package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
)

// WriteFile writes rows as a whole file, see [storage.WriteAtomic]: path never holds half of it. On an error path is as it was.
func WriteFile(path string, rows []Row) error {
	return storage.WriteAtomic(path, func(w io.Writer) error { return writeRows(w, rows) })
}

func writeRows(f io.Writer, rows []Row) error {
	w := bufio.NewWriter(f)
	var line []byte
	for i := range rows {
		var err error
		if line, err = rows[i].AppendLine(line[:0]); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Appender adds rows to a file. It is safe for concurrent use. Only one at a time can be open on a file: give each shard
// its own and [Merge] them.
type Appender struct {
	mu   sync.Mutex
	f    *filelock.File
	path string
	size int64 // of the whole lines
	rows int
	cut  int64
	buf  []byte
	err  error
}

// OpenAppend opens a file for appending and makes it if it is not there. It reads all of it first and returns the
// reader's errors for a line that is not a row, so that it never writes into a file of another kind. The rest of a
// last line that a crash tore is cut off ([Appender.Cut] says how much); a last line that is whole but for its
// newline gets it. Where another appender has the file, in this process or another, the error wraps [ErrBusy], and the
// file is left alone; operating systems other than Linux, the BSDs, macOS and Windows, and some network file systems, do
// not tell.
func OpenAppend(path string) (*Appender, error) {
	if err := storage.CheckLocal(path); err != nil {
		return nil, err
	}
	f, err := filelock.Open(path)
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	if err != nil {
		return nil, err
	}
	a := &Appender{f: f, path: path}
	if err := a.restore(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := storage.SyncDir(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return a, nil
}

// restore finds the end of the whole lines and repairs what follows.
func (a *Appender) restore() error {
	in := NewReader(a.f, a.path)
	for {
		_, err := in.Next()
		switch {
		case err == nil:
			a.size += int64(len(in.buf))
			a.rows++
			continue
		case errors.Is(err, io.EOF):
			_, err = a.f.Seek(a.size, io.SeekStart)
			return a.wrap(err)
		case errors.Is(err, ErrTorn):
			return a.repair(in.buf)
		}
		return err
	}
}

// repair completes the tail of the file if it is a whole row, else cuts it off.
func (a *Appender) repair(tail []byte) error {
	if _, err := ParseLine(tail); err == nil {
		if _, err := a.f.WriteAt([]byte{'\n'}, a.size+int64(len(tail))); err != nil {
			return a.wrap(err)
		}
		a.size += int64(len(tail)) + 1
		a.rows++
	} else {
		if a.rows == 0 && !startsRow(tail) {
			return fmt.Errorf("%s: %w: it does not begin with a row", a.path, ErrFormat)
		}
		if err := a.f.Truncate(a.size); err != nil {
			return a.wrap(err)
		}
		a.cut = int64(len(tail))
	}
	if _, err := a.f.Seek(a.size, io.SeekStart); err != nil {
		return a.wrap(err)
	}
	return a.wrap(a.f.Sync())
}

// startsRow reports whether b could be the beginning of a line that this package wrote, or the zeros that a file
// system leaves in its place. It guards files of another kind that have no newline.
func startsRow(b []byte) bool {
	for version := 1; version <= Version; version++ {
		head := fmt.Appendf(nil, `{"v":%d,`, version)
		if n := min(len(b), len(head)); bytes.Equal(b[:n], head[:n]) {
			return true
		}
	}
	return len(bytes.Trim(b, "\x00")) == 0
}

func (a *Appender) wrap(err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", a.path, err)
	}
	return nil
}

// Rows returns how many rows the file held when it was opened.
func (a *Appender) Rows() int { return a.rows }

// Cut returns how many bytes of a torn line were cut off when the file was opened.
func (a *Appender) Cut() int64 { return a.cut }

// Append writes rows with one write to the operating system. They survive the end of the process; [Appender.Sync]
// makes them survive a power failure, without which the first few of them may be all that is there. A row that cannot
// be written is an error that wraps [ErrFormat]: then none of the rows is written, and the appender can be used. After a
// failed write, which is undone as far as possible, every call returns its error.
func (a *Appender) Append(rows ...Row) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	a.buf = a.buf[:0]
	for i := range rows {
		var err error
		if a.buf, err = rows[i].AppendLine(a.buf); err != nil {
			return fmt.Errorf("%s: row %d of %d: %w", a.path, i+1, len(rows), err)
		}
	}
	if _, err := a.f.Write(a.buf); err != nil {
		a.err = a.wrap(errors.Join(err, a.f.Truncate(a.size)))
		return a.err
	}
	a.size += int64(len(a.buf))
	return nil
}

// Sync makes all rows so far durable.
func (a *Appender) Sync() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	return a.wrap(a.f.Sync())
}

// errClosed is what a closed appender returns.
var errClosed = errors.New("the appender is closed")

// Close makes all rows durable and closes the file. It returns the error of a failed write again. A second Close
// returns an error.
func (a *Appender) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(a.err, errClosed) {
		return a.err
	}
	err := errors.Join(a.err, a.wrap(a.f.Sync()), a.wrap(a.f.Close()))
	a.err = errClosed
	return err
}
