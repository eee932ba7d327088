package storage

import "path/filepath"

// Resolve returns the absolute path without links of a file of this machine, of which the end need not exist: two spellings of a
// place are one path. A path whose links lead in a circle stays as it is, absolute.
func Resolve(path string) string {
	path, _ = filepath.Abs(path)
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}
