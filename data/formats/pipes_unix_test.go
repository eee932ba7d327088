//go:build unix

package formats_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
)

// TestPipesAndDevices: a pipe or a device in place of a file of a data set is refused by its name, or left out of a folder. It
// is never opened, which could wait for ever.
func TestPipesAndDevices(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	pipe := func(name string) {
		t.Helper()
		err := os.MkdirAll(filepath.Dir(in(name)), 0o777)
		if err == nil {
			err = syscall.Mkfifo(in(name), 0o666)
		}
		if err != nil {
			t.Skipf("no pipes here: %v", err)
		}
	}
	for _, name := range []string{
		"x.npy", "x.npz", "x.tar", "x.jpg", "shards/a.tar", "cifar/data_batch_1.bin", "cifar/test_batch.bin",
		"python/data_batch_1", "python/test_batch", "classes/cat/a.png", "listed/classes.txt",
	} {
		pipe(name)
	}
	if err := os.MkdirAll(in("listed/cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path   string
		o      formats.Options
		listed bool // what is no file is no sample
	}{
		{path: in("x.npy")},
		{path: in("x.npz")},
		{path: in("x.tar")},
		{path: in("x.jpg")},
		{path: in("x.npy"), o: formats.Options{Format: "npy"}},
		{path: in("shards"), o: formats.Options{Format: "wds"}},
		{path: in("cifar"), o: formats.Options{Format: "cifar10", Split: "train"}},
		{path: in("python"), o: formats.Options{Format: "cifar10", Split: "test"}},
		{path: in("listed")},
		{path: in("classes"), listed: true},
		{path: "/dev/zero"},
	} {
		ended := make(chan error, 1)
		go func() {
			src, err := formats.Open(c.path, c.o)
			if err == nil {
				var s data.Sample
				if err = src.Next(&s); err == io.EOF && c.listed {
					err = nil
				}
				_ = src.Close()
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			if c.listed != (err == nil) || err != nil && !strings.Contains(err.Error(), filepath.Base(c.path)) &&
				!errors.Is(err, data.ErrFormat) {
				t.Errorf("%s: %v", c.path, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it was opened", c.path)
		}
	}
}
