package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/augmix-go/augmix/nn/weights"
)

// maxFile is the length at which protocol buffers end.
const maxFile = math.MaxInt32

// maxNodes bounds the nodes of a file, which take more memory than bytes.
const maxNodes = 1 << 18

// Model is the content of an ONNX file, as far as this package knows it: enough to say what a file computes and to take
// its weights out. It does not run it.
type Model struct {
	IR              int64  // version of the format
	Opset           int64  // of the standard operators
	Producer        string // program that wrote the file
	ProducerVersion string
	Metadata        map[string]string
	Name            string // of the graph
	Inputs, Outputs []Value
	Nodes           []Node
	// Initializers are the constant tensors of float32, and of float16, bfloat16 and double, converted; Ints those of int64. Tensors of
	// other types are left out.
	Initializers []weights.Tensor
	Ints         []IntTensor
}

// Weights returns the initializers that are a network's tensors in a file of [Export], which alone have a dot in their
// names: the others are constants of operators. weights.Fill takes them.
func (m *Model) Weights() []weights.Tensor {
	var ts []weights.Tensor
	for _, t := range m.Initializers {
		if strings.Contains(t.Name, ".") {
			ts = append(ts, t)
		}
	}
	return ts
}

// Value is an input or output.
type Value struct {
	Name string
	Type int64 // of the elements, as onnx.proto numbers them: 1 is float32
	// Shape has a 0 where the file leaves an axis open, and is nil if it leaves the shape open.
	Shape []int64
}

// Node is an operator.
type Node struct {
	Name    string
	Op      string // "Conv"
	Domain  string // "" for the standard operators
	Inputs  []string
	Outputs []string
	// Attributes hold an int64, a float32, a string, a []int64 or a []float32; others are left out.
	Attributes map[string]any
}

// IntTensor is a constant tensor of int64.
type IntTensor struct {
	Name  string
	Shape []int
	Data  []int64
}

// ReadFile reads the ONNX file at path, as [Read] does.
func ReadFile(path string) (*Model, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, fmt.Errorf("%w: %s is no regular file of at most %d bytes", ErrFormat, path, maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := Read(b)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return m, nil
}

// Read decodes an ONNX file. Members that Model has no place for are skipped. The error wraps [ErrFormat]: the file is
// truncated or foreign, has no graph, holds a tensor whose values are not of its shape or lie in another file.
func Read(b []byte) (*Model, error) {
	m := &Model{Metadata: map[string]string{}}
	graphs := 0
	err := fields(b, func(x field) error {
		switch x.number {
		case 1:
			return x.int(&m.IR)
		case 2:
			return x.text(&m.Producer)
		case 3:
			return x.text(&m.ProducerVersion)
		case 7:
			graphs++
			return x.message(m.graph)
		case 8:
			return m.opset(x)
		case 14:
			return m.property(x)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if graphs != 1 || m.IR < 1 || len(m.Nodes) == 0 || len(m.Outputs) == 0 {
		return nil, fmt.Errorf("%w: %d graphs, version %d, %d nodes, %d outputs",
			ErrFormat, graphs, m.IR, len(m.Nodes), len(m.Outputs))
	}
	return m, nil
}

// message decodes a member that is a message.
func (x field) message(f func(field) error) error {
	if err := x.want(wireBytes); err != nil {
		return err
	}
	return fields(x.b, f)
}

// opset takes an OperatorSetIdProto, of which a file has one for each domain.
func (m *Model) opset(x field) error {
	var domain string
	var version int64
	err := x.message(func(x field) error {
		switch x.number {
		case 1:
			return x.text(&domain)
		case 2:
			return x.int(&version)
		}
		return nil
	})
	if domain == "" || domain == "ai.onnx" {
		m.Opset = version
	}
	return err
}

// property takes a StringStringEntryProto.
func (m *Model) property(x field) error {
	var key, value string
	err := x.message(func(x field) error {
		switch x.number {
		case 1:
			return x.text(&key)
		case 2:
			return x.text(&value)
		}
		return nil
	})
	m.Metadata[key] = value
	return err
}

func (m *Model) graph(x field) error {
	switch x.number {
	case 1:
		if len(m.Nodes) == maxNodes {
			return fmt.Errorf("more than %d nodes", maxNodes)
		}
		var n Node
		if err := x.message(n.field); err != nil {
			return fmt.Errorf("node %d: %w", len(m.Nodes), err)
		}
		if n.Op == "" || len(n.Outputs) == 0 {
			return fmt.Errorf("node %d has no operator or no output", len(m.Nodes))
		}
		m.Nodes = append(m.Nodes, n)
	case 2:
		return x.text(&m.Name)
	case 5:
		return m.tensor(x)
	case 11, 12:
		if len(m.Inputs)+len(m.Outputs) == maxNodes {
			return fmt.Errorf("more than %d inputs and outputs", maxNodes)
		}
		var v Value
		if err := x.message(v.field); err != nil {
			return fmt.Errorf("an input or output: %w", err)
		}
		if x.number == 11 {
			m.Inputs = append(m.Inputs, v)
		} else {
			m.Outputs = append(m.Outputs, v)
		}
	}
	return nil
}

func (n *Node) field(x field) error {
	var s string
	switch x.number {
	case 1:
		if err := x.text(&s); err != nil {
			return err
		}
		n.Inputs = append(n.Inputs, s)
	case 2:
		if err := x.text(&s); err != nil {
			return err
		}
		n.Outputs = append(n.Outputs, s)
	case 3:
		return x.text(&n.Name)
	case 4:
		return x.text(&n.Op)
	case 5:
		return n.attribute(x)
	case 7:
		return x.text(&n.Domain)
	}
	return nil
}

// attribute decodes an AttributeProto.
func (n *Node) attribute(x field) error {
	var name, text string
	var kind, i int64
	var f []float32
	var ints []int64
	err := x.message(func(x field) error {
		switch x.number {
		case 1:
			return x.text(&name)
		case 2, 7:
			return x.floats(&f)
		case 3:
			return x.int(&i)
		case 4:
			return x.text(&text)
		case 8:
			return x.ints(&ints)
		case 20:
			return x.int(&kind)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("attribute %.40q: %w", name, err)
	}
	if n.Attributes == nil {
		n.Attributes = map[string]any{}
	}
	switch kind {
	case attrFloat:
		if len(f) != 1 {
			return fmt.Errorf("attribute %.40q has %d numbers, not 1", name, len(f))
		}
		n.Attributes[name] = f[0]
	case attrInt:
		n.Attributes[name] = i
	case attrText:
		n.Attributes[name] = text
	case attrFloats:
		n.Attributes[name] = f
	case attrInts:
		n.Attributes[name] = ints
	}
	return nil
}

// field decodes a ValueInfoProto.
func (v *Value) field(x field) error {
	switch x.number {
	case 1:
		return x.text(&v.Name)
	case 2: // TypeProto
		return x.message(func(x field) error {
			if x.number != 1 { // not a tensor
				return nil
			}
			return x.message(func(x field) error {
				switch x.number {
				case 1:
					return x.int(&v.Type)
				case 2:
					v.Shape = []int64{}
					return x.message(v.axis)
				}
				return nil
			})
		})
	}
	return nil
}

func (v *Value) axis(x field) error {
	if x.number != 1 {
		return nil
	}
	var n int64
	err := x.message(func(x field) error {
		if x.number == 1 {
			return x.int(&n)
		}
		return nil
	})
	if err == nil && (n < 0 || len(v.Shape) == maxAxes) {
		err = fmt.Errorf("%.40q has an axis of %d, or more than %d axes", v.Name, n, maxAxes)
	}
	v.Shape = append(v.Shape, n)
	return err
}

// maxAxes bounds the axes of a tensor.
const maxAxes = 32

// tensor decodes a TensorProto and keeps it if it is of float32, float16, bfloat16, double or int64.
func (m *Model) tensor(x field) error {
	var t tensor
	if err := x.message(t.field); err != nil {
		return fmt.Errorf("tensor %.60q: %w", t.name, err)
	}
	if t.place != 0 {
		return fmt.Errorf("tensor %.60q lies in another file", t.name)
	}
	shape, n, err := shapeOf(t.dims)
	if err != nil {
		return fmt.Errorf("tensor %.60q: %w", t.name, err)
	}
	switch t.kind {
	case typeFloat, typeFloat16, typeBFloat16, typeDouble:
		values, err := t.floats()
		if err != nil {
			return fmt.Errorf("tensor %.60q: %w", t.name, err)
		}
		m.Initializers = append(m.Initializers, weights.Tensor{Name: t.name, Shape: shape, Data: values})
		return sized(t.name, shape, len(values), n)
	case typeInt64:
		values := t.int64s
		for ; len(t.raw) >= 8; t.raw = t.raw[8:] {
			values = append(values, int64(binary.LittleEndian.Uint64(t.raw)))
		}
		m.Ints = append(m.Ints, IntTensor{t.name, shape, values})
		if len(t.raw) != 0 {
			return fmt.Errorf("tensor %.60q: %w", t.name, errTruncated)
		}
		return sized(t.name, shape, len(values), n)
	}
	return nil
}

// tensor is a TensorProto: its values lie in raw, or in the list of their type. Those of 16-bit floats lie in int32s as whole numbers.
type tensor struct {
	name           string
	dims           []int64
	kind, place    int64
	float32s       []float32
	int32s, int64s []int64
	doubles, raw   []byte // little endian
}

func (t *tensor) field(x field) error {
	switch x.number {
	case 1:
		return x.ints(&t.dims)
	case 2:
		return x.int(&t.kind)
	case 4:
		return x.floats(&t.float32s)
	case 5:
		return x.ints(&t.int32s)
	case 7:
		return x.ints(&t.int64s)
	case 8:
		return x.text(&t.name)
	case 9:
		t.raw = x.b
		return x.want(wireBytes)
	case 10:
		if x.wire == wire64 {
			t.doubles = binary.LittleEndian.AppendUint64(t.doubles, x.v)
			return nil
		}
		t.doubles = append(t.doubles, x.b...)
		return x.want(wireBytes)
	case 14:
		return x.int(&t.place)
	}
	return nil
}

// floats returns the values of a type of floats.
func (t *tensor) floats() ([]float32, error) {
	values, b := []float32(nil), []byte(nil)
	dtype, width := "F32", 4
	switch t.kind {
	case typeFloat:
		values = t.float32s
	case typeDouble:
		dtype, width, b = "F64", 8, t.doubles
	default:
		dtype, width = "F16", 2
		if t.kind == typeBFloat16 {
			dtype = "BF16"
		}
		for _, v := range t.int32s {
			if v < 0 || v > math.MaxUint16 {
				return nil, fmt.Errorf("a value of %d in a type of 16 bits", v)
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(v))
		}
	}
	if len(b) == 0 {
		b = t.raw
	} else {
		b = append(b, t.raw...)
	}
	if len(b)%width != 0 {
		return nil, errTruncated
	}
	return weights.AppendValues(values, dtype, b), nil
}

func sized(name string, shape []int, have, want int) error {
	if have != want {
		return fmt.Errorf("tensor %.60q has %d values and the shape %v", name, have, shape)
	}
	return nil
}

// shapeOf checks the axes of a tensor and returns the number of values.
func shapeOf(dims []int64) (shape []int, n int, err error) {
	if len(dims) > maxAxes {
		return nil, 0, fmt.Errorf("%d axes", len(dims))
	}
	count := int64(1)
	shape = make([]int, len(dims))
	for i, d := range dims {
		if d < 0 || d > maxFile || d > 0 && count > maxFile/d {
			return nil, 0, fmt.Errorf("the shape %v", dims)
		}
		count *= d
		shape[i] = int(d)
	}
	return shape, int(count), nil
}
