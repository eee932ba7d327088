package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// TestGlance: a glance tells files apart by names, sizes and bytes, and takes a copy elsewhere for the same.
func TestGlance(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 20<<10) // 320 KiB
	type file struct{ name, text string }
	set := func(files ...file) string {
		t.Helper()
		dir := t.TempDir()
		var paths []string
		for _, f := range files {
			path := filepath.Join(dir, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		sum, err := data.Glance(filed{files: paths})
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	base := []file{{"fog/1/a.png", "first"}, {"fog/1/b.png", "other"}, {"fog/2/a.npy", large}}
	was := set(base...)
	if again := set(base...); again != was || !strings.HasPrefix(was, "files:") || len(was) != len("files:")+16 {
		t.Errorf("a copy has %s, the original %s", again, was)
	}
	flip := func(at int) string {
		b := []byte(large)
		b[at] ^= 1
		return string(b)
	}
	for name, files := range map[string][]file{
		"bytes of equal size": {base[0], {base[1].name, "othex"}, base[2]},
		"another size":        {base[0], {base[1].name, "others"}, base[2]},
		"another name":        {base[0], {"fog/1/c.png", "other"}, base[2]},
		"another order":       {base[1], base[0], base[2]},
		"a file less":         {base[0], base[2]},
		"the first byte":      {base[0], base[1], {base[2].name, flip(0)}},
		"the last byte":       {base[0], base[1], {base[2].name, flip(len(large) - 1)}},
	} {
		if now := set(files...); now == was {
			t.Errorf("%s: not noticed", name)
		}
	}
	// Of many files some are looked into, the first and the last among them.
	dir := t.TempDir()
	var many []string
	write := func(i int, text string) string {
		path := filepath.Join(dir, fmt.Sprintf("%04d", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for i := range 1026 {
		many = append(many, write(i, "x"))
	}
	whole, err := data.GlanceFiles(many)
	for _, i := range []int{0, len(many) - 1} {
		write(i, "y")
		now, err1 := data.GlanceFiles(many)
		if err != nil || err1 != nil || now == whole {
			t.Errorf("file %d of many: not noticed; %v, %v", i, err, err1)
		}
		write(i, "x")
	}
	if sum, err := data.Glance(filed{}); sum != "" || err != nil {
		t.Errorf("a source without files: %q, %v", sum, err)
	}
}
