package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// chunk is the number of bytes that an unproven size is trusted with, and that are converted at a time.
const chunk = 128 << 10

// readData reads the elements of an array with header h (which ReadHeader has checked) and returns them in C order.
// size is the number of bytes left in r, -1 if unknown.
func readData(r io.Reader, h Header, size int64) (any, error) {
	n, err := h.Len()
	if err != nil {
		return nil, err
	}
	if want := int64(n) * int64(h.ItemSize()); size >= 0 && size < want {
		return nil, fmt.Errorf("%w: %d bytes of data for shape %v of %s, want %d", ErrFormat, size, h.Shape, h.DType, want)
	}
	in := &input{r: r, n: n, known: size >= 0, shape: h.Shape, fortran: h.Fortran, swap: bigEndian != (h.DType[0] == '>')}
	switch h.DType[1:] {
	case "b1":
		return convert(in, func(v uint8) bool { return v != 0 })
	case "u1":
		return read[uint8](in)
	case "i1":
		return read[int8](in)
	case "u2":
		return read[uint16](in)
	case "i2":
		return read[int16](in)
	case "u4":
		return read[uint32](in)
	case "i4":
		return read[int32](in)
	case "u8":
		return read[uint64](in)
	case "i8":
		return read[int64](in)
	case "f2":
		return convert(in, halfToFloat)
	case "f4":
		return read[float32](in)
	case "f8":
		return read[float64](in)
	}
	return nil, fmt.Errorf("%w: element type %q", ErrUnsupported, h.DType)
}

// input is what the readers of all element types need to know.
type input struct {
	r       io.Reader
	n       int  // elements
	known   bool // r is known to hold all of them
	swap    bool // the byte order is not the machine's
	shape   []int
	fortran bool
}

// number is a type whose every bit pattern is a value, so that file bytes can be read into its memory.
type number interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64 | float32 | float64
}

// bigEndian says how this machine lays out numbers.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// view returns the memory of s, which both share. It is what makes reading as fast as copying.
func view[T number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*width[T]())
}

// width returns the bytes of a T.
func width[T number]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// read reads all elements: straight into their place if the input is known to hold them, else into a slice that
// doubles, so that memory follows the bytes that arrived.
func read[T number](in *input) ([]T, error) {
	room := in.n
	if !in.known {
		room = min(in.n, chunk/width[T]())
	}
	out := make([]T, 0, room)
	for len(out) < in.n {
		if len(out) == cap(out) {
			more := make([]T, len(out), min(in.n, 2*len(out)))
			copy(more, out)
			out = more
		}
		free := out[len(out):cap(out)]
		k, err := io.ReadFull(in.r, view(free))
		if err != nil {
			got := len(out) + k/width[T]()
			return nil, fmt.Errorf("after %d of %d elements: %w", got, in.n, truncated("data", err))
		}
		if in.swap {
			swap(view(free), width[T]())
		}
		out = out[:cap(out)]
	}
	return toC(out, in), nil
}

// convert reads elements of type S and makes a T of each.
func convert[S number, T any](in *input, f func(S) T) ([]T, error) {
	src, err := read[S](in)
	if err != nil {
		return nil, err
	}
	dst := make([]T, len(src))
	for i, v := range src {
		dst[i] = f(v)
	}
	return dst, nil
}

// swap turns the byte order of elements of the given width around, in place.
func swap(b []byte, width int) {
	switch width {
	case 2:
		for ; len(b) >= 2; b = b[2:] {
			binary.LittleEndian.PutUint16(b, binary.BigEndian.Uint16(b))
		}
	case 4:
		for ; len(b) >= 4; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) >= 8; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
	}
}

// halfToFloat converts an IEEE 754 binary16 exactly.
func halfToFloat(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exp {
	case 0: // zero and subnormal: frac units of 2^-24
		v := float32(frac) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31: // infinity and NaN keep their payload
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// toC returns src, which is in file order, in C order.
func toC[T any](src []T, in *input) []T {
	d := len(in.shape)
	if !in.fortran || d < 2 || len(src) == 0 {
		return src
	}
	dst := make([]T, len(src))
	rows, cols := in.shape[0], in.shape[d-1]
	rowStep, colStep := len(src)/rows, len(src)/cols // a step down in dst, a step right in src
	index := make([]int, d-1)                        // of the axes between the first and the last
	for {
		from, to := 0, 0
		for a, step := 1, rows; a < d-1; a++ {
			from += index[a] * step
			step *= in.shape[a]
		}
		for a, step := d-2, cols; a > 0; a-- {
			to += index[a] * step
			step *= in.shape[a]
		}
		transpose(dst[to:], src[from:], rows, cols, rowStep, colStep)
		if !next(index, in.shape) {
			return dst
		}
	}
}

// next counts index up over the axes 1 to len(index)-1 and reports whether it came to a new place.
func next(index, shape []int) bool {
	for a := len(index) - 1; a > 0; a-- {
		if index[a]++; index[a] < shape[a] {
			return true
		}
		index[a] = 0
	}
	return false
}

// transpose sets dst[y*rowStep+x] = src[y+x*colStep] in square tiles, so that both sides stay in the cache.
func transpose[T any](dst, src []T, rows, cols, rowStep, colStep int) {
	const tile = 32
	for y0 := 0; y0 < rows; y0 += tile {
		for x0 := 0; x0 < cols; x0 += tile {
			for y := y0; y < min(y0+tile, rows); y++ {
				for x := x0; x < min(x0+tile, cols); x++ {
					dst[y*rowStep+x] = src[y+x*colStep]
				}
			}
		}
	}
}

// writeData writes the elements of data, little endian. The type is one of those that Array lists.
func writeData(w io.Writer, data any) error {
	switch d := data.(type) {
	case []bool:
		b := make([]uint8, len(d))
		for i, v := range d {
			if v {
				b[i] = 1
			}
		}
		return write(w, b)
	case []uint8:
		return write(w, d)
	case []int8:
		return write(w, d)
	case []uint16:
		return write(w, d)
	case []int16:
		return write(w, d)
	case []uint32:
		return write(w, d)
	case []int32:
		return write(w, d)
	case []uint64:
		return write(w, d)
	case []int64:
		return write(w, d)
	case []float32:
		return write(w, d)
	case []float64:
		return write(w, d)
	}
	return fmt.Errorf("%w: Array.Data is a %T", ErrUnsupported, data)
}

// write writes the memory of src, through a buffer on a machine whose byte order is not the file's.
func write[T number](w io.Writer, src []T) error {
	b := view(src)
	if !bigEndian || width[T]() == 1 {
		return writeBytes(w, b)
	}
	buf := make([]byte, min(chunk, len(b)))
	for len(b) > 0 {
		n := copy(buf, b)
		swap(buf[:n], width[T]())
		if err := writeBytes(w, buf[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func writeBytes(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("npy: writing the data: %w", err)
	}
	return nil
}
