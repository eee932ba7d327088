package s3_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/s3"
	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// patience of the tests: many tries, none of which waits long.
func config(endpoint string) s3.Config {
	return s3.Config{
		Endpoint: endpoint, Keys: credentials.NewStaticV4(storagetest.AccessKey, storagetest.SecretKey, ""),
		Tries: 6, Wait: time.Millisecond, Stall: 300 * time.Millisecond,
	}
}

func newS3(t *testing.T, c s3.Config) *s3.Store {
	t.Helper()
	s, err := s3.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStores: every store does what the interface says.
func TestStores(t *testing.T) {
	t.Parallel()
	t.Run("disk", func(t *testing.T) { conform(t, storage.Disk{}, t.TempDir(), 3<<20) })
	t.Run("s3", func(t *testing.T) {
		endpoint, _ := storagetest.Server(t)
		c := config(endpoint)
		c.Stall = 20 * time.Second // parts of 16 MiB on a busy machine
		s := newS3(t, c)
		conform(t, s, storage.Scheme+storagetest.Bucket, 35<<20)
		for _, size := range []int{1, 35 << 20} { // in one piece, in parts
			want := sha256.Sum256(noise(size))
			got, err := s.Sum(context.Background(), fmt.Sprintf("%s%s/sizes/%d", storage.Scheme, storagetest.Bucket, size))
			if err != nil || got != hex.EncodeToString(want[:]) {
				t.Errorf("SHA-256 of %d bytes: %q, %v", size, got, err)
			}
		}
	})
}

func conform(t *testing.T, s storage.Store, root string, large int) {
	ctx := context.Background()
	name := func(elem ...string) string { return storage.Join(root, elem...) }
	for _, size := range []int{0, 1, 100_000, large} {
		want := noise(size)
		sum := sha256.Sum256(want)
		file := name("sizes", fmt.Sprint(size))
		w := create(t, s, file, storage.CreateOptions{SHA256: hex.EncodeToString(sum[:])})
		if _, err := io.Copy(w, bytes.NewReader(want)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s is seen before it is complete: %v", file, err)
		}
		commit(t, w)
		if got := read(t, s, file); !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that are not those written", file, len(got))
		}
		if st, err := s.Stat(file); err != nil || st.Size() != int64(size) || st.IsDir() {
			t.Errorf("stat of %s: %v, %v", file, st, err)
		}
		readParts(t, s, file, want)
	}
	t.Run("aborted", func(t *testing.T) {
		for _, size := range []int{10, large} {
			w := create(t, s, name("aborted"), storage.CreateOptions{})
			_, _ = w.Write(noise(size))
			w.Abort()
			missing(t, s, name("aborted"))
		}
	})
	t.Run("other bytes than said", func(t *testing.T) {
		w := create(t, s, name("wrong"), storage.CreateOptions{SHA256: strings.Repeat("0", 64)})
		_, _ = w.Write([]byte("x"))
		if err := w.Commit(); err == nil || !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("committed: %v", err)
		}
		missing(t, s, name("wrong"))
	})
	t.Run("only where absent", func(t *testing.T) {
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				w, err := s.Create(ctx, name("one"), storage.CreateOptions{Absent: true})
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = w.Write([]byte{byte(i)})
				if err := w.Commit(); err == nil {
					won.Add(1)
				} else if !errors.Is(err, fs.ErrExist) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of 8 writers created the file", won.Load())
		}
	})
	t.Run("replaced", func(t *testing.T) {
		put(t, s, name("replaced"), "old old old")
		f, err := s.Open(name("replaced"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		put(t, s, name("replaced"), "new new new")
		b := make([]byte, 3)
		if _, err := f.ReadAt(b, 4); !(err == nil && string(b) == "old") && !errors.Is(err, storage.ErrChanged) {
			t.Errorf("an open file that was replaced gives %q, %v", b, err)
		}
		if got := read(t, s, name("replaced")); string(got) != "new new new" {
			t.Errorf("read %q", got)
		}
	})
	t.Run("folders", func(t *testing.T) {
		files := []string{"tree/a.txt", "tree/b/c.txt", "tree/b/d e+ü.txt", "tree/b.txt", "treetop/x"}
		for _, f := range files {
			put(t, s, name(f), f)
		}
		var dirs []string
		entries, err := s.ReadDir(name("tree"))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			dirs = append(dirs, fmt.Sprint(e.Name(), e.IsDir()))
		}
		if want := []string{"a.txtfalse", "btrue", "b.txtfalse"}; !slices.Equal(dirs, want) {
			t.Errorf("ReadDir: %q, want %q", dirs, want)
		}
		var listed []string
		for e, err := range s.List(ctx, name("tree")) {
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, s, e.Name); int64(len(got)) != e.Size || !strings.HasSuffix(filepath.ToSlash(e.Name), string(got)) {
				t.Errorf("listed %s of %d bytes, which holds %q", e.Name, e.Size, got)
			}
			listed = append(listed, filepath.ToSlash(strings.TrimPrefix(e.Name, root))[1:])
		}
		slices.Sort(listed)
		if want := slices.Sorted(slices.Values(files[:4])); !slices.Equal(listed, want) {
			t.Errorf("List: %q, want %q", listed, want)
		}
		if st, err := s.Stat(name("tree", "b")); err != nil || !st.IsDir() {
			t.Errorf("stat of a folder: %v, %v", st, err)
		}
		if _, err := s.ReadDir(name("nothing")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadDir of nothing: %v", err)
		}
		for e, err := range s.List(ctx, name("nothing")) {
			t.Errorf("listed in nothing: %v, %v", e, err)
		}
	})
	t.Run("removed", func(t *testing.T) {
		put(t, s, name("gone"), "x")
		for range 2 {
			if err := s.Remove(ctx, name("gone")); err != nil {
				t.Error(err)
			}
			missing(t, s, name("gone"))
		}
	})
}

// readParts reads ranges at once, in order and at random.
func readParts(t *testing.T, s storage.Store, name string, want []byte) {
	t.Helper()
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range 30 {
				off, n := r.IntN(len(want)+1), r.IntN(5000)
				if i < 20 { // in order
					off = min(i*4000+w*1000, len(want))
				}
				b := make([]byte, n)
				k, err := f.ReadAt(b, int64(off))
				if rest := want[off:]; err != nil && !(err == io.EOF && n > len(rest)) || !bytes.Equal(b[:k], rest[:min(n, len(rest))]) {
					t.Errorf("%s: %d bytes at %d: %d, %v", name, n, off, k, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(n)})
	_, _ = r.Read(b)
	return b
}

func create(t *testing.T, s storage.Store, name string, o storage.CreateOptions) storage.Writer {
	t.Helper()
	w, err := s.Create(context.Background(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func commit(t *testing.T, w storage.Writer) {
	t.Helper()
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort() // does nothing
}

func put(t *testing.T, s storage.Store, name, content string) {
	t.Helper()
	w := create(t, s, name, storage.CreateOptions{})
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
}

func read(t *testing.T, s storage.Store, name string) []byte {
	t.Helper()
	f, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func missing(t *testing.T, s storage.Store, name string) {
	t.Helper()
	if _, err := s.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", name, err)
	}
}

func TestBadNames(t *testing.T) {
	if _, err := storage.Stat("s3://bucket/a/../b"); !errors.Is(err, storage.ErrName) {
		t.Errorf("a key with ..: %v", err)
	}
	for _, endpoint := range []string{"localhost:9000", "ftp://x", "http://x/path"} {
		if _, err := s3.New(s3.Config{Endpoint: endpoint}); err == nil || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("endpoint %s: %v", endpoint, err)
		}
	}
}
