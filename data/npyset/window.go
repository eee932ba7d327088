package npyset

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/data"
)

// levels makes the gray levels of an image, or those of its channels, of its bytes in the file, in place.
type levels func(b []byte) error

// setType looks at the type of the numbers, and returns the bytes of one.
func (g *geometry) setType(dtype string, w *data.Window) (width int, err error) {
	if dtype == "|u1" {
		return 1, nil
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if dtype[0] == '>' {
		order = binary.BigEndian
	}
	var value func(b []byte) float64
	switch dtype[1:] {
	case "i1":
		width, value = 1, func(b []byte) float64 { return float64(int8(b[0])) }
	case "u2":
		width, value = 2, func(b []byte) float64 { return float64(order.Uint16(b)) }
	case "i2":
		width, value = 2, func(b []byte) float64 { return float64(int16(order.Uint16(b))) }
	case "u4":
		width, value = 4, func(b []byte) float64 { return float64(order.Uint32(b)) }
	case "i4":
		width, value = 4, func(b []byte) float64 { return float64(int32(order.Uint32(b))) }
	case "f4":
		width, value = 4, func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }
	case "f8":
		width, value = 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }
	default:
		return 0, fmt.Errorf("%w: images of type %s (allowed: uint8; with a window int8, 16 and 32 bits, float32 and float64)", data.ErrUnsupported, dtype)
	}
	if w == nil {
		return 0, fmt.Errorf("%w: %w: none is given for images of type %s (allowed: uint8, or a window such as 0:4095, the values of black and white)",
			data.ErrUnsupported, data.ErrWindow, dtype)
	}
	g.levels = func(b []byte) error {
		return w.Levels(b, len(b)/width, func(i int) float64 { return value(b[i*width:]) })
	}
	return width, nil
}

// toSample makes a sample of what was read of it. An error is the sample's.
func (g *geometry) toSample(s *data.Sample) error {
	var err error
	if g.levels != nil {
		err = g.levels(s.Data)
	}
	if g.pick != nil {
		s.Data = g.take(s.Data)
	}
	if g.form == data.Channels && !g.planes && g.stored > 1 {
		s.Data = g.separate(s.Data)
	}
	if s.Data = s.Data[:g.size]; err != nil {
		return &data.SampleError{Name: s.Name, Key: s.Key, Err: fmt.Errorf("%w: %w", data.ErrFormat, err)}
	}
	return nil
}

// separate returns the planes of an image whose channels are interleaved.
func (g *geometry) separate(b []byte) []byte {
	n := g.w * g.h
	out := make([]byte, g.size)
	for c := range g.stored {
		for i := range n {
			out[c*n+i] = b[i*g.stored+c]
		}
	}
	return out
}

// take returns the picked channels of an image: moved to its front, or a copy where they are planes, which may overlap.
func (g *geometry) take(b []byte) []byte {
	n := g.w * g.h
	if g.planes {
		out := make([]byte, 0, len(g.pick)*n)
		for _, c := range g.pick {
			out = append(out, b[c*n:][:n]...)
		}
		return out
	}
	for i := range n {
		var pixel [3]byte
		for k, c := range g.pick {
			pixel[k] = b[i*g.stored+c]
		}
		copy(b[i*len(g.pick):], pixel[:len(g.pick)])
	}
	return b
}
