package generate

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// TestInFolderUnread: a claim is withdrawn where what lies in the folder cannot be read and nothing was done.
func TestInFolderUnread(t *testing.T) {
	endpoint, bucket := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	storagetest.Setenv(t, proxy.URL)
	t.Setenv(StageVariable, t.TempDir())
	dir := filepath.Join(bucket, "runs")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "rows"), []byte("a\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	claimed := false
	proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
		claimed = claimed || r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "claim.json")
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "runs/rows") {
			return storagetest.Denied
		}
		return storagetest.None
	})
	err := InFolder(t.Context(), "s3://bucket/runs", nil, nil, func(string) error {
		t.Error("it was called")
		return nil
	})
	if _, left := os.Stat(filepath.Join(dir, ".augmix", "claim.json")); err == nil || !claimed || !errors.Is(left, fs.ErrNotExist) {
		t.Errorf("%v, claimed %v, and then %v", err, claimed, left)
	}
}

// TestInFolder: what a folder in a store gets is published with the names in last at the end, also where the work fails; who finds
// that another one has written meanwhile publishes nothing.
func TestInFolder(t *testing.T) {
	endpoint, bucket := storagetest.Server(t)
	storagetest.Setenv(t, endpoint)
	t.Setenv(StageVariable, t.TempDir())
	there := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(bucket, "runs", name))
		return string(text)
	}
	put := func(dir, name, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	in := func(do func(dir string) error) error {
		return InFolder(t.Context(), "s3://bucket/runs", []Option{{"o", "1"}}, []string{"rows"}, do)
	}
	if err := in(func(dir string) error { return errors.Join(put(dir, "rows", "a\n"), put(dir, "b/c", "x")) }); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := in(func(dir string) error {
		text, err := os.ReadFile(filepath.Join(dir, "rows"))
		return errors.Join(err, put(dir, "rows", string(text)+"b\n"), put(dir, ".half.partial", "x"), broken)
	})
	if !errors.Is(err, broken) || there("rows") != "a\nb\n" || there("b/c") != "x" || there(".half.partial") != "" {
		t.Errorf("%v, rows %q, b/c %q", err, there("rows"), there("b/c"))
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv(StageVariable), "*")); len(left) > 0 || there(".augmix/claim.json") != "" {
		t.Errorf("left: %q", left)
	}
	err = in(func(dir string) error {
		out := Output{Path: "s3://bucket/runs"}
		return errors.Join(put(dir, "rows", "c\n"), removeObject(context.Background(), out.claimPath()))
	})
	if !errors.Is(err, ErrBusy) || strings.Contains(err.Error(), "command") || strings.Contains(err.Error(), "\n") || there("rows") != "a\nb\n" {
		t.Errorf("%v, rows %q", err, there("rows"))
	}
	t.Setenv(StageVariable, filepath.Join(bucket, "runs", "rows", "stage")) // below a file
	if err := in(func(string) error { return nil }); err == nil || there(".augmix/claim.json") != "" {
		t.Errorf("%v, and a claim %q", err, there(".augmix/claim.json"))
	}
	dir := t.TempDir()
	if err := InFolder(t.Context(), dir, nil, nil, func(got string) error {
		if got != dir {
			t.Errorf("%s stands for %s", got, dir)
		}
		return broken
	}); err != broken {
		t.Error(err)
	}
}
