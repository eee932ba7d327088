// Package npy reads and writes NumPy's array files: .npy (format versions 1.0, 2.0 and 3.0, either byte order, C and
// Fortran order) and .npz, the zip of them. Element types are bool, 8 to 64 bit integers, and float32 and float64;
// float16 and text (see [Text]) can be read. It runs at about the speed of memory, trusts nothing that a file declares
// (what is allocated follows the bytes that arrive) and evaluates no Python.
//
// The format is described in NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
package npy

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data/storage"
)

// Array is an array in memory.
type Array struct {
	// Shape holds the length of every axis; its product is the length of Data. An empty Shape is a single value.
	Shape []int
	// Data holds the elements in C order (last axis fastest): a []bool, []uint8, []uint16, []uint32, []uint64, []int8,
	// []int16, []int32, []int64, []float32 or []float64.
	Data any
}

// Kind says in words what the elements are: "floats", "integers" or "truth values".
func (a *Array) Kind() string {
	switch a.Data.(type) {
	case []float32, []float64:
		return "floats"
	case []bool:
		return "truth values"
	}
	return "integers"
}

// Len returns the number of elements of a.Data. It panics if Data is not one of the types that [Array] lists.
func (a *Array) Len() int {
	_, n := dtypeOf(a.Data)
	if n < 0 {
		panic(fmt.Sprintf("npy: Array.Data is a %T", a.Data))
	}
	return n
}

// Header returns the header that [Write] gives a. The error wraps [ErrUnsupported] if Data is not one of the types that
// [Array] lists, or [ErrFormat] if its length is not the product of Shape.
func (a *Array) Header() (Header, error) {
	dtype, n := dtypeOf(a.Data)
	if n < 0 {
		return Header{}, fmt.Errorf("%w: Array.Data is a %T", ErrUnsupported, a.Data)
	}
	h := Header{DType: dtype, Shape: a.Shape}
	want, err := h.Len()
	if err != nil {
		return Header{}, err
	}
	if n != want {
		return Header{}, fmt.Errorf("%w: %d elements for shape %v", ErrFormat, n, a.Shape)
	}
	return h, nil
}

// dtypeOf returns NumPy's name for the element type of data and the number of elements, -1 for an unknown type.
func dtypeOf(data any) (string, int) {
	switch d := data.(type) {
	case []bool:
		return "|b1", len(d)
	case []uint8:
		return "|u1", len(d)
	case []int8:
		return "|i1", len(d)
	case []uint16:
		return "<u2", len(d)
	case []int16:
		return "<i2", len(d)
	case []uint32:
		return "<u4", len(d)
	case []int32:
		return "<i4", len(d)
	case []uint64:
		return "<u8", len(d)
	case []int64:
		return "<i8", len(d)
	case []float32:
		return "<f4", len(d)
	case []float64:
		return "<f8", len(d)
	}
	return "", -1
}

// Float64s returns the elements of a as float64: a.Data itself if it is a []float64, else a converted copy. Booleans
// become 0 and 1; 64-bit integers beyond 2^53 are rounded. It panics if Data is not one of the types that [Array]
// lists.
func (a *Array) Float64s() []float64 {
	switch d := a.Data.(type) {
	case []float64:
		return d
	case []bool:
		out := make([]float64, len(d))
		for i, v := range d {
			if v {
				out[i] = 1
			}
		}
		return out
	case []uint8:
		return toFloat64(d)
	case []int8:
		return toFloat64(d)
	case []uint16:
		return toFloat64(d)
	case []int16:
		return toFloat64(d)
	case []uint32:
		return toFloat64(d)
	case []int32:
		return toFloat64(d)
	case []uint64:
		return toFloat64(d)
	case []int64:
		return toFloat64(d)
	case []float32:
		return toFloat64(d)
	}
	panic(fmt.Sprintf("npy: Array.Data is a %T", a.Data))
}

func toFloat64[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32](src []T) []float64 {
	out := make([]float64, len(src))
	for i, v := range src {
		out[i] = float64(v)
	}
	return out
}

// Read reads one array from r and not a byte more, so that several arrays in a row can be read. float16 becomes
// []float32; Fortran order is turned into C order. When r does not say how much it holds, memory grows as data arrives.
// Errors wrap [ErrFormat] or [ErrUnsupported]; an error of r itself is wrapped as it is.
func Read(r io.Reader) (*Array, error) { return readArray(r, sizeOf(r)) }

// sizeOf returns the bytes left in r, or -1 if it does not say.
func sizeOf(r io.Reader) int64 {
	if l, ok := r.(interface{ Len() int }); ok {
		return int64(l.Len())
	}
	return -1
}

func readArray(r io.Reader, size int64) (*Array, error) {
	h, n, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	if size >= 0 {
		size -= int64(n)
	}
	data, err := readData(r, h, size)
	if err != nil {
		return nil, err
	}
	return &Array{Shape: h.Shape, Data: data}, nil
}

// ReadFile reads the array of the .npy file at path, as [Read] does. Bytes after the array are ignored, as NumPy
// ignores them.
func ReadFile(path string) (*Array, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	defer f.Close()
	size := int64(-1)
	if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
		size = st.Size()
	}
	a, err := readArray(f, size)
	if err != nil {
		return nil, fmt.Errorf("npy: reading %s: %w", path, err)
	}
	return a, nil
}

// Write writes a as an .npy file, little endian and in C order, the bytes that numpy.save (NumPy 1.23 and later)
// writes. The error wraps [ErrUnsupported] or [ErrFormat] if a is not valid (see [Array.Header]); an error of w is
// wrapped as it is.
func Write(w io.Writer, a *Array) error {
	h, err := a.Header()
	if err != nil {
		return err
	}
	if _, err := WriteHeader(w, h); err != nil {
		return err
	}
	return writeData(w, a.Data)
}

// WriteFile writes a to path as [Write] does, see [storage.WriteAtomic]: no half-written file can appear.
func WriteFile(path string, a *Array) error {
	return storage.WriteAtomic(path, func(w io.Writer) error { return Write(w, a) })
}
