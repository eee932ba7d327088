package cifar

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/rng"
)

// isErr reports whether an error has the sentinel and the texts.
func isErr(err, is error, texts ...string) bool {
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			return false
		}
	}
	return errors.Is(err, is)
}

// record is a labeled image of the test data.
type record struct {
	coarse, label byte
	pix           []byte
}

// records returns n random records with labels below classes.
func records(seed uint64, n, classes int) []record {
	r := rng.New(seed)
	out := make([]record, n)
	for i := range out {
		out[i] = record{coarse: byte(r.IntN(20)), label: byte(r.IntN(classes)), pix: make([]byte, pixels)}
		for j := range out[i].pix {
			out[i].pix[j] = byte(r.Uint64() >> 56)
		}
	}
	return out
}

// binaryFile returns records in the binary version.
func binaryFile(k Kind, recs []record) []byte {
	var b []byte
	for _, r := range recs {
		if k == CIFAR100 {
			b = append(b, r.coarse)
		}
		b = append(b, r.label)
		b = append(b, r.pix...)
	}
	return b
}

// pickler writes pickles as Python does: py2 as cPickle of Python 2 did in protocol 2, otherwise as Python 3 does in
// protocols 2 to 5.
type pickler struct {
	b     []byte
	proto int
	py2   bool
	memo  int
}

func newPickler(proto int, py2 bool) *pickler {
	p := &pickler{proto: proto, py2: py2, b: []byte{0x80, byte(proto)}}
	if proto >= 4 {
		p.b = append(p.b, 0x95, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	return p
}

// done ends the pickle and returns it.
func (p *pickler) done() []byte {
	p.op('.')
	if p.proto >= 4 {
		binary.LittleEndian.PutUint64(p.b[3:], uint64(len(p.b)-11))
	}
	return p.b
}

func (p *pickler) op(b ...byte) { p.b = append(p.b, b...) }

func (p *pickler) put() {
	switch {
	case p.proto >= 4:
		p.op(0x94)
	case p.memo < 256:
		p.op('q', byte(p.memo))
	default:
		p.op('r')
		p.b = binary.LittleEndian.AppendUint32(p.b, uint32(p.memo))
	}
	p.memo++
}

// sized writes an opcode with a length: the short one of one byte if that is allowed, else the long one of four.
func (p *pickler) sized(short, long byte, s string) {
	if len(s) < 256 && short != 0 {
		p.op(short, byte(len(s)))
	} else {
		p.op(long)
		p.b = binary.LittleEndian.AppendUint32(p.b, uint32(len(s)))
	}
	p.b = append(p.b, s...)
}

func (p *pickler) str(s string) {
	switch {
	case p.py2:
		p.sized('U', 'T', s)
	case p.proto >= 4:
		p.sized(0x8c, 'X', s)
	default:
		p.sized(0, 'X', s)
	}
	p.put()
}

func (p *pickler) bytes(s string) {
	switch {
	case p.py2:
		p.str(s)
		return
	case p.proto >= 3:
		p.sized('C', 'B', s)
	default:
		p.global("_codecs", "encode")
		runes := make([]rune, len(s))
		for i := range len(s) {
			runes[i] = rune(s[i])
		}
		p.sized(0, 'X', string(runes))
		p.put()
		p.str("latin1")
		p.op(0x86)
		p.put()
		p.op('R')
	}
	p.put()
}

func (p *pickler) global(module, name string) {
	if p.proto >= 4 {
		p.str(module)
		p.str(name)
		p.op(0x93)
	} else {
		p.op('c')
		p.b = fmt.Appendf(p.b, "%s\n%s\n", module, name)
	}
	p.put()
}

func (p *pickler) int(v int) {
	switch {
	case v >= 0 && v < 256:
		p.op('K', byte(v))
	case v >= 0 && v < 65536:
		p.op('M', byte(v), byte(v>>8))
	default:
		p.op('J')
		p.b = binary.LittleEndian.AppendUint32(p.b, uint32(int32(v)))
	}
}

func (p *pickler) list(n int, item func(i int)) {
	p.op(']')
	p.put()
	p.op('(')
	for i := range n {
		item(i)
	}
	p.op('e')
}

func (p *pickler) shape(dims []int) {
	for _, d := range dims {
		p.int(d)
	}
	p.op(0x84 + byte(len(dims)))
	p.put()
}

func (p *pickler) dtype(code, order string) {
	p.global("numpy", "dtype")
	p.str(code)
	if p.py2 {
		p.op('K', 0, 'K', 1)
	} else {
		p.op(0x89, 0x88)
	}
	p.op(0x87)
	p.put()
	p.op('R')
	p.put()
	p.op('(', 'K', 3)
	p.str(order)
	p.op('N', 'N', 'N')
	p.int(-1)
	p.int(-1)
	p.op('K', 0, 't')
	p.put()
	p.op('b')
}

// array writes a NumPy array whose bytes are raw.
func (p *pickler) array(module string, dims []int, code, order string, fortran bool, raw []byte) {
	if p.proto == 5 {
		p.global(module+".numeric", "_frombuffer")
		p.op('(', 0x96)
		p.b = binary.LittleEndian.AppendUint64(p.b, uint64(len(raw)))
		p.b = append(p.b, raw...)
		p.put()
		p.dtype(code, order)
		p.shape(dims)
		p.str(map[bool]string{false: "C", true: "F"}[fortran])
		p.op('t')
		p.put()
		p.op('R')
		p.put()
		return
	}
	p.global(module+".multiarray", "_reconstruct")
	p.global("numpy", "ndarray")
	p.op('K', 0, 0x85)
	p.put()
	p.bytes("b")
	p.op(0x87)
	p.put()
	p.op('R')
	p.put()
	p.op('(', 'K', 1)
	p.shape(dims)
	p.dtype(code, order)
	if fortran {
		p.op(0x88)
	} else {
		p.op(0x89)
	}
	p.bytes(string(raw))
	p.op('t')
	p.put()
	p.op('b')
}

// style is one way to pickle a data file.
type style struct {
	name    string
	proto   int
	py2     bool
	module  string
	fortran bool
	labels  string // "" for a list of numbers, else a dtype
	order   string
}

var styles = []style{
	{name: "published", proto: 2, py2: true, module: "numpy.core"},
	{name: "protocol 2", proto: 2, module: "numpy.core"},
	{name: "protocol 3", proto: 3, module: "numpy.core", labels: "i4", order: ">"},
	{name: "protocol 4", proto: 4, module: "numpy.core", labels: "i8", order: "<"},
	{name: "protocol 5", proto: 5, module: "numpy._core"},
	{name: "fortran", proto: 4, module: "numpy._core", fortran: true, labels: "u1", order: "|"},
	{name: "fortran from text", proto: 2, module: "numpy.core", fortran: true},
}

// pickleFile returns records in the Python version.
func pickleFile(k Kind, recs []record, st style) []byte {
	p := newPickler(st.proto, st.py2)
	p.op('}')
	p.put()
	p.op('(')
	p.str("batch_label")
	p.str("testing batch 1 of 1")
	labels := func(key string, of func(record) byte) {
		p.str(key)
		if st.labels == "" {
			p.list(len(recs), func(i int) { p.int(int(of(recs[i]))) })
			return
		}
		var raw []byte
		for _, r := range recs {
			raw = append(raw, number(int(of(r)), st.labels, st.order)...)
		}
		p.array(st.module, []int{len(recs)}, st.labels, st.order, false, raw)
	}
	if k == CIFAR100 {
		labels("fine_labels", func(r record) byte { return r.label })
		labels("coarse_labels", func(r record) byte { return r.coarse })
	} else {
		labels("labels", func(r record) byte { return r.label })
	}
	raw := make([]byte, len(recs)*pixels)
	for i, r := range recs {
		for j, v := range r.pix {
			if st.fortran {
				raw[j*len(recs)+i] = v
			} else {
				raw[i*pixels+j] = v
			}
		}
	}
	p.str("data")
	p.array(st.module, []int{len(recs), pixels}, "u1", "|", st.fortran, raw)
	p.str("filenames")
	p.list(len(recs), func(i int) { p.str(fmt.Sprintf("camel_s_%06d.png", i)) })
	p.op('u')
	return p.done()
}

// number encodes v as NumPy does.
func number(v int, code, order string) []byte {
	w := binary.LittleEndian.AppendUint64(nil, uint64(v))[:code[1]-'0']
	if order == ">" {
		for i, j := 0, len(w)-1; i < j; i, j = i+1, j-1 {
			w[i], w[j] = w[j], w[i]
		}
	}
	return w
}

// pickleMeta returns a pickled file of class names.
func pickleMeta(st style, lists map[string][]string) []byte {
	p := newPickler(st.proto, st.py2)
	p.op('}')
	p.put()
	for key, names := range lists {
		p.str(key)
		p.list(len(names), func(i int) { p.str(names[i]) })
		p.op('s')
	}
	return p.done()
}

// write writes files into dir, which it makes.
func write(t testing.TB, dir string, files map[string][]byte) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// entryOf is a file of an archive.
type entryOf struct {
	name string
	b    []byte
}

// tarGz returns a .tar.gz with the entries in order.
func tarGz(t testing.TB, entries []entryOf) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	w := tar.NewWriter(gz)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.b)), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// read returns all samples of a data set.
func read(t testing.TB, path string, o Options) (data.Info, []data.Sample) {
	t.Helper()
	src, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var all []data.Sample
	for {
		var s data.Sample
		err := src.Next(&s)
		if err == io.EOF {
			return src.Info(), all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

// check compares samples with the records of one file.
func check(t testing.TB, got []data.Sample, stem string, want []record, coarse bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d samples, want %d", stem, len(got), len(want))
	}
	for i, r := range want {
		label := r.label
		if coarse {
			label = r.coarse
		}
		s := &got[i]
		if s.Label != int(label) || s.Key != fmt.Sprintf("%s/%04d", stem, i) || !bytes.Equal(s.Data, r.pix) {
			t.Errorf("%s record %d: key %q, label %d, want label %d; pixels equal: %t",
				stem, i, s.Key, s.Label, label, bytes.Equal(s.Data, r.pix))
		}
		if s.Form != data.Planar || s.W != Side || s.H != Side {
			t.Errorf("%s record %d: form %d, %dx%d", stem, i, s.Form, s.W, s.H)
		}
	}
}
