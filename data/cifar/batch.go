package cifar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/pickle"
)

// batch is the records of one data file. Record i lies at base + i*(head+3072) in r.
type batch struct {
	stem    string // first element of the keys
	file    string // for messages
	n       int
	width   int // digits of a key
	r       io.ReaderAt
	base    int64
	head    int   // label bytes at the start of a record
	labelAt int   // which of them is the label
	labels  []int // where they lie apart from the images, else nil
	inFile  bool  // r is a copy of the file, so that the file can stand in for it
	classes int
}

func newBatch(file string, p part, n int) *batch {
	return &batch{stem: p.stem, file: file, n: n, width: max(4, len(strconv.Itoa(n-1)))}
}

// binaryBatch describes a file of records in r.
func binaryBatch(r io.ReaderAt, file string, p part, size int64, coarse bool) (*batch, error) {
	rec := int64(p.kind.head() + pixels)
	if size%rec != 0 {
		return nil, fmt.Errorf("%w: %d bytes, record %d is cut after %d of %d bytes",
			data.ErrFormat, size, size/rec, size%rec, rec)
	}
	b := newBatch(file, p, int(size/rec))
	b.r, b.head = r, p.kind.head()
	if p.kind == CIFAR100 && !coarse { // the coarse label comes first
		b.labelAt = 1
	}
	return b, nil
}

// read reads record i into s, all of it but s.Index.
func (b *batch) read(i int, s *data.Sample) error {
	const most = pixels + 2
	if cap(s.Data) < most {
		s.Data = make([]byte, most)
	}
	s.Key = b.key(i)
	s.Name = b.file + ": record " + strconv.Itoa(i)
	s.Ext, s.Form, s.W, s.H = "", data.Planar, Side, Side
	rec := s.Data[:b.head+pixels]
	if _, err := b.r.ReadAt(rec, b.base+int64(i)*int64(len(rec))); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: file ends within the record", data.ErrFormat)
		}
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if b.labels != nil {
		s.Label = b.labels[i]
	} else {
		s.Label = int(rec[b.labelAt])
	}
	// Moving the image to the front, instead of cutting the label off it, keeps the capacity for the next record.
	s.Data = rec[:copy(rec, rec[b.head:])]
	if s.Label < 0 || s.Label >= b.classes {
		err := fmt.Errorf("%w: %d (allowed: 0 to %d)", data.ErrLabel, s.Label, b.classes-1)
		return &data.SampleError{Name: s.Name, Key: s.Key, Err: err}
	}
	return nil
}

// key returns the key of record i.
func (b *batch) key(i int) string {
	var buf [80]byte
	k := append(buf[:0], b.stem...)
	k = append(k, '/')
	var num [20]byte
	digits := strconv.AppendInt(num[:0], int64(i), 10)
	for range b.width - len(digits) {
		k = append(k, '0')
	}
	return string(append(k, digits...))
}

// maxPickle limits the size of a pickled file; CIFAR-100's train, the largest published one, has 155 MB.
const maxPickle = 1 << 30

// readPickle reads a pickled file of a known size whole.
func readPickle(r io.ReaderAt, size int64) ([]byte, error) {
	if size > maxPickle {
		return nil, fmt.Errorf("%w: pickle of %d bytes (allowed: %d)", data.ErrUnsupported, size, maxPickle)
	}
	src := make([]byte, size)
	if _, err := r.ReadAt(src, 0); err != nil && !(errors.Is(err, io.EOF) && size == 0) {
		return nil, err
	}
	return src, nil
}

// unpickleDict returns the dict that every file of the Python version is. Errors wrap [data.ErrFormat],
// [data.ErrUnsupported] or [data.ErrUnsafe]; the caller names the file.
func unpickleDict(src []byte) (*pickle.Dict, error) {
	v, _, err := pickle.Read(src, new(pickle.Dialect))
	if err != nil {
		return nil, pickleError(err)
	}
	d, ok := v.(*pickle.Dict)
	if !ok {
		return nil, fmt.Errorf("%w: the pickle is no dict", data.ErrFormat)
	}
	return d, nil
}

// pickleError gives an error of package pickle the sentinel of package data.
func pickleError(err error) error {
	for is, wrap := range map[error]error{
		pickle.ErrFormat: data.ErrFormat, pickle.ErrUnsupported: data.ErrUnsupported, pickle.ErrUnsafe: data.ErrUnsafe,
	} {
		if errors.Is(err, is) {
			return fmt.Errorf("%w: %s", wrap, strings.Replace(err.Error(), is.Error()+": ", "", 1))
		}
	}
	return err
}

// pickleKind detects the kind of a pickled file from its keys.
func pickleKind(r io.ReaderAt, size int64) (Kind, error) {
	src, err := readPickle(r, size)
	if err != nil {
		return Auto, err
	}
	d, err := unpickleDict(src)
	if err != nil {
		return Auto, err
	}
	if _, ok := d.Get("fine_labels"); ok {
		return CIFAR100, nil
	}
	return CIFAR10, nil
}

// pickleBatch describes the records of the pickled file src, and reads them from src where they lie in it as they are.
func pickleBatch(src []byte, file string, p part, coarse bool) (*batch, error) {
	d, err := unpickleDict(src)
	if err != nil {
		return nil, err
	}
	v, _ := d.Get("data")
	arr, ok := v.(*pickle.Array)
	if !ok || arr.Raw == nil || arr.Type.Code != "u1" || len(arr.Shape) != 2 || arr.Shape[1] != pixels {
		return nil, fmt.Errorf("%w: %q is no array of bytes of shape (N, %d)", data.ErrFormat, "data", pixels)
	}
	name := "labels"
	if p.kind == CIFAR100 {
		if name = "fine_labels"; coarse {
			name = "coarse_labels"
		}
	}
	v, ok = d.Get(name)
	if !ok {
		return nil, fmt.Errorf("%w: no %q", data.ErrFormat, name)
	}
	b := newBatch(file, p, arr.Shape[0])
	if b.labels, err = intList(v); err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	if len(b.labels) != b.n {
		return nil, fmt.Errorf("%w: %d images, %d %s", data.ErrFormat, b.n, len(b.labels), name)
	}
	b.place(src, arr)
	return b, nil
}

// place sets where the pixels of a pickled array are read from. Data decoded from text has no offset in the file, and
// data in Fortran order, where the n values of a byte column are neighbors, is transposed.
func (b *batch) place(src []byte, arr *pickle.Array) {
	raw := arr.Raw.B
	if arr.Fortran {
		t := make([]byte, len(raw))
		for j := range pixels {
			for i := range b.n {
				t[i*pixels+j] = raw[j*b.n+i]
			}
		}
		raw = t
	} else if arr.Raw.Off >= 0 {
		b.r, b.base, b.inFile = bytes.NewReader(src), int64(arr.Raw.Off), true
		return
	}
	b.r = bytes.NewReader(raw)
}

// intList returns the numbers of a list, a tuple or a one-dimensional integer array.
func intList(v any) ([]int, error) {
	if arr, ok := v.(*pickle.Array); ok {
		if list, ok := arr.Ints(); ok {
			return list, nil
		}
	}
	items, ok := pickle.Sequence(v)
	if !ok {
		return nil, fmt.Errorf("%w: no list of numbers", data.ErrFormat)
	}
	list := make([]int, len(items))
	for i, it := range items {
		n, ok := it.(int64)
		if !ok {
			return nil, fmt.Errorf("%w: item %d is no integer", data.ErrFormat, i)
		}
		list[i] = int(n)
	}
	return list, nil
}

// maxName limits the bytes of one class name.
const maxName = 256

// textList returns the class names of a list or a tuple.
func textList(v any) ([]string, error) {
	items, ok := pickle.Sequence(v)
	if !ok || len(items) == 0 || len(items) > maxClasses {
		return nil, fmt.Errorf("%w: no list of 1 to %d names", data.ErrFormat, maxClasses)
	}
	list := make([]string, len(items))
	for i, it := range items {
		s, ok := it.(*pickle.Text)
		if !ok || len(s.B) > maxName { // the same long string can be there many times
			return nil, fmt.Errorf("%w: item %d is no string of at most %d bytes", data.ErrFormat, i, maxName)
		}
		list[i] = string(s.B)
	}
	return list, nil
}
