package torchfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/pickle"
)

// element is the type of a storage's values.
type element struct {
	numpy string // NumPy's letter and size; "bf2" for bfloat16; "" where there is none
	size  int64
}

// storageTypes are torch's classes of storages.
var storageTypes = map[string]element{
	"FloatStorage": {"f4", 4}, "DoubleStorage": {"f8", 8}, "HalfStorage": {"f2", 2}, "BFloat16Storage": {"bf2", 2},
	"LongStorage": {"i8", 8}, "IntStorage": {"i4", 4}, "ShortStorage": {"i2", 2}, "CharStorage": {"i1", 1},
	"ByteStorage": {"u1", 1}, "BoolStorage": {"b1", 1},
	"ComplexFloatStorage": {"", 8}, "ComplexDoubleStorage": {"", 16},
}

// dtypes are the types that are named where a storage is of bytes.
var dtypes = map[string]element{
	"float32": {"f4", 4}, "float64": {"f8", 8}, "float16": {"f2", 2}, "bfloat16": {"bf2", 2}, "int64": {"i8", 8},
	"int32": {"i4", 4}, "int16": {"i2", 2}, "int8": {"i1", 1}, "uint8": {"u1", 1}, "bool": {"b1", 1}, "uint16": {"u2", 2},
	"uint32": {"u4", 4}, "uint64": {"u8", 8}, "complex64": {"", 8}, "complex128": {"", 16},
}

// storage is a piece of memory that tensors look at.
type storage struct {
	element
	numel, bytes int64
	r            io.ReaderAt // nil: data is there for good
	at           int64
	crc          *uint32 // nil: not known
	data         []byte
	users        int // tensors that have not been read yet
}

// load returns the storage's bytes.
func (s *storage) load() ([]byte, error) {
	if s.data != nil || s.r == nil {
		return s.data, nil
	}
	var err error
	s.data, err = readSum(s.r, s.at, s.bytes, s.crc)
	return s.data, err
}

// release lets go of the bytes after the last of the storage's tensors, so that a file is not in memory whole.
func (s *storage) release() {
	if s.users--; s.users <= 0 && s.r != nil {
		s.data = nil
	}
}

// persistent is a storage: ("storage", class, key, device, number of values), in the older format with a sixth that is
// None.
func (f *File) persistent(id any) (any, error) {
	bad := func() (any, error) {
		return nil, fmt.Errorf("%w: a persistent id that is not one of a storage", ErrFormat)
	}
	t, ok := pickle.Sequence(id)
	if !ok || len(t) < 5 || len(t) > 6 {
		return bad()
	}
	if len(t) == 6 && t[5] != nil {
		return nil, fmt.Errorf("%w: views of storages, as PyTorch before 1.0 wrote them", ErrUnsupported)
	}
	kind, _ := pickle.String(t[0])
	class, ok1 := t[1].(*pickle.Global)
	key, ok2 := pickle.String(t[2])
	numel, ok3 := t[4].(int64)
	if kind != "storage" || !ok1 || !ok2 || !ok3 || numel < 0 {
		return bad()
	}
	e := element{"", 1}
	if known, ok := storageTypes[strings.TrimPrefix(class.Name, "torch.")]; ok {
		e = known
	} else if class.Name != "torch.storage.UntypedStorage" && class.Name != "torch.storage._UntypedStorage" {
		return bad()
	}
	if s := f.storages[key]; s != nil {
		if s.element != e || s.numel != numel {
			return nil, fmt.Errorf("%w: storage %.40q is described in two ways", ErrFormat, key)
		}
		return s, nil
	}
	// All storages together fit into the file.
	if numel > (f.size-f.stored)/e.size {
		return nil, fmt.Errorf("%w: storage %.40q of %d values of %d bytes in a file of %d", ErrFormat, key, numel, e.size, f.size)
	}
	s := &storage{element: e, numel: numel, bytes: numel * e.size}
	f.stored += s.bytes
	f.storages[key] = s
	if f.locate == nil {
		return s, nil
	}
	return s, f.locate(key, s)
}

// Tensor is a tensor: a shape and strides over a storage.
type Tensor struct {
	Shape  []int // empty for a single value
	stride []int64
	offset int64
	n      int64
	element
	storage *storage
}

// rebuildTensor is _rebuild_tensor(storage, offset, size, stride), v2 with more that does not matter, and v3 with the type at
// position 6.
func (f *File) rebuildTensor(args []any) (any, error) {
	if len(args) < 4 {
		return nil, nil
	}
	s, ok1 := args[0].(*storage)
	offset, ok2 := args[1].(int64)
	size, ok3 := pickle.Sequence(args[2])
	stride, ok4 := pickle.Sequence(args[3])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, nil
	}
	t := &Tensor{Shape: []int{}, offset: offset, element: s.element, storage: s}
	if len(args) > 6 {
		if g, ok := args[6].(*pickle.Global); ok {
			e, known := dtypes[strings.TrimPrefix(g.Name, "torch.")]
			if !known {
				return nil, nil
			}
			t.element = e
		}
	}
	if err := t.setShape(size, stride); err != nil {
		return nil, err
	}
	if bytes := t.n * t.size; bytes > maxShare*f.size+slack-f.tensors {
		return nil, fmt.Errorf("%w: the tensors have more than %d times the bytes of the file", ErrFormat, maxShare)
	}
	f.tensors += t.n * t.size
	s.users++
	return t, nil
}

// maxAxes is the most axes that a tensor has here; PyTorch's own limit is 64.
const maxAxes = 64

// setShape checks the shape against the storage.
func (t *Tensor) setShape(size, stride []any) error {
	have := t.storage.bytes / t.size // values of the tensor's own type
	if len(size) != len(stride) || len(size) > maxAxes || t.offset < 0 || t.offset > have {
		return fmt.Errorf("%w: a tensor of %d axes and %d strides at value %d of %d", ErrFormat, len(size), len(stride), t.offset, have)
	}
	t.n = 1
	empty := false
	for i := range size {
		d, ok1 := size[i].(int64)
		step, ok2 := stride[i].(int64)
		if !ok1 || !ok2 || d < 0 || d > math.MaxInt32 || step < 0 {
			return fmt.Errorf("%w: a tensor with a bad size or stride at axis %d", ErrFormat, i)
		}
		t.Shape, t.stride = append(t.Shape, int(d)), append(t.stride, step)
		empty = empty || d == 0
	}
	if empty {
		t.n = 0
		return nil
	}
	last := t.offset
	for i, d := range t.Shape {
		if t.n *= int64(d); t.n > have {
			return fmt.Errorf("%w: a tensor of shape %v over a storage of %d values (of an expanded tensor save a copy: "+
				"tensor.clone())", ErrFormat, t.Shape, have)
		}
		if d > 1 {
			if last >= have || t.stride[i] > (have-1-last)/int64(d-1) {
				return t.outside(have)
			}
			last += int64(d-1) * t.stride[i]
		}
	}
	if last >= have {
		return t.outside(have)
	}
	return nil
}

func (t *Tensor) outside(have int64) error {
	return fmt.Errorf("%w: a tensor of shape %v and strides %v from value %d on reaches beyond a storage of %d", ErrFormat, t.Shape,
		t.stride, t.offset, have)
}

// Header describes the values that [Tensor.Values] returns. bfloat16 becomes float32. The error wraps [ErrUnsupported] for
// types that NumPy has not, or that are not read: complex numbers, quantized ones.
func (t *Tensor) Header() (npy.Header, error) {
	h := npy.Header{Shape: t.Shape}
	switch {
	case t.numpy == "":
		return h, fmt.Errorf("%w: a tensor of complex numbers or bytes without a type", ErrUnsupported)
	case t.numpy == "bf2":
		h.DType = "<f4"
	case t.size == 1:
		h.DType = "|" + t.numpy
	default:
		h.DType = "<" + t.numpy
	}
	return h, nil
}

// Integers reports whether the values are integers or booleans.
func (t *Tensor) Integers() bool {
	return t.numpy != "" && t.numpy != "bf2" && strings.Contains("iub", t.numpy[:1])
}

// Values returns the values in the order of the last axis first, as [Tensor.Header] describes them, in little endian. They
// may be the storage's own memory, and must not be changed.
func (t *Tensor) Values() ([]byte, error) {
	if _, err := t.Header(); err != nil {
		return nil, err
	}
	all, err := t.storage.load()
	if err != nil {
		return nil, err
	}
	b := all[:0]
	if t.n > 0 {
		b = t.gather(all)
	}
	if t.numpy == "bf2" {
		b = widen(b)
	}
	t.storage.release()
	return b, nil
}

// gather puts the values next to each other.
func (t *Tensor) gather(all []byte) []byte {
	if t.contiguous() {
		return all[t.offset*t.size : (t.offset+t.n)*t.size]
	}
	out := make([]byte, 0, t.n*t.size)
	at := make([]int, len(t.Shape))
	for {
		from := t.offset
		for i, k := range at {
			from += int64(k) * t.stride[i]
		}
		out = append(out, all[from*t.size:(from+1)*t.size]...)
		axis := len(at) - 1
		for ; axis >= 0; axis-- {
			if at[axis]++; at[axis] < t.Shape[axis] {
				break
			}
			at[axis] = 0
		}
		if axis < 0 {
			return out
		}
	}
}

func (t *Tensor) contiguous() bool {
	step := int64(1)
	for i := len(t.Shape) - 1; i >= 0; i-- {
		if t.Shape[i] != 1 && t.stride[i] != step {
			return false
		}
		step *= int64(t.Shape[i])
	}
	return true
}

// widen makes float32 of bfloat16.
func widen(b []byte) []byte {
	out := make([]byte, 2*len(b))
	for i := 0; i < len(b); i += 2 {
		binary.LittleEndian.PutUint32(out[2*i:], uint32(binary.LittleEndian.Uint16(b[i:]))<<16)
	}
	return out
}

// AsTensor returns a value as a tensor: a tensor itself, a NumPy array of one or two axes in little endian, or a list of
// integers. It returns nil for other values.
func AsTensor(v any) *Tensor {
	switch v := v.(type) {
	case *Tensor:
		return v
	case *pickle.Array:
		return ofArray(v)
	case *pickle.List:
		return ofList(v.Items)
	}
	return nil
}

func ofArray(a *pickle.Array) *Tensor {
	if a.Raw == nil || a.Type.Order == '>' {
		return nil
	}
	e := element{a.Type.Code, int64(a.Type.Code[1] - '0')}
	t := &Tensor{Shape: a.Shape, element: e, n: int64(len(a.Raw.B)) / e.size}
	t.storage = &storage{element: e, numel: t.n, bytes: int64(len(a.Raw.B)), data: a.Raw.B}
	t.stride = make([]int64, len(a.Shape))
	step := int64(1)
	for i := range a.Shape {
		if !a.Fortran {
			i = len(a.Shape) - 1 - i
		}
		t.stride[i] = step
		step *= int64(a.Shape[i])
	}
	return t
}

func ofList(items []any) *Tensor {
	if len(items) == 0 {
		return nil
	}
	var b []byte
	for _, it := range items {
		n, ok := it.(int64)
		if !ok {
			return nil
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	e := element{"i8", 8}
	return &Tensor{
		Shape: []int{len(items)}, stride: []int64{1}, n: int64(len(items)), element: e,
		storage: &storage{element: e, numel: int64(len(items)), bytes: int64(len(b)), data: b},
	}
}
