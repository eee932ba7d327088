package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Hold locks a file that is there for its lock alone: release removes it. While another holds it the error wraps [ErrLocked].
func Hold(path string) (release func() error, err error) {
	f, err := OpenNamed(path, nil)
	if err != nil {
		return nil, err
	}
	return func() error {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, f.Close())
	}, nil
}

// OpenNamed is [Open] of a file that whoever has it may remove: the file that it returns is the one that has the name. Where prepare
// is not nil it is called before each try, to make the folder, which may be removed too.
func OpenNamed(path string, prepare func() error) (*File, error) {
	for range 10 {
		if prepare != nil {
			if err := prepare(); err != nil {
				return nil, err
			}
		}
		f, err := Open(path)
		if prepare != nil && errors.Is(err, fs.ErrNotExist) { // the folder went with another
			continue
		}
		if err != nil {
			return nil, err
		}
		// Who held it before may have removed it after it was opened here; that lock binds nobody.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(path)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, fmt.Errorf("%w: %s comes and goes", ErrLocked, path)
}
