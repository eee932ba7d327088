package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode"
)

// Format names the JSON form of a Graph and its version.
const Format = "augmix-graph-1"

// Bounds of what a file may declare. They are far above every network and keep products of them from overflowing.
const (
	maxSize = 1 << 24 // of one number: a channel count, a window, a stride
	// maxCount is of the values of one activation or one tensor.
	maxCount = min(1<<40, math.MaxInt)
)

// ops are the operations by their Kind.
var ops = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, o := range []Op{
		Input{},
		Conv{},
		BatchNorm{},
		ReLU{},
		GELU{},
		MaxPool{},
		AvgPool{},
		AdaptivePool{},
		BlurPool{},
		Linear{},
		Flatten{},
		Dropout{},
		Add{},
		Concat{},
		Subsample{},
		ShakeShake{},
		Shift{},
		LearnedGroupConv{},
		Select{},
		Shuffle{},
		Upsample{},
		PixelShuffle{},
		Scale{},
	} {
		m[o.Kind()] = reflect.TypeOf(o)
	}
	return m
}()

// Ops returns the operations' kinds with an operation of the zero value each, for tests of executors that must know
// them all.
func Ops() map[string]Op {
	m := map[string]Op{}
	for kind, t := range ops {
		m[kind] = reflect.Zero(t).Interface().(Op)
	}
	return m
}

var distributions = []string{Constant: "constant", Normal: "normal", Uniform: "uniform"}

func (d Distribution) String() string {
	if d < 0 || int(d) >= len(distributions) {
		return fmt.Sprintf("Distribution(%d)", int(d))
	}
	return distributions[d]
}

// MarshalText writes the distribution's name.
func (d Distribution) MarshalText() ([]byte, error) {
	if d < 0 || int(d) >= len(distributions) {
		return nil, fmt.Errorf("%w: no %v", ErrGraph, d)
	}
	return []byte(distributions[d]), nil
}

// UnmarshalText reads the distribution's name.
func (d *Distribution) UnmarshalText(b []byte) error {
	for i, name := range distributions {
		if name == string(b) {
			*d = Distribution(i)
			return nil
		}
	}
	return fmt.Errorf("%w: no distribution %q (there are: %s)", ErrGraph, b, strings.Join(distributions, ", "))
}

// The JSON form: an object a node with its operation, inputs, shape and the operation's fields in snake_case.
//
//	{"format": "augmix-graph-1", "name": "wrn-16-1", "classes": 10, "nodes": [
//	 {"op": "input", "shape": [32,32,3]},
//	 {"op": "conv", "name": "conv1", "in": [0], "shape": [32,32,16], "with": {"out": 16, "kh": 3, ...,
//	  "init": {"dist": "normal", "scale": 0.118}}}, ...]}
type graphJSON struct {
	Format  string     `json:"format"`
	Name    string     `json:"name"`
	Classes int        `json:"classes"`
	Nodes   []nodeJSON `json:"nodes"`
	Exits   []int      `json:"exits,omitempty"`
}

type nodeJSON struct {
	Op    string                     `json:"op"`
	Name  string                     `json:"name,omitempty"`
	In    []int                      `json:"in,omitempty"`
	Shape [3]int                     `json:"shape"` // height, width, channels
	With  map[string]json.RawMessage `json:"with,omitempty"`
}

type initJSON struct {
	Dist  Distribution `json:"dist"`
	Scale float64      `json:"scale"`
}

// MarshalJSON implements json.Marshaler.
func (i Init) MarshalJSON() ([]byte, error) { return json.Marshal(initJSON(i)) }

// UnmarshalJSON implements json.Unmarshaler.
func (i *Init) UnmarshalJSON(b []byte) error {
	var v struct {
		Dist  *Distribution `json:"dist"`
		Scale *float64      `json:"scale"`
	}
	if err := strict(b, &v); err != nil {
		return err
	}
	if v.Dist == nil || v.Scale == nil {
		return fmt.Errorf("%w: an initial value without dist or scale", ErrGraph)
	}
	*i = Init{*v.Dist, *v.Scale}
	return nil
}

// strict decodes JSON without members that v has no place for.
func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// MarshalJSON implements json.Marshaler. The form holds everything that Graph does, so that another program can build
// the network: operations with their fields, inputs, shapes, and how tensors start; the tensors' names and shapes
// follow from it. Fields with the value 0, "" or false are written too.
func (g *Graph) MarshalJSON() ([]byte, error) {
	f := graphJSON{Format: Format, Name: g.Name, Classes: g.Classes, Exits: g.Exits}
	for i, n := range g.Nodes {
		if n.Op == nil {
			return nil, fmt.Errorf("%w: node %d of %q has no operation", ErrGraph, i, g.Name)
		}
		with, err := fields(n.Op)
		if err != nil {
			return nil, fmt.Errorf("node %d (%s) of %q: %w", i, n.Op.Kind(), g.Name, err)
		}
		f.Nodes = append(f.Nodes, nodeJSON{n.Op.Kind(), n.Name, n.In, [3]int{n.Shape.H, n.Shape.W, n.Shape.C}, with})
	}
	return json.Marshal(f)
}

// fields returns an operation's fields by their names in files.
func fields(o Op) (map[string]json.RawMessage, error) {
	v := reflect.ValueOf(o)
	with := map[string]json.RawMessage{}
	for i := range v.NumField() {
		b, err := json.Marshal(v.Field(i).Interface())
		if err != nil {
			return nil, err
		}
		with[snake(v.Type().Field(i).Name)] = b
	}
	return with, nil
}

// snake writes InitBias as init_bias and KH as kh.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// UnmarshalJSON implements json.Unmarshaler. It reads what MarshalJSON writes and nothing else: an unknown operation,
// an unknown, missing or impossible field and a graph that Check refuses are errors that wrap ErrGraph.
func (g *Graph) UnmarshalJSON(b []byte) error {
	var f graphJSON
	if err := strict(b, &f); err != nil {
		return fmt.Errorf("%w: %w", ErrGraph, err)
	}
	if f.Format != Format {
		return fmt.Errorf("%w: the format is %q, not %q", ErrGraph, f.Format, Format)
	}
	out := Graph{Name: f.Name, Classes: f.Classes, Exits: f.Exits}
	if f.Classes < 1 || f.Classes > maxSize {
		return fmt.Errorf("%w: %d classes", ErrGraph, f.Classes)
	}
	for i, n := range f.Nodes {
		op, err := n.op()
		if err == nil {
			err = small(n.Shape[:]...)
		}
		if err != nil {
			return fmt.Errorf("%w: node %d (%.40q): %w", ErrGraph, i, n.Op, err)
		}
		out.Nodes = append(out.Nodes, Node{n.Name, op, n.In, Shape{n.Shape[0], n.Shape[1], n.Shape[2]}})
	}
	if err := out.Check(); err != nil {
		return err
	}
	for _, t := range out.Tensors() {
		if err := small(t.Shape...); err != nil {
			return fmt.Errorf("%w: %s of %q: %w", ErrGraph, t.Name, f.Name, err)
		}
	}
	*g = out
	return nil
}

// op decodes the operation of a node.
func (n *nodeJSON) op() (Op, error) {
	t, ok := ops[n.Op]
	if !ok {
		return nil, fmt.Errorf("no such operation")
	}
	v := reflect.New(t).Elem()
	for i := range v.NumField() {
		name := snake(t.Field(i).Name)
		raw, ok := n.With[name]
		if !ok {
			return nil, fmt.Errorf("no field %q", name)
		}
		if err := json.Unmarshal(raw, v.Field(i).Addr().Interface()); err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		if f := v.Field(i); f.Kind() == reflect.Int && (f.Int() < 0 || f.Int() > maxSize) {
			return nil, fmt.Errorf("field %q is %d, not 0 to %d", name, f.Int(), maxSize)
		}
	}
	if len(n.With) != v.NumField() {
		for name := range n.With {
			known := false
			for i := range v.NumField() {
				known = known || snake(t.Field(i).Name) == name
			}
			if !known {
				return nil, fmt.Errorf("unknown field %.40q", name)
			}
		}
	}
	return v.Interface().(Op), nil
}

// small returns an error unless the sizes are positive and bounded, and their product is.
func small(sizes ...int) error {
	n := int64(1)
	for _, d := range sizes {
		if d < 1 || d > maxSize || n > maxCount/int64(d) {
			return fmt.Errorf("the shape %v is empty or too large", sizes)
		}
		n *= int64(d)
	}
	return nil
}
