package formats_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// upload copies a folder into the bucket, under its name.
func upload(t *testing.T, dir string) string {
	t.Helper()
	ctx := context.Background()
	root := storage.Scheme + storagetest.Bucket
	s, err := storage.For(root)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range storage.List(ctx, dir) {
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Create(ctx, storage.Join(root, filepath.Base(dir), filepath.ToSlash(strings.TrimPrefix(e.Name, dir))), storage.CreateOptions{})
		if err == nil {
			_, err = w.Write(content)
		}
		if err == nil {
			err = w.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return storage.Join(root, filepath.Base(dir))
}

// pack makes an archive of a folder.
func pack(t *testing.T, dir, name string) {
	t.Helper()
	var file bytes.Buffer
	gz := gzip.NewWriter(&file)
	tw := tar.NewWriter(gz)
	if err := tw.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tw.Close(), gz.Close(), os.WriteFile(name, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestRemote: every format gives from a store what it gives from the disk.
func TestRemote(t *testing.T) {
	endpoint, _ := storagetest.Server(t)
	storagetest.Setenv(t, endpoint)
	dir := filepath.Join(t.TempDir(), "sets")
	make := func(path, format string, classes int, o formats.SinkOptions) {
		o.Format, o.Overwrite = format, true
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o777); err != nil {
			t.Fatal(err)
		}
		sink, err := formats.Create(filepath.Join(dir, path), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 9
		if format == "file" {
			n = 1
		}
		fill(t, sink, n, classes)
	}
	make("folder", "folder", 3, formats.SinkOptions{})
	make("parts/train", "folder", 3, formats.SinkOptions{})
	make("parts/val", "folder", 3, formats.SinkOptions{Classes: []string{"z", "a b", "ü"}})
	make("flat", "folder", 0, formats.SinkOptions{})
	make("one/x.png", "file", 0, formats.SinkOptions{})
	make("arrays/x.npy", "npy", 3, formats.SinkOptions{})
	make("arrays/y.npz", "npz", 3, formats.SinkOptions{})
	make("arrays/z.npz", "npz", 3, formats.SinkOptions{Deflate: true})
	make("c10", "cifar10", 10, formats.SinkOptions{Split: "test"})
	make("shards", "wds", 3, formats.SinkOptions{PerShard: 4, Classes: []string{"p", "q", "r"}})
	pack(t, filepath.Join(dir, "c10"), filepath.Join(dir, "cifar-10-binary.tar.gz"))
	remote := upload(t, dir)
	for _, test := range []struct {
		path  string
		split string
	}{
		{"folder", ""},
		{"parts", "train"},
		{"parts", "val"},
		{"flat", ""},
		{"one/x.png", ""},
		{"arrays/x.npy", ""},
		{"arrays/y.npz", ""},
		{"arrays/z.npz", ""},
		{"c10", "test"},
		{"c10/test_batch.bin", ""},
		{"cifar-10-binary.tar.gz", "test"},
		{"shards", ""},
		{"shards/data-{000000..000002}.tar", ""},
		{"shards/data-000001.tar", ""},
	} {
		t.Run(test.path, func(t *testing.T) {
			want := describe(t, dir, test.path, test.split)
			if got := describe(t, remote, test.path, test.split); !reflect.DeepEqual(got, want) {
				t.Errorf("from the store:\n%q\nfrom the disk:\n%q", got, want)
			}
		})
	}
	t.Run("errors", func(t *testing.T) {
		for path, want := range map[string]string{
			remote + "/nothing": "nothing", "s3://none/x": "there is no such bucket", remote + "/arrays/x.npy/y": "does not exist",
		} {
			if _, err := formats.Open(path, formats.Options{}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
}

// TestRemoteReplaced: an object that is replaced while it is read ends the run, and rejects no sample.
func TestRemoteReplaced(t *testing.T) {
	endpoint, _ := storagetest.Server(t)
	storagetest.Setenv(t, endpoint)
	for path, format := range map[string]string{"x.npy": "npy", "test_batch.bin": "cifar10"} {
		dir := filepath.Join(t.TempDir(), format)
		name := dir
		if format == "npy" {
			name = filepath.Join(dir, path)
		}
		sink, err := formats.Create(name, formats.SinkOptions{Format: format, Split: "test"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, sink, 9, 3)
		remote := upload(t, dir)
		src, err := formats.Open(storage.Join(remote, path), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		file := filepath.Join(dir, path)
		st, err := os.Stat(file)
		if err == nil {
			err = os.WriteFile(file, bytes.Repeat([]byte("x"), int(st.Size())), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		upload(t, dir)
		var s data.Sample
		var one *data.SampleError
		if err := src.(data.Indexed).Read(7, &s); !errors.Is(err, storage.ErrChanged) || errors.As(err, &one) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// describe reads a data set: what it is, the samples, the fingerprint but for times, and the digest.
func describe(t *testing.T, root, path, split string) []string {
	t.Helper()
	src, err := formats.Open(storage.Join(root, path), formats.Options{Split: split})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	print, err := data.TakeFingerprint(src)
	if err != nil {
		t.Fatal(err)
	}
	print.Times = ""
	glance, err := data.Glance(src)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{fmt.Sprint(src.Info(), print, glance)}
	for {
		var s data.Sample
		err := src.Next(&s)
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(s.Key, s.Label, s.Ext, strings.TrimPrefix(s.Name, root), s.W, s.H, s.Data))
	}
}

// TestFewRequests: to open a data set of a store is not to ask for every name that some format has, and what is not there beside a file
// is not asked for by name.
func TestFewRequests(t *testing.T) {
	endpoint, folder := storagetest.Server(t)
	proxy := storagetest.NewProxy(t, endpoint)
	storagetest.Setenv(t, proxy.URL)
	for name, most := range map[string]int{"set": 11, "x.npz": 9, "x.npy": 11} {
		of := "of-" + name
		if err := os.Mkdir(filepath.Join(folder, of), 0o777); err != nil {
			t.Fatal(err)
		}
		sink, err := formats.Create(filepath.Join(folder, of, name), formats.SinkOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, sink, 9, 3)
		proxy.Break(nil) // counts from here
		src, err := formats.Open(storage.Join(storage.Scheme+storagetest.Bucket, of, name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := proxy.Requests(); n > most {
			t.Errorf("%s: %d requests, want at most %d", name, n, most)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMayBe: of few objects those that are there are known, of many none is ruled out.
func TestMayBe(t *testing.T) {
	endpoint, folder := storagetest.Server(t)
	storagetest.Setenv(t, endpoint)
	names := []string{"s3://bucket/a/1", "s3://bucket/a/none", "s3://bucket/a/b"}
	for _, c := range []struct {
		objects int
		want    []string
	}{{2, names[:1]}, {999, names[:1]}, {1000, names}} {
		for i := range c.objects {
			path := filepath.Join(folder, "a", "b", fmt.Sprint(i))
			if i < 2 {
				path = filepath.Join(folder, "a", fmt.Sprint(i))
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := storage.MayBe(names); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d objects: %q, %v", c.objects, got, err)
		}
	}
	if got, err := storage.MayBe([]string{"/none"}); err != nil || len(got) != 1 {
		t.Errorf("of this machine: %q, %v", got, err)
	}
}
