package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// numpyName is a name that every dialect has, after the aliases that NumPy's and Python's versions use are put together.
type numpyName string

const (
	nReconstruct numpyName = "_reconstruct" // empty array, filled by BUILD
	nFromBuffer  numpyName = "_frombuffer"  // array from protocol 5's buffers
	nScalar      numpyName = "scalar"
	nNDArray     numpyName = "ndarray"
	nDType       numpyName = "dtype"
	nEncode      numpyName = "encode" // how Python 3 writes bytes in protocol 2
	nBytes       numpyName = "bytes"  // how it writes empty ones
)

// numpy is every class and function that every pickle may name.
var numpy = map[string]numpyName{
	"numpy.core.multiarray._reconstruct":  nReconstruct,
	"numpy._core.multiarray._reconstruct": nReconstruct, // NumPy 2
	"numpy.core.numeric._frombuffer":      nFromBuffer,
	"numpy._core.numeric._frombuffer":     nFromBuffer,
	"numpy.core.multiarray.scalar":        nScalar,
	"numpy._core.multiarray.scalar":       nScalar,
	"numpy.ndarray":                       nNDArray,
	"numpy.dtype":                         nDType,
	"_codecs.encode":                      nEncode,
	"__builtin__.bytes":                   nBytes,
	"builtins.bytes":                      nBytes,
}

// DType is a NumPy element type: a kind letter with a size, and an order once BUILD has set it.
type DType struct {
	Code  string // "u1", "i8", "f4", ...
	Order byte   // '<', '>', or '|' where it does not matter
}

// Array is a NumPy array of up to two dimensions. Raw is nil until BUILD has filled it.
type Array struct {
	Shape   []int
	Type    *DType
	Fortran bool // first index fastest
	Raw     *Text
}

// callNumPy gives each name its fixed meaning; nil where the arguments are not of a form that NumPy writes.
func (m *machine) callNumPy(name numpyName, args []any) (any, error) {
	switch name {
	case nReconstruct:
		if len(args) == 3 && args[0] == any(nNDArray) {
			return &Array{}, nil
		}
	case nFromBuffer:
		if len(args) == 4 {
			order, ok := String(args[3])
			if ok && (order == "C" || order == "F") {
				a := new(Array)
				return a, a.set(args[2], args[1], order == "F", args[0])
			}
		}
	case nScalar:
		if len(args) == 2 {
			t, ok1 := args[0].(*DType)
			raw, ok2 := args[1].(*Text)
			if ok1 && ok2 && len(raw.B) == elementSize(t.Code) {
				return t.value(raw.B)
			}
		}
	case nDType:
		if len(args) == 3 {
			if code, ok := String(args[0]); ok && elementSize(code) > 0 {
				return &DType{Code: code, Order: '|'}, nil
			} else if ok {
				return nil, fmt.Errorf("%w: NumPy values of type %.20q (allowed: numbers)", ErrUnsupported, code)
			}
		}
	case nEncode:
		if len(args) == 2 {
			text, ok1 := args[0].(*Text)
			code, ok2 := String(args[1])
			if ok1 && ok2 && code == "latin1" {
				return m.latin1(text.B)
			}
		}
	case nBytes:
		if len(args) == 0 {
			return &Text{Off: -1}, nil
		}
	}
	return nil, nil
}

// latin1 turns UTF-8 text of characters below 256 into one byte each. All calls of one pickle together may make as many
// bytes as the file has, for an honest file encodes every string once.
func (m *machine) latin1(text []byte) (any, error) {
	m.decoded += len(text)
	if m.decoded > len(m.src) {
		return nil, fmt.Errorf("%w: pickle encodes more text than it holds", ErrFormat)
	}
	b := make([]byte, 0, utf8.RuneCount(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			// U+0080 to U+00FF are the two-byte sequences that begin with C2 and C3.
			if c&^1 != 0xc2 || i+1 == len(text) || text[i+1]&0xc0 != 0x80 {
				return nil, fmt.Errorf("%w: text to encode is not Latin-1", ErrFormat)
			}
			i++
			c = c<<6 | text[i]&0x3f
		}
		b = append(b, c)
	}
	return &Text{B: b, Off: -1}, nil
}

// setNumPy is __setstate__ of NumPy's two types.
func setNumPy(to, s any) error {
	state, ok := s.(*Tuple)
	if !ok {
		return fmt.Errorf("%w: state of a %T is a %T", ErrFormat, to, s)
	}
	switch v := to.(type) {
	case *Array: // (version, shape, dtype, fortran order, bytes)
		if len(state.Items) == 5 {
			fortran, isBool := asBool(state.Items[3])
			if isBool {
				return v.set(state.Items[1], state.Items[2], fortran, state.Items[4])
			}
		}
	case *DType: // (version, byte order, subtype, names, fields, item size, alignment, flags ...), shorter in old ones
		if len(state.Items) >= 7 && state.Items[2] == nil && state.Items[3] == nil && state.Items[4] == nil {
			if o, ok := state.Items[1].(*Text); ok && len(o.B) == 1 && (o.B[0] == '<' || o.B[0] == '>' || o.B[0] == '|') {
				v.Order = o.B[0]
				return nil
			}
		}
	}
	return fmt.Errorf("%w: state of %d items for a %T", ErrFormat, len(state.Items), to)
}

// set fills the array and checks that the bytes are as many as shape and type say.
func (a *Array) set(shape, typ any, fortran bool, raw any) error {
	dims, ok1 := shape.(*Tuple)
	t, ok2 := typ.(*DType)
	b, ok3 := raw.(*Text)
	if !ok1 || !ok2 || !ok3 || len(dims.Items) == 0 || len(dims.Items) > 2 {
		return fmt.Errorf("%w: array that is not one of one or two axes of numbers", ErrFormat)
	}
	total := elementSize(t.Code)
	a.Shape = nil
	for _, d := range dims.Items {
		n, ok := d.(int64)
		if !ok || n < 0 || n > math.MaxInt32 || total > 0 && n > int64(len(b.B)/total) {
			return fmt.Errorf("%w: array dimension that does not fit its %d bytes", ErrFormat, len(b.B))
		}
		total *= int(n)
		a.Shape = append(a.Shape, int(n))
	}
	if total != len(b.B) {
		return fmt.Errorf("%w: array of shape %v and type %s has %d bytes, want %d", ErrFormat, a.Shape, t.Code, len(b.B), total)
	}
	a.Type, a.Fortran, a.Raw = t, fortran, b
	return nil
}

// elementSize returns the bytes an element takes, or 0 for what is not a number.
func elementSize(code string) int {
	switch code {
	case "u1", "i1", "b1":
		return 1
	case "u2", "i2", "f2":
		return 2
	case "u4", "i4", "f4":
		return 4
	case "u8", "i8", "f8":
		return 8
	}
	return 0
}

func asBool(v any) (val, ok bool) {
	switch b := v.(type) {
	case bool:
		return b, true
	case int64: // Python 2 wrote the flag as a number
		return b != 0, b == 0 || b == 1
	}
	return false, false
}

// bits returns an element as the low bytes of a number, sign-extended where it is signed.
func (t *DType) bits(e []byte) uint64 {
	var w [8]byte
	for i, b := range e {
		if t.Order == '>' {
			i = len(e) - 1 - i
		}
		w[i] = b
	}
	v := binary.LittleEndian.Uint64(w[:])
	if shift := 64 - 8*len(e); t.Code[0] == 'i' {
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

// value returns a scalar as a bool, an int64 or a float64; float16, which no scalar of a checkpoint has, is an error.
func (t *DType) value(e []byte) (any, error) {
	v := t.bits(e)
	switch t.Code {
	case "b1":
		return v != 0, nil
	case "f4":
		return float64(math.Float32frombits(uint32(v))), nil
	case "f8":
		return math.Float64frombits(v), nil
	case "f2":
		return nil, fmt.Errorf("%w: a scalar of type f2", ErrUnsupported)
	}
	return int64(v), nil
}

// Ints returns the elements of an array of one axis of integers, and whether it is one.
func (a *Array) Ints() ([]int, bool) {
	if a.Raw == nil || len(a.Shape) != 1 || a.Type.Code[0] != 'i' && a.Type.Code[0] != 'u' {
		return nil, false
	}
	size := elementSize(a.Type.Code)
	v := make([]int, a.Shape[0])
	for i := range v {
		v[i] = int(a.Type.bits(a.Raw.B[i*size:][:size]))
	}
	return v, true
}
