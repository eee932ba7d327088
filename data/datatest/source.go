package datatest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// Run runs every test that applies to the format, as subtests.
func (s Suite) Run(t *testing.T) {
	t.Run("content", s.testContent)
	t.Run("order", s.testOrder)
	t.Run("end", s.testEnd)
	t.Run("ownership", s.testOwnership)
	t.Run("keys", s.testKeys)
	t.Run("truncated", s.testTruncated)
	t.Run("missing", s.testMissing)
	t.Run("unreadable", s.testUnreadable)
	if s.Indexed {
		t.Run("random access", s.testRandomAccess)
	}
	if s.Create != nil {
		s.runSink(t)
	}
}

// testContent: images, labels, classes and the count are those of the data set.
func (s Suite) testContent(t *testing.T) {
	want := s.samples(7)
	_, path := s.build(t, want, s.classes())
	info, all := s.mustRead(t, path)
	s.compare(t, want, s.classes(), all)
	if info.Format == "" {
		t.Error("Info.Format is empty")
	}
	if info.Len != len(want) && info.Len != -1 {
		t.Errorf("Info.Len = %d, want %d or -1", info.Len, len(want))
	}
	if s.Single || s.NoClassNames && info.Classes == nil {
		return
	}
	if !slices.Equal(info.Classes, s.classes()) {
		t.Errorf("Info.Classes = %q, want %q", info.Classes, s.classes())
	}
}

// testOrder: two passes over the same data set give the same samples in the same order, numbered from 0.
func (s Suite) testOrder(t *testing.T) {
	_, path := s.build(t, s.samples(6), s.classes())
	_, a := s.mustRead(t, path)
	_, b := s.mustRead(t, path)
	if len(a) != len(b) {
		t.Fatalf("%d samples, then %d", len(a), len(b))
	}
	for i := range a {
		if err := sameSample(&a[i].sample, &b[i].sample); err != nil {
			t.Errorf("sample %d differs between two passes: %v", i, err)
		}
		if a[i].sample.Index != i {
			t.Errorf("sample %d has Index %d", i, a[i].sample.Index)
		}
		if a[i].sample.Name == "" {
			t.Errorf("sample %d has no Name", i)
		}
	}
}

func sameSample(a, b *data.Sample) error {
	if !bytes.Equal(a.Data, b.Data) {
		return fmt.Errorf("%s: Data of %d and %d bytes differ", a.Name, len(a.Data), len(b.Data))
	}
	x, y := *a, *b
	x.Data, y.Data = nil, nil
	if !reflect.DeepEqual(x, y) {
		return fmt.Errorf("%+v and %+v", x, y)
	}
	return nil
}

// testEnd: io.EOF itself at the end, again and again, and a Close that is no error.
func (s Suite) testEnd(t *testing.T) {
	want := s.samples(3)
	_, path := s.build(t, want, s.classes())
	src, err := s.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var sample data.Sample
	for range want {
		if err := src.Next(&sample); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if err := src.Next(&sample); err != io.EOF {
			t.Errorf("Next at the end returns %v, want io.EOF itself", err)
		}
	}
	if err := src.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// testOwnership: a sample keeps its bytes while others are read, and a sample that is passed again gives the same as a
// fresh one.
func (s Suite) testOwnership(t *testing.T) {
	_, path := s.build(t, s.samples(6), s.classes())
	_, fresh := s.mustRead(t, path)
	src, err := s.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var kept, reused data.Sample
	if err := src.Next(&kept); err != nil {
		t.Fatal(err)
	}
	// A reused sample starts as the largest, with every field dirty.
	reused = data.Sample{Key: "x", Index: 9, Label: 9, Name: "x", Ext: ".x", Form: data.Planar, W: 9, H: 9, Data: make([]byte,
		1<<16)}
	for i := 1; i < len(fresh); i++ {
		if err := src.Next(&reused); err != nil {
			t.Fatal(err)
		}
		if err := sameSample(&reused, &fresh[i].sample); err != nil {
			t.Errorf("read into a used Sample: %v", err)
		}
	}
	if err := sameSample(&kept, &fresh[0].sample); err != nil {
		t.Errorf("the first sample changed while others were read: %v", err)
	}
}

// testKeys: keys are distinct relative paths and do not tell where the data set lies.
func (s Suite) testKeys(t *testing.T) {
	dir, path := s.build(t, s.samples(6), s.classes())
	_, before := s.mustRead(t, path)
	seen := map[string]bool{}
	for _, g := range before {
		if err := data.CheckKey(g.sample.Key); err != nil {
			t.Error(err)
		}
		if seen[g.sample.Key] {
			t.Errorf("key %q twice", g.sample.Key)
		}
		seen[g.sample.Key] = true
	}
	moved := join(t.TempDir(), "else where")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	defer os.Rename(moved, dir)
	_, after := s.mustRead(t, join(moved, strings.TrimPrefix(path, dir)))
	if len(after) != len(before) {
		t.Fatalf("%d samples after the data set moved, %d before", len(after), len(before))
	}
	for i := range before {
		if before[i].sample.Key != after[i].sample.Key {
			t.Errorf("key %q becomes %q when the data set moves", before[i].sample.Key, after[i].sample.Key)
		}
	}
}

// testRandomAccess: Read gives what Next gives, in any order and from several goroutines.
func (s Suite) testRandomAccess(t *testing.T) {
	_, path := s.build(t, s.samples(9), s.classes())
	_, all := s.mustRead(t, path)
	src, err := s.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	ix, ok := src.(data.Indexed)
	if !ok {
		t.Fatalf("%T is not a data.Indexed", src)
	}
	if ix.Len() != len(all) || ix.Info().Len != len(all) {
		t.Fatalf("Len() = %d, Info().Len = %d, want %d", ix.Len(), ix.Info().Len, len(all))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var sample data.Sample
			for k := range 40 {
				i := (3*g + 7*k + k*k) % len(all)
				if err := ix.Read(i, &sample); err != nil {
					t.Errorf("Read(%d): %v", i, err)
				} else if err := sameSample(&sample, &all[i].sample); err != nil {
					t.Errorf("Read(%d) differs from Next: %v", i, err)
				}
			}
		})
	}
	// Next goes its own way while others Read.
	var sample data.Sample
	for i := range all {
		if err := ix.Next(&sample); err != nil {
			t.Fatal(err)
		}
		if err := sameSample(&sample, &all[i].sample); err != nil {
			t.Errorf("Next beside Read: %v", err)
		}
	}
	wg.Wait()
}

// truncationStep is prime, so that cuts fall everywhere in records of every size.
const truncationStep = 97

// testTruncated: a data set with one file cut short gives an error that says so and names the file, or a shorter data
// set where the format cannot tell.
func (s Suite) testTruncated(t *testing.T) {
	want := s.samples(3)
	dir, path := s.build(t, want, s.classes())
	rel := strings.TrimPrefix(path, dir)
	files := tree(t, dir)
	_, whole := s.mustRead(t, path)
	for _, name := range names(files) {
		if s.Skip != nil && s.Skip(name) {
			continue
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			work := t.TempDir()
			writeTree(t, work, files)
			for n := 0; n < len(files[name]); n += truncationStep {
				if err := os.WriteFile(join(work, name), []byte(files[name][:n]), 0o666); err != nil {
					t.Fatal(err)
				}
				s.readTruncated(t, join(work, rel), name, n, whole)
			}
		})
	}
}

func (s Suite) readTruncated(t *testing.T, path, name string, n int, whole []got) {
	src, err := s.Open(path)
	var all []got
	if err == nil {
		all, err = readAll(src)
	}
	switch {
	case err == nil && !s.PrefixOK:
		t.Errorf("%s cut to %d bytes is read without an error", name, n)
	case err == nil:
		if len(all) > len(whole) {
			t.Fatalf("%s cut to %d bytes gives %d samples, more than the whole's %d", name, n, len(all), len(whole))
		}
		for i := range all {
			if !raster.Equal(all[i].image, whole[i].image) {
				t.Errorf("%s cut to %d bytes gives other pixels for sample %d", name, n, i)
			}
		}
	case !errors.Is(err, data.ErrFormat):
		t.Errorf("%s cut to %d bytes: the error does not wrap data.ErrFormat: %v", name, n, err)
	case !strings.Contains(err.Error(), filepath.Base(name)):
		t.Errorf("%s cut to %d bytes: the error does not name the file: %v", name, n, err)
	}
}

// testMissing: a path that does not exist is an fs.ErrNotExist that names it.
func (s Suite) testMissing(t *testing.T) {
	path := join(t.TempDir(), "nowhere-"+s.target())
	src, err := s.Open(path)
	if err == nil {
		src.Close()
		t.Fatal("opened what does not exist")
	}
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "nowhere-") {
		t.Errorf("error %q, want one that wraps fs.ErrNotExist and names the path", err)
	}
}

// testUnreadable: a file without permission is an fs.ErrPermission that names it.
func (s Suite) testUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may read everything")
	}
	dir, path := s.build(t, s.samples(2), s.classes())
	for _, name := range names(tree(t, dir)) {
		file := join(dir, name)
		if err := os.Chmod(file, 0); err != nil {
			t.Fatal(err)
		}
		src, err := s.Open(path)
		if err == nil {
			_, err = readAll(src)
		}
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("%s without permission: error %v, want one that wraps fs.ErrPermission and names the file", name,
				err)
		}
		if err := os.Chmod(file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
