package storage

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Disk is the files of this machine.
type Disk struct{}

// Open opens a file. Of one that is replaced meanwhile the old bytes are read.
func (Disk) Open(name string) (File, error) { return os.Open(name) }

// Stat is [os.Stat].
func (Disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// ReadDir is [os.ReadDir].
func (Disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// List walks the folder, a folder at a time.
func (Disk) List(ctx context.Context, folder string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, context.Cause(ctx))
			}
			if !e.Type().IsRegular() || strings.HasSuffix(name, TempSuffix) {
				return nil
			}
			st, err := e.Info()
			if err != nil {
				return err
			}
			if !yield(Entry{Name: name, Size: st.Size(), Time: st.ModTime()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(Entry{}, err)
		}
	}
}

// Create begins a file under a temporary name beside its own, see [AtomicFile].
func (Disk) Create(_ context.Context, name string, o CreateOptions) (Writer, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	a, err := CreateAtomic(name)
	if err != nil {
		return nil, err
	}
	a.absent = o.Absent
	if o.SHA256 == "" {
		return a, nil
	}
	return Checked(a, name, o.SHA256), nil
}

// Remove is [os.Remove] that does not mind that there is nothing.
func (Disk) Remove(_ context.Context, name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
