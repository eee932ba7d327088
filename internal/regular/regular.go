// Package regular opens the files that users name. Opening a pipe would wait for whoever writes it, and a device may never end.
package regular

import (
	"errors"
	"fmt"
	"os"
)

// ErrKind is returned for a folder, a pipe, a device or a socket.
var ErrKind = errors.New("not a regular file")

// Open opens a regular file for reading. Another kind is not opened: the error wraps [ErrKind] and names the file.
func Open(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %w", path, ErrKind)
	}
	return os.Open(path)
}
