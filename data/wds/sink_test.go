package wds

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
)

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name      string
		o         SinkOptions
		tolerance int
	}{
		{"png", SinkOptions{PerShard: 2}, 0},
		{"one shard", SinkOptions{Prefix: "train"}, 0},
		{"jpeg", SinkOptions{PerShard: 3, Encoding: data.Encoding{JPEG: true, Quality: 100}}, 90},
	} {
		t.Run(c.name, func(t *testing.T) {
			datatest.Suite{
				Indexed: true, Unlabeled: true, EarlyFiles: c.name != "one shard", PrefixOK: true, Tolerance: c.tolerance,
				Open: func(path string) (data.Source, error) { return Open(path, Options{}) },
				Create: func(path string, classes []string, state []byte) (data.Sink, error) {
					return Create(path, classes, c.o, state)
				},
				Key:  func(k datatest.Known, _ []string) string { return k.Key },
				Skip: func(name string) bool { return filepath.Base(name) == classesFile },
			}.Run(t)
		})
	}
}

// TestBytes holds a shard against one made by hand: the entries, their order and their headers.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, []string{"a", "b"}, SinkOptions{PerShard: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(3, 2)
	for i, key := range []string{"x/y.z", "plain"} {
		if err := s.Put(&data.Item{Key: key, Label: i, Image: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	image, err := s.Encoding().Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]tar.Header{
		"data-000000.tar": {{Name: "x/y%2Ez.png", Size: int64(len(image))}, {Name: "x/y%2Ez.cls", Size: 1}},
		"data-000001.tar": {{Name: "plain.png", Size: int64(len(image))}, {Name: "plain.cls", Size: 1}},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		r := tar.NewReader(bytes.NewReader(b))
		for i, w := range want {
			h, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if h.Name != w.Name || h.Size != w.Size || h.Mode != 0o644 || h.Uid != 0 || h.Gid != 0 || h.Uname != "" ||
				h.ModTime.Unix() != 0 || h.Typeflag != tar.TypeReg {
				t.Errorf("%s: %+v, want %s of %d bytes", name, h, w.Name, w.Size)
			}
			content, err := io.ReadAll(r)
			if err != nil || i == 0 && !bytes.Equal(content, image) {
				t.Errorf("%s: %s holds other bytes (%v)", name, w.Name, err)
			}
			if i == 1 && string(content) != fmt.Sprint(name[10]-'0') {
				t.Errorf("%s: label %q", name, content)
			}
		}
		// Two headers, the padded image, the padded label, two blocks of zeros.
		size := 2*block + (len(image)+block-1)/block*block + block + 2*block
		if _, err := r.Next(); err != io.EOF || len(b) != size {
			t.Errorf("%s: %d bytes, want %d; %v at the end", name, len(b), size, err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, classesFile)); string(b) != "a\nb\n" {
		t.Errorf("%s holds %q (%v)", classesFile, b, err)
	}
}

// tinyItem is an image of its own for every i.
func tinyItem(i int) *data.Item {
	m := raster.New(2, 2)
	m.Fill(raster.RGB{R: uint8(i), G: uint8(i >> 8), B: 7})
	return &data.Item{Key: fmt.Sprintf("s%05d", i), Label: i % 3, Image: m}
}

// TestResumeAnywhere: any shard size, any checkpoints and crashes lead to the same folder, byte for byte.
func TestResumeAnywhere(t *testing.T) {
	root, runs := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		o := SinkOptions{PerShard: rapid.IntRange(1, 4).Draw(t, "per shard")}
		n := rapid.IntRange(0, 11).Draw(t, "n")
		dirs := []string{filepath.Join(root, fmt.Sprint(runs, "a")), filepath.Join(root, fmt.Sprint(runs, "b"))}
		for i, dir := range dirs {
			s, err := Create(dir, nil, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			state, from := []byte(nil), 0
			for k := 0; k < n; k++ {
				if err := s.Put(tinyItem(k)); err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					continue
				}
				if rapid.IntRange(0, 3).Draw(t, "checkpoint") == 0 {
					if state, err = s.Checkpoint(); err != nil {
						t.Fatal(err)
					}
					from = k + 1
				}
				if state != nil && rapid.IntRange(0, 3).Draw(t, "crash") == 0 {
					if rapid.Bool().Draw(t, "abort") {
						if err := s.Abort(); err != nil {
							t.Fatal(err)
						}
					}
					if s, err = Create(dir, nil, o, state); err != nil {
						t.Fatal(err)
					}
					k = from - 1
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		want, got := listing(t, dirs[0]), listing(t, dirs[1])
		if !slices.Equal(got, want) {
			t.Fatalf("%d files that differ from the undisturbed run's %d", len(got), len(want))
		}
	})
}

// listing returns names and contents of a folder.
func listing(t interface{ Fatal(...any) }, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Name()+":"+string(b))
	}
	return out
}

func TestSinkRefuses(t *testing.T) {
	for _, o := range []SinkOptions{
		{PerShard: -1}, {Prefix: "a/b"}, {Prefix: ".a"}, {Prefix: "{1..2}"}, {Encoding: data.Encoding{Quality: 101}},
	} {
		if _, err := Create(t.TempDir(), nil, o, nil); !errors.Is(err, data.ErrUnsupported) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
	dir := t.TempDir()
	s, err := Create(dir, []string{"a"}, SinkOptions{PerShard: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string, label int) error {
		return s.Put(&data.Item{Key: key, Label: label, Image: raster.New(1, 1)})
	}
	if err := errors.Join(put("k", 0), put("l", 0), put("m", 0)); err != nil {
		t.Fatal(err)
	}
	state, err := s.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}
	if s, err = Create(dir, []string{"a"}, SinkOptions{PerShard: 2}, state); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k", "m"} { // of a finished shard and of the one at hand, across the resume
		if err := put(key, 0); !isErr(err, fs.ErrExist, `"`+key+`"`) {
			t.Errorf("key %s twice: %v", key, err)
		}
	}
	if err := put(strings.Repeat(".", 500), 0); !errors.Is(err, data.ErrUnsafe) {
		t.Errorf("key that grows too long: %v", err)
	}
	if err := put("n", 0); err != nil { // after refusals the sink is as it was
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, got := mustRead(t, dir, Options{}); len(got) != 4 {
		t.Errorf("%d samples", len(got))
	}
	if err := put("o", 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if _, err := Create(dir, []string{"a"}, SinkOptions{}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second data set: %v", err)
	}
	if _, err := Create(dir, []string{"b"}, SinkOptions{Prefix: "other"}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("other classes: %v", err)
	}
	if _, err := Create(dir, []string{"a"}, SinkOptions{PerShard: 3}, state); !errors.Is(err, data.ErrFormat) {
		t.Errorf("checkpoint of another shard size: %v", err)
	}
}

// TestOverwrite replaces four samples in two shards by one in one.
func TestOverwrite(t *testing.T) {
	dir := t.TempDir()
	for n := 4; n >= 1; n -= 3 {
		s, err := Create(dir, nil, SinkOptions{PerShard: 2, Overwrite: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := s.Put(tinyItem(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if _, got := mustRead(t, dir, Options{}); len(got) != n {
			t.Errorf("%d samples, want %d", len(got), n)
		}
	}
}

// TestDamagedCheckpoint: shards that changed since the checkpoint are not gone on with.
func TestDamagedCheckpoint(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"short": func(dir string) error {
			return os.Truncate(filepath.Join(dir, "data-000001.tar"+storage.TempSuffix), 700)
		},
		"gone": func(dir string) error { return os.Remove(filepath.Join(dir, "data-000000.tar")) },
		"other": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "data-000000.tar"), make([]byte, 1024), 0o666)
		},
	} {
		dir := t.TempDir()
		s, err := Create(dir, nil, SinkOptions{PerShard: 2}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := s.Put(tinyItem(i)); err != nil {
				t.Fatal(err)
			}
		}
		state, err := s.Checkpoint()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Abort(), damage(dir)); err != nil {
			t.Fatal(err)
		}
		_, err = Create(dir, nil, SinkOptions{PerShard: 2}, state)
		if !isErr(err, data.ErrFormat, "data-00000") && !isErr(err, fs.ErrNotExist, "data-00000") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestEscape(t *testing.T) {
	for key, want := range map[string]string{
		"a/b": "a/b", "a.b/c": "a.b/c", "a/b.c": "a/b%2Ec", "50%": "50%25", ".x": "%2Ex", "__a__": "%5F_a__",
		"__a__/b": "%5F_a__/b", "a/__b__": "a/__b__", "%2E": "%252E",
	} {
		got := escape(key)
		if got != want {
			t.Errorf("escape(%q) = %q, want %q", key, got, want)
		}
		if k, kind := splitName(got + ".png"); k != got || kind != "png" {
			t.Errorf("an entry of key %q is read as %q, %q", got, k, kind)
		}
		if k := unescape(got); k != key {
			t.Errorf("unescape(%q) = %q, want %q", got, k, key)
		}
	}
	// What no sink writes: other people's keys.
	for _, key := range []string{"a%20b", "50%", "a/b%2e", "a%2Eb%", "%5Fa", "a%25/b", "%2E/b"} {
		if k := unescape(key); k != key {
			t.Errorf("unescape(%q) = %q", key, k)
		}
	}
}

// TestKeysKept: a set has the keys that were written, however often it is written.
func TestKeysKept(t *testing.T) {
	want := []string{"cat/dot.in.name", "cat/e%20f", "cat/100%", "__a__/b", ".x"}
	for range 3 {
		dir := t.TempDir()
		s, err := Create(dir, nil, SinkOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range want {
			if err := s.Put(&data.Item{Image: raster.New(2, 2), Key: key, Label: data.NoLabel}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []bool{false, true} {
			src, err := Open(dir, Options{Stream: stream})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for {
				var sample data.Sample
				if err := src.Next(&sample); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				got = append(got, sample.Key)
			}
			if err := src.Close(); err != nil || !slices.Equal(got, want) {
				t.Errorf("stream %v: %q, want %q, %v", stream, got, want, err)
			}
			want = got
		}
	}
}

// TestEncodedItem: an image that a worker has encoded already is written as it is.
func TestEncodedItem(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, nil, SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(&data.Item{Key: "a", Label: 5, File: []byte("encoded")}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, got := mustRead(t, dir, Options{}); !slices.Equal(got, []string{"a 5 encoded"}) {
		t.Errorf("%q", got)
	}
}

func BenchmarkPut(b *testing.B) {
	s, err := Create(b.TempDir(), nil, SinkOptions{PerShard: 1 << 30}, nil)
	if err != nil {
		b.Fatal(err)
	}
	it := &data.Item{File: make([]byte, 8000)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		it.Key = fmt.Sprintf("%08d", i)
		if err := s.Put(it); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
	if err := s.Abort(); err != nil {
		b.Fatal(err)
	}
}
