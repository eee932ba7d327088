package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxText is the most characters of one text: a buffer of the width that a header declares is taken before the first one is there.
const maxText = 1 << 14

// Text is an array of text in memory, of NumPy's types U and S. [Read] and [Array] are of numbers alone.
type Text struct {
	Shape []int
	Data  []string // in C order; of U as UTF-8, of S the bytes as they are, both without the zeros at the end
}

// textType is the element type of an array of text.
type textType struct {
	width int // bytes an element
	order binary.ByteOrder
	wide  bool // U: four bytes a character
}

// parseText reads a type string such as <U7 or |S7.
func parseText(s string) (textType, error) {
	t := textType{order: binary.LittleEndian}
	order, kind := byte('|'), s
	if s != "" && strings.IndexByte("<>|=", s[0]) >= 0 {
		order, kind = s[0], s[1:]
	}
	if len(kind) < 2 || kind[0] != 'U' && kind[0] != 'S' {
		return t, fmt.Errorf("%w: element type %q (allowed: text, U or S)", ErrUnsupported, s)
	}
	n, err := strconv.Atoi(kind[1:])
	if err != nil || n < 1 || n > maxText {
		return t, fmt.Errorf("%w: element type %q (allowed: texts of 1 to %d characters)", ErrUnsupported, s, maxText)
	}
	if t.width = n; kind[0] == 'S' {
		return t, nil
	}
	switch t.width, t.wide = 4*n, true; order {
	case '<':
	case '>':
		t.order = binary.BigEndian
	default:
		return t, fmt.Errorf("%w: element type %q does not say its byte order (want < or >)", ErrUnsupported, s)
	}
	return t, nil
}

// ReadText reads one array of text from r, as [Read] does one of numbers. The error wraps [ErrUnsupported] for an array of something
// else, and [ErrFormat] for a character that is none.
func ReadText(r io.Reader) (*Text, error) {
	h, _, err := readHeader(r, anyType)
	if err != nil {
		return nil, err
	}
	return readText(r, h)
}

func readText(r io.Reader, h Header) (*Text, error) {
	t, err := parseText(h.DType)
	if err != nil {
		return nil, err
	}
	n, err := h.Len()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, t.width)
	var out []string // which grows as texts arrive
	for i := range n {
		if _, err := io.ReadFull(r, buf); err != nil {
			return nil, fmt.Errorf("after %d of %d elements: %w", i, n, truncated("data", err))
		}
		s, err := t.text(buf)
		if err != nil {
			return nil, fmt.Errorf("element %d of %d: %w", i, n, err)
		}
		out = append(out, s)
	}
	return &Text{Shape: h.Shape, Data: toC(out, &input{shape: h.Shape, fortran: h.Fortran})}, nil
}

// text returns an element without the zeros that fill it up, which NumPy takes away too.
func (t *textType) text(b []byte) (string, error) {
	if !t.wide {
		return strings.TrimRight(string(b), "\x00"), nil
	}
	var out []byte
	for ; len(b) > 0; b = b[4:] {
		c := t.order.Uint32(b)
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", fmt.Errorf("%w: character %#x (allowed: those of Unicode)", ErrFormat, c)
		}
		out = utf8.AppendRune(out, rune(c))
	}
	return strings.TrimRight(string(out), "\x00"), nil
}

// Shape returns the shape of the array called name, whatever its elements are; records alone are an error, which wraps
// [ErrUnsupported].
func (z *Zip) Shape(name string) ([]int, error) {
	h, r, err := z.open(name, anyType)
	if err != nil {
		return nil, err
	}
	return h.Shape, r.Close()
}

// ReadText reads the array of text called name, as the function [ReadText] does, and checks its checksum.
func (z *Zip) ReadText(name string) (*Text, error) {
	h, r, err := z.open(name, anyType)
	if err != nil {
		return nil, err
	}
	defer r.Close() // only read
	t, err := readText(r, h)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", name, err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return t, nil
}
