package datatest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"testing"
)

func join(elem ...string) string { return filepath.Join(elem...) }

// tree returns the content of every regular file below dir by its slash-separated path.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func names(files map[string]string) []string {
	out := make([]string, 0, len(files))
	for name := range files {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// sameTree fails the test unless both hold the same files with the same bytes.
func sameTree(t testing.TB, got, want map[string]string) {
	t.Helper()
	for _, name := range names(want) {
		if b, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if b != want[name] {
			t.Errorf("%s: %d bytes that differ from the undisturbed run's %d", name, len(b), len(want[name]))
		}
	}
	for _, name := range names(got) {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there, but not in the undisturbed run", name)
		}
	}
}

// writeTree writes the files below dir.
func writeTree(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
