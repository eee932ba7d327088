package data_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
)

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// list returns the names in a folder.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestAtomicFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := storage.CreateAtomic(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := storage.CreateAtomic(name) // another writer of the same name
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"new ", "content"} {
		if _, err := a.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, name); got != "old" {
		t.Errorf("%q before Commit", got)
	}
	for _, n := range list(t, dir) {
		if n != "f" && !(strings.HasPrefix(n, ".f.") && strings.HasSuffix(n, storage.TempSuffix)) {
			t.Errorf("temporary name %s", n)
		}
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	a.Abort() // does nothing any more
	if got := content(t, name); got != "new content" {
		t.Errorf("%q after Commit", got)
	}
	b.Abort()
	if got := list(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("left: %q", got)
	}
	if _, err := a.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit: %v", err)
	}
	if err := a.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit twice: %v", err)
	}
}

func TestAtomicFileCannotRename(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(name, "by a folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := data.WriteFileAtomic(name, []byte("x")); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("renaming over a folder: %v", err)
	}
	if got := list(t, dir); !slices.Equal(got, []string{"taken"}) {
		t.Errorf("left: %q", got)
	}
	if err := data.WriteFileAtomic(filepath.Join(dir, "no", "where"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}

func TestPartialFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "set.bin")
	p, err := data.CreatePartial(name)
	if err != nil {
		t.Fatal(err)
	}
	write := func(s string) {
		t.Helper()
		if _, err := p.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	write("0123456789")
	if err := p.Sync(); err != nil {
		t.Fatal(err)
	}
	durable := p.Size()
	write("lost in the crash")

	if _, err := data.ResumePartial(name, durable+1000); !errors.Is(err, data.ErrFormat) {
		t.Errorf("resuming beyond the end: %v", err)
	}
	if _, err := data.ResumePartial(name, -1); !errors.Is(err, data.ErrFormat) {
		t.Errorf("resuming at -1: %v", err)
	}
	if p, err = data.ResumePartial(name, durable); err != nil {
		t.Fatal(err)
	}
	write("abc")
	if _, err := p.WriteAt([]byte("XY"), 2); err != nil {
		t.Fatal(err)
	}
	write("d") // WriteAt does not move the end
	if p.Size() != durable+4 {
		t.Errorf("Size() = %d", p.Size())
	}
	back := make([]byte, 3)
	if _, err := p.ReadAt(back, 10); err != nil || string(back) != "abc" {
		t.Errorf("ReadAt gives %q, %v", back, err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the final name exists before Commit")
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, name); got != "01XY456789abcd" {
		t.Errorf("content %q", got)
	}
	if _, err := os.Stat(p.TempName()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the temporary name is left")
	}
	if err := errors.Join(p.Close(), p.Remove()); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"Write": second(p.Write(nil)), "WriteAt": second(p.WriteAt(nil, 0)), "ReadAt": second(p.ReadAt(nil, 0)),
		"Sync": p.Sync(), "Commit": p.Commit(),
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s after Commit: %v", name, err)
		}
	}
	if _, err := data.ResumePartial(name, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("resuming what is finished: %v", err)
	}
}

func second(_ int, err error) error { return err }

func TestPartialRemove(t *testing.T) {
	dir := t.TempDir()
	p, err := data.CreatePartial(filepath.Join(dir, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := list(t, dir); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("hello"), 0o666); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 0, 64)
	got, err := data.ReadFile(append(buf, '>'), name, 5)
	if err != nil || string(got) != ">hello" || &got[0] != &buf[:1][0] {
		t.Errorf("%q, %v, or other memory", got, err)
	}
	if got, err := data.ReadFile(nil, name, 5); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := data.ReadFile(nil, name, 4); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), name) {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := data.ReadFile(nil, dir, 4); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := data.ReadFile(nil, name+"x", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if n := testing.AllocsPerRun(20, func() { got, _ = data.ReadFile(got[:0], name, 5) }); n > 6 {
		t.Errorf("%v allocations to read into memory that suffices", n)
	}
}

func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringMatching(`[a-z ,'é]{1,9}`)).Draw(t, "lines")
		text, err := data.EncodeLines(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := data.DecodeLines(text); !slices.Equal(got, want) {
			t.Fatalf("%q becomes %q", want, got)
		}
	})
	if got := data.DecodeLines([]byte("a\r\nb")); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"", "a\nb", "a\rb", "a\x00b"} {
		if _, err := data.EncodeLines([]string{"x", bad}); !errors.Is(err, data.ErrLabel) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestState(t *testing.T) {
	type fields struct {
		Count int `json:"count"`
	}
	state, err := data.EncodeState("npy", fields{Count: 7})
	if err != nil {
		t.Fatal(err)
	}
	var got fields
	if err := data.DecodeState(state, "npy", &got); err != nil || got.Count != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := data.DecodeState(state, "npz", &got); !errors.Is(err, data.ErrFormat) ||
		!strings.Contains(err.Error(), "npy") {
		t.Errorf("another format: %v", err)
	}
	var other struct {
		Records int `json:"records"`
	}
	for _, bad := range [][]byte{
		nil,
		{},
		[]byte("{"), []byte("null"), []byte("[]"), []byte(`{"format":"npy"}`),
		state[:9],
	} {
		if err := data.DecodeState(bad, "npy", &got); !errors.Is(err, data.ErrFormat) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if err := data.DecodeState(state, "npy", &other); !errors.Is(err, data.ErrFormat) {
		t.Errorf("other fields: %v", err)
	}
}

func TestLabelRule(t *testing.T) {
	for _, c := range []struct {
		labels  []int
		classes int
		good    int // labels accepted before the first error
	}{
		{[]int{0, 5, 99999}, 0, 3},
		{[]int{-1, -1}, 0, 2},
		{[]int{-1, -1}, 3, 2},
		{[]int{0, 2, 3}, 3, 2},
		{[]int{0, -1}, 3, 1},
		{[]int{-1, 0}, 0, 1},
		{[]int{-2}, 0, 0},
	} {
		var r data.LabelRule
		n := 0
		for _, l := range c.labels {
			if err := r.Check("k", l, c.classes); err != nil {
				if !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), `"k"`) {
					t.Errorf("%v: %v", c.labels, err)
				}
				break
			}
			n++
		}
		if n != c.good {
			t.Errorf("%v of %d classes: %d accepted, want %d", c.labels, c.classes, n, c.good)
		}
	}
}

func ExampleWriteFileAtomic() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "classes.txt")
	if err := data.WriteFileAtomic(name, []byte("cat\ndog\n")); err != nil {
		fmt.Println(err)
		return
	}
	b, err := os.ReadFile(name)
	fmt.Printf("%q %v\n", b, err)
	// Output: "cat\ndog\n" <nil>
}

func ExampleCreatePartial() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "records.bin")
	p, err := data.CreatePartial(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(p, "kept")
	if err := p.Sync(); err != nil {
		fmt.Println(err)
		return
	}
	size := p.Size()
	fmt.Fprint(p, " lost")
	p.Close() // a crash

	if p, err = data.ResumePartial(name, size); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprint(p, " and more")
	if err := p.Commit(); err != nil {
		fmt.Println(err)
		return
	}
	b, err := os.ReadFile(name)
	fmt.Println(string(b), err)
	// Output: kept and more <nil>
}
