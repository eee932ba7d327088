package data

import (
	"errors"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/regular"
)

// OpenFile opens a regular file of a data set for reading, or an object of a store. Anything else is an error that wraps [ErrFormat] and is
// not opened: opening a pipe waits for a writer, for ever and through every signal, and a device has no end.
func OpenFile(name string) (storage.File, error) {
	f, err := storage.OpenFile(name)
	if errors.Is(err, regular.ErrKind) {
		err = fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return f, err
}

// ReadFile appends the whole content of a regular file to dst and returns the longer slice, with dst's memory where
// that suffices. A file larger than limit bytes is an error that wraps [ErrFormat] and is not read. Errors do not
// repeat the name more than once.
func ReadFile(dst []byte, name string, limit int64) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return dst, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return dst, err
	}
	if st.Size() > limit {
		return dst, fmt.Errorf("%w: %s has %d bytes (allowed: at most %d)", ErrFormat, name, st.Size(), limit)
	}
	n := len(dst)
	if want := n + int(st.Size()); cap(dst) < want {
		dst = append(make([]byte, 0, want), dst...)
	}
	dst = dst[:n+int(st.Size())]
	k, err := io.ReadFull(f, dst[n:])
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return dst[:n+k], fmt.Errorf("%w: %s shrank while it was read", ErrFormat, name)
	}
	if err == nil && storage.Remote(name) { // an object is compared with its checksum at the end
		if _, err = f.Read(make([]byte, 1)); err == io.EOF {
			err = nil
		}
	}
	return dst[:n+k], err
}
