package weights_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

func sample() []weights.Tensor {
	return []weights.Tensor{
		{Name: "conv1.weight", Shape: []int{2, 1, 1, 2}, Data: []float32{1, -2.5, float32(math.Inf(1)), 1e-42}},
		{Name: "fc.bias", Shape: []int{3}, Data: []float32{0, float32(math.Copysign(0, -1)), 7}},
		{Name: "scale", Shape: []int{}, Data: []float32{42}},
		{Name: "nothing", Shape: []int{0, 4}, Data: []float32{}},
	}
}

func encode(t testing.TB, ts []weights.Tensor, meta map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := weights.Write(&b, ts, meta); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(b []byte) ([]weights.Tensor, map[string]string, error) {
	return weights.Read(bytes.NewReader(b), int64(len(b)))
}

// same compares bit for bit.
func same(a, b []weights.Tensor) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || !reflect.DeepEqual(a[i].Shape, b[i].Shape) || len(a[i].Data) != len(b[i].Data) {
			return false
		}
		for j, v := range a[i].Data {
			if math.Float32bits(v) != math.Float32bits(b[i].Data[j]) {
				return false
			}
		}
	}
	return true
}

func TestRoundTrip(t *testing.T) {
	meta := map[string]string{"a": "1", "Ünï": "x\"y"}
	b := encode(t, sample(), meta)
	ts, m, err := decode(b)
	if err != nil || !same(ts, sample()) || !reflect.DeepEqual(m, meta) {
		t.Fatalf("%v %v %v", ts, m, err)
	}
	if again := encode(t, ts, m); !bytes.Equal(b, again) {
		t.Error("writing what was read gives other bytes")
	}
	if n := binary.LittleEndian.Uint64(b); n%8 != 0 {
		t.Errorf("the header of %d bytes does not align the values", n)
	}
}

// TestForm pins a whole file, as the format's description has it.
func TestForm(t *testing.T) {
	b := encode(t, []weights.Tensor{{Name: "w", Shape: []int{1, 2}, Data: []float32{1, 2}}}, map[string]string{"k": "v"})
	head := `{"__metadata__":{"k":"v"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`
	head += strings.Repeat(" ", (8-len(head)%8)%8)
	want := string(binary.LittleEndian.AppendUint64(nil, uint64(len(head)))) + head + "\x00\x00\x80\x3f\x00\x00\x00\x40"
	if string(b) != want {
		t.Errorf("the file is\n%q\nwant\n%q", b, want)
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ts []weights.Tensor
		for i := range rapid.IntRange(0, 5).Draw(t, "tensors") {
			shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
			n := 1
			for _, d := range shape {
				n *= d
			}
			data := make([]float32, n)
			for j := range data {
				data[j] = math.Float32frombits(rapid.Uint32().Draw(t, "bits"))
			}
			if shape == nil {
				shape = []int{}
			}
			ts = append(ts, weights.Tensor{Name: fmt.Sprint(rapid.String().Draw(t, "name"), i), Shape: shape, Data: data})
		}
		meta := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "meta")
		var b bytes.Buffer
		if err := weights.Write(&b, ts, meta); err != nil {
			t.Fatal(err)
		}
		back, m, err := decode(b.Bytes())
		if err != nil || !same(ts, back) || len(m) != len(meta) {
			t.Fatalf("%v: %v instead of %v", err, back, ts)
		}
	})
}

// raw makes a file of a header and values.
func raw(head string, data ...byte) []byte {
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head...), data...)
}

// TestTypes reads the other float types; values worked out by hand.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		dtype string
		bytes string
		want  float32
	}{
		{"F32", "\x00\x00\x80\x3f", 1},
		{"F64", "\x00\x00\x00\x00\x00\x00\x04\xc0", -2.5},
		{"BF16", "\x40\xc0", -3},
		{"BF16", "\x80\x7f", float32(math.Inf(1))},
		{"F16", "\x00\x3c", 1},
		{"F16", "\x00\xc0", -2},
		{"F16", "\xff\x7b", 65504},
		{"F16", "\x01\x00", 1.0 / (1 << 24)},
		{"F16", "\xff\x03", 1023.0 / (1 << 24)},
		{"F16", "\x00\x04", 1.0 / (1 << 14)},
		{"F16", "\x00\x80", float32(math.Copysign(0, -1))},
		{"F16", "\x00\xfc", float32(math.Inf(-1))},
		{"F16", "\x01\x7e", float32(math.NaN())},
	} {
		head := fmt.Sprintf(`{"x":{"dtype":%q,"shape":[1],"data_offsets":[0,%d]}}`, c.dtype, len(c.bytes))
		ts, _, err := decode(raw(head, []byte(c.bytes)...))
		if err != nil {
			t.Errorf("%s %x: %v", c.dtype, c.bytes, err)
			continue
		}
		got := ts[0].Data[0]
		if math.IsNaN(float64(c.want)) {
			if !math.IsNaN(float64(got)) {
				t.Errorf("%s %x is %v, want NaN", c.dtype, c.bytes, got)
			}
		} else if math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("%s %x is %v, want %v", c.dtype, c.bytes, got, c.want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	const x = `{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	for _, c := range []struct {
		file []byte
		says string
	}{
		{nil, "0 bytes are no safetensors file"},
		{[]byte("1234567"), "7 bytes are no safetensors file"},
		{raw(x + "}")[:20], "a header of"},
		{binary.LittleEndian.AppendUint64(nil, 1<<63), "a header of 9223372036854775808 bytes"},
		{binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "a header of"},
		{raw(""), "is not a JSON object"},
		{raw(" {}"), "is not a JSON object"},
		{raw("[]"), "is not a JSON object"},
		{raw("{"), "is not JSON"},
		{raw("{1:2}"), "is not JSON"},
		{raw("{} x"), "goes on after its end"},
		{raw(x+"}", 0, 0, 0), "lies at [0 4] of 3 bytes"},
		{raw(x+"}", 0, 0, 0, 0, 0), "overlap or leave bytes out: 4 of 5 bytes"},
		{raw(x+`,"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `holds "x" twice`},
		{raw(x+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `"y" shares its bytes`},
		{raw(x+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, 0, 0, 0, 0, 0, 0), "overlap or leave bytes out"},
		{raw(x+`,"y":{"dtype":"F32","shape":[1],"data_offsets":[6,10]}}`, make([]byte, 10)...), "leave bytes out"},
		{raw(x+`,"y":null}`, 0, 0, 0, 0), `describes "y" wrongly: no `},
		{raw(x+`,"y":{"dtype":"F32","shape":[0],"data_offsets":[4,4],"more":1}}`, 0, 0, 0, 0), "4 members and 2 offsets"},
		{raw(`{"x":{"dtype":"F32","data_offsets":[0,4]}}`, 0, 0, 0, 0), `describes "x" wrongly: no shape`},
		{raw(`{"x":{"dtype":"F32","Shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `describes "x" wrongly: no shape`},
		{raw(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, 0, 0, 0, 0), "3 members and 3 offsets, not 3 and 2"},
		{raw(x+`,"y":7}`, 0, 0, 0, 0), `describes "y" wrongly`},
		{raw(x+`,"y":{"dtype":"F32","shape":[-1],"data_offsets":[4,4]}}`, 0, 0, 0, 0), `"y" has the shape [-1]`},
		{raw(x+`,"y":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[4,4]}}`, 0, 0, 0, 0), `"y" `},
		{raw(`{"x":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `"x" `},
		{raw(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}}`), "lies at [-4 0]"},
		{raw(`{"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, 0, 0, 0, 0), "lies at [4 0]"},
		{raw(`{"x":{"dtype":"F64","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0), "of F64 in 4 bytes"},
		{
			raw(`{"x":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`, make([]byte, 8)...),
			`the type "I64" (allowed: F32, F64, F16, BF16)`,
		},
		{raw(`{"x":{"dtype":"F32","shape":["a"],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `describes "x" wrongly`},
		{raw(`{"__metadata__":{"a":1}}`), "has metadata that are not strings"},
		{raw(`{"__metadata__":null}`), "has metadata that are not strings"},
		{raw(`{"__metadata__":{},"__metadata__":{}}`), "twice"},
	} {
		_, _, err := decode(c.file)
		if !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want ErrFormat and %q", c.file, err, c.says)
		}
	}
	whole := encode(t, sample(), map[string]string{"k": "v"})
	for n := range whole {
		if _, _, err := decode(whole[:n]); !errors.Is(err, weights.ErrFormat) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, _, err := weights.Read(failing{}, 100); !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, weights.ErrFormat) {
		t.Errorf("a failing disk: %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestIgnored(t *testing.T) {
	head := `{"module.bn.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[0,8]},` +
		`"module.bn.weight":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`
	ts, _, err := decode(raw(head, append(make([]byte, 10), 0x80, 0x3f)...))
	if err != nil || len(ts) != 1 || ts[0].Name != "module.bn.weight" {
		t.Fatalf("%v %v", ts, err)
	}
	dst := []weights.Tensor{{Name: "bn.weight", Shape: []int{1}, Data: make([]float32, 1)}}
	if err := weights.Fill(dst, ts); err != nil || dst[0].Data[0] != 1 {
		t.Errorf("%v %v", dst, err)
	}
}

func TestFill(t *testing.T) {
	dst := sample()
	for i := range dst {
		dst[i].Data = make([]float32, len(dst[i].Data))
	}
	src := sample()
	src[0], src[2] = src[2], src[0] // the order in the file does not matter
	src = append(src, weights.Tensor{Name: "bn.num_batches_tracked", Shape: []int{1}, Data: []float32{3}})
	if err := weights.Fill(dst, src); err != nil || !same(dst, sample()) {
		t.Errorf("%v %v", dst, err)
	}
	bad := []weights.Tensor{
		{Name: "conv1.weight", Shape: []int{4}, Data: make([]float32, 4)},
		{Name: "scale", Shape: []int{}, Data: []float32{0}},
		{Name: "other", Shape: []int{1}, Data: []float32{0}},
	}
	err := weights.Fill(dst, bad)
	const says = "of 4 tensors 2 missing (fc.bias, nothing), 1 unknown (other), " +
		"1 of another shape (conv1.weight [4], not [2 1 1 2])"
	if !errors.Is(err, weights.ErrMismatch) || !strings.Contains(err.Error(), says) || !same(dst, sample()) {
		t.Errorf("%v", err)
	}
	err = weights.Fill(dst, append(sample(), sample()[1]))
	if !errors.Is(err, weights.ErrMismatch) || !strings.Contains(err.Error(), `two are called "fc.bias"`) {
		t.Errorf("%v", err)
	}
	var many []weights.Tensor
	for i := range 20 {
		many = append(many, weights.Tensor{Name: fmt.Sprintf("t%02d", i), Shape: []int{1}, Data: []float32{0}})
	}
	err = weights.Fill(many, nil)
	if err == nil || !strings.Contains(err.Error(), "20 missing (t00, t01, t02, t03, t04, ...)") {
		t.Errorf("%v", err)
	}
}

// TestFormerNames: the tensors of torchvision's published DenseNets have names that its modules no longer have.
func TestFormerNames(t *testing.T) {
	one := func(name string) []weights.Tensor {
		return []weights.Tensor{{Name: "features.denseblock1.denselayer12." + name, Shape: []int{1}, Data: []float32{1}}}
	}
	for former, today := range map[string]string{
		"norm.1.weight": "norm1.weight", "norm.2.running_var": "norm2.running_var", "conv.2.weight": "conv2.weight",
		"conv1.weight": "conv1.weight",
	} {
		if err := weights.Match(one(today), one(former)); err != nil {
			t.Error(err)
		}
	}
	if err := weights.Match(one("conv3.weight"), one("conv.3.weight")); err == nil {
		t.Error("conv.3 was never a name")
	}
}

func TestFillPanics(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.HasPrefix(r.(string), "weights: ") {
			t.Errorf("panic %v", r)
		}
	}()
	_ = weights.Fill([]weights.Tensor{{Name: "x", Shape: []int{2}}}, nil)
}

// TestManyTensors: a header of more tensors than any network has is refused while it is read.
func TestManyTensors(t *testing.T) {
	const maxTensors = 1 << 16
	var b strings.Builder
	b.WriteByte('{')
	for i := range maxTensors + 1 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, i)
	}
	b.WriteByte('}')
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(b.Len())), b.String()...)
	_, _, err := weights.Read(bytes.NewReader(file), int64(len(file)))
	if !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), "more than 65536 tensors") {
		t.Errorf("%d tensors: %v", maxTensors+1, err)
	}
	if err := weights.Write(io.Discard, make([]weights.Tensor, maxTensors+1), nil); !errors.Is(err, weights.ErrTensor) {
		t.Errorf("%d tensors written: %v", maxTensors+1, err)
	}
}

func TestWriteErrors(t *testing.T) {
	one := []float32{1}
	for _, c := range []struct {
		ts   []weights.Tensor
		meta map[string]string
	}{
		{[]weights.Tensor{{Name: "", Shape: []int{1}, Data: one}}, nil},
		{[]weights.Tensor{{Name: "__metadata__", Shape: []int{1}, Data: one}}, nil},
		{[]weights.Tensor{{Name: "\xff", Shape: []int{1}, Data: one}}, nil},
		{[]weights.Tensor{{Name: "a", Shape: []int{1}, Data: one}, {Name: "a", Shape: []int{1}, Data: one}}, nil},
		{[]weights.Tensor{{Name: "a", Shape: []int{2}, Data: one}}, nil},
		{[]weights.Tensor{{Name: "a", Shape: []int{-1, -1}, Data: one}}, nil},
		{nil, map[string]string{"k": "\xff"}},
	} {
		if err := weights.Write(io.Discard, c.ts, c.meta); !errors.Is(err, weights.ErrTensor) {
			t.Errorf("%v %v: %v", c.ts, c.meta, err)
		}
	}
	if err := weights.Write(failing{}, sample(), nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a full disk: %v", err)
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.safetensors")
	if err := weights.WriteFile(path, sample(), nil); err != nil {
		t.Fatal(err)
	}
	if ts, meta, err := weights.ReadFile(path); err != nil || !same(ts, sample()) || meta == nil {
		t.Errorf("%v %v %v", ts, meta, err)
	}
	// A failed write leaves the older file and nothing else.
	if err := weights.WriteFile(path, []weights.Tensor{{Name: ""}}, nil); !errors.Is(err, weights.ErrTensor) {
		t.Errorf("%v", err)
	}
	if ts, _, err := weights.ReadFile(path); err != nil || !same(ts, sample()) {
		t.Errorf("%v %v", ts, err)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("%v %v", names, err)
	}
	if err := weights.WriteFile(filepath.Join(path, "x"), nil, nil); err == nil {
		t.Error("a folder that is a file was written to")
	}
	if _, _, err := weights.ReadFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, _, err := weights.ReadFile(filepath.Dir(path)); !errors.Is(err, weights.ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
	if err := os.WriteFile(path, []byte("not weights at all"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := weights.ReadFile(path); !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func TestNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.npz")
	z, err := npy.CreateZip(path, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []struct {
		name string
		a    npy.Array
	}{
		{"a.weight", npy.Array{Shape: []int{2, 1}, Data: []float32{1, 2}}},
		{"b", npy.Array{Shape: []int{1}, Data: []float64{0.5}}},
		{"bn.num_batches_tracked", npy.Array{Shape: []int{}, Data: []int64{9}}},
	} {
		if err := z.Write(a.name, &a.a); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	ts, _, err := weights.ReadFile(path)
	want := []weights.Tensor{
		{Name: "a.weight", Shape: []int{2, 1}, Data: []float32{1, 2}},
		{Name: "b", Shape: []int{1}, Data: []float32{0.5}},
	}
	if err != nil || !same(ts, want) {
		t.Errorf("%v %v", ts, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-30], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := weights.ReadFile(path); !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("a truncated zip: %v", err)
	}
	var empty bytes.Buffer
	pth := zip.NewWriter(&empty)
	if _, err := pth.Create("archive/data.pkl"); err != nil {
		t.Fatal(err)
	}
	if err := pth.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = weights.ReadNPZ(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), "without .npy members") {
		t.Errorf("PyTorch's zip: %v", err)
	}
	var buf bytes.Buffer
	if err := npyZip(&buf, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := weights.ReadNPZ(bytes.NewReader(buf.Bytes()), int64(buf.Len())); !errors.Is(err, weights.ErrFormat) ||
		!strings.Contains(err.Error(), `array "x" holds integers (allowed: float16, float32, float64)`) {
		t.Errorf("%v", err)
	}
}

// npyZip writes an npz of integers.
func npyZip(w io.Writer, dir string) error {
	path := filepath.Join(dir, "i.npz")
	z, err := npy.CreateZip(path, false)
	if err != nil {
		return err
	}
	if err := z.Write("x", &npy.Array{Shape: []int{1}, Data: []int32{1}}); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func TestInfo(t *testing.T) {
	i := &weights.Info{
		Model: "wrn-40-2", Input: graph.Shape{H: 32, W: 30, C: 3}, Classes: 10,
		Mean: []float64{0.485, 0.456, 1.0 / 3}, Std: []float64{0.229, 0.224, 0.225}, Version: "v1",
		Other: map[string]string{"epoch": "7"},
	}
	for _, names := range [][]string{nil, {"a", "b \"c\"", "", "d,e", "ü", "6", "7", "8", "9", "10"}} {
		i.Names = names
		back, err := weights.ParseInfo(i.Metadata())
		if err != nil || !reflect.DeepEqual(i, back) {
			t.Errorf("%+v %v, want %+v", back, err, i)
		}
	}
	for _, c := range []struct{ key, value, says string }{
		{weights.KeyModel, "", "has no augmix.model"},
		{weights.KeyClasses, "0", "not a number of classes"},
		{weights.KeyClasses, "ten", `is "ten"`},
		{weights.KeyNames, `["a"]`, "not a list of 10 names"},
		{weights.KeyNames, `[1,2,3,4,5,6,7,8,9,10]`, "not a list of 10 names"},
		{weights.KeyNames, "a,b", "not a list of 10 names"},
		{weights.KeyInput, "32x32", "not HEIGHTxWIDTHxCHANNELS"},
		{weights.KeyInput, "32x32x99999999", "not HEIGHTxWIDTHxCHANNELS"},
		{weights.KeyMean, "1 2", "has 2 numbers, not 3"},
		{weights.KeyMean, "1 2 x", `holds "x"`},
		{weights.KeyStd, "1 2 NaN", `holds "NaN"`},
		{weights.KeyStd, "1 2 0", "holds 0"},
	} {
		meta := i.Metadata()
		meta[c.key] = c.value
		if _, err := weights.ParseInfo(meta); !errors.Is(err, weights.ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s = %q: %v, want %q", c.key, c.value, err, c.says)
		}
	}
}

// FuzzRead: no input panics, and what is read is written and read again bit for bit.
func FuzzRead(f *testing.F) {
	f.Add(encode(f, sample(), map[string]string{"k": "v"}))
	f.Add(encode(f, nil, nil))
	f.Add(raw(`{"x":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Add(raw(`{"x":{"dtype":"BF16","shape":[],"data_offsets":[8,10]},`+
		`"bn.num_batches_tracked":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}`, make([]byte, 10)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		ts, meta, err := decode(b)
		if err != nil {
			if !errors.Is(err, weights.ErrFormat) {
				t.Fatalf("%v is not ErrFormat", err)
			}
			return
		}
		values := 0
		for _, x := range ts {
			values += len(x.Data)
		}
		if values > len(b)/2 {
			t.Fatalf("%d values of %d bytes", values, len(b))
		}
		var again bytes.Buffer
		if err := weights.Write(&again, ts, meta); err != nil {
			if errors.Is(err, weights.ErrTensor) { // an empty name
				return
			}
			t.Fatal(err)
		}
		back, _, err := decode(again.Bytes())
		if err != nil || !same(ts, back) {
			t.Fatalf("%v %v instead of %v", err, back, ts)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	file := encode(b, []weights.Tensor{{Name: "x", Shape: []int{1 << 22}, Data: make([]float32, 1<<22)}}, nil)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, _, err := decode(file); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*(1<<22)/b.Elapsed().Seconds(), "values/s")
}

func BenchmarkWrite(b *testing.B) {
	ts := []weights.Tensor{{Name: "x", Shape: []int{1 << 22}, Data: make([]float32, 1<<22)}}
	b.SetBytes(4 << 22)
	for b.Loop() {
		if err := weights.Write(io.Discard, ts, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*(1<<22)/b.Elapsed().Seconds(), "values/s")
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "net.safetensors")
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: 32, W: 32, C: 1}, Classes: 2, Mean: []float64{0.5}, Std: []float64{0.5},
	}
	net := []weights.Tensor{{Name: "fc.bias", Shape: []int{2}, Data: []float32{0.25, -1}}}
	if err := weights.WriteFile(path, net, info.Metadata()); err != nil {
		fmt.Println(err)
		return
	}
	ts, meta, err := weights.ReadFile(path)
	fmt.Println(ts, meta[weights.KeyModel], err)
	// Output: [{fc.bias [2] [0.25 -1]}] wrn-10-1 <nil>
}

func ExampleFill() {
	net := []weights.Tensor{{Name: "fc.bias", Shape: []int{2}, Data: make([]float32, 2)}}
	file := []weights.Tensor{{Name: "module.fc.bias", Shape: []int{2}, Data: []float32{1, 2}}}
	fmt.Println(weights.Fill(net, file), net[0].Data)

	file[0].Shape = []int{2, 1}
	fmt.Println(weights.Fill(net, file))
	// Output:
	// <nil> [1 2]
	// the tensors are not the network's: of 1 tensors 1 of another shape (fc.bias [2 1], not [2])
}

func TestPreparation(t *testing.T) {
	for _, p := range []*weights.Preparation{{Size: 256, Crop: 224, Filter: "bilinear"}, {Filter: "box"}, {Crop: 32, Filter: "bicubic"}} {
		i := weights.Info{
			Model: "wrn-10-1", Input: graph.Shape{H: 8, W: 8, C: 3}, Classes: 2, Mean: []float64{0, 0, 0}, Std: []float64{1, 1, 1},
			Preparation: p,
		}
		back, err := weights.ParseInfo(i.Metadata())
		if err != nil || !reflect.DeepEqual(back.Preparation, p) || len(back.Other) != 0 {
			t.Errorf("%v came back as %v, beside %v (%v)", p, back.Preparation, back.Other, err)
		}
		if i.Preparation = nil; i.Metadata()[weights.KeyPreparation] != "" {
			t.Error("a preparation of nothing")
		}
	}
	for _, text := range []string{"", "size=1", "size=1 crop=2", "size=-1 crop=2 filter=box", "size=1 crop=2 filter=box x=1", "size=1 crop=20000 filter=box", "size=1 crop=2 filter="} {
		if p, err := weights.ParsePreparation(text); !errors.Is(err, weights.ErrFormat) {
			t.Errorf("%q is %v (%v)", text, p, err)
		}
	}
	if text := (&weights.Preparation{Size: 40, Crop: 32, Filter: "box"}).Text(); text != "shorter side to 40 pixels (box), center crop 32x32" {
		t.Error(text)
	}
}

// TestFilters: the fixed filters in files of anti-aliased networks are the graph's, or an error, also where every other tensor fits.
func TestFilters(t *testing.T) {
	b := graph.NewBuilder("blurred", graph.Shape{H: 8, W: 8, C: 3}, 2)
	x := b.Add("pool", graph.BlurPool{Taps: 4, Stride: 2}, b.Add("conv", graph.Conv{Out: 2, KH: 1, KW: 1, Stride: 1, Groups: 1}, 0))
	b.Add("end", graph.AdaptivePool{H: 1, W: 1}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	filter := func(name string, channels, taps int) weights.Tensor {
		row := graph.BlurPool{Taps: taps}.Row()
		f := weights.Tensor{Name: name, Shape: []int{channels, 1, taps, taps}}
		for range channels {
			for _, a := range row {
				for _, b := range row {
					f.Data = append(f.Data, float32(a*b))
				}
			}
		}
		return f
	}
	other := filter("pool.filt", 2, 4)
	other.Data[17] += 1e-3
	for _, x := range []struct {
		filter weights.Tensor
		says   string // "": it fits
	}{
		{filter("pool.filt", 2, 4), ""},
		{filter("pool.filt", 2, 3), "pool.filt has 3x3 taps, the network blurred has 4x4"},
		{filter("pool.filt", 3, 4), "pool.filt has the shape [3 1 4 4] (allowed: [2 1 4 4])"},
		{other, "pool.filt has a tap of 0.047875 (allowed: 0.046875)"},
		{filter("conv.filt", 2, 4), "conv.filt is a filter, and blurred has none there"},
		{filter("layer1.filt", 2, 4), "layer1.filt is a filter, and blurred has none there"},
	} {
		for _, prefix := range []string{"", weights.Prefix} {
			w := weights.Tensor{Name: prefix + "conv.weight", Shape: []int{2, 3, 1, 1}, Data: []float32{1, 2, 3, 4, 5, 6}}
			x.filter.Name = prefix + strings.TrimPrefix(x.filter.Name, weights.Prefix)
			path := filepath.Join(t.TempDir(), "net.safetensors")
			if err := weights.WriteFile(path, []weights.Tensor{w, x.filter}, nil); err != nil {
				t.Fatal(err)
			}
			src, _, err := weights.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if weights.Fits(g, src) != (x.says == "") {
				t.Errorf("%q: Fits says %v", x.says, x.says != "")
			}
			dst := []weights.Tensor{{Name: "conv.weight", Shape: w.Shape, Data: make([]float32, 6)}}
			err = weights.FillGraph(g, dst, src)
			if x.says == "" && (err != nil || dst[0].Data[5] != 6) {
				t.Errorf("%v: %v", err, dst)
			}
			if x.says != "" && (!errors.Is(err, weights.ErrMismatch) || !strings.Contains(err.Error(), x.says) || dst[0].Data[5] != 0) {
				t.Errorf("%s: %v", x.says, err)
			}
		}
	}
}

func TestFits(t *testing.T) {
	b := graph.NewBuilder("small", graph.Shape{H: 8, W: 8, C: 3}, 2)
	x := b.Add("conv", graph.Conv{Out: 2, KH: 1, KW: 1, Stride: 1, Groups: 1}, 0)
	b.Add("end", graph.AdaptivePool{H: 1, W: 1}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	w := weights.Tensor{Name: "conv.weight", Shape: []int{2, 3, 1, 1}}
	turned := weights.Tensor{Name: "conv.weight", Shape: []int{3, 2, 1, 1}}
	for name, c := range map[string]struct {
		src  []weights.Tensor
		fits bool
	}{
		"the same":         {[]weights.Tensor{w}, true},
		"and a counter":    {[]weights.Tensor{w, {Name: "bn.num_batches_tracked"}}, true},
		"none":             {nil, false},
		"another shape":    {[]weights.Tensor{turned}, false},
		"one more":         {[]weights.Tensor{w, {Name: "conv.bias", Shape: []int{2}}}, false},
		"one of no values": {[]weights.Tensor{w, {Name: "conv.bias"}}, false},
	} {
		if got := weights.Fits(g, c.src); got != c.fits {
			t.Errorf("%s: %v", name, got)
		}
	}
}
