package digest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1 << 20} {
		content := bytes.Repeat([]byte{1, 2, 3, 5, 8}, n/5+1)[:n]
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		sum, size, err := File(path)
		if err != nil || size != int64(n) || sum != sha256.Sum256(content) {
			t.Errorf("%d bytes: %v of %d bytes, %v", n, sum, size, err)
		}
	}
	path := filepath.Join(dir, "abc")
	if err := os.WriteFile(path, []byte("abc"), 0o644); err != nil {
		t.Fatal(err)
	}
	// FIPS 180-4, appendix B.1 of its first edition.
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if sum, _, err := File(path); err != nil || sum.String() != want {
		t.Errorf("abc: %v, %v", sum, err)
	}
}

func TestFileFails(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := File(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none") {
		t.Errorf("no such file: %v", err)
	}
	if _, _, err := File(dir); err == nil || !strings.Contains(err.Error(), filepath.Base(dir)) {
		t.Errorf("a folder: %v", err)
	}
}
