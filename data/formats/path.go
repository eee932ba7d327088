package formats

import (
	"fmt"
	"os"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// checkPath returns an error that wraps data.ErrUnsupported for a path that people write and that names no file of this
// machine or of a store: one of another scheme, such as gs://bucket/val, and a pattern that no shell has expanded.
func checkPath(path string) error {
	if _, err := os.Lstat(path); err == nil || storage.Remote(path) {
		return nil
	}
	if scheme, _, ok := strings.Cut(path, "://"); ok && isScheme(scheme) {
		return fmt.Errorf("%w: remote paths of this kind are not read: %s (allowed: s3://BUCKET/KEY, files and folders of this machine)",
			data.ErrUnsupported, path)
	}
	if strings.ContainsAny(path, "*?[") && !isPattern(path) {
		return fmt.Errorf("%w: there is no file named %s, and patterns are not expanded (allowed: the folder that holds the files, "+
			"or tar files as data-{000..146}.tar)", data.ErrUnsupported, path)
	}
	return nil
}

// isScheme reports whether s can be that of a URL.
func isScheme(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+-.") == ""
}
