package pickle

import (
	"encoding/binary"
	"fmt"
	"math"
)

// machine runs one pickle.
type machine struct {
	src     []byte
	pos     int
	dialect *Dialect
	stack   []any
	marks   []int // stack heights
	memo    map[uint32]any
	decoded int // bytes made by _codecs.encode so far
}

// run runs opcodes up to the one that ends the pickle.
func (m *machine) run() (any, error) {
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
	return nil, fmt.Errorf("%w: pickle of more than %d steps", ErrFormat, maxSteps)
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
		return m.push(&Tuple{})
	case opEmptyList:
		return m.push(&List{})
	case opEmptyDict:
		return m.push(&Dict{})
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
	case opBinPersID:
		return m.persistent()
	case opPersID, opExt1, opExt2, opExt4:
		return errOutside
	}
	return fmt.Errorf("%w: opcode that no plain data needs", ErrUnsupported)
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
		return nil, fmt.Errorf("%w: pickle takes from an empty stack", ErrFormat)
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

func (m *machine) top() (any, error) {
	if len(m.stack) <= m.floor() {
		return nil, fmt.Errorf("%w: pickle reads an empty stack", ErrFormat)
	}
	return m.stack[len(m.stack)-1], nil
}

// popMark returns the values since the last mark; they are valid until the next push.
func (m *machine) popMark() ([]any, error) {
	if len(m.marks) == 0 {
		return nil, fmt.Errorf("%w: pickle without the mark it needs", ErrFormat)
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
			ErrFormat, len(m.src), n, m.pos)
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
	return "", fmt.Errorf("%w: pickle ends within a line", ErrFormat)
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
		b, err := m.take(n)
		if err != nil {
			return err
		}
		return m.push(Big(b))
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
	return m.push(&Text{B: b, Off: off})
}

func (m *machine) shortTuple(n int) error {
	if len(m.stack)-n < m.floor() {
		return fmt.Errorf("%w: tuple of %d from a shorter stack", ErrFormat, n)
	}
	at := len(m.stack) - n
	t := &Tuple{Items: append([]any(nil), m.stack[at:]...)}
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
		return m.push(&Tuple{items})
	case opList:
		return m.push(&List{items})
	}
	if len(items)%2 != 0 {
		return fmt.Errorf("%w: dict with a key but no value", ErrFormat)
	}
	return m.push(&Dict{Pairs: items})
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
			return fmt.Errorf("%w: pickle takes from an empty stack", ErrFormat)
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
	case *List:
		if op == opAppend || op == opAppends {
			c.Items = append(c.Items, items...)
			return nil
		}
	case *Dict:
		if (op == opSetItem || op == opSetItems) && len(items)%2 == 0 {
			c.Pairs = append(c.Pairs, items...)
			return nil
		}
	}
	return fmt.Errorf("%w: %d items added to a %T", ErrFormat, len(items), to)
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
			return fmt.Errorf("%w: pickle recalls entry %d, which it never stored", ErrFormat, key)
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
