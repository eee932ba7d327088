// Package matfiletest makes MAT-files for tests.
package matfiletest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

// Var is an array: values as bytes, or, for Doubles, as float64. Their number is that of the shape, or what a test wants to break.
type Var struct {
	Name   string
	Shape  []int32
	Bytes  []byte
	Double []float64
}

// File returns a file of level 5 with the variables, each compressed or not.
func File(order binary.AppendByteOrder, compress bool, vars ...Var) []byte {
	b := append([]byte("MATLAB 5.0 MAT-file"), bytes.Repeat([]byte{' '}, 105)...)
	b = order.AppendUint16(b, 0x0100)
	b = order.AppendUint16(b, 'M'<<8|'I')
	for _, v := range vars {
		m := v.matrix(order)
		if compress {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			_, _ = w.Write(m)
			_ = w.Close()
			m = append(head(order, 15, z.Len()), z.Bytes()...)
		}
		b = append(b, m...)
	}
	return b
}

func head(order binary.AppendByteOrder, kind uint32, n int) []byte {
	return order.AppendUint32(order.AppendUint32(nil, kind), uint32(n))
}

// element is an element with its padding.
func element(order binary.AppendByteOrder, kind uint32, data []byte) []byte {
	b := append(head(order, kind, len(data)), data...)
	return append(b, make([]byte, -len(data)&7)...)
}

func (v *Var) matrix(order binary.AppendByteOrder) []byte {
	class, kind, values := uint32(9), uint32(2), v.Bytes
	if v.Double != nil {
		class, kind = 6, 9
		for _, x := range v.Double {
			values, _ = binary.Append(values, order.(binary.ByteOrder), x)
		}
	}
	var dims []byte
	for _, n := range v.Shape {
		dims = order.AppendUint32(dims, uint32(n))
	}
	m := element(order, 6, order.AppendUint32(order.AppendUint32(nil, class), 0))
	m = append(m, element(order, 5, dims)...)
	m = append(m, element(order, 1, []byte(v.Name))...)
	m = append(m, element(order, kind, values)...)
	return append(head(order, 14, len(m)), m...)
}
