package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// The wire types of protocol buffers that ONNX has.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// message is an encoded protocol buffer message: bytes, and in between the values of tensors, which stay where they
// are.
type message struct {
	parts []part
	n     int64 // bytes in all
}

type part struct {
	b []byte
	f []float32
}

func (m *message) write(b ...byte) {
	if k := len(m.parts); k > 0 && m.parts[k-1].f == nil {
		m.parts[k-1].b = append(m.parts[k-1].b, b...)
	} else {
		m.parts = append(m.parts, part{b: b})
	}
	m.n += int64(len(b))
}

func (m *message) tag(field, wire int) { m.write(binary.AppendUvarint(nil, uint64(field<<3|wire))...) }

func (m *message) uint(field int, v int64) {
	m.tag(field, wireVarint)
	m.write(binary.AppendUvarint(nil, uint64(v))...)
}

func (m *message) float(field int, v float32) {
	m.tag(field, wire32)
	m.write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v))...)
}

func (m *message) text(field int, s string) {
	m.tag(field, wireBytes)
	m.write(binary.AppendUvarint(nil, uint64(len(s)))...)
	m.write([]byte(s)...)
}

func (m *message) floats(field int, v []float32) {
	m.tag(field, wireBytes)
	m.write(binary.AppendUvarint(nil, 4*uint64(len(v)))...)
	if len(v) > 0 {
		m.parts = append(m.parts, part{f: v})
		m.n += 4 * int64(len(v))
	}
}

func (m *message) sub(field int, s *message) {
	m.tag(field, wireBytes)
	m.write(binary.AppendUvarint(nil, uint64(s.n))...)
	for _, p := range s.parts {
		if p.f != nil {
			m.parts = append(m.parts, p)
			m.n += 4 * int64(len(p.f))
		} else {
			m.write(p.b...)
		}
	}
}

// writeTo writes the message.
func (m *message) writeTo(w io.Writer) error {
	buf := make([]byte, 0, 1<<16)
	for _, p := range m.parts {
		if _, err := w.Write(p.b); err != nil {
			return err
		}
		for f := p.f; len(f) > 0; {
			n := min(len(f), cap(buf)/4)
			for _, v := range f[:n] {
				buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
			f, buf = f[n:], buf[:0]
		}
	}
	return nil
}

// field is one decoded member of a message.
type field struct {
	number int
	wire   int
	v      uint64 // of a number
	b      []byte // of bytes, text, packed numbers and messages; shares memory with the file
}

var errTruncated = errors.New("a message ends in the middle of a field")

// fields calls f for every member of a message.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errTruncated
		}
		b = b[n:]
		x := field{number: int(min(key>>3, math.MaxInt32)), wire: int(key & 7)}
		switch x.wire {
		case wireVarint:
			if x.v, n = binary.Uvarint(b); n <= 0 {
				return errTruncated
			}
		case wire64:
			if n = 8; len(b) < n {
				return errTruncated
			}
			x.v = binary.LittleEndian.Uint64(b)
		case wire32:
			if n = 4; len(b) < n {
				return errTruncated
			}
			x.v = uint64(binary.LittleEndian.Uint32(b))
		case wireBytes:
			size, k := binary.Uvarint(b)
			if k <= 0 || size > uint64(len(b)-k) {
				return errTruncated
			}
			n = k + int(size)
			x.b = b[k:n]
		default:
			return fmt.Errorf("field %d has the wire type %d", x.number, x.wire)
		}
		b = b[n:]
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// want returns an error unless the field has the wire type.
func (x field) want(wire int) error {
	if x.wire != wire {
		return fmt.Errorf("field %d has the wire type %d, not %d", x.number, x.wire, wire)
	}
	return nil
}

func (x field) text(dst *string) error {
	*dst = string(x.b)
	return x.want(wireBytes)
}

func (x field) int(dst *int64) error {
	*dst = int64(x.v)
	return x.want(wireVarint)
}

// ints appends one number, or packed ones.
func (x field) ints(dst *[]int64) error {
	if x.wire == wireVarint {
		*dst = append(*dst, int64(x.v))
		return nil
	}
	for b := x.b; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return errTruncated
		}
		*dst, b = append(*dst, int64(v)), b[n:]
	}
	return x.want(wireBytes)
}

// floats appends one number, or packed ones.
func (x field) floats(dst *[]float32) error {
	if x.wire == wire32 {
		*dst = append(*dst, math.Float32frombits(uint32(x.v)))
		return nil
	}
	if len(x.b)%4 != 0 {
		return errTruncated
	}
	for b := x.b; len(b) > 0; b = b[4:] {
		*dst = append(*dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return x.want(wireBytes)
}
