package generate

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/s3"
)

// plainStore is a store of the caller's own, a folder, that keeps no hashes.
type plainStore struct {
	storage.Disk
	root string
}

func (s plainStore) path(name string) string {
	return filepath.Join(s.root, name[len(storage.Scheme):])
}

func (s plainStore) Open(name string) (storage.File, error) { return s.Disk.Open(s.path(name)) }

func (s plainStore) Stat(name string) (fs.FileInfo, error) { return s.Disk.Stat(s.path(name)) }

func (s plainStore) ReadDir(name string) ([]fs.DirEntry, error) { return s.Disk.ReadDir(s.path(name)) }

func (s plainStore) List(ctx context.Context, folder string) iter.Seq2[storage.Entry, error] {
	return func(yield func(storage.Entry, error) bool) {
		for e, err := range s.Disk.List(ctx, s.path(folder)) {
			if err == nil {
				e.Name = storage.Scheme + filepath.ToSlash(e.Name[len(s.root)+1:])
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (s plainStore) Create(ctx context.Context, name string, o storage.CreateOptions) (storage.Writer, error) {
	return s.Disk.Create(ctx, s.path(name), o)
}

func (s plainStore) Remove(ctx context.Context, name string) error {
	return s.Disk.Remove(ctx, s.path(name))
}

// A store of the caller's need keep no hashes: what is there is sent again.
func TestStoreWithoutSums(t *testing.T) {
	root := t.TempDir()
	storage.Register(func() (storage.Store, error) { return plainStore{root: root}, nil })
	t.Cleanup(func() { storage.Register(func() (storage.Store, error) { return s3.New(s3.EnvironmentConfig()) }) })
	t.Setenv(StageVariable, t.TempDir())
	for _, text := range []string{"a\n", "b\n"} {
		err := InFolder(t.Context(), "s3://bucket/runs", nil, nil, func(dir string) error {
			return errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "rows"), []byte(text), 0o666))
		})
		if got, _ := os.ReadFile(filepath.Join(root, "bucket", "runs", "rows")); err != nil || string(got) != text {
			t.Errorf("rows %q, want %q: %v", got, text, err)
		}
	}
	mustRun(t, brightness(1).Job(&fakeSource{n: 4}, Output{Path: "s3://bucket/out"}, 4))
	if d, err := Verify(t.Context(), Output{Path: "s3://bucket/out"}, 1); err != nil || !d.OK() || d.Files != 8 {
		t.Errorf("the output: %+v, %v", d, err)
	}
}
