package torchfile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/pickle"
)

// array reads a tensor through package npy.
func array(t *testing.T, x *Tensor) *npy.Array {
	t.Helper()
	h, err := x.Header()
	if err != nil {
		t.Fatal(err)
	}
	b, err := x.Values()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := npy.WriteHeader(&file, h); err != nil {
		t.Fatal(err)
	}
	file.Write(b)
	a, err := npy.Read(&file)
	if err != nil || file.Len() > 0 {
		t.Fatal(err, file.Len())
	}
	return a
}

// want are the tensors of testdata/make.py.
var want = []struct {
	name   string
	shape  []int
	values []float64
	data   any // an array of the type
}{
	{"float32", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []float32{}},
	{"float64", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []float64{}},
	{"float16", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []float32{}},
	{"bfloat16", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []float32{}},
	{"int64", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []int64{}},
	{"int32", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []int32{}},
	{"int16", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []int16{}},
	{"int8", []int{2, 3}, []float64{-2, -1, 0, 1, 2, 3}, []int8{}},
	{"uint8", []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}, []uint8{}},
	{"bool", []int{2, 3}, []float64{0, 1, 1, 1, 1, 1}, []bool{}},
	{"rows", []int{2, 3}, []float64{2, 3, 4, 5, 6, 7}, []float32{}},
	{"columns", []int{2, 3}, []float64{0, 2, 4, 1, 3, 5}, []float32{}},
	{"steps", []int{3}, []float64{0, 4, 8}, []float32{}},
	{"scalar", []int{}, []float64{7}, []int64{}},
	{"empty", []int{0, 3}, []float64{}, []float32{}},
	{"parameter", []int{2}, []float64{1, 1}, []float32{}},
	{"numpy", []int{2, 2}, []float64{1.5, 2, 3, 4}, []float32{}},
	{"list", []int{3}, []float64{3, 1, 2}, []int64{}},
}

func checkFile(t *testing.T, path string) {
	f, err := Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	d, ok := f.Value.(*pickle.Dict)
	if !ok {
		t.Errorf("%s: it holds a %T", path, f.Value)
		return
	}
	got := Tensors(d)
	if len(got) != len(want) {
		t.Errorf("%s: %d tensors, want %d", path, len(got), len(want))
		return
	}
	for range 2 { // a second reading loads storages again
		for i, w := range want {
			a := array(t, got[i].Tensor)
			if got[i].Name != w.name || !slices.Equal(a.Shape, w.shape) || !slices.Equal(a.Float64s(), w.values) ||
				fmt.Sprintf("%T", a.Data) != fmt.Sprintf("%T", w.data) {
				t.Errorf("%s: %s: %T %v %v", path, got[i].Name, a.Data, a.Shape, a.Data)
			}
		}
	}
	if v, _ := d.Get("number"); v != 0.5 {
		t.Errorf("%s: a number of NumPy's is %v", path, v)
	}
}

// files are those of testdata that hold want.
var files = []string{"zip.pt", "protocol4.pt", "legacy.pt", "legacy4.pt"}

// TestWritten reads what PyTorch 1.13 wrote.
func TestWritten(t *testing.T) {
	for _, name := range files {
		checkFile(t, filepath.Join("testdata", name))
	}
	f, err := Open("testdata/tensor.pt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if a := array(t, AsTensor(f.Value)); !slices.Equal(a.Float64s(), []float64{0, 1, 2, 3, 4, 5}) {
		t.Errorf("a tensor alone is %v", a.Data)
	}
}

// TestPyTorch reads what the PyTorch of this machine writes.
func TestPyTorch(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs PyTorch")
	}
	dir := t.TempDir()
	var out []byte
	var err error
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if out, err = exec.Command(python, "testdata/make.py", dir).CombinedOutput(); err == nil {
			break
		}
	}
	if err != nil {
		if bytes.Contains(out, []byte("No module")) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			t.Skip("python3 has no torch")
		}
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range files {
		checkFile(t, filepath.Join(dir, name))
	}
}

// build makes a file of the zip format of a pickle and storages.
func build(values string, storages ...string) []byte {
	parts := []string{"a/data.pkl", "\x80\x02" + values}
	for i, s := range storages {
		parts = append(parts, fmt.Sprintf("a/data/%d", i), s)
	}
	return members(parts...)
}

// members makes a zip file of names and contents in turn.
func members(parts ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func integer(n int) string {
	return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
}

func tuple(items ...int) string {
	s := "("
	for _, n := range items {
		s += integer(n)
	}
	return s + "t"
}

// floats refers to a storage of floats.
func floats(key string, n int) string {
	return "(U\x07storagectorch\nFloatStorage\nU" + string(rune(len(key))) + key + "U\x03cpu" + integer(n) + "tQ"
}

// rebuild makes a tensor of a storage.
func rebuild(storage string, offset int, size, stride []int) string {
	return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + integer(offset) + tuple(size...) + tuple(stride...) + "\x89}tR"
}

var four = strings.Repeat("\x00\x00\x80\x3f", 4)

// hostile are files with an error each.
var hostile = []struct {
	name string
	file []byte
	is   error
	text string
}{
	{"os.system", build("cos\nsystem\nU\x02ls\x85R."), ErrUnsafe, `"os.system"`},
	{"eval", build("c__builtin__\neval\nU\x011\x85R."), ErrUnsafe, `"__builtin__.eval"`},
	{"a class of torch", build("ctorch.nn.modules.linear\nLinear\n)\x81."), ErrUnsafe, "torch.nn.modules.linear.Linear"},
	{"load", build("ctorch\nload\nU\x01x\x85R."), ErrUnsafe, `"torch.load"`},
	{"extension", build("\x82\x01."), ErrUnsafe, "outside"},
	{"instance", build("ctorch\nFloatStorage\n)\x81."), ErrUnsafe, "instance"},
	{"call of a storage", build("ctorch\nFloatStorage\n)R."), ErrFormat, "FloatStorage called"},
	{"legacy os.system", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02M\xe9\x03.\x80\x02}U\x0dlittle_endian\x88s.\x80\x02cos\nsystem\n."), ErrUnsafe, `"os.system"`},
	{"no such storage", build(rebuild(floats("9", 4), 0, []int{4}, []int{1})+".", four), ErrFormat, "data/9"},
	{"a path for a key", build(rebuild(floats("../data.pkl", 4), 0, []int{4}, []int{1})+".", four), ErrFormat, "data/../data.pkl"},
	{"storage too large", build(floats("0", 1<<30)+".", four), ErrFormat, "1073741824 values"},
	{"storage of another size", build(floats("0", 3)+".", four), ErrFormat, "16 bytes, want 12"},
	{"negative storage", build(floats("0", -1)+".", four), ErrFormat, "persistent id"},
	{"persistent text", build("U\x01xQ."), ErrFormat, "persistent id"},
	{"described twice", build(floats("0", 4)+"0"+strings.Replace(floats("0", 4), "Float", "Int", 1)+".", four), ErrFormat, "two ways"},
	{"shape too large", build(rebuild(floats("0", 4), 0, []int{5}, []int{1})+".", four), ErrFormat, "[5]"},
	{"expanded", build(rebuild(floats("0", 4), 0, []int{1 << 20, 1 << 20, 1 << 20}, []int{0, 0, 0})+".", four), ErrFormat, "clone"},
	{"stride too large", build(rebuild(floats("0", 4), 0, []int{2}, []int{math.MaxInt32})+".", four), ErrFormat, "beyond"},
	{"negative stride", build(rebuild(floats("0", 4), 3, []int{4}, []int{-1})+".", four), ErrFormat, "axis 0"},
	{"offset", build(rebuild(floats("0", 4), 4, []int{1}, []int{1})+".", four), ErrFormat, "value 4"},
	{"negative offset", build(rebuild(floats("0", 4), -1, []int{1}, []int{1})+".", four), ErrFormat, "value -1"},
	{"axes", build(rebuild(floats("0", 4), 0, make([]int, 65), make([]int, 65))+".", four), ErrFormat, "65 axes"},
	{"strides missing", build(rebuild(floats("0", 4), 0, []int{2, 2}, []int{1})+".", four), ErrFormat, "1 strides"},
	{"no arguments", build("ctorch._utils\n_rebuild_tensor_v2\n)R."), ErrFormat, "0 arguments"},
	{"many whole tensors", build("]("+floats("0", 1<<16)+"q\x00"+strings.Repeat("ctorch._utils\n_rebuild_tensor_v2\n(h\x00"+integer(0)+tuple(1<<16)+tuple(1)+"\x89}tR", 200)+"e.", strings.Repeat("a", 1<<18)), ErrFormat, "16 times"},
	{"a member twice", members("a/data.pkl", "\x80\x02N.", "a/data/0", four, "a/data/0", four), ErrFormat, `two members named "a/data/0"`},
	{"values twice", members("a/data.pkl", "\x80\x02N.", "a/data.pkl", "\x80\x02K\x01."), ErrFormat, `two members named "a/data.pkl"`},
	{"values of two names", members("a/data.pkl", "\x80\x02N.", "b/data.pkl", "\x80\x02K\x01."), ErrFormat, "two members data.pkl"},
	{"not a zip", []byte("PK\x03\x04 and more"), ErrFormat, "zip"},
	{"no values", emptyZip(), ErrFormat, "data.pkl"},
	{"compressed values", deflated(), ErrUnsupported, "compressed"},
	{"big endian", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02M\xe9\x03.\x80\x02}U\x0dlittle_endian\x89s.\x80\x02N.\x80\x02]."), ErrUnsupported, "big"},
	{"version", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02K\x01.\x80\x02}.\x80\x02N.\x80\x02]."), ErrUnsupported, "version 1"},
	{"another pickle", []byte("\x80\x02K\x01."), ErrFormat, ""},
	{"empty", nil, ErrFormat, ""},
	{"legacy listed twice", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02M\xe9\x03.\x80\x02}U\x0dlittle_endian\x88s.\x80\x02(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x00tQ.\x80\x02](U\x010U\x010e." + strings.Repeat("\x00", 16)), ErrFormat, "twice"},
	{"legacy unlisted", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02M\xe9\x03.\x80\x02}U\x0dlittle_endian\x88s.\x80\x02(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x00tQ.\x80\x02]."), ErrFormat, "missing"},
	{"legacy cut", []byte("\x80\x02\x8a\x0a" + magicNumber + ".\x80\x02M\xe9\x03.\x80\x02}U\x0dlittle_endian\x88s.\x80\x02(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x04tQ.\x80\x02](U\x010e.\x04\x00\x00\x00\x00\x00\x00\x00aaaa"), ErrFormat, "bytes left"},
}

func emptyZip() []byte {
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		panic(err)
	}
	return append([]byte("PK\x03\x04"), b.Bytes()...)
}

// deflated is a bomb: a small file whose values unpack to 100 MB.
func deflated() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("a/data.pkl")
	if err == nil {
		_, err = w.Write(bytes.Repeat([]byte{'N'}, 1e8))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestHostile(t *testing.T) {
	for _, h := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := New(bytes.NewReader(h.file), int64(len(h.file)))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, h.is) || !strings.Contains(fmt.Sprint(err), h.text) {
			t.Errorf("%s: error %v, want %v with %q", h.name, err, h.is, h.text)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 100*uint64(len(h.file))+1<<18 {
			t.Errorf("%s: %d bytes allocated for a file of %d", h.name, used, len(h.file))
		}
	}
	for name, text := range map[string]string{"model.pt": "torch.nn.modules.linear.Linear", "script.pt": "TorchScript"} {
		if _, err := Open(filepath.Join("testdata", name)); err == nil || !strings.Contains(err.Error(), text) ||
			!strings.Contains(err.Error(), "state_dict") {
			t.Errorf("%s: error %v, want one with %q", name, err, text)
		}
	}
}

// TestDamaged: a changed value, and a file cut anywhere, are errors or read as they were.
func TestDamaged(t *testing.T) {
	file := build(rebuild(floats("0", 4), 0, []int{4}, []int{1})+".", four)
	file[bytes.Index(file, []byte(four))] ^= 1
	f, err := New(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AsTensor(f.Value).Values(); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	for _, name := range files {
		whole, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(whole); n += 7 {
			if _, err := New(bytes.NewReader(whole[:n]), int64(n)); !isOurs(err) {
				t.Fatalf("%s of %d bytes: error %v", name, n, err)
			}
		}
	}
}

func isOurs(err error) bool {
	return errors.Is(err, ErrFormat) || errors.Is(err, ErrUnsupported) || errors.Is(err, ErrUnsafe)
}

// FuzzNew: no file makes the reader panic or allocate out of proportion; errors have a sentinel.
func FuzzNew(f *testing.F) {
	for _, h := range hostile {
		if len(h.file) < 5000 {
			f.Add(h.file)
		}
	}
	for _, name := range files {
		if whole, err := os.ReadFile(filepath.Join("testdata", name)); err == nil {
			f.Add(whole)
		}
	}
	if whole, err := os.ReadFile("../../predictions/testdata/ids.pt"); err == nil { // with a list of texts
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := New(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !isOurs(err) {
				t.Fatalf("error without a sentinel: %v", err)
			}
			return
		}
		var list []Named
		if d, ok := file.Value.(*pickle.Dict); ok {
			list = Tensors(d)
			texts(t, file, d)
		} else if one := AsTensor(file.Value); one != nil {
			list = []Named{{"", one}}
		}
		total := 0
		for _, x := range list {
			v, err := x.Values()
			if err != nil && !isOurs(err) {
				t.Fatalf("error without a sentinel: %v", err)
			}
			total += len(v)
		}
		if total > 2*(maxShare*len(b)+slack) {
			t.Fatalf("%d bytes of values in a file of %d", total, len(b))
		}
	})
}

// texts reads every list of a dict as one of texts.
func texts(t *testing.T, f *File, d *pickle.Dict) {
	t.Helper()
	for i := 1; i < len(d.Pairs); i += 2 {
		items, _ := pickle.Sequence(d.Pairs[i])
		list, err := f.Texts(items)
		if err != nil && !isOurs(err) {
			t.Fatalf("error without a sentinel: %v", err)
		}
		total := 0
		for _, s := range list {
			total += len(s)
		}
		if int64(total) > maxShare*f.size+slack {
			t.Fatalf("%d bytes of text in a file of %d", total, f.size)
		}
	}
}

// TestTexts: lists of text, which are no tensors.
func TestTexts(t *testing.T) {
	long := &pickle.Text{B: make([]byte, 1<<19)}
	a, b := &pickle.Text{B: []byte("a")}, &pickle.Text{B: []byte("b")}
	f := &File{}
	if got, err := f.Texts([]any{a, b, a}); err != nil || !slices.Equal(got, []string{"a", "b", "a"}) {
		t.Errorf("%v, error %v", got, err)
	}
	for _, c := range []struct {
		items []any
		want  error
	}{{[]any{a, int64(7)}, ErrUnsupported}, {[]any{nil}, ErrUnsupported}, {[]any{long, long, long}, ErrFormat}} {
		if _, err := f.Texts(c.items); !errors.Is(err, c.want) {
			t.Errorf("error %v, want %v", err, c.want)
		}
	}
}
