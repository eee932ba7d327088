package s3_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/s3"
	"github.com/augmix-go/augmix/data/storage/storagetest"
)

const bucket = storage.Scheme + storagetest.Bucket

// TestFaults: what breaks for a while is tried again and gives the same bytes; what stays broken is one line, and leaves
// nothing under the name.
func TestFaults(t *testing.T) {
	t.Parallel()
	endpoint, folder := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	s := newS3(t, config(proxy.URL))
	small, large := noise(10_000), noise(5<<20)
	for name, content := range map[string][]byte{"small": small, "large": large} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, fault := range []storagetest.Fault{
		storagetest.Error, storagetest.Busy, storagetest.Full, storagetest.Reset, storagetest.Half, storagetest.Stalled, storagetest.Lost,
	} {
		for _, broken := range []int{2, 1000} {
			t.Run(fmt.Sprintf("fault %d, %d times", fault, broken), func(t *testing.T) {
				never := fault == storagetest.Half || fault == storagetest.Stalled // of what has no body
				proxy.Break(func(n int, r *http.Request) storagetest.Fault {
					if n < broken && !(never && r.Method != http.MethodGet) {
						return fault
					}
					return storagetest.None
				})
				defer proxy.Break(nil)
				if broken == 2 {
					if got := read(t, s, bucket+"/large"); !bytes.Equal(got, large) {
						t.Error("other bytes")
					}
					proxy.Break(func(n int, r *http.Request) storagetest.Fault {
						if n > 0 && n < 3 && !(never && r.Method != http.MethodGet) {
							return fault
						}
						return storagetest.None
					})
					entries, err := s.ReadDir(bucket)
					if err != nil || len(entries) < 2 {
						t.Errorf("ReadDir: %v, %v", entries, err)
					}
					put(t, s, fmt.Sprintf("%s/new-%d", bucket, fault), string(small))
					return
				}
				f, err := s.Open(bucket + "/small")
				if err == nil {
					_, err = f.ReadAt(make([]byte, 100), 0)
				}
				oneLine(t, err, "small")
				if never {
					return
				}
				name := fmt.Sprintf("%s/lost-%d", bucket, fault)
				w := create(t, s, name, storage.CreateOptions{})
				_, _ = w.Write(small)
				err = w.Commit()
				oneLine(t, err, name)
				if !errors.Is(err, storage.ErrStore) {
					t.Errorf("%v is no ErrStore", err)
				}
				proxy.Break(nil)
				if fault != storagetest.Lost { // which the store did
					missing(t, s, name)
				}
			})
		}
	}
	t.Run("answer lost of a conditional create", func(t *testing.T) {
		proxy.Break(func(n int, r *http.Request) storagetest.Fault {
			if n == 0 {
				return storagetest.Lost
			}
			return storagetest.None
		})
		w := create(t, s, bucket+"/mine", storage.CreateOptions{Absent: true})
		_, _ = w.Write([]byte("mine"))
		commit(t, w) // 412 to the second try, of what is its own
		w = create(t, s, bucket+"/mine", storage.CreateOptions{Absent: true})
		_, _ = w.Write([]byte("other"))
		if err := w.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	})
	t.Run("upload in parts", func(t *testing.T) {
		content := noise(40 << 20)
		slow := config(proxy.URL)
		slow.Stall = 20 * time.Second
		s := newS3(t, slow)
		for _, broken := range []bool{false, true} {
			proxy.Break(func(n int, r *http.Request) storagetest.Fault {
				part := r.URL.Query().Get("partNumber")
				if broken && part == "2" || n == 2 {
					return storagetest.Error
				}
				return storagetest.None
			})
			name := fmt.Sprintf("%s/parts-%v", bucket, broken)
			w := create(t, s, name, storage.CreateOptions{})
			_, err := w.Write(content)
			if err == nil {
				err = w.Commit()
			}
			w.Abort()
			proxy.Break(nil)
			if !broken {
				if err != nil || !bytes.Equal(read(t, s, name), content) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			oneLine(t, err, name)
			missing(t, s, name)
			if left, _ := filepath.Glob(filepath.Join(folder, ".sgwtmp", "multipart", "*")); len(left) > 0 {
				t.Errorf("parts are left: %q", left)
			}
		}
	})
	t.Run("damaged", func(t *testing.T) {
		put(t, s, bucket+"/damaged", string(small))
		damaged := bytes.Clone(small)
		damaged[5000]++
		f, err := os.OpenFile(filepath.Join(folder, "damaged"), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write(damaged)
		f.Close()
		open, err := s.Open(bucket + "/damaged")
		if err != nil {
			t.Fatal(err)
		}
		_, err = new(bytes.Buffer).ReadFrom(open)
		oneLine(t, err, "its bytes have the MD5")
	})
}

// TestRefused: what no retry can mend is said at once, in one line.
func TestRefused(t *testing.T) {
	t.Parallel()
	endpoint, _ := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	good := config(proxy.URL)
	keys := func(id, secret string) s3.Config {
		c := good
		c.Keys = credentials.NewStaticV4(id, secret, "")
		return c
	}
	for _, test := range []struct {
		name   string
		c      s3.Config
		object string
		fault  storagetest.Fault
		want   string
		is     error
	}{
		{"no such key", keys("nobody", "x"), bucket + "/x", 0, "does not know the access key", fs.ErrPermission},
		{"wrong secret", keys(storagetest.AccessKey, "x"), bucket + "/x", 0, "the secret key is not that", fs.ErrPermission},
		{"no bucket", good, "s3://nothing/x", 0, "there is no such bucket", fs.ErrNotExist},
		{"no object", good, bucket + "/x", 0, "s3://bucket/x", fs.ErrNotExist},
		{"no permission", good, bucket + "/x", storagetest.Denied, "these keys may not do that", fs.ErrPermission},
		{"wrong clock", good, bucket + "/x", storagetest.Skewed, "the clock of this machine differs", fs.ErrPermission},
		{"no name of a bucket", good, "s3://ab/x", 0, "bad name of an object: s3://ab/x: Bucket name cannot be shorter", storage.ErrName},
	} {
		t.Run(test.name, func(t *testing.T) {
			proxy.Break(func(int, *http.Request) storagetest.Fault { return test.fault })
			s := newS3(t, test.c)
			_, err := s.Open(test.object)
			oneLine(t, err, test.want)
			if !errors.Is(err, test.is) {
				t.Errorf("%v is no %v", err, test.is)
			}
			if n := proxy.Requests(); n > 3 {
				t.Errorf("%d requests", n)
			}
			if test.is == fs.ErrNotExist && test.name == "no object" {
				return
			}
			w, err := s.Create(t.Context(), test.object, storage.CreateOptions{})
			if err == nil {
				_, _ = w.Write([]byte("x"))
				err = w.Commit()
			}
			oneLine(t, err, test.want)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		c := good
		c.Endpoint = "http://127.0.0.1:1"
		_, err := newS3(t, c).Stat(bucket + "/x")
		oneLine(t, err, "refused")
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		w, err := newS3(t, good).Create(ctx, bucket+"/canceled", storage.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write([]byte("x"))
		cancel()
		if err := w.Commit(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		proxy.Break(nil)
		missing(t, newS3(t, good), bucket+"/canceled")
	})
}

// TestPages: a listing is a request a page, goes on after a fault, and is not read further than it is used.
func TestPages(t *testing.T) {
	t.Parallel()
	endpoint, folder := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	c := config(proxy.URL)
	c.Stall = time.Minute // a busy machine takes its time for a page
	s := newS3(t, c)
	const files = 2500
	if err := os.Mkdir(filepath.Join(folder, "many"), 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, "many", fmt.Sprintf("%05d", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, broken := range []int{0, 1} {
		proxy.Break(func(n int, r *http.Request) storagetest.Fault {
			if n == broken && n > 0 {
				return storagetest.Busy
			}
			return storagetest.None
		})
		n := 0
		for e, err := range s.List(context.Background(), bucket+"/many") {
			if want := fmt.Sprintf("%s/many/%05d", bucket, n); err != nil || e.Name != want {
				t.Fatalf("entry %d is %s, %v", n, e.Name, err)
			}
			if n++; n == 10 && proxy.Requests() > 2 {
				t.Errorf("%d requests for ten entries", proxy.Requests())
			}
		}
		if n != files || proxy.Requests() > 5 {
			t.Errorf("%d entries in %d requests", n, proxy.Requests())
		}
	}
}

func oneLine(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
		t.Errorf("%q, want one line with %q", text, want)
	}
}
