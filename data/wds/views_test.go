package wds

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// putViews writes n samples of three views, resuming after each if that is asked for.
func putViews(t *testing.T, dir string, n int, pauses bool) {
	t.Helper()
	var state []byte
	open := func() *Sink {
		t.Helper()
		s, err := Create(dir, []string{"a", "b"}, SinkOptions{PerShard: 2}, state)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	for i := range n {
		var views []data.Item
		for v := range 3 {
			m := raster.New(2, 1)
			m.Set(0, 0, raster.RGB{R: uint8(i), G: uint8(v)})
			views = append(views, data.Item{Key: fmt.Sprintf("c/%d", i), Label: i % 2, Image: m, Target: []float32{0.25, float32(v)}})
		}
		err := s.PutViews(views)
		if err == nil && pauses {
			if state, err = s.Checkpoint(); err == nil {
				err = s.Abort()
			}
			s = open()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Views are one sample of the convention, whole in one shard, and are read back as images that share key and label.
func TestViews(t *testing.T) {
	dir, paused := t.TempDir(), t.TempDir()
	putViews(t, dir, 5, false)
	putViews(t, paused, 5, true)
	var names []string
	for k := range 3 {
		entries := entriesOf(t, fmt.Sprintf("%s/data-%06d.tar", dir, k))
		if again := entriesOf(t, fmt.Sprintf("%s/data-%06d.tar", paused, k)); !slices.Equal(again, entries) {
			t.Errorf("shard %d after pauses: %q, want %q", k, again, entries)
		}
		names = append(names, strings.Join(entries, " "))
	}
	sample := func(i int) string {
		var all []string
		for _, kind := range []string{"v0.png", "v1.png", "v2.png", "target.npy", "cls"} {
			all = append(all, fmt.Sprintf("c/%d.%s", i, kind))
		}
		return strings.Join(all, " ")
	}
	if want := []string{sample(0) + " " + sample(1), sample(2) + " " + sample(3), sample(4)}; !slices.Equal(names, want) {
		t.Errorf("entries %q, want %q", names, want)
	}
	for _, o := range []Options{{}, {Stream: true}} {
		src, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		var s data.Sample
		var m raster.Image
		for i := range 15 {
			if err := src.Next(&s); err != nil {
				t.Fatal(err)
			}
			if err := s.Decode(&m); err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("c/%d-v%d", i/3, i%3)
			if s.Key != want || s.Index != i || s.Label != i/3%2 || s.Ext != ".png" || m.At(0, 0) != (raster.RGB{R: uint8(i / 3), G: uint8(i % 3)}) {
				t.Errorf("%+v: sample %d is %s with label %d and %v, want %s", o, i, s.Key, s.Label, m.At(0, 0), want)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

// entriesOf returns the names of the entries of a shard.
func entriesOf(t *testing.T, path string) []string {
	t.Helper()
	var names []string
	for _, h := range headersOf(t, path) {
		names = append(names, h.Name)
	}
	return names
}

// Views in foreign shards: their order, several formats of one, an image beside them, and what is wrong with them.
func TestForeignViews(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []file
		want  []string
	}{
		{"out of order", []file{{"x.cls", "3"}, {"x.v10.jpg", "ten"}, {"x.v2.png", "two"}, {"x.v0.jpg", "zero"}}, []string{"x-v0 3 zero", "x-v2 3 two", "x-v10 3 ten"}},
		{"two formats", []file{{"x.v0.png", "png"}, {"x.v0.jpg", "jpg"}, {"x.v0.gif", "gif"}}, []string{"x-v0 -1 jpg"}},
		{"an image wins", []file{{"x.v0.png", "view"}, {"x.png", "image"}, {"y.v1.png", "view"}}, []string{"x -1 image", "y-v1 -1 view"}},
		{"no views", []file{{"x.v64.png", "far"}, {"x.v01.png", "odd"}, {"x.w0.png", "w"}, {"y.png", "image"}}, []string{"error x", "y -1 image"}},
		{"a bad label", []file{{"x.v0.png", "a"}, {"x.cls", "cat"}, {"x.v1.png", "b"}}, []string{"error x-v0", "error x-v1"}},
	} {
		dir := folder(t, map[string][]byte{"a.tar": writeTar(t, c.files...)})
		for _, o := range []Options{{}, {Stream: true}} {
			src, err := Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := readAll(src)
			if err != nil || len(got) != len(c.want) {
				t.Errorf("%s %+v: %q, %v", c.name, o, got, err)
				continue
			}
			for i, want := range c.want {
				if got[i] != want {
					t.Errorf("%s %+v: %q, want %q", c.name, o, got[i], want)
				}
			}
		}
	}
	clash := folder(t, map[string][]byte{"a.tar": writeTar(t, file{"x-v0.png", "a"}, file{"x.v0.png", "b"})})
	if _, err := Open(clash, Options{}); !isErr(err, data.ErrFormat, "x-v0") {
		t.Errorf("a view called like a sample: %v", err)
	}
}
