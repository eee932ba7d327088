package data_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
)

// filed is a source of files that are never read.
type filed struct {
	data.Source
	info  data.Info
	files []string
}

func (f filed) Info() data.Info { return f.info }
func (f filed) Files() []string { return f.files }

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := write("a", "first"), write("b", "second")
	src := filed{info: data.Info{Len: 2, Classes: []string{"cat", "dog"}}, files: []string{a, b}}
	take := func(src data.Source) data.Fingerprint {
		t.Helper()
		f, err := data.TakeFingerprint(src)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	was := take(src)
	if d := was.Changes(take(src)); d != nil {
		t.Errorf("unchanged: %q", d)
	}
	if d := was.Changes(take(data.Slice(src, 0, 1))); len(d) != 1 || d[0] != "samples: were 2, now 1" {
		t.Errorf("a subset: %q", d)
	}
	for _, tc := range []struct {
		change func(s *filed)
		want   string
	}{
		{func(s *filed) { s.info.Len = 1 }, "samples: were 2, now 1"},
		{func(s *filed) { s.info.Classes = []string{"dog", "cat"} }, "classes: other names or another order"},
		{func(s *filed) { s.files = []string{a} }, "files: were 2, now 1"},
		{func(s *filed) { s.files = []string{b, a} }, "files: other names or another order"},
		{func(*filed) { write("b", "longer than before") }, "files: other sizes"},
		{func(*filed) { os.Remove(b) }, "files: other sizes"},
		{func(*filed) { write("b", "second"); os.Chtimes(b, time.Time{}, time.Unix(1e9, 1000)) }, "files: written since"},
	} {
		now := src
		tc.change(&now)
		if d := strings.Join(was.Changes(take(now)), "; "); d != tc.want {
			t.Errorf("changes %q, want %q", d, tc.want)
		}
		write("b", "second")
	}
}
