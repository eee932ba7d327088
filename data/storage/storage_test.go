// What every store does, that of the disk too, is tested in package s3, beside the real server.
package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
)

func TestNames(t *testing.T) {
	for name, want := range map[string][3]string{ // Clean, Dir, Join with "x"
		"s3://b/k/l/": {"s3://b/k/l", "s3://b/k", "s3://b/k/l/x"},
		"s3://b/k":    {"s3://b/k", "s3://b", "s3://b/k/x"},
		"s3://b/":     {"s3://b", "s3://b", "s3://b/x"},
		"a/b/":        {filepath.Join("a", "b"), filepath.Join("a", "b"), filepath.Join("a", "b", "x")},
	} {
		if got := [3]string{storage.Clean(name), storage.Dir(name), storage.Join(name, "x")}; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestNoStore: a program without a store of objects is told which package has one.
func TestNoStore(t *testing.T) {
	_, err := storage.Open("s3://bucket/key")
	if !errors.Is(err, storage.ErrStore) || !strings.Contains(err.Error(), "import github.com/augmix-go/augmix/data/storage/s3") {
		t.Error(err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "storage")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	name := storage.Join(dir, "classes.txt") // or storage.Join("s3://bucket/set", "classes.txt")
	s, err := storage.For(name)
	if err != nil {
		panic(err)
	}
	w, err := s.Create(context.Background(), name, storage.CreateOptions{Absent: true})
	if err != nil {
		panic(err)
	}
	defer w.Abort()
	fmt.Fprintln(w, "cat")
	fmt.Println("committed:", w.Commit())
	st, err := storage.Stat(name)
	if err != nil {
		panic(err)
	}
	fmt.Println(st.Name(), st.Size())
	// Output:
	// committed: <nil>
	// classes.txt 4
}

// A URL is no path of this machine, whatever its scheme, and what writes files there makes no folder of it.
func TestCheckLocal(t *testing.T) {
	for name, scheme := range map[string]string{
		"s3://b/k": "s3", "GS://b": "gs", "file:///tmp/x": "file", "git+ssh://x": "git+ssh",
		"./s3://b": "", "a/b://c": "", "scenes:n=3": "", "://x": "", "": "", "-": "", "x": "",
	} {
		if got := storage.URL(name); got != scheme {
			t.Errorf("scheme of %q: %q, want %q", name, got, scheme)
		}
		if err := storage.CheckLocal(name); errors.Is(err, storage.ErrLocal) != (scheme != "") {
			t.Errorf("%q: %v", name, err)
		}
	}
	t.Chdir(t.TempDir())
	if _, err := storage.CreateAtomic("s3://b/k"); !errors.Is(err, storage.ErrLocal) {
		t.Error(err)
	}
}
