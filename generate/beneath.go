package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// A journal or a manifest may come from anybody: it lies in the folder that it is about. So every path in one is checked
// where the record is read, by checkPath and checkName; what it names is opened and removed beneath the output's folder
// through an os.Root; and a run resumes in no output that holds anything but files and folders, see checkPlain.

// maxRecord is the largest journal or manifest that is read: a manifest has about 150 bytes for each file.
const maxRecord = 1 << 32

// checkPath returns an error that wraps ErrRecord unless name, out of the record at path, is slash-separated and lies
// beneath the record's folder.
func checkPath(path, name string) error {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%w: %s names %q (allowed: a slash-separated path beneath its folder)", ErrRecord, path, name)
	}
	return nil
}

// checkName is checkPath for the names of records, which are files beside the one at path that are not hidden.
func checkName(path, name string) error {
	if err := checkPath(path, name); err != nil {
		return err
	}
	if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("%w: %s names the record %q (allowed: a file name, not hidden)", ErrRecord, path, name)
	}
	return nil
}

// checkNames is checkName for several.
func checkNames(path string, names []string) error {
	for _, name := range names {
		if err := checkName(path, name); err != nil {
			return err
		}
	}
	return nil
}

// openRegular opens a regular file beneath root. A link, a pipe or a device is an error that wraps ErrRecord; it is not
// opened, for a pipe would wait and a device might have no end.
func openRegular(root *os.Root, name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrRecord, filepath.Join(root.Name(), name))
	}
	return root.Open(name)
}

// removeFiles removes files beneath root. Those that are not there are passed over.
func removeFiles(root *os.Root, names []string) error {
	for _, name := range names {
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// checkPlain returns an error that wraps data.ErrUnsafe where the output holds anything but files and folders. No run
// makes links, and what is written or removed through one lies elsewhere; pipes and devices are never read to an end.
func (p Output) checkPlain() error {
	refuse := func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !e.Type().IsRegular() {
			err = fmt.Errorf("%w: %s is a link or a device (allowed in an output: files and folders)", data.ErrUnsafe, path)
		}
		return err
	}
	if !p.File {
		return walk(p.folder(), refuse)
	}
	entries, err := os.ReadDir(p.root())
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for _, path := range p.files() {
		own[filepath.Base(path)] = true
	}
	for _, e := range entries {
		if own[e.Name()] || p.temporary(e.Name()) {
			if err := refuse(filepath.Join(p.root(), e.Name()), e, nil); err != nil {
				return err
			}
		}
	}
	return walk(p.state(), refuse)
}

// folder is the path to walk the output's folder by. The separator at its end makes a link that was given as the output stand for the
// folder that it leads to; links below are not followed.
func (p Output) folder() string { return p.Path + string(filepath.Separator) }

// walk is filepath.WalkDir, to which a folder that is not there is empty.
func walk(dir string, visit fs.WalkDirFunc) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return visit(path, e, err)
	})
}
