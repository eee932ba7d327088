package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Hold locks a file that is there for its lock alone: release removes it. While another holds it the error wraps [ErrLocked].
func Hold(path string) (release func() error, err error) {
	for range 10 {
		f, err := Open(path)
		if err != nil {
			return nil, err
		}
		// Who held it before may have removed it after it was opened here; that lock binds nobody.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return func() error {
				err := os.Remove(path)
				if errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				return errors.Join(err, f.Close())
			}, nil
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("%w: %s comes and goes", ErrLocked, path)
}
