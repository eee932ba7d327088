package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func writeZip(t *testing.T, path string, deflate bool) {
	t.Helper()
	z, err := CreateZip(path, deflate)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Abort()
	for i, a := range samples() {
		if err := z.Write(fmt.Sprintf("arr_%d", i), a); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is there before Close")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestZip(t *testing.T) {
	dir := t.TempDir()
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(dir, fmt.Sprint(deflate, ".npz"))
		writeZip(t, path, deflate)
		z, err := OpenZip(path)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		if len(z.Names()) != len(samples()) || z.Names()[2] != "arr_2" {
			t.Fatalf("names %v", z.Names())
		}
		for i, a := range samples() {
			name := z.Names()[i]
			got, err := z.Read(name)
			if err != nil || !reflect.DeepEqual(got, a) {
				t.Fatalf("%s: %v, %v", name, got, err)
			}
			checkStreams(t, z, name, a, deflate)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}

// checkStreams compares Open and Section with the array.
func checkStreams(t *testing.T, z *Zip, name string, a *Array, deflated bool) {
	t.Helper()
	var want bytes.Buffer
	if err := writeData(&want, a.Data); err != nil {
		t.Fatal(err)
	}
	h, r, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); err != nil || !bytes.Equal(b, want.Bytes()) || !slices.Equal(h.Shape, a.Shape) {
		t.Errorf("Open(%q): %+v, %d bytes, %v", name, h, len(b), err)
	}
	h, s, err := z.Section(name)
	if deflated {
		if !errors.Is(err, ErrUnsupported) {
			t.Errorf("Section(%q) of a deflated array: %v", name, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.Size() != int64(want.Len()) || !slices.Equal(h.Shape, a.Shape) {
		t.Errorf("Section(%q): %+v, %d bytes", name, h, s.Size())
	}
	if n := int64(want.Len()); n > 0 {
		var b [1]byte
		if _, err := s.ReadAt(b[:], n-1); err != nil || b[0] != want.Bytes()[n-1] {
			t.Errorf("Section(%q): last byte %d, %v", name, b[0], err)
		}
	}
}

func TestZipSameBytes(t *testing.T) {
	dir := t.TempDir()
	var files [2][]byte
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		writeZip(t, path, true)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = b
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same arrays gave different bytes")
	}
}

// zipOf builds a zip file of the given members.
func zipOf(t testing.TB, method uint16, members ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m[0], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadZip(t *testing.T) {
	good := string(wrap(1, header("|u1", 3), 1, 2, 3))
	long := string(wrap(1, header("|u1", 1<<27), 1, 2, 3))
	read := func(file []byte, name string) error {
		z, err := NewZip(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return err
		}
		_, err = z.Read(name)
		if _, _, serr := z.Section(name); err != nil && serr == nil && !bytes.Contains(file, []byte{9, 9, 9}) {
			t.Errorf("Section takes what Read refuses: %v", err)
		}
		return err
	}
	damaged := zipOf(t, zip.Store, [2]string{"a.npy", good})
	copy(damaged[bytes.Index(damaged, []byte{1, 2, 3}):], []byte{9, 9, 9})
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"no zip":    {[]byte("nothing"), ErrFormat},
		"twice":     {zipOf(t, zip.Store, [2]string{"a.npy", good}, [2]string{"a.npy", good}), ErrFormat},
		"absent":    {zipOf(t, zip.Store, [2]string{"b.npy", good}, [2]string{"a.txt", good}), ErrFormat},
		"too short": {zipOf(t, zip.Store, [2]string{"a.npy", long}), ErrFormat},
		"deflated":  {zipOf(t, zip.Deflate, [2]string{"a.npy", long}), ErrFormat},
		"no array":  {zipOf(t, zip.Store, [2]string{"a.npy", "text"}), ErrFormat},
		"checksum":  {damaged, ErrFormat},
	} {
		if err := read(tt.file, "a"); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
	if err := read(zipOf(t, zip.Store, [2]string{"a.npy", good}), "a"); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "bad.npz")
	if err := os.WriteFile(path, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenZip(path); !errors.Is(err, ErrFormat) {
		t.Errorf("OpenZip: %v", err)
	}
	if _, err := OpenZip(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenZip of no file: %v", err)
	}
}

// TestDamagedDeflate: a good archive whose compressed bytes are damaged is not called a bad archive.
func TestDamagedDeflate(t *testing.T) {
	content := make([]byte, 5000)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	good := zipOf(t, zip.Deflate, [2]string{"a.npy", string(wrap(1, header("|u1", 5000), content...))})
	said := 0
	for at := 200; at < 500; at++ {
		file := bytes.Clone(good)
		file[at] ^= 0x55
		z, err := NewZip(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		_, err = z.Read("a")
		if !errors.Is(err, ErrFormat) || strings.Contains(err.Error(), zip.ErrFormat.Error()) {
			t.Errorf("byte %d: %v", at, err)
		}
		if strings.Contains(err.Error(), "its compressed bytes are damaged") {
			said++
		}
	}
	if said == 0 {
		t.Error("no damage was named")
	}
}

// TestBackward: an offset below zero, which a damaged directory asks for, is the file's fault.
func TestBackward(t *testing.T) {
	if _, err := (forward{bytes.NewReader(nil)}).ReadAt(make([]byte, 1), -1); !errors.Is(err, ErrFormat) {
		t.Errorf("byte -1: %v", err)
	}
	if err := zipError(fmt.Errorf("reading: %w", ErrFormat)); !errors.Is(err, ErrFormat) {
		t.Errorf("an error of the file becomes %v", err)
	}
}

func TestListNames(t *testing.T) {
	names := make([]string, 60000)
	for i := range names {
		names[i] = strings.Repeat("x", 100)
	}
	names[1] = "b"
	got := ListNames(names)
	if !strings.HasPrefix(got, strings.Repeat("x", 60)+", b, x") || !strings.HasSuffix(got, "x and 59990 more") || len(got) > 700 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if got := ListNames(names[1:2]); got != "b" {
		t.Errorf("one name: %q", got)
	}
}

func TestZipWriterErrors(t *testing.T) {
	dir := t.TempDir()
	z, err := CreateZip(filepath.Join(dir, "a.npz"), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Write("x", samples()[0]); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", ""} {
		if err := z.Write(name, samples()[0]); !errors.Is(err, ErrFormat) {
			t.Errorf("name %q: %v", name, err)
		}
	}
	if err := z.Write("y", &Array{Shape: []int{2}, Data: []uint8{1}}); !errors.Is(err, ErrFormat) {
		t.Errorf("bad array: %v", err)
	}
	if _, err := z.Create("y", Header{DType: "|O"}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("bad header: %v", err)
	}
	z.Abort()
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func ExampleCreateZip() {
	dir, err := os.MkdirTemp("", "npz")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "pair.npz")
	w, err := CreateZip(path, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort()
	w.Write("labels", &Array{Shape: []int{3}, Data: []int64{4, 0, 9}})
	w.Write("scale", &Array{Data: []float64{0.5}})
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	r, err := OpenZip(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, name := range r.Names() {
		a, err := r.Read(name)
		fmt.Println(name, a.Shape, a.Data, err)
	}
	// Output:
	// labels [3] [4 0 9] <nil>
	// scale [] [0.5] <nil>
}

func FuzzZip(f *testing.F) {
	good := string(wrap(1, header("<f4", 2), make([]byte, 8)...))
	f.Add(zipOf(f, zip.Store, [2]string{"a.npy", good}, [2]string{"b.npy", good}))
	f.Add(zipOf(f, zip.Deflate, [2]string{"a.npy", good}))
	f.Add(zipOf(f, zip.Deflate, [2]string{"id.npy", string(wrap(1, header("|S2", 2), []byte("abc\x00")...))}))
	f.Fuzz(func(t *testing.T, file []byte) {
		z, err := NewZip(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		for _, name := range z.Names() {
			text, err := z.ReadText(name)
			if shape, serr := z.Shape(name); err == nil && (serr != nil || !reflect.DeepEqual(shape, text.Shape)) {
				t.Fatalf("%q: text of shape %v, shape %v, error %v", name, text.Shape, shape, serr)
			}
			a, err := z.Read(name)
			h, s, serr := z.Section(name)
			if err != nil || serr != nil {
				continue
			}
			data, err := readData(s, h, s.Size())
			if err != nil || !bytes.Equal(written(t, &Array{a.Shape, a.Data}), written(t, &Array{h.Shape, data})) {
				t.Fatalf("Read and Section of %q differ: %v", name, err)
			}
		}
	})
}
