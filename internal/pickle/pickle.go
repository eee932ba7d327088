// Package pickle reads the part of Python's pickle language that plain data is written in: protocols 2 to 5, built-in
// values, NumPy's arrays and scalars, and the classes that a caller's [Dialect] gives a meaning to. CIFAR's files and
// PyTorch's are read with it.
//
// A pickle is a program, and Python runs it. This package executes nothing: callables are names with a fixed meaning, and
// every other name is refused where it first appears. It exists because a general reader cannot be made safe by wrapping:
// the usual Go one allocates the lengths a file declares before it reads (a fatal error no recover catches), resolves some
// classes past its class hook, and prints cyclic values into its errors without end.
//
// The whole pickle is in memory; strings and bytes are slices of it. It can therefore not make the reader allocate more
// than a constant times its own length, the number of steps is limited, and nothing recurses. What comes back may hold
// itself: whoever walks it bounds the depth.
package pickle

import (
	"bytes"
	"errors"
	"fmt"
)

// Sentinel errors: every error of this package wraps one of them.
var (
	// ErrFormat: no pickle, or a damaged one.
	ErrFormat = errors.New("bad pickle")
	// ErrUnsupported: a pickle of values that are not read here.
	ErrUnsupported = errors.New("unsupported pickle")
	// ErrUnsafe: a pickle that names a class or a function that is not allowed.
	ErrUnsafe = errors.New("unsafe pickle")
)

// maxSteps limits the opcodes of one pickle. CIFAR-100's train, the largest published one, needs about 200,000: two for
// each of 50,000 file names, one for each fine and each coarse label. A tensor of a PyTorch file needs some forty.
const maxSteps = 1 << 20

// Proto is the first byte of every pickle of protocol 2 and later.
const Proto = 0x80

// The values a pickle can hold: nil, bool, int64, float64, the types below, *[Array], *[DType], and what a dialect's calls
// return.
type (
	// Text is a Python str, bytes or bytearray.
	Text struct {
		B   []byte
		Off int // of B within the pickle, or -1 when B is a decoded copy
	}
	// Tuple is a tuple.
	Tuple struct{ Items []any }
	// List is a list.
	List struct{ Items []any }
	// Dict keeps keys and values, in turn, as they came. A later pair with the same key wins.
	Dict struct {
		Pairs []any
		// Ordered is true of a collections.OrderedDict, to which Python's modules attach a dict of their own.
		Ordered bool
	}
	// Big is an integer of more than 8 bytes, in two's complement, little endian.
	Big []byte
	// Global is a class or a function of the dialect that the pickle names, "module.name".
	Global struct {
		Name string
		call Call
	}
)

// Get returns the value of a text key, and whether there is one.
func (d *Dict) Get(key string) (any, bool) {
	for i := len(d.Pairs) - 2; i >= 0; i -= 2 {
		if k, ok := d.Pairs[i].(*Text); ok && string(k.B) == key {
			return d.Pairs[i+1], true
		}
	}
	return nil, false
}

// Call is the fixed meaning of a callable: what a call of it with args gives. Where args are not of a form that it knows
// it returns nil, nil.
type Call func(args []any) (any, error)

// Dialect says what a pickle may name besides NumPy's arrays and scalars. The zero value allows nothing else.
type Dialect struct {
	// Globals are the callables by "module.name"; nil for a class that is only named, never called.
	Globals map[string]Call
	// Persistent returns what a persistent id stands for; nil: there are none.
	Persistent func(id any) (any, error)
	// Allowed says in an error what may be named.
	Allowed string
}

// errOutside is the error about an object that another file or a running program would hold.
var errOutside = fmt.Errorf("%w: pickle refers to objects outside itself", ErrUnsafe)

// Read returns the value that the pickle src builds, and the length of the pickle in src, which may hold more. Errors name
// the byte offset; the caller names the file.
func Read(src []byte, d *Dialect) (any, int, error) {
	if len(src) < 2 || src[0] != Proto {
		return nil, 0, fmt.Errorf("%w: no pickle of protocol 2 or later", ErrFormat)
	}
	if src[1] < 2 || src[1] > 5 {
		return nil, 0, fmt.Errorf("%w: pickle protocol %d (allowed: 2 to 5)", ErrUnsupported, src[1])
	}
	m := &machine{src: src, pos: 2, memo: make(map[uint32]any), dialect: d}
	v, err := m.run()
	return v, m.pos, err
}

// global pushes the class or function that the pickle names.
func (m *machine) global(op byte) error {
	var module, name string
	var err error
	if op == opGlobal {
		if module, err = m.line(); err != nil {
			return err
		}
		if name, err = m.line(); err != nil {
			return err
		}
	} else {
		n, err := m.pop()
		if err != nil {
			return err
		}
		mod, err := m.pop()
		if err != nil {
			return err
		}
		ns, ok1 := n.(*Text)
		ms, ok2 := mod.(*Text)
		if !ok1 || !ok2 {
			return fmt.Errorf("%w: class name that is no string", ErrFormat)
		}
		module, name = string(ms.B), string(ns.B)
	}
	full := module + "." + name
	if g, ok := numpy[full]; ok {
		return m.push(g)
	}
	call, ok := m.dialect.Globals[full]
	if !ok {
		return m.reject(full)
	}
	return m.push(&Global{full, call})
}

func (m *machine) reject(name string) error {
	const most = 80 // characters of a hostile name in a message
	if len(name) > most {
		name = name[:most] + "..."
	}
	allowed := m.dialect.Allowed
	if allowed == "" {
		allowed = "what rebuilds a NumPy array"
	}
	return fmt.Errorf("%w: pickle wants class %q (allowed: %s)", ErrUnsafe, name, allowed)
}

// rejectInstance rejects an opcode that builds an object of an arbitrary class. Only INST names its class itself; the
// others take one that GLOBAL pushed, so it is of the dialect, but none of those is built this way.
func (m *machine) rejectInstance(op byte) error {
	if op == opInst {
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		if err != nil {
			return err
		}
		return m.reject(module + "." + name)
	}
	return fmt.Errorf("%w: pickle builds an instance of a class", ErrUnsafe)
}

// persistent replaces an id by what it stands for.
func (m *machine) persistent() error {
	id, err := m.pop()
	if err != nil {
		return err
	}
	if m.dialect.Persistent == nil {
		return errOutside
	}
	v, err := m.dialect.Persistent(id)
	if err != nil {
		return err
	}
	return m.push(v)
}

// reduce calls a callable.
func (m *machine) reduce() error {
	a, err := m.pop()
	if err != nil {
		return err
	}
	f, err := m.pop()
	if err != nil {
		return err
	}
	args, ok := a.(*Tuple)
	if !ok {
		return fmt.Errorf("%w: call with a %T for arguments", ErrFormat, a)
	}
	var v any
	var name string
	switch f := f.(type) {
	case numpyName:
		name = string(f)
		v, err = m.callNumPy(f, args.Items)
	case *Global:
		if name = f.Name; f.call != nil {
			v, err = f.call(args.Items)
		}
	default:
		return fmt.Errorf("%w: pickle calls a %T", ErrUnsafe, f)
	}
	if err != nil {
		return err
	}
	if v == nil {
		return fmt.Errorf("%w: %s called with %d arguments of an unknown form", ErrFormat, name, len(args.Items))
	}
	return m.push(v)
}

// build is __setstate__ of NumPy's two types, and the attributes of an OrderedDict, which are dropped.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	to, err := m.top()
	if err != nil {
		return err
	}
	if d, ok := to.(*Dict); ok && d.Ordered {
		if _, ok := state.(*Dict); ok {
			return nil
		}
	}
	return setNumPy(to, state)
}

// NewOrderedDict is the [Call] of collections.OrderedDict: with no arguments, or with a list of pairs.
func NewOrderedDict(args []any) (any, error) {
	d := &Dict{Ordered: true}
	if len(args) == 0 {
		return d, nil
	}
	list, ok := args[0].(*List)
	if !ok || len(args) > 1 {
		return nil, nil
	}
	for _, it := range list.Items {
		pair, ok := Sequence(it)
		if !ok || len(pair) != 2 {
			return nil, nil
		}
		d.Pairs = append(d.Pairs, pair...)
	}
	return d, nil
}

// Sequence returns the items of a list or a tuple.
func Sequence(v any) ([]any, bool) {
	switch c := v.(type) {
	case *List:
		return c.Items, true
	case *Tuple:
		return c.Items, true
	}
	return nil, false
}

// String returns the text of v, and whether it is one.
func String(v any) (string, bool) {
	t, ok := v.(*Text)
	if !ok {
		return "", false
	}
	return string(t.B), true
}

// Equal reports whether b is the number whose bytes are given.
func (b Big) Equal(number []byte) bool { return bytes.Equal(b, number) }
