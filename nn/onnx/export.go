// Package onnx writes networks as ONNX files, the format of ONNX Runtime and many others, and reads such files back as
// far as is needed to look at them. The encoding (protocol buffers) is written here by hand: the schema is small and
// the generated code of the official one is not.
//
// Numbers of fields and of types are those of onnx.proto, operators those of the operator sets 13 to 17.
package onnx

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
)

// Errors of this package.
var (
	// ErrExport is wrapped by the errors about networks and options that cannot be written.
	ErrExport = errors.New("cannot export")
	// ErrFormat is wrapped by the errors about files that are not ONNX.
	ErrFormat = errors.New("not an ONNX file")
)

// The names of the input, [batch, channels, height, width], and of the output, [batch, classes], of exported networks. The
// logits of early exits are outputs behind it: logits_1 and so on.
const (
	Input  = "input"
	Output = "logits"
	// OutputImage is what networks that make images give, [batch, channels, height, width].
	OutputImage = "image"
)

// Least and greatest operator set that Export can name. Every operator that it writes means the same in all of them.
const (
	LeastOpset    = 13
	GreatestOpset = 17
)

// Options say how to export. The zero value is operator set 13 with any batch size.
type Options struct {
	Batch   int    // the batch size, 0 for any
	Opset   int    // 13 to 17, 0 for 13
	Version string // of the program, for the file's producer_version
	// Image says that the network, whose last layer is a Flatten, makes images: what that layer reads is the output, [batch,
	// channels, rows, columns], and an image may have any height and width.
	Image bool
	// Metadata goes into the file's metadata_props: what weights.Info says, for example.
	Metadata map[string]string
}

// Export writes a network with its tensors for inference: batch norm with running averages, no dropout. The tensors are
// those that g.Tensors lists, in any order, as weights.FillGraph takes them. Logits agree with package nn's up to the
// rounding of float32 sums. The error wraps [ErrExport], or weights.ErrMismatch if the tensors are not the network's.
func Export(w io.Writer, g *graph.Graph, ts []weights.Tensor, o Options) error {
	if o.Opset == 0 {
		o.Opset = LeastOpset
	}
	if o.Opset < LeastOpset || o.Opset > GreatestOpset || o.Batch < 0 {
		return fmt.Errorf("%w: operator set %d, batch %d (allowed: %d to %d, 0 or more)",
			ErrExport, o.Opset, o.Batch, LeastOpset, GreatestOpset)
	}
	if err := g.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrExport, err)
	}
	e := &exporter{g: g, values: make([]value, len(g.Nodes))}
	if err := e.parameters(ts); err != nil {
		return err
	}
	nodes, last := g.Nodes, &g.Nodes[g.Output()]
	if o.Image {
		if _, flat := last.Op.(graph.Flatten); !flat || len(g.Exits) > 0 {
			return fmt.Errorf("%w: %s makes no image", ErrExport, g.Name)
		}
		nodes = nodes[:g.Output()]
	}
	for i := range nodes {
		if err := e.node(i); err != nil {
			return fmt.Errorf("%w: node %d (%s %q) of %s: %w", ErrExport, i, g.Nodes[i].Op.Kind(), g.Nodes[i].Name, g.Name, err)
		}
	}
	if o.Image {
		e.values[g.Output()] = e.values[last.In[0]]
	}
	e.finish(o)
	m := e.model(o)
	if m.n > math.MaxInt32 {
		return fmt.Errorf("%w: %s has %d bytes, and the format ends at 2 GB", ErrExport, g.Name, m.n)
	}
	if err := m.writeTo(w); err != nil {
		return fmt.Errorf("writing %s: %w", g.Name, err)
	}
	return nil
}

// exporter collects the parts of a GraphProto.
type exporter struct {
	g            *graph.Graph
	nodes        []*message
	initializers []*message
	values       []value // of each node of g
	fresh        int     // names given
}

// value is a node's result: its name in the file and whether it has four axes or, as a vector, two.
type value struct {
	name string
	flat bool
}

// parameters writes the network's tensors as initializers.
func (e *exporter) parameters(ts []weights.Tensor) error {
	want := e.g.Tensors()
	dst := make([]weights.Tensor, len(want))
	for i, t := range want {
		dst[i] = weights.Tensor{Name: t.Name, Shape: t.Shape, Data: make([]float32, t.Len())}
	}
	if err := weights.FillGraph(e.g, dst, ts); err != nil {
		return err
	}
	for _, t := range dst {
		e.initializers = append(e.initializers, floatTensor(t.Name, t.Shape, t.Data))
	}
	return nil
}

// Types of elements and attributes.
const (
	typeFloat    = 1
	typeInt64    = 7
	typeFloat16  = 10
	typeDouble   = 11
	typeBFloat16 = 16

	attrFloat  = 1
	attrInt    = 2
	attrText   = 3
	attrFloats = 6
	attrInts   = 7
)

// floatTensor is a TensorProto of float32.
func floatTensor(name string, shape []int, data []float32) *message {
	m := &message{}
	for _, d := range shape {
		m.uint(1, int64(d))
	}
	m.uint(2, typeFloat)
	m.text(8, name)
	m.floats(9, data)
	return m
}

// floats adds an initializer and returns its name.
func (e *exporter) floats(shape []int, data ...float32) string {
	name := e.name("constant")
	e.initializers = append(e.initializers, floatTensor(name, shape, data))
	return name
}

// ints adds an initializer of whole numbers and returns its name.
func (e *exporter) ints(v ...int) string {
	name := e.name("constant")
	m := &message{}
	m.uint(1, int64(len(v)))
	m.uint(2, typeInt64)
	for _, x := range v {
		m.uint(7, int64(x))
	}
	m.text(8, name)
	e.initializers = append(e.initializers, m)
	return name
}

// name returns a name that nothing else has: those of parameters hold a dot.
func (e *exporter) name(what string) string {
	e.fresh++
	return fmt.Sprintf("%s_%d", what, e.fresh)
}

// attr is an attribute of a node.
type attr struct {
	name  string
	value any // int, []int, float64 or string
}

func (a attr) message() *message {
	m := &message{}
	m.text(1, a.name)
	switch v := a.value.(type) {
	case int:
		m.uint(3, int64(v))
		m.uint(20, attrInt)
	case float64:
		m.float(2, float32(v))
		m.uint(20, attrFloat)
	case string:
		m.text(4, v)
		m.uint(20, attrText)
	case []int:
		for _, x := range v {
			m.uint(8, int64(x))
		}
		m.uint(20, attrInts)
	}
	return m
}

// op adds a node and returns the name of its result.
func (e *exporter) op(kind string, in []string, attrs ...attr) string {
	out := e.name(kind)
	m := &message{}
	for _, s := range in {
		m.text(1, s)
	}
	m.text(2, out)
	m.text(3, out)
	m.text(4, kind)
	for _, a := range attrs {
		m.sub(5, a.message())
	}
	e.nodes = append(e.nodes, m)
	return out
}

// spatial returns a value with four axes, vector one with two.
func (e *exporter) spatial(v value) string {
	if !v.flat {
		return v.name
	}
	return e.op("Unsqueeze", []string{v.name, e.ints(2, 3)})
}

func (e *exporter) vector(v value) string {
	if v.flat {
		return v.name
	}
	return e.op("Flatten", []string{v.name}, attr{"axis", 1})
}

// finish names the logits of every exit, or the image.
func (e *exporter) finish(o Options) {
	for i, k := range e.g.Outputs() {
		m, name, result := &message{}, outputName(e.g, i), e.values[k].name
		if o.Image {
			name = OutputImage
		} else {
			result = e.vector(e.values[k])
		}
		m.text(1, result)
		m.text(2, name)
		m.text(3, name)
		m.text(4, "Identity")
		e.nodes = append(e.nodes, m)
	}
}

// outputName is what the logits of an exit are called, counted from 0.
func outputName(g *graph.Graph, exit int) string {
	if exit == len(g.Exits) {
		return Output
	}
	return fmt.Sprintf("%s_%d", Output, exit+1)
}

// model returns the ModelProto.
func (e *exporter) model(o Options) *message {
	m := &message{}
	ir := int64(7) // of ONNX 1.8, the first with operator set 13
	if o.Opset > 14 {
		ir = 8
	}
	m.uint(1, ir)
	m.text(2, "augmix")
	if o.Version != "" {
		m.text(3, o.Version)
	}
	g := &message{}
	for _, n := range e.nodes {
		g.sub(1, n)
	}
	g.text(2, e.g.Name)
	for _, t := range e.initializers {
		g.sub(5, t)
	}
	s := e.g.Input()
	if o.Image {
		g.sub(11, valueInfo(Input, o.Batch, s.C, 0, 0))
		g.sub(12, valueInfo(OutputImage, o.Batch, s.C, 0, 0))
	} else {
		g.sub(11, valueInfo(Input, o.Batch, s.C, s.H, s.W))
		g.sub(12, valueInfo(Output, o.Batch, e.g.Classes))
	}
	for i := range e.g.Exits {
		g.sub(12, valueInfo(outputName(e.g, i), o.Batch, e.g.Classes))
	}
	m.sub(7, g)
	set := &message{}
	set.text(1, "")
	set.uint(2, int64(o.Opset))
	m.sub(8, set)
	for _, k := range slices.Sorted(maps.Keys(o.Metadata)) {
		p := &message{}
		p.text(1, k)
		p.text(2, o.Metadata[k])
		m.sub(14, p)
	}
	return m
}

// valueInfo is a ValueInfoProto of float32; a batch of 0 is any, a side of 0 too.
func valueInfo(name string, batch int, dims ...int) *message {
	shape := &message{}
	dim := &message{}
	if batch == 0 {
		dim.text(2, "batch")
	} else {
		dim.uint(1, int64(batch))
	}
	shape.sub(1, dim)
	for i, d := range dims {
		dim := &message{}
		if d == 0 {
			dim.text(2, fmt.Sprintf("%s_%d", name, i+1))
		} else {
			dim.uint(1, int64(d))
		}
		shape.sub(1, dim)
	}
	tensor := &message{}
	tensor.uint(1, typeFloat)
	tensor.sub(2, shape)
	typ := &message{}
	typ.sub(1, tensor)
	m := &message{}
	m.text(1, name)
	m.sub(2, typ)
	return m
}
