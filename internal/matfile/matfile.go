// Package matfile reads numeric arrays from MATLAB's MAT-files of level 5 (version 5 to 7.2), compressed or not, as "MAT-File Format"
// (The MathWorks) describes them. Nothing in a file is trusted: memory grows with the bytes that arrive.
package matfile

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
)

// The errors that Read wraps.
var (
	ErrFormat      = errors.New("bad MAT-file")
	ErrUnsupported = errors.New("unsupported MAT-file")
)

// Array is a real numeric array. Its values lie in Fortran order: the first index runs fastest.
type Array struct {
	Shape []int
	Data  []byte // as they are stored
	kind  kind
	order binary.ByteOrder
}

// kind is how values are stored, by the type number of the format.
type kind uint32

// Types of elements.
const (
	typeInt8       kind = 1
	typeUint8      kind = 2
	typeInt32      kind = 5
	typeUint32     kind = 6
	typeDouble     kind = 9
	typeMatrix     kind = 14
	typeCompressed kind = 15
)

// sizes are the bytes of a value of each numeric type.
var sizes = map[kind]int{1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8}

const (
	headSize = 128
	maxDims  = 32
	maxName  = 63 // MATLAB's own bound
	// maxBytes bounds an array: SVHN's largest has 1.6 GB.
	maxBytes = math.MaxInt32
	// maxRatio bounds what a compressed element may become: images get a third smaller, zeros a thousand times.
	maxRatio, minInflated = 64, 1 << 20
)

// Bytes returns the values of an array of unsigned bytes, and whether it is one.
func (a *Array) Bytes() ([]byte, bool) { return a.Data, a.kind == typeUint8 }

// Ints returns the values of an array of small integers, stored as bytes, 32-bit integers or float64. The error wraps [ErrUnsupported]
// for other types, [ErrFormat] for a value that is no integer of 31 bits.
func (a *Array) Ints() ([]int, error) {
	size := sizes[a.kind]
	out := make([]int, len(a.Data)/size)
	for i := range out {
		b := a.Data[i*size:]
		switch a.kind {
		case typeUint8:
			out[i] = int(b[0])
		case typeInt8:
			out[i] = int(int8(b[0]))
		case typeInt32:
			out[i] = int(int32(a.order.Uint32(b)))
		case typeUint32, typeDouble:
			v := float64(0)
			if a.kind == typeDouble {
				v = math.Float64frombits(a.order.Uint64(b))
			} else {
				v = float64(a.order.Uint32(b))
			}
			if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
				return nil, fmt.Errorf("%w: value %d is %v (allowed: integers of 31 bits)", ErrFormat, i, v)
			}
			out[i] = int(v)
		default:
			return nil, fmt.Errorf("%w: values of type %d (allowed: bytes, 32-bit integers, float64)", ErrUnsupported, a.kind)
		}
	}
	return out, nil
}

// File is an open file.
type File interface {
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// ReadFile reads the arrays of the given names from a regular file. Errors wrap [ErrFormat] or [ErrUnsupported] and name the
// variable and the field; a name that is not there is an ErrFormat.
func ReadFile(f File, names ...string) (map[string]*Array, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return Read(io.NewSectionReader(f, 0, st.Size()), names...)
}

// Read is ReadFile of a reader that ends where the file does.
func Read(r io.Reader, names ...string) (map[string]*Array, error) {
	p := parser{r: bufio.NewReaderSize(r, 1<<16), names: names}
	if err := p.head(); err != nil {
		return nil, err
	}
	found := map[string]*Array{}
	for len(found) < len(names) {
		t, err := p.tag("element")
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		a, name, err := p.element(t)
		if err != nil {
			return nil, err
		}
		if a != nil {
			found[name] = a
		}
	}
	for _, name := range names {
		if found[name] == nil {
			return nil, fmt.Errorf("%w: no variable %q", ErrFormat, name)
		}
	}
	return found, nil
}

// parser reads elements one after the other.
type parser struct {
	r     io.Reader
	order binary.ByteOrder
	names []string
}

// head reads the 128 bytes before the first element.
func (p *parser) head() error {
	var b [headSize]byte
	if _, err := io.ReadFull(p.r, b[:]); err != nil {
		return cut("head", err)
	}
	if strings.HasPrefix(string(b[:]), "MATLAB 7.3") {
		return fmt.Errorf("%w: version 7.3, which is HDF5 (allowed: up to 7, as save -v7 writes)", ErrUnsupported)
	}
	switch string(b[126:]) {
	case "IM":
		p.order = binary.LittleEndian
	case "MI":
		p.order = binary.BigEndian
	default:
		return fmt.Errorf("%w: no byte order in the head", ErrFormat)
	}
	if v := p.order.Uint16(b[124:]); v != 0x0100 {
		return fmt.Errorf("%w: version 0x%04x in the head (allowed: 0x0100)", ErrUnsupported, v)
	}
	return nil
}

// cut says that the file ends too early.
func cut(field string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends within the %s", ErrFormat, field)
	}
	return fmt.Errorf("%w: %s: %w", ErrFormat, field, err)
}

// tag is what stands before the bytes of an element.
type tag struct {
	kind  kind
	size  int64
	small bool // up to four bytes, in the tag itself
	data  [4]byte
}

// tag reads a tag. Before its first byte the error is io.EOF itself.
func (p *parser) tag(field string) (t tag, err error) {
	var b [8]byte
	if n, err := io.ReadFull(p.r, b[:]); n == 0 && err == io.EOF {
		return t, io.EOF
	} else if err != nil {
		return t, cut("tag of the "+field, err)
	}
	first := p.order.Uint32(b[:])
	if small := first >> 16; small > 0 {
		t = tag{kind: kind(first & 0xffff), size: int64(small), small: true, data: [4]byte(b[4:])}
		if small > 4 {
			return t, fmt.Errorf("%w: %s: %d bytes in a tag (allowed: 1 to 4)", ErrFormat, field, small)
		}
		return t, nil
	}
	return tag{kind: kind(first), size: int64(p.order.Uint32(b[4:]))}, nil
}

// bytes reads what a tag stands before, with the padding behind it.
func (p *parser) bytes(t tag, field string) ([]byte, error) {
	if t.small {
		return t.data[:t.size], nil
	}
	if t.size > maxBytes {
		return nil, fmt.Errorf("%w: %s of %d bytes (allowed: %d)", ErrFormat, field, t.size, maxBytes)
	}
	const step = 1 << 24
	var out []byte
	for left := int(t.size); left > 0; {
		n := min(step, left)
		out = slices.Grow(out, n)
		k, err := io.ReadFull(p.r, out[len(out):len(out)+n])
		if out = out[:len(out)+k]; err != nil {
			return nil, cut(field, err)
		}
		left -= n
	}
	if pad := -t.size & 7; pad > 0 {
		if _, err := io.CopyN(io.Discard, p.r, pad); err != nil {
			return nil, cut("padding of the "+field, err)
		}
	}
	return out, nil
}

// element reads a variable of the file, or passes it over, in which case it returns nil.
func (p *parser) element(t tag) (a *Array, name string, err error) {
	if t.small || t.kind != typeMatrix && t.kind != typeCompressed {
		return nil, "", fmt.Errorf("%w: an element of type %d (allowed: 14, 15)", ErrFormat, t.kind)
	}
	part := &io.LimitedReader{R: p.r, N: t.size}
	inner := parser{r: part, order: p.order, names: p.names}
	if t.kind == typeCompressed {
		z, err := zlib.NewReader(part)
		if err != nil {
			return nil, "", cut("compressed element", err)
		}
		inner.r = &io.LimitedReader{R: z, N: max(t.size*maxRatio, minInflated)}
		matrix, err := inner.tag("compressed element")
		if err != nil {
			return nil, "", cut("compressed element", err)
		}
		if matrix.kind != typeMatrix || matrix.small {
			return nil, "", fmt.Errorf("%w: a compressed element of type %d (allowed: 14)", ErrFormat, matrix.kind)
		}
	}
	if a, name, err = inner.matrix(); err != nil {
		return nil, "", err
	}
	if _, err := io.Copy(io.Discard, part); err != nil || part.N > 0 {
		return nil, "", cut("element", errors.Join(err, io.ErrUnexpectedEOF))
	}
	return a, name, nil
}

// matrix reads an array after its tag: flags, dimensions, name, values. One of another name is left.
func (p *parser) matrix() (*Array, string, error) {
	flags, err := p.field("array flags", typeUint32, 8)
	if err != nil {
		return nil, "", err
	}
	dims, err := p.field("dimensions", typeInt32, 4*maxDims)
	if err != nil {
		return nil, "", err
	}
	text, err := p.field("name", typeInt8, maxName)
	if err != nil {
		return nil, "", err
	}
	name := string(text)
	if !slices.Contains(p.names, name) {
		return nil, "", nil
	}
	a := &Array{order: p.order}
	wrong := func(is error, format string, args ...any) (*Array, string, error) {
		return nil, "", fmt.Errorf("%w: variable %q: %s", is, name, fmt.Sprintf(format, args...))
	}
	if len(flags) != 8 || len(dims)%4 != 0 || len(dims) < 8 {
		return wrong(ErrFormat, "array flags of %d, dimensions of %d bytes (allowed: 8; 8 to %d, by fours)", len(flags), len(dims), 4*maxDims)
	}
	word := p.order.Uint32(flags)
	if class := word & 0xff; class < 6 || class > 15 {
		return wrong(ErrUnsupported, "class %d (allowed: 6 to 15, arrays of numbers)", class)
	}
	if word&0x0800 != 0 {
		return wrong(ErrUnsupported, "complex numbers")
	}
	count := int64(1)
	for i := 0; i < len(dims); i += 4 {
		n := int64(int32(p.order.Uint32(dims[i:])))
		if n < 0 || n > 0 && count > maxBytes/n {
			return wrong(ErrFormat, "dimension %d is %d (allowed: 0 and up, %d values in all)", i/4+1, n, maxBytes)
		}
		a.Shape, count = append(a.Shape, int(n)), count*n
	}
	t, err := p.tag("values")
	if err != nil {
		return nil, "", fmt.Errorf("variable %q: %w", name, cut("tag of the values", err))
	}
	size, known := sizes[t.kind]
	if !known || t.size != count*int64(size) {
		return wrong(ErrFormat, "values of type %d in %d bytes for the dimensions %v", t.kind, t.size, a.Shape)
	}
	a.kind = t.kind
	if a.Data, err = p.bytes(t, "values"); err != nil {
		return nil, "", fmt.Errorf("variable %q: %w", name, err)
	}
	return a, name, nil
}

// field reads one of the small parts of an array.
func (p *parser) field(name string, want kind, most int64) ([]byte, error) {
	t, err := p.tag(name)
	if err != nil {
		return nil, cut("tag of the "+name, err)
	}
	if t.kind != want || t.size > most {
		return nil, fmt.Errorf("%w: %s of type %d and %d bytes (allowed: type %d, up to %d bytes)", ErrFormat, name, t.kind, t.size, want, most)
	}
	return p.bytes(t, name)
}
