package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// RemoveTemporaries deletes the temporary files that killed programs have left in a folder: of the files for whose names
// ours is true, those that are called as [storage.CreateAtomic] or package eval calls them while they are written, or as earlier
// versions called those of results and of arrays. Only regular files are deleted. The caller must be the only one who writes such files there.
// A folder that does not exist holds none.
func RemoveTemporaries(dir string, ours func(name string) bool) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot look for temporary files: %w", err)
	}
	for _, e := range entries {
		name := temporaryOf(e.Name())
		if name == "" || !e.Type().IsRegular() || !ours(name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("cannot remove a temporary file: %w", err)
		}
	}
	return nil
}

// temporaryOf returns the name of the file that a temporary file was to become, "" where it is none:
// .NAME.PROCESS-TRY.partial or .NAME.NUMBER.partial, and .NAME.tmp-NUMBER or NAME.tmpNUMBER of earlier versions.
func temporaryOf(file string) string {
	hidden, dot := strings.CutPrefix(file, ".")
	if rest, ok := strings.CutSuffix(hidden, storage.TempSuffix); ok && dot {
		if i := strings.LastIndexByte(rest, '.'); i > 0 {
			process, try, several := strings.Cut(rest[i+1:], "-")
			if digits(process) && (!several || digits(try)) {
				return rest[:i]
			}
		}
		return ""
	}
	for _, mark := range []string{".tmp-", ".tmp"} {
		i := strings.LastIndex(hidden, mark)
		if i > 0 && digits(hidden[i+len(mark):]) && dot == (mark == ".tmp-") {
			return hidden[:i]
		}
	}
	return ""
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
