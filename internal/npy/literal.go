package npy

import (
	"fmt"
	"math"
	"strings"
)

// parser reads the one form of Python literal that a header may hold: a dictionary of a string, a truth value and a
// tuple of integers. Anything else is an error; nothing is evaluated.
type parser struct {
	text string
	pos  int
	typ  func(string) (string, error) // checks the element type
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: header at byte %d: %s", ErrFormat, p.pos, fmt.Sprintf(format, args...))
}

// space skips blanks.
func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// accept skips blanks and then s, if it comes next.
func (p *parser) accept(s string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) expect(s string) error {
	if !p.accept(s) {
		return p.errorf("want %q", s)
	}
	return nil
}

// str reads a quoted string. No name and no type of NumPy's needs an escape, so a backslash is an error.
func (p *parser) str() (string, error) {
	p.space()
	if p.pos == len(p.text) || (p.text[p.pos] != '\'' && p.text[p.pos] != '"') {
		return "", p.errorf("want a string")
	}
	rest := p.text[p.pos+1:]
	end := strings.IndexByte(rest, p.text[p.pos])
	if end < 0 || strings.ContainsAny(rest[:end], "\\\n") {
		return "", p.errorf("string without end or with an escape")
	}
	p.pos += end + 2
	return rest[:end], nil
}

// integer reads decimal digits, with the L that Python 2 appended to long ones.
func (p *parser) integer() (int, error) {
	p.space()
	start, v := p.pos, 0
	for ; p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9'; p.pos++ {
		d := int(p.text[p.pos] - '0')
		if v > (math.MaxInt-d)/10 {
			return 0, fmt.Errorf("%w: axis longer than this machine can count", ErrUnsupported)
		}
		v = 10*v + d
	}
	if p.pos == start {
		return 0, p.errorf("want an integer that is not negative")
	}
	if p.pos < len(p.text) && p.text[p.pos] == 'L' {
		p.pos++
	}
	return v, nil
}

// tuple reads (), (1,), (1, 2) and so on; (1) is no tuple in Python and is refused.
func (p *parser) tuple() ([]int, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	shape := []int{}
	for comma := true; !p.accept(")"); {
		if !comma {
			return nil, p.errorf("want \",\" or \")\"")
		}
		if len(shape) == maxDims {
			return nil, p.errorf("more than %d axes", maxDims)
		}
		d, err := p.integer()
		if err != nil {
			return nil, err
		}
		shape = append(shape, d)
		comma = p.accept(",")
		if !comma && len(shape) == 1 {
			return nil, p.errorf("shape is not a tuple")
		}
	}
	return shape, nil
}

func (p *parser) boolean() (bool, error) {
	if p.accept("True") {
		return true, nil
	}
	return false, p.expect("False")
}

// descr reads the element type. A list or a tuple there describes records or sub-arrays.
func (p *parser) descr() (string, error) {
	p.space()
	if p.pos < len(p.text) && (p.text[p.pos] == '[' || p.text[p.pos] == '(') {
		return "", fmt.Errorf("%w: elements are records or sub-arrays", ErrUnsupported)
	}
	s, err := p.str()
	if err != nil {
		return "", err
	}
	return p.typ(s)
}

// value reads the value that belongs to key into h.
func (p *parser) value(h *Header, key string) (err error) {
	switch key {
	case "descr":
		h.DType, err = p.descr()
	case "fortran_order":
		h.Fortran, err = p.boolean()
	case "shape":
		h.Shape, err = p.tuple()
	default:
		err = p.errorf("unknown key %q", key)
	}
	return err
}

func parseHeader(text string, typ func(string) (string, error)) (Header, error) {
	p := &parser{text: text, typ: typ}
	var h Header
	if err := p.expect("{"); err != nil {
		return h, err
	}
	seen := map[string]bool{}
	for comma := true; !p.accept("}"); comma = p.accept(",") {
		if !comma {
			return h, p.errorf("want \",\" or \"}\"")
		}
		key, err := p.str()
		if err != nil {
			return h, err
		}
		if seen[key] {
			return h, p.errorf("key %q given twice", key)
		}
		seen[key] = true
		if err := p.expect(":"); err != nil {
			return h, err
		}
		if err := p.value(&h, key); err != nil {
			return h, err
		}
	}
	if len(seen) != 3 {
		return h, p.errorf("want the keys descr, fortran_order and shape")
	}
	if p.space(); p.pos != len(text) {
		return h, p.errorf("text after the dictionary")
	}
	_, err := h.Len()
	return h, err
}
