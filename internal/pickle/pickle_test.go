package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// hostile are pickles with an error each; bomb marks those that would take much memory if they were believed.
var hostile = []struct {
	name, pickle string
	is           error
	text         string
}{
	{"os.system", "\x80\x02cos\nsystem\nU\x02ls\x85R.", ErrUnsafe, `"os.system"`},
	{"eval", "\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.", ErrUnsafe, `"builtins.eval"`},
	{"getattr", "\x80\x02c__builtin__\ngetattr\n.", ErrUnsafe, `"__builtin__.getattr"`},
	{"OrderedDict", "\x80\x02ccollections\nOrderedDict\n)R.", ErrUnsafe, `"collections.OrderedDict"`},
	{"reconstructor", "\x80\x02ccopy_reg\n_reconstructor\n.", ErrUnsafe, `"copy_reg._reconstructor"`},
	{"numpy load", "\x80\x02cnumpy\nload\n.", ErrUnsafe, `"numpy.load"`},
	{"dotted name", "\x80\x04\x8c\x05numpy\x8c\x0fndarray.tofile.\x93.", ErrUnsafe, "ndarray.tofile"},
	{"long name", "\x80\x02c" + strings.Repeat("m", 1000) + "\nn\n.", ErrUnsafe, "mmm..."},
	{"inst", "\x80\x02(ios\nsystem\n.", ErrUnsafe, `"os.system"`},
	{"newobj", "\x80\x02cnumpy\nndarray\n)\x81.", ErrUnsafe, "instance"},
	{"obj", "\x80\x02(cnumpy\nndarray\no.", ErrUnsafe, "instance"},
	{"persistent", "\x80\x02NQ.", ErrUnsafe, "outside"},
	{"persistent by line", "\x80\x02Pid\n.", ErrUnsafe, "outside"},
	{"extension", "\x80\x02\x82\x01.", ErrUnsafe, "outside"},
	{"call a list", "\x80\x02])R.", ErrUnsafe, "calls"},
	{"call ndarray", "\x80\x02cnumpy\nndarray\n)R.", ErrFormat, "ndarray"},
	{"object array", "\x80\x02cnumpy\ndtype\nU\x02O8K\x00K\x01\x87R.", ErrUnsupported, `"O8"`},
	{"protocol 0", "(dp0\n.", ErrFormat, "protocol"},
	{"protocol 9", "\x80\x09}.", ErrUnsupported, "protocol 9"},
	{"empty", "", ErrFormat, "protocol"},
	{"no stop", "\x80\x02}", ErrFormat, "ends early"},
	{"nothing to return", "\x80\x02.", ErrFormat, "empty stack"},
	{"out of band", "\x80\x05\x97.", ErrUnsupported, "0x97"},
	{"memo", "\x80\x02h\x07.", ErrFormat, "entry 7"},
	{"mark", "\x80\x02(t(]e.", ErrFormat, ""},
	{"below the mark", "\x80\x02](K\x01a.", ErrFormat, ""},
	{"odd dict", "\x80\x02(K\x01d.", ErrFormat, "key"},
	{"bomb string", "\x80\x02T\xff\xff\xff\x7f", ErrFormat, "ends early"},
	{"bomb bytes", "\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", ErrFormat, "ends early"},
	{"bomb frame", "\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f", ErrFormat, "ends early"},
	{"bomb long", "\x80\x02\x8b\xff\xff\xff\x7f", ErrFormat, "ends early"},
	{"bomb steps", "\x80\x02" + strings.Repeat("N0", maxSteps), ErrFormat, "steps"},
	{
		"bomb shape", "\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01" +
			"J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R\x89U\x02aatb.",
		ErrFormat, "dimension",
	},
	{"bomb encode", "\x80\x02X\x00\x10\x00\x00" + strings.Repeat("a", 4096) + "q\x00U\x06latin1q\x01" +
		"c_codecs\nencode\nq\x02" + strings.Repeat("h\x02h\x00h\x01\x86R0", 100000) + "N.", ErrFormat, "more text"},
	{"encode to other", "\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aU\x03zip\x86R.", ErrFormat, "encode"},
	{
		"encode beyond Latin-1", "\x80\x02c_codecs\nencode\nX\x03\x00\x00\x00\xe2\x82\xacU\x06latin1\x86R.",
		ErrFormat, "Latin-1",
	},
}

func TestHostilePickle(t *testing.T) {
	for _, h := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := Read([]byte(h.pickle), new(Dialect))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, h.is) || !strings.Contains(fmt.Sprint(err), h.text) {
			t.Errorf("%s: error %v, want %v with %q", h.name, err, h.is, h.text)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 100*uint64(len(h.pickle))+1<<16 {
			t.Errorf("%s: %d bytes allocated for a pickle of %d", h.name, used, len(h.pickle))
		}
	}
}

func TestNumbers(t *testing.T) {
	for p, want := range map[string]any{
		"J\xff\xff\xff\xff": int64(-1), "J\x00\x00\x00\x80": int64(-1 << 31), "K\xff": int64(255), "M\x01\x02": int64(513),
		"\x8a\x00": int64(0), "\x8a\x01\xff": int64(-1), "\x8a\x02\xff\x00": int64(255),
		"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80": int64(-1 << 63),
		"\x8b\x03\x00\x00\x00\x00\x00\x80":         int64(-1 << 23),
		"G\x3f\xf8\x00\x00\x00\x00\x00\x00":        1.5, "\x88": true, "\x89": false, "N": nil,
	} {
		got, _, err := Read([]byte("\x80\x02"+p+"."), new(Dialect))
		if err != nil || got != want {
			t.Errorf("%q gives %v (%T), error %v, want %v", p, got, got, err, want)
		}
	}
}

// TestBig: a number of more than 8 bytes is its bytes.
func TestBig(t *testing.T) {
	got, n, err := Read([]byte("\x80\x02\x8a\x0aaaaaaaaaab.next"), new(Dialect))
	if b, ok := got.(Big); err != nil || !ok || string(b) != "aaaaaaaaab" || n != 15 {
		t.Errorf("%v, %d bytes, error %v", got, n, err)
	}
}

func TestInts(t *testing.T) {
	want := []int{0, 1, 100, -1, -128}
	for _, code := range []string{"i1", "i2", "i4", "i8"} {
		for _, order := range []byte("<>") {
			size := int(code[1] - '0')
			a := &Array{Shape: []int{len(want)}, Type: &DType{Code: code, Order: order}, Raw: &Text{}}
			for _, v := range want {
				var w [8]byte
				binary.LittleEndian.PutUint64(w[:], uint64(v))
				if e := w[:size]; order == '>' {
					slices.Reverse(e)
				}
				a.Raw.B = append(a.Raw.B, w[:size]...)
			}
			if got, ok := a.Ints(); !ok || !slices.Equal(got, want) {
				t.Errorf("%s%c: %v", code, order, got)
			}
		}
	}
	big := &Array{Shape: []int{1}, Type: &DType{Code: "u2", Order: '<'}, Raw: &Text{B: []byte{0xff, 0xff}}}
	if v, ok := big.Ints(); !ok || v[0] != 65535 {
		t.Errorf("u2 of all ones is %v", v)
	}
	float := &Array{Shape: []int{1}, Type: &DType{Code: "f4", Order: '<'}, Raw: &Text{B: make([]byte, 4)}}
	if _, ok := float.Ints(); ok {
		t.Error("floats are integers")
	}
}

// TestDialect: what a caller allows is called as it says, a class without a meaning is not called, and attributes of an
// OrderedDict are dropped.
func TestDialect(t *testing.T) {
	d := &Dialect{
		Globals: map[string]Call{
			"collections.OrderedDict": NewOrderedDict, "m.Class": nil,
			"m.double": func(args []any) (any, error) { return 2 * args[0].(int64), nil },
		},
		Persistent: func(id any) (any, error) { return id, nil },
	}
	for p, want := range map[string]string{
		"cm\ndouble\nK\x15\x85R.":                "42",
		"cm\nClass\n)R.":                         "bad pickle: m.Class called with 0 arguments",
		"cm\nClass\n)\x81.":                      "instance",
		"cm\nother\n.":                           `"m.other"`,
		"K\x07Q.":                                "7",
		"ccollections\nOrderedDict\n)R}b0K\x01.": "1",
		"ccollections\nOrderedDict\n](K\x01K\x02\x86e\x85R0K\x03.": "3",
		"}}b.": "state of a",
	} {
		got, _, err := Read([]byte("\x80\x02"+p), d)
		if text := fmt.Sprint(got, err); !strings.Contains(text, want) {
			t.Errorf("%q gives %s, want %s", p, text, want)
		}
	}
}

// FuzzRead: nothing makes the reader panic, and errors have a sentinel.
func FuzzRead(f *testing.F) {
	for _, h := range hostile {
		if len(h.pickle) < 5000 {
			f.Add([]byte(h.pickle))
		}
	}
	f.Add([]byte("\x80\x02ccollections\nOrderedDict\n)R}bK\x07Q."))
	f.Fuzz(func(t *testing.T, p []byte) {
		d := &Dialect{
			Globals:    map[string]Call{"collections.OrderedDict": NewOrderedDict},
			Persistent: func(id any) (any, error) { return id, nil },
		}
		_, n, err := Read(p, d)
		if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrUnsafe) {
			t.Fatalf("error without a sentinel: %v", err)
		}
		if n > len(p) {
			t.Fatalf("%d bytes of %d", n, len(p))
		}
	})
}
