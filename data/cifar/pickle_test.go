package cifar

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/pickle"
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

// TestUnsafePickle: what package pickle refuses has this package's sentinels, and one each.
func TestUnsafePickle(t *testing.T) {
	for _, h := range hostile {
		_, err := pickleBatch([]byte(h.pickle), "x", part{kind: CIFAR10, pickle: true}, false)
		if !isErr(err, h.is, h.text) || errors.Is(err, pickle.ErrUnsafe) || strings.Contains(err.Error(), "unsafe pickle") {
			t.Errorf("%q: error %v, want %v with %q", h.pickle, err, h.is, h.text)
		}
	}
}

var hostile = []struct {
	pickle string
	is     error
	text   string
}{
	{"\x80\x02cos\nsystem\nU\x02ls\x85R.", data.ErrUnsafe, `"os.system"`},
	{"\x80\x02ccollections\nOrderedDict\n)R.", data.ErrUnsafe, `"collections.OrderedDict"`},
	{"\x80\x02Q.", data.ErrFormat, "empty stack"},
	{"\x80\x02NQ.", data.ErrUnsafe, "outside"},
	{"\x80\x02cnumpy\ndtype\nU\x02O8K\x00K\x01\x87R.", data.ErrUnsupported, `"O8"`},
	{"\x80\x09}.", data.ErrUnsupported, "protocol 9"},
	{"\x80\x02.", data.ErrFormat, "empty stack"},
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

// FuzzPickle: no pickle makes the reader panic or allocate out of proportion, and whatever it takes for a data file has
// images and labels.
func FuzzPickle(f *testing.F) {
	for _, st := range styles {
		f.Add(pickleFile(CIFAR10, records(1, 1, 10), st))
		f.Add(pickleMeta(st, map[string][]string{"label_names": Classes10()}))
	}
	for _, h := range hostile {
		f.Add([]byte(h.pickle))
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
