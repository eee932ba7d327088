package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// checkPath returns an error that wraps data.ErrUnsupported for a path that people write and that names no file of this
// machine or of a store: one of another scheme, such as gs://bucket/val, and a pattern that no shell has expanded.
func checkPath(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if storage.Remote(path) {
		return checkObject(path)
	}
	if storage.URL(path) != "" {
		return fmt.Errorf("%w: remote paths of this kind are not read: %s (allowed: s3://BUCKET/KEY, files and folders of this machine)",
			data.ErrUnsupported, path)
	}
	if wild(path) {
		return fmt.Errorf("%w: there is no file named %s, and patterns are not expanded (allowed: the folder that holds the files, "+
			"or tar files as data-{000..146}.tar)", data.ErrUnsupported, path)
	}
	return nil
}

// wild reports whether a path looks like a pattern of a shell.
func wild(path string) bool { return strings.ContainsAny(path, "*?[") && !isPattern(path) }

// checkObject is checkPath of a name in a store, where no shell expands a pattern; a key may have such letters.
func checkObject(path string) error {
	if !wild(path) {
		return nil
	}
	if _, err := storage.Stat(path); !errors.Is(err, fs.ErrNotExist) || storage.Failed(err) {
		return nil // opening says what is wrong
	}
	return fmt.Errorf("%w: there is no object named %s, and of patterns in stores only braces are expanded (allowed: the folder that "+
		"holds the files, %s/, or tar files as data-{000..146}.tar)", data.ErrUnsupported, path, storage.Dir(path))
}
