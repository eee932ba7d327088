package npy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// wrap builds a file from a header text and data, in the given format version.
func wrap(major byte, text string, data ...byte) []byte {
	b := []byte(magic + string([]byte{major, 0}))
	if major == 1 {
		b = append(b, byte(len(text)), byte(len(text)>>8))
	} else {
		b = append(b, byte(len(text)), byte(len(text)>>8), byte(len(text)>>16), byte(len(text)>>24))
	}
	return append(append(b, text...), data...)
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReadTypes reads hand-written files of every element type in both byte orders.
func TestReadTypes(t *testing.T) {
	half := []float32{1, -2, 65504, float32(math.Ldexp(1, -24)), float32(math.Ldexp(1, -14)), 0}
	for _, tt := range []struct {
		dtype, data string
		want        any
	}{
		{"|b1", "00 01 ff", []bool{false, true, true}},
		{"?", "", nil}, // NumPy writes |b1
		{"b1", "01", []bool{true}},
		{"|u1", "00 7f ff", []uint8{0, 127, 255}},
		{"<u1", "05", []uint8{5}},
		{"|i1", "00 7f ff 80", []int8{0, 127, -1, -128}},
		{"<u2", "0102 ffff", []uint16{0x201, 0xffff}},
		{">u2", "0102 ffff", []uint16{0x102, 0xffff}},
		{"<i2", "feff", []int16{-2}},
		{">i2", "fffe", []int16{-2}},
		{"<u4", "01020304", []uint32{0x04030201}},
		{">u4", "01020304", []uint32{0x01020304}},
		{"<i4", "feffffff", []int32{-2}},
		{">i4", "fffffffe", []int32{-2}},
		{"<u8", "0102030405060708", []uint64{0x0807060504030201}},
		{">u8", "0102030405060708", []uint64{0x0102030405060708}},
		{"<i8", "feffffffffffffff", []int64{-2}},
		{">i8", "fffffffffffffffe", []int64{-2}},
		{"<f2", "003c 00c0 ff7b 0100 0004 0000", half},
		{">f2", "3c00 c000 7bff 0001 0400 0000", half},
		{"<f2", "007c 00fc 0080", []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.Copysign(0, -1))}},
		{"<f4", "0000803f 000000c0", []float32{1, -2}},
		{">f4", "3f800000 c0000000", []float32{1, -2}},
		{"<f8", "000000000000f03f", []float64{1}},
		{">f8", "3ff0000000000000", []float64{1}},
	} {
		data := unhex(t, tt.data)
		if tt.want == nil {
			_, err := Read(bytes.NewReader(wrap(1, header(tt.dtype, 0), data...)))
			if !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: error %v, want ErrUnsupported", tt.dtype, err)
			}
			continue
		}
		n := reflect.ValueOf(tt.want).Len()
		for _, major := range []byte{1, 2, 3} {
			file := wrap(major, header(tt.dtype, int64(n)), data...)
			a, err := Read(iotest.OneByteReader(bytes.NewReader(file)))
			if err != nil {
				t.Errorf("%s version %d: %v", tt.dtype, major, err)
				continue
			}
			if !reflect.DeepEqual(a.Data, tt.want) || !reflect.DeepEqual(a.Shape, []int{n}) {
				t.Errorf("%s version %d: %v %v, want %v", tt.dtype, major, a.Shape, a.Data, tt.want)
			}
		}
	}
	a, err := Read(bytes.NewReader(wrap(1, header("<f2", 1), 0x01, 0x7e)))
	if err != nil || !math.IsNaN(float64(a.Data.([]float32)[0])) {
		t.Errorf("half NaN: %v, %v", a, err)
	}
}

func header(dtype string, n int64) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", dtype, n)
}

// TestReadHeader lists header texts that are good, and what they mean.
func TestReadHeader(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Header
	}{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", Header{"<f4", false, []int{2, 3}}},
		{"{'descr': '<f4', 'fortran_order': True, 'shape': (), }", Header{"<f4", true, []int{}}},
		{`{"shape":(7,),"descr":"|u1","fortran_order":False}`, Header{"|u1", false, []int{7}}},
		{" { 'shape' : ( 10L , 32L ) ,'fortran_order': False , 'descr': '>i8' } ", Header{">i8", false, []int{10, 32}}},
		{"{'descr': '<u1', 'fortran_order': False, 'shape': (0, 5)}", Header{"|u1", false, []int{0, 5}}},
		{"{'descr': '<u2', 'fortran_order': False, 'shape': (1, 2,)}", Header{"<u2", false, []int{1, 2}}},
	} {
		for _, major := range []byte{1, 2, 3} {
			file := wrap(major, tt.text, 9, 9, 9)
			r := bytes.NewReader(file)
			h, n, err := ReadHeader(r)
			if err != nil || !reflect.DeepEqual(h, tt.want) || n != len(file)-3 || r.Len() != 3 {
				t.Errorf("%q: %+v, %d, %v; want %+v, %d", tt.text, h, n, err, tt.want, len(file)-3)
			}
		}
	}
}

// TestBadHeader lists header texts that must be refused, with the class of the error.
func TestBadHeader(t *testing.T) {
	const ok = "'descr': '|u1', 'fortran_order': False, "
	for _, tt := range []struct {
		text string
		want error
	}{
		{"", ErrFormat},
		{"[]", ErrFormat},
		{"{}", ErrFormat},
		{"__import__('os')", ErrFormat},
		{"{'descr': '|u1', 'fortran_order': False}", ErrFormat},
		{"{" + ok + "'shape': (1,), 'shape': (1,)}", ErrFormat},
		{"{" + ok + "'shape': (1,), 'more': 1}", ErrFormat},
		{"{" + ok + "'shape': (1,)} x", ErrFormat},
		{"{" + ok + "'shape': (1,)", ErrFormat},
		{"{" + ok + "'shape': (1)}", ErrFormat},
		{"{" + ok + "'shape': 1}", ErrFormat},
		{"{" + ok + "'shape': [1]}", ErrFormat},
		{"{" + ok + "'shape': (1 2)}", ErrFormat},
		{"{" + ok + "'shape': (,)}", ErrFormat},
		{"{" + ok + "'shape': (-1,)}", ErrFormat},
		{"{" + ok + "'shape': (1.0,)}", ErrFormat},
		{"{" + ok + "'shape': (True,)}", ErrFormat},
		{"{" + ok + "'shape': (99999999999999999999,)}", ErrUnsupported},
		{"{" + ok + "'shape': (9223372036854775807, 2)}", ErrUnsupported},
		{"{" + ok + "'shape': (0, 4294967296, 4294967296)}", ErrUnsupported},
		{"{" + ok + "'shape': (" + strings.Repeat("1, ", 65) + ")}", ErrFormat},
		{"{'descr' '|u1', 'fortran_order': False, 'shape': (1,)}", ErrFormat},
		{"{'descr': '|u1' 'fortran_order': False, 'shape': (1,)}", ErrFormat},
		{"{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}", ErrFormat},
		{"{'descr': '|u\\x31', 'fortran_order': False, 'shape': (1,)}", ErrFormat},
		{"{'descr': '|u1", ErrFormat},
		{"{'descr': None, 'fortran_order': False, 'shape': (1,)}", ErrFormat},
		{"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': 'O', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '<', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '|S5', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '<U5', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': '=f4', 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
		{"{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}", ErrUnsupported},
	} {
		_, _, err := ReadHeader(bytes.NewReader(wrap(1, tt.text, 0)))
		if !errors.Is(err, tt.want) {
			t.Errorf("%q: error %v, want %v", tt.text, err, tt.want)
		}
	}
}

// TestBadFile lists damage outside the header text.
func TestBadFile(t *testing.T) {
	good := wrap(1, header("<f4", 2), make([]byte, 8)...)
	for n := range len(good) {
		for _, r := range []io.Reader{bytes.NewReader(good[:n]), iotest.OneByteReader(bytes.NewReader(good[:n]))} {
			_, err := Read(r)
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("first %d of %d bytes: error %v, want ErrFormat", n, len(good), err)
			}
		}
	}
	for name, tt := range map[string]struct {
		file []byte
		want error
	}{
		"magic":     {append([]byte("\x93NUMPX"), good[6:]...), ErrFormat},
		"version 0": {wrap(0, header("|u1", 0)), ErrUnsupported},
		"version 4": {wrap(4, header("|u1", 0)), ErrUnsupported},
		"minor 1":   {append([]byte("\x93NUMPY\x01\x01"), good[8:]...), ErrUnsupported},
		"4 GB head": {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{"), ErrUnsupported},
	} {
		if _, err := Read(bytes.NewReader(tt.file)); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
	broken := errors.New("disk on fire")
	_, err := Read(io.MultiReader(bytes.NewReader(good[:len(good)-4]), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || errors.Is(err, ErrFormat) {
		t.Errorf("failing reader: error %v, want it wrapped and no ErrFormat", err)
	}
}

// TestMemory checks that a declared size costs nothing until the data is there.
func TestMemory(t *testing.T) {
	for _, dtype := range []string{"|u1", "<f4", ">f8", "<f2", "|b1"} {
		file := wrap(1, header(dtype, 1<<27), make([]byte, 300_000)...)
		for _, known := range []bool{true, false} {
			var r io.Reader = bytes.NewReader(file)
			limit := uint64(100_000)
			if !known {
				r, limit = io.MultiReader(r), 4_000_000
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(r)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("%s: error %v, want ErrFormat", dtype, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > limit {
				t.Errorf("%s, size known %v: allocated %d bytes for a file of %d", dtype, known, used, len(file))
			}
		}
	}
}

// TestHeaderBytes compares with what numpy.save wrote (NumPy 1.24.2): 128 bytes whatever the growing axis holds.
func TestHeaderBytes(t *testing.T) {
	pad := func(text string) string { return text + strings.Repeat(" ", 128-10-1-len(text)) + "\n" }
	for _, tt := range []struct {
		h    Header
		want string
	}{
		{
			Header{"|u1", false, []int{50000, 32, 32, 3}},
			pad("{'descr': '|u1', 'fortran_order': False, 'shape': (50000, 32, 32, 3), }"),
		},
		{Header{"<i8", false, []int{5}}, pad("{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }")},
		{Header{"<f4", true, []int{5, 7}}, pad("{'descr': '<f4', 'fortran_order': True, 'shape': (5, 7), }")},
		// A single value has no growing axis: 10 + 53 bytes and the line feed are one block of 64, to which NumPy adds one.
		{Header{"<f8", false, nil}, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }" +
			strings.Repeat(" ", 128-10-1-55) + "\n"},
	} {
		var b bytes.Buffer
		n, err := WriteHeader(&b, tt.h)
		if err != nil || n != b.Len() {
			t.Fatalf("%+v: %d, %v", tt.h, n, err)
		}
		if got := b.String(); got != "\x93NUMPY\x01\x00\x76\x00"+tt.want {
			t.Errorf("%+v:\n got %q\nwant %q", tt.h, got[10:], tt.want)
		}
	}
}

// TestHeaderGrows writes a header, learns the number of rows and writes it again in place.
func TestHeaderGrows(t *testing.T) {
	for _, fortran := range []bool{false, true} {
		for _, rest := range [][]int{{}, {3}, {224, 224, 3}, {1 << 10, 1 << 10}} {
			sizes := map[int]bool{}
			for _, rows := range []int{0, 1, 9, 10, 99, 1000} {
				shape := append([]int{rows}, rest...)
				if fortran {
					shape = append(append([]int{}, rest...), rows)
				}
				n, err := HeaderSize(Header{DType: "|u1", Fortran: fortran, Shape: shape})
				if err != nil || n%64 != 0 {
					t.Fatalf("%v: %d, %v", shape, n, err)
				}
				sizes[n] = true
			}
			if len(sizes) != 1 {
				t.Errorf("fortran %v, axes %v: header sizes %v, want one", fortran, rest, sizes)
			}
		}
	}
	if _, err := HeaderSize(Header{DType: "|u1", Shape: []int{-1}}); !errors.Is(err, ErrFormat) {
		t.Errorf("negative axis: %v", err)
	}
	if _, err := HeaderSize(Header{DType: "O", Shape: []int{1}}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("objects: %v", err)
	}
}

// TestFortran checks the change of order against the definition: element (i,j,k) of a Fortran array lies at
// i+I*(j+J*k).
func TestFortran(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 3).Draw(t, "shape")
		if rapid.Bool().Draw(t, "deep") {
			shape = rapid.SliceOfN(rapid.IntRange(1, 4), 4, 6).Draw(t, "deep shape")
		}
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]uint8, 2*n)
		for i := range n {
			data[2*i], data[2*i+1] = uint8(i), uint8(i>>8)
		}
		text := fmt.Sprintf("{'descr': '<u2', 'fortran_order': True, 'shape': %s}", tuple(shape))
		a, err := Read(bytes.NewReader(wrap(1, text, data...)))
		if err != nil {
			t.Fatal(err)
		}
		got := a.Data.([]uint16)
		index := make([]int, len(shape))
		for c := range n {
			at, step := 0, 1
			for k, i := range index {
				at += i * step
				step *= shape[k]
			}
			if got[c] != uint16(at) {
				t.Fatalf("shape %v, element %v: %d, want %d", shape, index, got[c], at)
			}
			for k := len(shape) - 1; k >= 0; k-- {
				if index[k]++; index[k] < shape[k] {
					break
				}
				index[k] = 0
			}
		}
	})
}

// samples holds an array of every type, with extreme values.
func samples() []*Array {
	return []*Array{
		{Shape: []int{3}, Data: []bool{true, false, true}},
		{Shape: []int{2, 2}, Data: []uint8{0, 1, 254, 255}},
		{Shape: []int{2}, Data: []int8{-128, 127}},
		{Shape: []int{2}, Data: []uint16{1, math.MaxUint16}},
		{Shape: []int{2}, Data: []int16{math.MinInt16, math.MaxInt16}},
		{Shape: []int{2}, Data: []uint32{1, math.MaxUint32}},
		{Shape: []int{2}, Data: []int32{math.MinInt32, math.MaxInt32}},
		{Shape: []int{2}, Data: []uint64{1, math.MaxUint64}},
		{Shape: []int{2}, Data: []int64{math.MinInt64, math.MaxInt64}},
		{Shape: []int{2, 1}, Data: []float32{math.SmallestNonzeroFloat32, float32(math.Inf(-1))}},
		{Shape: []int{1, 2}, Data: []float64{math.SmallestNonzeroFloat64, math.MaxFloat64}},
		{Shape: []int{}, Data: []float64{-0.5}},
		{Shape: []int{0, 7}, Data: []float32{}},
		{Shape: []int{100_003}, Data: ramp(100_003)}, // more than one chunk and no multiple of one
	}
}

func ramp(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i) / 7
	}
	return x
}

// TestRoundTrip writes and reads every type, several arrays in one stream.
func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	for _, a := range samples() {
		if err := Write(&b, a); err != nil {
			t.Fatalf("%T: %v", a.Data, err)
		}
	}
	for _, r := range []io.Reader{bytes.NewReader(b.Bytes()), iotest.HalfReader(bytes.NewReader(b.Bytes()))} {
		for _, a := range samples() {
			got, err := Read(r)
			if err != nil || !reflect.DeepEqual(got, a) {
				t.Fatalf("%T: %v, %v", a.Data, got, err)
			}
		}
		if n, _ := r.Read(make([]byte, 1)); n != 0 {
			t.Error("bytes left")
		}
	}
}

// TestOtherByteOrder runs the code for a machine of the other byte order: it then takes the file's order for its own,
// so the bytes of every number come out turned around, and reading undoes it.
func TestOtherByteOrder(t *testing.T) {
	bigEndian = !bigEndian
	defer func() { bigEndian = !bigEndian }()
	for _, a := range samples() {
		var b bytes.Buffer
		if err := Write(&b, a); err != nil {
			t.Fatal(err)
		}
		if d, ok := a.Data.([]uint16); ok {
			if got := b.Bytes()[b.Len()-4:]; got[0] != byte(d[0]>>8) || got[1] != byte(d[0]) {
				t.Errorf("%v written as % x", d, got)
			}
		}
		if got, err := Read(&b); err != nil || !reflect.DeepEqual(got, a) {
			t.Errorf("%T: %v, %v", a.Data, got, err)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	for _, a := range samples() {
		if err := WriteFile(path, a); err != nil {
			t.Fatal(err)
		}
		got, err := ReadFile(path)
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("%T: %v, %v", a.Data, got, err)
		}
	}
	for _, bad := range []*Array{
		{Shape: []int{3}, Data: []uint8{1}},
		{Shape: []int{1}, Data: []string{"x"}},
		{Shape: []int{-1}, Data: []uint8{}},
		{},
	} {
		if err := WriteFile(path, bad); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("a failed write harmed the file: %v", err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := os.Truncate(path, 200); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("truncated file: error %v, want ErrFormat with the path", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "a.npy"), samples()[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestFloat64s(t *testing.T) {
	for _, tt := range []struct {
		data any
		want []float64
	}{
		{[]bool{true, false}, []float64{1, 0}},
		{[]uint8{255}, []float64{255}},
		{[]int8{-1}, []float64{-1}},
		{[]uint16{65535}, []float64{65535}},
		{[]int16{-1}, []float64{-1}},
		{[]uint32{7}, []float64{7}},
		{[]int32{-7}, []float64{-7}},
		{[]uint64{8}, []float64{8}},
		{[]int64{-8}, []float64{-8}},
		{[]float32{0.5}, []float64{0.5}},
		{[]float64{0.1}, []float64{0.1}},
	} {
		a := &Array{Shape: []int{len(tt.want)}, Data: tt.data}
		if got := a.Float64s(); !reflect.DeepEqual(got, tt.want) || a.Len() != len(tt.want) {
			t.Errorf("%T: %v, want %v", tt.data, got, tt.want)
		}
	}
}

func Example() {
	var file bytes.Buffer
	if err := Write(&file, &Array{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}); err != nil {
		fmt.Println(err)
	}
	a, err := Read(&file)
	fmt.Println(a.Shape, a.Data, err)
	// Output: [2 3] [1 2 3 4 5 6] <nil>
}

func ExampleWriteHeader() {
	// A writer that does not know the number of rows yet reserves the place and rewrites it at the end.
	h := Header{DType: "|u1", Shape: []int{0, 2}}
	f, err := os.CreateTemp("", "rows*.npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	WriteHeader(f, h)
	for range 3 {
		f.Write([]byte{7, 8})
		h.Shape[0]++
	}
	f.Seek(0, io.SeekStart)
	WriteHeader(f, h)
	a, err := ReadFile(f.Name())
	fmt.Println(a.Shape, a.Data, err)
	// Output: [3 2] [7 8 7 8 7 8] <nil>
}

func FuzzReadHeader(f *testing.F) {
	for _, major := range []byte{1, 2, 3} {
		f.Add(wrap(major, header("<f4", 3)))
	}
	f.Add(wrap(1, "{\"shape\":(7L,2,),'descr':'>u2','fortran_order':True}\n"))
	f.Add(wrap(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		h, n, err := ReadHeader(bytes.NewReader(file))
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("error of no class: %v", err)
			}
			return
		}
		if n > len(file) || h.ItemSize() == 0 {
			t.Fatalf("%+v after %d of %d bytes", h, n, len(file))
		}
		var b bytes.Buffer
		if _, err := WriteHeader(&b, h); err != nil {
			t.Fatalf("%+v cannot be written: %v", h, err)
		}
		again, m, err := ReadHeader(&b)
		if err != nil || !reflect.DeepEqual(again, h) || m%64 != 0 {
			t.Fatalf("%+v read again is %+v, %v", h, again, err)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, a := range samples()[:13] {
		var b bytes.Buffer
		if err := Write(&b, a); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(wrap(2, "{'descr': '>f2', 'fortran_order': True, 'shape': (2, 2)}", 1, 2, 3, 4, 5, 6, 7, 8))
	f.Add(wrap(1, header("<f8", 1<<27), 1, 2, 3))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := Read(bytes.NewReader(file))
		b, err2 := Read(io.MultiReader(bytes.NewReader(file)))
		if (err == nil) != (err2 == nil) {
			t.Fatalf("size known: %v, unknown: %v", err, err2)
		}
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
				t.Fatalf("error of no class: %v", err)
			}
			return
		}
		first, second := written(t, a), written(t, b)
		if !bytes.Equal(first, second) {
			t.Fatal("size known and unknown differ")
		}
		again, err := Read(bytes.NewReader(first))
		if err != nil || !bytes.Equal(written(t, again), first) {
			t.Fatalf("not the same when read again: %v", err)
		}
	})
}

func written(t *testing.T, a *Array) []byte {
	var b bytes.Buffer
	if err := Write(&b, a); err != nil {
		t.Fatalf("%v cannot be written: %v", a.Shape, err)
	}
	return b.Bytes()
}

// BenchmarkRead reads 10000 CIFAR images, or the same number of bytes of another type.
func BenchmarkRead(b *testing.B) {
	const size = 10000 * 32 * 32 * 3
	for _, tt := range []struct {
		name string
		data any
	}{
		{"u1", make([]uint8, size)},
		{"i2", make([]int16, size/2)},
		{"f4", make([]float32, size/4)},
		{"f8", make([]float64, size/8)},
	} {
		_, n := dtypeOf(tt.data)
		path := filepath.Join(b.TempDir(), "a.npy")
		if err := WriteFile(path, &Array{Shape: []int{n}, Data: tt.data}); err != nil {
			b.Fatal(err)
		}
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				if _, err := ReadFile(path); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(10000*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	const size = 10000 * 32 * 32 * 3
	for _, a := range []*Array{
		{Shape: []int{10000, 32, 32, 3}, Data: make([]uint8, size)},
		{Shape: []int{size / 4}, Data: make([]float32, size/4)},
	} {
		b.Run(fmt.Sprintf("%T", a.Data), func(b *testing.B) {
			b.SetBytes(size)
			var file bytes.Buffer
			for b.Loop() {
				file.Reset()
				if err := Write(&file, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(10000*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkFortran(b *testing.B) {
	const rows, cols = 3000, 2560
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': True, 'shape': (%d, %d)}", rows, cols)
	file := wrap(1, text, make([]byte, 4*rows*cols)...)
	b.SetBytes(4 * rows * cols)
	for b.Loop() {
		if _, err := Read(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
