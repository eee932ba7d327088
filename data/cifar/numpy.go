package cifar

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/augmix-go/augmix/data"
)

// Names of the whitelist, after the aliases that NumPy's and Python's versions use are put together.
const (
	gReconstruct global = "_reconstruct" // empty array, filled by BUILD
	gFromBuffer  global = "_frombuffer"  // array from protocol 5's buffers
	gNDArray     global = "ndarray"
	gDType       global = "dtype"
	gEncode      global = "encode" // how Python 3 writes bytes in protocol 2
	gBytes       global = "bytes"  // how it writes empty ones
)

// allowed is every class and function a pickle may name.
var allowed = map[string]global{
	"numpy.core.multiarray._reconstruct":  gReconstruct,
	"numpy._core.multiarray._reconstruct": gReconstruct, // NumPy 2
	"numpy.core.numeric._frombuffer":      gFromBuffer,
	"numpy._core.numeric._frombuffer":     gFromBuffer,
	"numpy.ndarray":                       gNDArray,
	"numpy.dtype":                         gDType,
	"_codecs.encode":                      gEncode,
	"__builtin__.bytes":                   gBytes,
	"builtins.bytes":                      gBytes,
}

// dtype is a NumPy element type: a kind letter with a size, and an order once BUILD has set it.
type dtype struct {
	code  string // "u1", "i8", ...
	order byte   // '<', '>', or '|' where it does not matter
}

// ndarray is a NumPy array of up to two dimensions.
type ndarray struct {
	shape   []int
	typ     *dtype
	fortran bool // first index fastest
	raw     *pstr
}

func (m *machine) reduce() error {
	a, err := m.pop()
	if err != nil {
		return err
	}
	f, err := m.pop()
	if err != nil {
		return err
	}
	args, ok := a.(*ptuple)
	if !ok {
		return fmt.Errorf("%w: call with a %T for arguments", data.ErrFormat, a)
	}
	name, ok := f.(global)
	if !ok {
		return fmt.Errorf("%w: pickle calls a %T", data.ErrUnsafe, f)
	}
	v, err := m.call(name, args.items)
	if err != nil {
		return err
	}
	return m.push(v)
}

// call gives each callable of the whitelist its fixed meaning.
func (m *machine) call(name global, args []any) (any, error) {
	switch name {
	case gReconstruct:
		if len(args) == 3 && args[0] == any(gNDArray) {
			return &ndarray{}, nil
		}
	case gFromBuffer:
		if len(args) == 4 {
			order, ok := args[3].(*pstr)
			if ok && (string(order.b) == "C" || string(order.b) == "F") {
				arr := new(ndarray)
				return arr, arr.set(args[2], args[1], string(order.b) == "F", args[0])
			}
		}
	case gDType:
		if len(args) == 3 {
			if code, ok := args[0].(*pstr); ok && elementSize(string(code.b)) > 0 {
				return &dtype{code: string(code.b), order: '|'}, nil
			} else if ok {
				return nil, fmt.Errorf("%w: array of type %.20q (allowed: integers)", data.ErrUnsupported, code.b)
			}
		}
	case gEncode:
		if len(args) == 2 {
			text, ok1 := args[0].(*pstr)
			code, ok2 := args[1].(*pstr)
			if ok1 && ok2 && string(code.b) == "latin1" {
				return m.latin1(text.b)
			}
		}
	case gBytes:
		if len(args) == 0 {
			return &pstr{off: -1}, nil
		}
	}
	return nil, fmt.Errorf("%w: %s called with %d arguments of a form NumPy does not write",
		data.ErrFormat, name, len(args))
}

// latin1 turns UTF-8 text of characters below 256 into one byte each. All calls of one pickle together may make as many
// bytes as the file has, for an honest file encodes every string once.
func (m *machine) latin1(text []byte) (*pstr, error) {
	m.decoded += len(text)
	if m.decoded > len(m.src) {
		return nil, fmt.Errorf("%w: pickle encodes more text than it holds", data.ErrFormat)
	}
	b := make([]byte, 0, utf8.RuneCount(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			// U+0080 to U+00FF are the two-byte sequences that begin with C2 and C3.
			if c&^1 != 0xc2 || i+1 == len(text) || text[i+1]&0xc0 != 0x80 {
				return nil, fmt.Errorf("%w: text to encode is not Latin-1", data.ErrFormat)
			}
			i++
			c = c<<6 | text[i]&0x3f
		}
		b = append(b, c)
	}
	return &pstr{b: b, off: -1}, nil
}

// build is __setstate__ of the two NumPy types.
func (m *machine) build() error {
	s, err := m.pop()
	if err != nil {
		return err
	}
	to, err := m.top()
	if err != nil {
		return err
	}
	state, ok := s.(*ptuple)
	if !ok {
		return fmt.Errorf("%w: state of a %T is a %T", data.ErrFormat, to, s)
	}
	switch v := to.(type) {
	case *ndarray: // (version, shape, dtype, fortran order, bytes)
		if len(state.items) == 5 {
			fortran, isBool := asBool(state.items[3])
			if isBool {
				return v.set(state.items[1], state.items[2], fortran, state.items[4])
			}
		}
	case *dtype: // (version, byte order, subtype, names, fields, item size, alignment, flags ...), shorter in old ones
		if len(state.items) >= 7 && state.items[2] == nil && state.items[3] == nil && state.items[4] == nil {
			if o, ok := state.items[1].(*pstr); ok && len(o.b) == 1 && (o.b[0] == '<' || o.b[0] == '>' || o.b[0] == '|') {
				v.order = o.b[0]
				return nil
			}
		}
	}
	return fmt.Errorf("%w: state of %d items for a %T", data.ErrFormat, len(state.items), to)
}

// set fills the array and checks that the bytes are as many as shape and type say.
func (a *ndarray) set(shape, typ any, fortran bool, raw any) error {
	dims, ok1 := shape.(*ptuple)
	t, ok2 := typ.(*dtype)
	b, ok3 := raw.(*pstr)
	if !ok1 || !ok2 || !ok3 || len(dims.items) == 0 || len(dims.items) > 2 {
		return fmt.Errorf("%w: array state of a form CIFAR's files do not have", data.ErrFormat)
	}
	total := elementSize(t.code)
	a.shape = nil
	for _, d := range dims.items {
		n, ok := d.(int64)
		if !ok || n < 0 || n > math.MaxInt32 || total > 0 && n > int64(len(b.b)/total) {
			return fmt.Errorf("%w: array dimension that does not fit its %d bytes", data.ErrFormat, len(b.b))
		}
		total *= int(n)
		a.shape = append(a.shape, int(n))
	}
	if total != len(b.b) {
		return fmt.Errorf("%w: array of shape %v and type %s has %d bytes, want %d",
			data.ErrFormat, a.shape, t.code, len(b.b), total)
	}
	a.typ, a.fortran, a.raw = t, fortran, b
	return nil
}

// elementSize returns the bytes an element of an integer type takes, or 0 for every other type.
func elementSize(code string) int {
	switch code {
	case "u1", "i1":
		return 1
	case "u2", "i2":
		return 2
	case "u4", "i4":
		return 4
	case "u8", "i8":
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

// ints returns the elements of a one-dimensional array.
func (a *ndarray) ints() []int {
	size := elementSize(a.typ.code)
	v := make([]int, a.shape[0])
	for i := range v {
		var w [8]byte
		e := a.raw.b[i*size:][:size]
		if a.typ.order == '>' {
			copy(w[8-size:], e)
			if a.typ.code[0] == 'i' && e[0] >= 0x80 {
				fill(w[:8-size])
			}
			v[i] = int(int64(binary.BigEndian.Uint64(w[:])))
			continue
		}
		copy(w[:], e)
		if a.typ.code[0] == 'i' && e[size-1] >= 0x80 {
			fill(w[size:])
		}
		v[i] = int(int64(binary.LittleEndian.Uint64(w[:])))
	}
	return v
}

func fill(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}
