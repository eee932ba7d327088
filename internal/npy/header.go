package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Errors of this package; every error that it returns for the content of a file wraps one of the two.
var (
	// ErrFormat marks a file that is not what the format allows: damaged, truncated or hostile.
	ErrFormat = errors.New("npy: bad file")
	// ErrUnsupported marks a well-formed file of a kind that this package does not read: Python objects, records,
	// dates, complex numbers, an unknown format version; and text where numbers are read, or numbers where text is.
	ErrUnsupported = errors.New("npy: unsupported file")
)

const (
	magic = "\x93NUMPY"
	// maxHeader bounds the header text. Version 1.0 cannot declare more; the 32-bit length of versions 2.0 and 3.0 exists
	// for records with many fields, which this package does not read.
	maxHeader = math.MaxUint16
	// maxDims is the most axes that NumPy (2.0 and later; 32 before) gives an array.
	maxDims = 64
	// headerAlign is the multiple of bytes at which the data starts, so that it can be mapped into memory.
	headerAlign = 64
	// growDigits is the width reserved for the growing axis: NumPy (1.23 and later) pads every header as if that axis had
	// this many digits, so that it can be rewritten in place.
	growDigits = 21
)

// Header describes the array of an .npy file.
type Header struct {
	// DType is NumPy's type string: byte order ('<' little, '>' big, '|' none), kind and bytes an element. One of |b1 |u1
	// |i1 <u2 <u4 <u8 <i2 <i4 <i8 <f2 <f4 <f8 or a big-endian form of those.
	DType string
	// Fortran says that the first axis runs fastest in the file. Otherwise the last one does.
	Fortran bool
	// Shape holds the length of every axis. An empty Shape is a single value.
	Shape []int
}

// ItemSize returns the bytes of one element, 0 if the type is not one that this package knows.
func (h Header) ItemSize() int {
	if _, err := normalType(h.DType); err != nil {
		return 0
	}
	return int(h.DType[len(h.DType)-1] - '0')
}

// Len returns the number of elements, the product of Shape. The error wraps [ErrFormat] if an axis is negative, or
// [ErrUnsupported] if there are more than 64 axes or the data's size in bytes does not fit an int.
func (h Header) Len() (int, error) {
	if len(h.Shape) > maxDims {
		return 0, fmt.Errorf("%w: %d axes (allowed: at most %d)", ErrUnsupported, len(h.Shape), maxDims)
	}
	// Axes of length 0 are left out of the bound, so that (0, huge, huge) is refused as NumPy refuses it.
	bound, n := max(h.ItemSize(), 1), 1
	for _, d := range h.Shape {
		if d < 0 {
			return 0, fmt.Errorf("%w: negative axis in shape %v", ErrFormat, h.Shape)
		}
		if d > 0 && bound > math.MaxInt/d {
			return 0, fmt.Errorf("%w: shape %v is too large for this machine", ErrUnsupported, h.Shape)
		}
		bound *= max(d, 1)
		n *= d
	}
	return n, nil
}

// normalType checks a type string and returns its usual form: one-byte types lose their byte order.
func normalType(s string) (string, error) {
	order, kind := byte(0), s
	if s != "" && strings.IndexByte("<>|=", s[0]) >= 0 {
		order, kind = s[0], s[1:]
	}
	switch kind {
	case "b1", "u1", "i1":
		return "|" + kind, nil
	case "u2", "u4", "u8", "i2", "i4", "i8", "f2", "f4", "f8":
		if order == '<' || order == '>' {
			return s, nil
		}
		return "", fmt.Errorf("%w: element type %q does not say its byte order (want < or >)", ErrUnsupported, s)
	}
	return "", fmt.Errorf("%w: element type %q (allowed: b1, u1-u8, i1-i8, f2, f4, f8)", ErrUnsupported, s)
}

// ReadHeader reads the header of an .npy file, versions 1.0, 2.0 and 3.0, and returns it with the number of bytes
// read, which is the offset of the data. It reads not one byte more. The element type, the axes and their product are
// checked: a Header returned without error has a type that this package reads and a size in bytes that fits an int.
// Errors wrap [ErrFormat] or [ErrUnsupported]; an error of r itself is wrapped as it is.
func ReadHeader(r io.Reader) (Header, int, error) { return readHeader(r, normalType) }

// anyType is for readers who look at the element type themselves.
func anyType(s string) (string, error) { return s, nil }

// readHeader reads a header whose element type typ checks and gives its usual form.
func readHeader(r io.Reader, typ func(string) (string, error)) (Header, int, error) {
	var pre [12]byte
	n, err := io.ReadFull(r, pre[:10])
	if err != nil {
		return Header{}, n, truncated("header", err)
	}
	if string(pre[:6]) != magic {
		return Header{}, n, fmt.Errorf("%w: starts with %q, want %q", ErrFormat, pre[:6], magic)
	}
	size := int64(binary.LittleEndian.Uint16(pre[8:]))
	switch major, minor := pre[6], pre[7]; {
	case minor != 0 || major < 1 || major > 3:
		return Header{}, n, fmt.Errorf("%w: format version %d.%d (allowed: 1.0, 2.0, 3.0)", ErrUnsupported, major, minor)
	case major > 1:
		k, err := io.ReadFull(r, pre[10:])
		if n += k; err != nil {
			return Header{}, n, truncated("header", err)
		}
		size = int64(binary.LittleEndian.Uint32(pre[8:]))
	}
	if size > maxHeader {
		return Header{}, n, fmt.Errorf("%w: header of %d bytes (allowed: at most %d)", ErrUnsupported, size, maxHeader)
	}
	text := make([]byte, size)
	k, err := io.ReadFull(r, text)
	if n += k; err != nil {
		return Header{}, n, truncated("header", err)
	}
	h, err := parseHeader(string(text), typ)
	if err != nil {
		return Header{}, n, err
	}
	return h, n, nil
}

// truncated turns an early end of input into ErrFormat and passes on every other error of the reader.
func truncated(what string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %s is cut short: %w", ErrFormat, what, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("npy: reading the %s: %w", what, err)
}

// WriteHeader writes h as format version 1.0 and returns the number of bytes written. The bytes are those of NumPy 1.23
// and later: padded to a multiple of 64 as if the growing axis (the first, or the last in Fortran order) had 21 digits.
// So the size does not depend on that axis, and a writer that learns it at the end can go back and write the header
// again (see [HeaderSize]).
func WriteHeader(w io.Writer, h Header) (int, error) {
	b, err := appendHeader(nil, h)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(b)
	if err != nil {
		return n, fmt.Errorf("npy: writing the header: %w", err)
	}
	return n, nil
}

// HeaderSize returns the number of bytes that [WriteHeader] writes for h, whatever the length of the growing axis: 128
// for most arrays. The error wraps [ErrFormat] or [ErrUnsupported].
func HeaderSize(h Header) (int, error) {
	b, err := appendHeader(nil, h)
	return len(b), err
}

func appendHeader(b []byte, h Header) ([]byte, error) {
	dtype, err := normalType(h.DType)
	if err != nil {
		return nil, err
	}
	if _, err := h.Len(); err != nil {
		return nil, err
	}
	order := "False"
	if h.Fortran {
		order = "True"
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", dtype, order, tuple(h.Shape))
	if n := len(h.Shape); n > 0 {
		grow := h.Shape[0]
		if h.Fortran {
			grow = h.Shape[n-1]
		}
		text += strings.Repeat(" ", growDigits-len(strconv.Itoa(grow)))
	}
	const before = len(magic) + 4 // version and a 16-bit length
	pad := headerAlign - (before+len(text)+1)%headerAlign
	size := len(text) + pad + 1
	b = append(b, magic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(size))
	b = append(b, text...)
	b = append(b, strings.Repeat(" ", pad)...)
	return append(b, '\n'), nil
}

// tuple writes a shape as Python writes a tuple of integers.
func tuple(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, d := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(d))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
