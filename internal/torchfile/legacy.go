package torchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/internal/pickle"
)

// magicNumber is the first pickle of the format before PyTorch 1.6, 0x1950a86a20f9469cfc6c, and protocolVersion the second.
const (
	magicNumber     = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"
	protocolVersion = 1001
)

// isLegacy reports whether a file starts with a pickle of the magic number, which a frame of 9 bytes may precede.
func isLegacy(r io.ReaderAt) bool {
	b := make([]byte, 2+9+2+len(magicNumber))
	n, _ := r.ReadAt(b, 0) // a shorter file is none
	b = b[:n]
	return n > 0 && b[0] == pickle.Proto && bytes.Contains(b, []byte("\x8a\x0a"+magicNumber))
}

// readLegacy reads the format before PyTorch 1.6: pickles of a magic number, a version, facts about the machine, the
// values and the keys of the storages; then each storage, its number of values in 8 bytes first.
func (f *File) readLegacy(r io.ReaderAt) error {
	// The pickles have no length. They are most often short.
	for n := min(f.size, 1<<20); ; n = min(f.size, 4*n) {
		src, err := readSum(r, 0, n, nil)
		if err != nil {
			return err
		}
		*f = File{size: f.size, storages: map[string]*storage{}, close: f.close}
		rest, keys, err := f.readPickles(src)
		if err == nil {
			return f.place(r, n-int64(len(rest)), keys)
		}
		if n == f.size || n > maxValues || !errors.Is(err, pickle.ErrFormat) {
			return pickleError(err)
		}
	}
}

// readPickles reads the five pickles. It returns what follows them and the keys.
func (f *File) readPickles(src []byte) (rest []byte, keys []any, err error) {
	var v [5]any
	for i := range v {
		d := new(pickle.Dialect)
		if i == 3 {
			d = f.dialect()
		}
		var n int
		if v[i], n, err = pickle.Read(src, d); err != nil {
			return nil, nil, err
		}
		src = src[n:]
		if i == 0 {
			if b, ok := v[0].(pickle.Big); !ok || !b.Equal([]byte(magicNumber)) {
				return nil, nil, fmt.Errorf("%w: it is a pickle, and not one of torch.save", ErrFormat)
			}
		}
	}
	facts, ok := v[2].(*pickle.Dict)
	if v[1] != int64(protocolVersion) || !ok {
		return nil, nil, fmt.Errorf("%w: format version %v (allowed: %d)", ErrUnsupported, number(v[1]), protocolVersion)
	}
	if little, _ := facts.Get("little_endian"); little != true {
		return nil, nil, fmt.Errorf("%w: byte order big (allowed: little)", ErrUnsupported)
	}
	list, ok := pickle.Sequence(v[4])
	if !ok {
		return nil, nil, fmt.Errorf("%w: no list of storages", ErrFormat)
	}
	f.Value = v[3]
	return src, list, nil
}

// number keeps what is no number out of a message.
func number(v any) any {
	if n, ok := v.(int64); ok {
		return n
	}
	return fmt.Sprintf("of type %T", v)
}

// place finds the storages, which follow each other from offset at on.
func (f *File) place(r io.ReaderAt, at int64, keys []any) error {
	for _, k := range keys {
		key, ok := pickle.String(k)
		s := f.storages[key]
		if !ok || s == nil || s.r != nil {
			return fmt.Errorf("%w: storage %.40q is listed and unknown, or listed twice", ErrFormat, key)
		}
		head, err := readSum(r, at, 8, nil)
		if err != nil {
			return err
		}
		if n := binary.LittleEndian.Uint64(head); n != uint64(s.numel) || s.bytes > f.size-at-8 {
			return fmt.Errorf("%w: storage %.40q has %d values, want %d, with %d bytes left", ErrFormat, key, n, s.numel, f.size-at-8)
		}
		s.r, s.at = r, at+8
		at += 8 + s.bytes
	}
	for key, s := range f.storages {
		if s.r == nil {
			return fmt.Errorf("%w: storage %.40q is missing", ErrFormat, key)
		}
	}
	return nil
}
