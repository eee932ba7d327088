package cifar

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/data"
)

// This file holds a reader for the part of Python's pickle language that the data set's files are written in: protocols
// 2 to 5, built-in values, and the handful of NumPy reconstruction calls of numpy.go. It exists because a general
// reader cannot be made safe by wrapping: the usual Go one allocates the lengths a file declares before it reads (a
// fatal error no recover catches), resolves some classes past its class hook, and prints cyclic values into its errors
// without end.
//
// The whole file is in memory; strings and bytes are slices of it. A pickle can therefore not make the reader allocate
// more than a constant times its own length, the number of steps is limited, nothing recurses, and nothing is executed:
// the callables below are names with a fixed meaning, every other name is rejected where it first appears.

// maxSteps limits the opcodes of one pickle. CIFAR-100's train, the largest published one, needs about 200,000: two for
// each of 50,000 file names, one for each fine and each coarse label.
const maxSteps = 1 << 20

// The values a pickle can hold here: nil, bool, int64, float64 and the types below. int64 stands for every Python int;
// larger ones are rejected.
type (
	// pstr is a Python str, bytes or bytearray.
	pstr struct {
		b   []byte
		off int // of b within the file, or -1 when b is a decoded copy
	}
	ptuple struct{ items []any }
	plist  struct{ items []any }
	// pdict keeps the pairs as they came; keys here are few. A later pair with the same key wins.
	pdict  struct{ pairs []any }
	global string // a callable or class of the whitelist, as "module.name"
)

// get returns the value of a text key, and whether there is one.
func (d *pdict) get(key string) (any, bool) {
	for i := len(d.pairs) - 2; i >= 0; i -= 2 {
		if k, ok := d.pairs[i].(*pstr); ok && string(k.b) == key {
			return d.pairs[i+1], true
		}
	}
	return nil, false
}

// machine runs one pickle.
type machine struct {
	src     []byte
	pos     int
	stack   []any
	marks   []int // stack heights
	memo    map[uint32]any
	decoded int // bytes made by _codecs.encode so far
}

// unpickle returns the value that the pickle src builds. Errors wrap [data.ErrFormat], [data.ErrUnsupported] or
// [data.ErrUnsafe] and name the byte offset; the caller names the file.
func unpickle(src []byte) (any, error) {
	if len(src) < 2 || src[0] != opProto {
		return nil, fmt.Errorf("%w: no pickle of protocol 2 or later", data.ErrFormat)
	}
	if src[1] < 2 || src[1] > 5 {
		return nil, fmt.Errorf("%w: pickle protocol %d (allowed: 2 to 5)", data.ErrUnsupported, src[1])
	}
	m := &machine{src: src, pos: 2, memo: make(map[uint32]any)}
	for range maxSteps {
		at := m.pos
		op, err := m.byte()
		if err != nil {
			return nil, err
		}
		if op == opStop {
			return m.pop()
		}
		if err := m.step(op); err != nil {
			return nil, fmt.Errorf("byte %d, opcode 0x%02x: %w", at, op, err)
		}
	}
	return nil, fmt.Errorf("%w: pickle of more than %d steps", data.ErrFormat, maxSteps)
}

// Opcodes, as CPython's pickletools lists them.
const (
	opMark          = '('
	opStop          = '.'
	opPop           = '0'
	opPopMark       = '1'
	opDup           = '2'
	opBinInt        = 'J'
	opBinInt1       = 'K'
	opBinInt2       = 'M'
	opNone          = 'N'
	opReduce        = 'R'
	opBinString     = 'T'
	opShortBinStr   = 'U'
	opBinUnicode    = 'X'
	opAppend        = 'a'
	opBuild         = 'b'
	opGlobal        = 'c'
	opDict          = 'd'
	opEmptyDict     = '}'
	opAppends       = 'e'
	opBinGet        = 'h'
	opInst          = 'i'
	opLongBinGet    = 'j'
	opList          = 'l'
	opEmptyList     = ']'
	opObj           = 'o'
	opBinPut        = 'q'
	opLongBinPut    = 'r'
	opSetItem       = 's'
	opTuple         = 't'
	opEmptyTuple    = ')'
	opSetItems      = 'u'
	opBinFloat      = 'G'
	opPersID        = 'P'
	opBinPersID     = 'Q'
	opProto         = 0x80
	opNewObj        = 0x81
	opExt1          = 0x82
	opExt2          = 0x83
	opExt4          = 0x84
	opTuple1        = 0x85
	opTuple2        = 0x86
	opTuple3        = 0x87
	opNewTrue       = 0x88
	opNewFalse      = 0x89
	opLong1         = 0x8a
	opLong4         = 0x8b
	opBinBytes      = 'B'
	opShortBinBytes = 'C'
	opShortBinUni   = 0x8c
	opBinUnicode8   = 0x8d
	opBinBytes8     = 0x8e
	opNewObjEx      = 0x92
	opStackGlobal   = 0x93
	opMemoize       = 0x94
	opFrame         = 0x95
	opByteArray8    = 0x96
)

func (m *machine) step(op byte) error {
	switch op {
	case opMark:
		m.marks = append(m.marks, len(m.stack))
		return nil
	case opPop, opPopMark, opDup:
		return m.shuffle(op)
	case opNone:
		return m.push(nil)
	case opNewTrue, opNewFalse:
		return m.push(op == opNewTrue)
	case opBinInt, opBinInt1, opBinInt2, opLong1, opLong4, opBinFloat:
		return m.number(op)
	case opBinString, opBinUnicode, opBinBytes:
		return m.text(4)
	case opShortBinStr, opShortBinBytes, opShortBinUni:
		return m.text(1)
	case opBinUnicode8, opBinBytes8, opByteArray8:
		return m.text(8)
	case opEmptyTuple:
		return m.push(&ptuple{})
	case opEmptyList:
		return m.push(&plist{})
	case opEmptyDict:
		return m.push(&pdict{})
	case opTuple1, opTuple2, opTuple3:
		return m.shortTuple(int(op-opTuple1) + 1)
	case opTuple, opList, opDict:
		return m.gather(op)
	case opAppend, opAppends, opSetItem, opSetItems:
		return m.extend(op)
	case opBinPut, opLongBinPut, opMemoize, opBinGet, opLongBinGet:
		return m.remember(op)
	case opGlobal, opStackGlobal:
		return m.global(op)
	case opReduce:
		return m.reduce()
	case opBuild:
		return m.build()
	case opFrame: // a hint for readers from a stream
		_, err := m.take(8)
		return err
	case opInst, opObj, opNewObj, opNewObjEx:
		return m.rejectInstance(op)
	case opPersID, opBinPersID, opExt1, opExt2, opExt4:
		return fmt.Errorf("%w: pickle refers to objects outside itself", data.ErrUnsafe)
	}
	return fmt.Errorf("%w: opcode not used by CIFAR's files", data.ErrUnsupported)
}

func (m *machine) push(v any) error {
	m.stack = append(m.stack, v)
	return nil
}

// floor is the height below which the stack belongs to an outer mark.
func (m *machine) floor() int {
	if len(m.marks) == 0 {
		return 0
	}
	return m.marks[len(m.marks)-1]
}

func (m *machine) pop() (any, error) {
	if len(m.stack) <= m.floor() {
		return nil, fmt.Errorf("%w: pickle takes from an empty stack", data.ErrFormat)
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

func (m *machine) top() (any, error) {
	if len(m.stack) <= m.floor() {
		return nil, fmt.Errorf("%w: pickle reads an empty stack", data.ErrFormat)
	}
	return m.stack[len(m.stack)-1], nil
}

// popMark returns the values since the last mark; they are valid until the next push.
func (m *machine) popMark() ([]any, error) {
	if len(m.marks) == 0 {
		return nil, fmt.Errorf("%w: pickle without the mark it needs", data.ErrFormat)
	}
	at := m.floor()
	m.marks = m.marks[:len(m.marks)-1]
	items := m.stack[at:]
	m.stack = m.stack[:at]
	return items, nil
}

func (m *machine) byte() (byte, error) {
	b, err := m.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// take returns the next n bytes of the file.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.src)-m.pos) {
		return nil, fmt.Errorf("%w: pickle of %d bytes ends early, %d more wanted at byte %d",
			data.ErrFormat, len(m.src), n, m.pos)
	}
	b := m.src[m.pos : m.pos+int(n) : m.pos+int(n)]
	m.pos += int(n)
	return b, nil
}

// uint reads an unsigned little-endian number of n bytes.
func (m *machine) uint(n uint64) (uint64, error) {
	b, err := m.take(n)
	if err != nil {
		return 0, err
	}
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:]), nil
}

func (m *machine) line() (string, error) {
	for i := m.pos; i < len(m.src); i++ {
		if m.src[i] == '\n' {
			s := string(m.src[m.pos:i])
			m.pos = i + 1
			return s, nil
		}
	}
	return "", fmt.Errorf("%w: pickle ends within a line", data.ErrFormat)
}

func (m *machine) shuffle(op byte) error {
	switch {
	case op == opPopMark, op == opPop && len(m.marks) > 0 && len(m.stack) == m.floor():
		_, err := m.popMark()
		return err
	case op == opPop:
		_, err := m.pop()
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	return m.push(v)
}

func (m *machine) number(op byte) error {
	size := uint64(1) // opBinInt1, opLong1
	switch op {
	case opBinInt2:
		size = 2
	case opBinInt, opLong4:
		size = 4
	case opBinFloat:
		size = 8
	}
	v, err := m.uint(size)
	if err != nil {
		return err
	}
	switch op {
	case opBinInt:
		return m.push(int64(int32(uint32(v))))
	case opBinFloat: // the one big-endian number of the language
		b := m.src[m.pos-8 : m.pos]
		return m.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
	case opLong1, opLong4:
		return m.long(v)
	}
	return m.push(int64(v))
}

// long reads a two's complement number of n bytes.
func (m *machine) long(n uint64) error {
	if n > 8 {
		return fmt.Errorf("%w: integer of %d bytes (allowed: 8)", data.ErrUnsupported, n)
	}
	v, err := m.uint(n)
	if err != nil {
		return err
	}
	shift := 64 - 8*n // sign extension; a shift by 64 gives 0, the value of no bytes
	return m.push(int64(v<<shift) >> shift)
}

// text reads a string or bytes whose length is a number of size bytes.
func (m *machine) text(size uint64) error {
	n, err := m.uint(size)
	if err != nil {
		return err
	}
	off := m.pos
	b, err := m.take(n)
	if err != nil {
		return err
	}
	return m.push(&pstr{b: b, off: off})
}

func (m *machine) shortTuple(n int) error {
	if len(m.stack)-n < m.floor() {
		return fmt.Errorf("%w: tuple of %d from a shorter stack", data.ErrFormat, n)
	}
	at := len(m.stack) - n
	t := &ptuple{items: append([]any(nil), m.stack[at:]...)}
	m.stack = m.stack[:at]
	return m.push(t)
}

func (m *machine) gather(op byte) error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	items = append([]any(nil), items...)
	switch op {
	case opTuple:
		return m.push(&ptuple{items})
	case opList:
		return m.push(&plist{items})
	}
	if len(items)%2 != 0 {
		return fmt.Errorf("%w: dict with a key but no value", data.ErrFormat)
	}
	return m.push(&pdict{items})
}

// extend adds what lies on the stack to the list or dict below it.
func (m *machine) extend(op byte) error {
	var items []any
	var err error
	switch op {
	case opAppends, opSetItems:
		items, err = m.popMark()
	default:
		n := 1
		if op == opSetItem {
			n = 2
		}
		if len(m.stack)-n < m.floor() {
			return fmt.Errorf("%w: pickle takes from an empty stack", data.ErrFormat)
		}
		items = m.stack[len(m.stack)-n:]
		m.stack = m.stack[:len(m.stack)-n]
	}
	if err != nil {
		return err
	}
	to, err := m.top()
	if err != nil {
		return err
	}
	switch c := to.(type) {
	case *plist:
		if op == opAppend || op == opAppends {
			c.items = append(c.items, items...)
			return nil
		}
	case *pdict:
		if (op == opSetItem || op == opSetItems) && len(items)%2 == 0 {
			c.pairs = append(c.pairs, items...)
			return nil
		}
	}
	return fmt.Errorf("%w: %d items added to a %T", data.ErrFormat, len(items), to)
}

func (m *machine) remember(op byte) error {
	var key uint64
	var err error
	switch op {
	case opBinPut, opBinGet:
		key, err = m.uint(1)
	case opLongBinPut, opLongBinGet:
		key, err = m.uint(4)
	default:
		key = uint64(len(m.memo))
	}
	if err != nil {
		return err
	}
	if op == opBinGet || op == opLongBinGet {
		v, ok := m.memo[uint32(key)]
		if !ok {
			return fmt.Errorf("%w: pickle recalls entry %d, which it never stored", data.ErrFormat, key)
		}
		return m.push(v)
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	m.memo[uint32(key)] = v
	return nil
}

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
		ns, ok1 := n.(*pstr)
		ms, ok2 := mod.(*pstr)
		if !ok1 || !ok2 {
			return fmt.Errorf("%w: class name that is no string", data.ErrFormat)
		}
		module, name = string(ms.b), string(ns.b)
	}
	g, ok := allowed[module+"."+name]
	if !ok {
		return rejectClass(module, name)
	}
	return m.push(g)
}

func rejectClass(module, name string) error {
	const most = 80 // characters of a hostile name in a message
	full := module + "." + name
	if len(full) > most {
		full = full[:most] + "..."
	}
	return fmt.Errorf("%w: pickle wants class %q (allowed: what rebuilds a NumPy array)", data.ErrUnsafe, full)
}

// rejectInstance rejects an opcode that builds an object of an arbitrary class. Only INST names its class itself; the
// others take one that GLOBAL pushed, so it is of the whitelist, but none of those is built this way.
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
		return rejectClass(module, name)
	}
	return fmt.Errorf("%w: pickle builds an instance of a class", data.ErrUnsafe)
}
