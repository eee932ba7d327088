package cifar

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// written is what Python 3.11 with NumPy 1.24 wrote for one record of label 7 whose bytes are all "A", in protocols 2
// to 5, with the image between head and tail.
var written = []struct{ head, tail string }{
	{
		"\x80\x02}q\x00(X\x0b\x00\x00\x00batch_labelq\x01X\x15\x00\x00\x00training batch 1 of 5q\x02X\x06\x00\x00\x00lab" +
			"elsq\x03]q\x04K\x07aX\x04\x00\x00\x00dataq\x05cnumpy.core.multiarray\n_reconstruct\nq\x06cnumpy\nndarray\nq" +
			"\x07K\x00\x85q\x08c_codecs\nencode\nq\tX\x01\x00\x00\x00bq\nX\x06\x00\x00\x00latin1q\x0b\x86q\x0cRq\r\x87q" +
			"\x0eRq\x0f(K\x01K\x01M\x00\x0c\x86q\x10cnumpy\ndtype\nq\x11X\x02\x00\x00\x00u1q\x12\x89\x88\x87q\x13Rq\x14(K" +
			"\x03X\x01\x00\x00\x00|q\x15NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x16b\x89h\tX\x00\x0c\x00\x00",
		"q\x17h\x0b\x86q\x18Rq\x19tq\x1abX\t\x00\x00\x00filenamesq\x1b]q\x1cX\x12\x00\x00\x00camel_s_000001.pngq\x1dau.",
	},
	{
		"\x80\x03}q\x00(X\x0b\x00\x00\x00batch_labelq\x01X\x15\x00\x00\x00training batch 1 of 5q\x02X\x06\x00\x00\x00lab" +
			"elsq\x03]q\x04K\x07aX\x04\x00\x00\x00dataq\x05cnumpy.core.multiarray\n_reconstruct\nq\x06cnumpy\nndarray\nq" +
			"\x07K\x00\x85q\x08C\x01bq\t\x87q\nRq\x0b(K\x01K\x01M\x00\x0c\x86q\x0ccnumpy\ndtype\nq\rX\x02\x00\x00\x00u1q" +
			"\x0e\x89\x88\x87q\x0fRq\x10(K\x03X\x01\x00\x00\x00|q\x11NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x12b\x89" +
			"B\x00\x0c\x00\x00",
		"q\x13tq\x14bX\t\x00\x00\x00filenamesq\x15]q\x16X\x12\x00\x00\x00camel_s_000001.pngq\x17au.",
	},
	{
		"\x80\x04\x95\xf1\x0c\x00\x00\x00\x00\x00\x00}\x94(\x8c\x0bbatch_label\x94\x8c\x15training batch 1 of 5\x94\x8c" +
			"\x06labels\x94]\x94K\x07a\x8c\x04data\x94\x8c\x15numpy.core.multiarray\x94\x8c\x0c_reconstruct\x94\x93\x94" +
			"\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94C\x01b\x94\x87\x94R\x94(K\x01K\x01M\x00\x0c\x86\x94h\t" +
			"\x8c\x05dtype\x94\x93\x94\x8c\x02u1\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff\xff\xffJ\xff\xff" +
			"\xff\xffK\x00t\x94b\x89B\x00\x0c\x00\x00",
		"\x94t\x94b\x8c\tfilenames\x94]\x94\x8c\x12camel_s_000001.png\x94au.",
	},
	{
		"\x80\x05\x95\xd9\x0c\x00\x00\x00\x00\x00\x00}\x94(\x8c\x0bbatch_label\x94\x8c\x15training batch 1 of 5\x94\x8c" +
			"\x06labels\x94]\x94K\x07a\x8c\x04data\x94\x8c\x12numpy.core.numeric\x94\x8c\x0b_frombuffer\x94\x93\x94(\x96" +
			"\x00\x0c\x00\x00\x00\x00\x00\x00",
		"\x94\x8c\x05numpy\x94\x8c\x05dtype\x94\x93\x94\x8c\x02u1\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94NNNJ\xff\xff" +
			"\xff\xffJ\xff\xff\xff\xffK\x00t\x94bK\x01M\x00\x0c\x86\x94\x8c\x01C\x94t\x94R\x94\x8c\tfilenames\x94]\x94\x8c" +
			"\x12camel_s_000001.png\x94au.",
	},
}

func TestPythonWrote(t *testing.T) {
	ascii, any := bytes.Repeat([]byte("A"), pixels), make([]byte, pixels)
	for j := range any {
		any[j] = byte(j * 7)
	}
	for i, w := range written {
		images := [][]byte{ascii, any}
		if i == 0 { // in the text of protocol 2 bytes above 0x7f take two; TestFolder10 has them
			images = images[:1]
		}
		for _, pix := range images {
			file := append(append([]byte(w.head), pix...), w.tail...)
			dir := write(t, t.TempDir(), map[string][]byte{"test_batch": file})
			_, got := read(t, dir, Options{})
			check(t, got, "test_batch", []record{{label: 7, pix: pix}}, false)
		}
	}
}

// hostile are pickles with an error each; bomb marks those that would take much memory if they were believed.
var hostile = []struct {
	name, pickle string
	is           error
	text         string
}{
	{"os.system", "\x80\x02cos\nsystem\nU\x02ls\x85R.", data.ErrUnsafe, `"os.system"`},
	{"eval", "\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.", data.ErrUnsafe, `"builtins.eval"`},
	{"getattr", "\x80\x02c__builtin__\ngetattr\n.", data.ErrUnsafe, `"__builtin__.getattr"`},
	{"OrderedDict", "\x80\x02ccollections\nOrderedDict\n)R.", data.ErrUnsafe, `"collections.OrderedDict"`},
	{"reconstructor", "\x80\x02ccopy_reg\n_reconstructor\n.", data.ErrUnsafe, `"copy_reg._reconstructor"`},
	{"numpy load", "\x80\x02cnumpy\nload\n.", data.ErrUnsafe, `"numpy.load"`},
	{"dotted name", "\x80\x04\x8c\x05numpy\x8c\x0fndarray.tofile.\x93.", data.ErrUnsafe, "ndarray.tofile"},
	{"long name", "\x80\x02c" + strings.Repeat("m", 1000) + "\nn\n.", data.ErrUnsafe, "mmm..."},
	{"inst", "\x80\x02(ios\nsystem\n.", data.ErrUnsafe, `"os.system"`},
	{"newobj", "\x80\x02cnumpy\nndarray\n)\x81.", data.ErrUnsafe, "instance"},
	{"obj", "\x80\x02(cnumpy\nndarray\no.", data.ErrUnsafe, "instance"},
	{"persistent", "\x80\x02Q.", data.ErrUnsafe, "outside"},
	{"extension", "\x80\x02\x82\x01.", data.ErrUnsafe, "outside"},
	{"call a list", "\x80\x02])R.", data.ErrUnsafe, "calls"},
	{"call ndarray", "\x80\x02cnumpy\nndarray\n)R.", data.ErrFormat, "ndarray"},
	{"object array", "\x80\x02cnumpy\ndtype\nU\x02O8K\x00K\x01\x87R.", data.ErrUnsupported, `"O8"`},
	{"protocol 0", "(dp0\n.", data.ErrFormat, "protocol"},
	{"protocol 9", "\x80\x09}.", data.ErrUnsupported, "protocol 9"},
	{"empty", "", data.ErrFormat, "protocol"},
	{"no stop", "\x80\x02}", data.ErrFormat, "ends early"},
	{"nothing to return", "\x80\x02.", data.ErrFormat, "empty stack"},
	{"out of band", "\x80\x05\x97.", data.ErrUnsupported, "0x97"},
	{"memo", "\x80\x02h\x07.", data.ErrFormat, "entry 7"},
	{"mark", "\x80\x02(t(]e.", data.ErrFormat, ""},
	{"below the mark", "\x80\x02](K\x01a.", data.ErrFormat, ""},
	{"odd dict", "\x80\x02(K\x01d.", data.ErrFormat, "key"},
	{"long long", "\x80\x02\x8a\x10aaaaaaaaaaaaaaaa.", data.ErrUnsupported, "16 bytes"},
	{"bomb string", "\x80\x02T\xff\xff\xff\x7f", data.ErrFormat, "ends early"},
	{"bomb bytes", "\x80\x04\x8e\xff\xff\xff\xff\xff\xff\xff\x7f", data.ErrFormat, "ends early"},
	{"bomb frame", "\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f", data.ErrFormat, "ends early"},
	{"bomb long", "\x80\x02\x8b\xff\xff\xff\x7f", data.ErrUnsupported, "bytes"},
	{"bomb steps", "\x80\x02" + strings.Repeat("N0", maxSteps), data.ErrFormat, "steps"},
	{
		"bomb shape", "\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01" +
			"J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R\x89U\x02aatb.",
		data.ErrFormat, "dimension",
	},
	{"bomb encode", "\x80\x02X\x00\x10\x00\x00" + strings.Repeat("a", 4096) + "q\x00U\x06latin1q\x01" +
		"c_codecs\nencode\nq\x02" + strings.Repeat("h\x02h\x00h\x01\x86R0", 100000) + "N.", data.ErrFormat, "more text"},
	{"encode to other", "\x80\x02c_codecs\nencode\nX\x01\x00\x00\x00aU\x03zip\x86R.", data.ErrFormat, "encode"},
	{
		"encode beyond Latin-1", "\x80\x02c_codecs\nencode\nX\x03\x00\x00\x00\xe2\x82\xacU\x06latin1\x86R.",
		data.ErrFormat, "Latin-1",
	},
}

func TestHostilePickle(t *testing.T) {
	for _, h := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpickle([]byte(h.pickle))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, h.is) || !strings.Contains(fmt.Sprint(err), h.text) {
			t.Errorf("%s: error %v, want %v with %q", h.name, err, h.is, h.text)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 100*uint64(len(h.pickle))+1<<16 {
			t.Errorf("%s: %d bytes allocated for a pickle of %d", h.name, used, len(h.pickle))
		}
	}
}

// TestCyclicPickle: values that hold themselves are no trouble, in themselves or in a message about them.
func TestCyclicPickle(t *testing.T) {
	for _, p := range []string{
		"\x80\x02]q\x00h\x00a.",                           // a list of itself
		"\x80\x02]q\x00h\x00a)R.",                         // ... called
		"\x80\x02}q\x00h\x00h\x00s.",                      // a dict of itself
		"\x80\x02}q\x00U\x06labelsh\x00sh\x00b.",          // ... as state
		"\x80\x02}q\x00(U\x04datah\x00U\x06labelsh\x00u.", // ... as a data file
	} {
		_, err := pickleBatch([]byte(p), "x", part{kind: CIFAR10, pickle: true}, false)
		if !errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsafe) {
			t.Errorf("%q: error %v", p, err)
		}
	}
}

// TestPickledFileErrors: dicts that are no data files.
func TestPickledFileErrors(t *testing.T) {
	file := func(write func(p *pickler)) []byte {
		p := newPickler(2, true)
		p.op('}', '(')
		write(p)
		p.op('u')
		return p.done()
	}
	labels := func(p *pickler, n int) {
		p.str("labels")
		p.list(n, func(int) { p.int(1) })
	}
	array := func(p *pickler, dims []int, code string, n int) {
		p.str("data")
		p.array("numpy.core", dims, code, "|", false, make([]byte, n))
	}
	cases := map[string][]byte{
		`"data"`:          file(func(p *pickler) { labels(p, 1) }),
		`no "labels"`:     file(func(p *pickler) { array(p, []int{1, pixels}, "u1", pixels) }),
		"1 images, 2":     file(func(p *pickler) { array(p, []int{1, pixels}, "u1", pixels); labels(p, 2) }),
		`shape (N, 3072)`: file(func(p *pickler) { array(p, []int{2, pixels / 2}, "u1", pixels); labels(p, 2) }),
		`array of bytes`:  file(func(p *pickler) { array(p, []int{1, pixels}, "i2", 2*pixels); labels(p, 1) }),
		"want 3071":       file(func(p *pickler) { array(p, []int{1, pixels - 1}, "u1", pixels) }),
		"no dict":         []byte("\x80\x02]."),
		"item 0 is no integer": file(func(p *pickler) {
			array(p, []int{1, pixels}, "u1", pixels)
			p.str("labels")
			p.list(1, func(int) { p.str("cat") })
		}),
	}
	for text, b := range cases {
		_, err := pickleBatch(b, "x", part{kind: CIFAR10, pickle: true}, false)
		if !isErr(err, data.ErrFormat, text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
}

// TestMetaAmplification: a short file that lists one long name many times is rejected before the names are copied.
func TestMetaAmplification(t *testing.T) {
	name := strings.Repeat("n", 100000)
	p := newPickler(2, true)
	p.op('}')
	p.str("label_names")
	p.op(']', '(')
	p.str(name)
	for range 200 {
		p.op('h', byte(p.memo-1))
	}
	p.op('e', 's')
	recs := records(1, 1, 10)
	dir := write(t, t.TempDir(), map[string][]byte{
		"test_batch": pickleFile(CIFAR10, recs, styles[0]), "batches.meta": p.done(),
	})
	if _, err := Open(dir, Options{}); !isErr(err, data.ErrFormat, "batches.meta") {
		t.Errorf("error %v", err)
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
		got, err := unpickle([]byte("\x80\x02" + p + "."))
		if err != nil || got != want {
			t.Errorf("%q gives %v (%T), error %v, want %v", p, got, got, err, want)
		}
	}
}

func TestIntArrays(t *testing.T) {
	want := []int{0, 1, 100, -1, -128}
	for _, code := range []string{"i1", "i2", "i4", "i8"} {
		for _, order := range []string{"<", ">"} {
			a := &ndarray{shape: []int{len(want)}, typ: &dtype{code: code, order: order[0]}, raw: &pstr{}}
			for _, v := range want {
				a.raw.b = append(a.raw.b, number(v, code, order)...)
			}
			for i, v := range a.ints() {
				if v != want[i] {
					t.Errorf("%s%s: element %d is %d, want %d", order, code, i, v, want[i])
				}
			}
		}
	}
	big := &ndarray{shape: []int{1}, typ: &dtype{code: "u2", order: '<'}, raw: &pstr{b: []byte{0xff, 0xff}}}
	if v := big.ints()[0]; v != 65535 {
		t.Errorf("u2 of all ones is %d", v)
	}
}

// FuzzPickle: no pickle makes the reader panic or allocate out of proportion, and whatever it takes for a data file has
// images and labels.
func FuzzPickle(f *testing.F) {
	for _, st := range styles {
		f.Add(pickleFile(CIFAR10, records(1, 1, 10), st))
		f.Add(pickleMeta(st, map[string][]string{"label_names": Classes10()}))
	}
	for _, h := range hostile {
		if len(h.pickle) < 5000 {
			f.Add([]byte(h.pickle))
		}
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		b, err := pickleBatch(p, "x", part{stem: "x", kind: CIFAR10, pickle: true}, false)
		if err != nil {
			if !errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsafe) && !errors.Is(err, data.ErrUnsupported) {
				t.Fatalf("error without a sentinel: %v", err)
			}
			_, _ = readMeta(part{kind: CIFAR10, pickle: true}, func(string) ([]byte, error) { return p, nil })
			return
		}
		b.classes = maxClasses
		var s data.Sample
		for i := range b.n {
			var one *data.SampleError
			if err := b.read(i, &s); err != nil && !errors.As(err, &one) {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkUnpickle(b *testing.B) {
	for _, st := range styles[:5] {
		b.Run(st.name, func(b *testing.B) {
			const n = 1000
			file := pickleFile(CIFAR10, records(1, n, 10), st)
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				if _, err := pickleBatch(file, "x", part{kind: CIFAR10, pickle: true}, false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "images/s")
		})
	}
}
