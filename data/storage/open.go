package storage

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/internal/regular"
)

// OpenFile opens an object, or a regular file of this machine: everything that a user names and that is one file is opened by it.
// Another kind of file is not opened, for a pipe would wait and a device may have no end: the error wraps [regular.ErrKind].
func OpenFile(name string) (File, error) {
	if Remote(name) {
		return Open(name)
	}
	f, err := regular.Open(name)
	if err != nil {
		return nil, err // not f, which as a nil pointer would be no nil interface
	}
	return f, nil
}

// ReadFile returns the content of an object or a regular file, which may have at most limit bytes.
func ReadFile(name string, limit int64) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() > limit {
		return nil, fmt.Errorf("%s has %d bytes (allowed: %d)", name, st.Size(), limit)
	}
	return io.ReadAll(f)
}
