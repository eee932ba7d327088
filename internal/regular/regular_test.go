package regular

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := Open(dir); !errors.Is(err, ErrKind) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open(path + "s"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := Map(f, 1<<20)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	sum := func() (n int) {
		for _, v := range b {
			n += int(v)
		}
		return n
	}
	before := sum()
	if err := Forget(b[1<<16 : 1<<17]); err != nil || sum() != before {
		t.Errorf("other bytes, or %v", err)
	}
	if err := Unmap(b); err != nil {
		t.Error(err)
	}
}
