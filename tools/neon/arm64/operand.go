package arm64

import (
	"fmt"
	"slices"
)

// Reg is a general register of 64 bits.
type Reg uint8

// String returns the name of Go's assembler.
func (r Reg) String() string { return fmt.Sprintf("R%d", uint8(r)) }

// Vec is a vector register of 128 bits. Instructions take it as lanes, such as v.S4().
type Vec uint8

// Size is that of a lane, an element or a scalar.
type Size uint8

// Sizes of 8 to 128 bits.
const (
	B Size = iota
	H
	S
	D
	Q
)

func (s Size) String() string { return "bhsdq"[s : s+1] }

// Lanes is a vector register as lanes of a size: 128 bits of them, or only the lower 64.
type Lanes struct {
	v    Vec
	size Size
	full bool
}

func (v Vec) B16() Lanes { return Lanes{v, B, true} }
func (v Vec) B8() Lanes  { return Lanes{v, B, false} }
func (v Vec) H8() Lanes  { return Lanes{v, H, true} }
func (v Vec) H4() Lanes  { return Lanes{v, H, false} }
func (v Vec) S4() Lanes  { return Lanes{v, S, true} }
func (v Vec) S2() Lanes  { return Lanes{v, S, false} }
func (v Vec) D2() Lanes  { return Lanes{v, D, true} }

// B16s takes registers as lanes of 8 bits.
func B16s(list []Vec) []Lanes { return lanesOf(list, B) }

// H8s takes registers as lanes of 16 bits.
func H8s(list []Vec) []Lanes { return lanesOf(list, H) }

// S4s takes registers as lanes of 32 bits.
func S4s(list []Vec) []Lanes { return lanesOf(list, S) }

// D2s takes registers as lanes of 64 bits.
func D2s(list []Vec) []Lanes { return lanesOf(list, D) }

func lanesOf(list []Vec, s Size) []Lanes {
	all := make([]Lanes, len(list))
	for i, v := range list {
		all[i] = v.whole(s)
	}
	return all
}

func (v Vec) whole(s Size) Lanes { return Lanes{v, s, true} }

func (l Lanes) String() string {
	bytes := 8
	if l.full {
		bytes = 16
	}
	return fmt.Sprintf("v%d.%d%v", uint8(l.v), bytes>>l.size, l.size)
}

// bits returns the encoding of "128 bits" and of the size.
func (l Lanes) bits() uint32 { return l.q() | uint32(l.size)<<22 }

func (l Lanes) q() uint32 {
	if l.full {
		return 1 << 30
	}
	return 0
}

// Element is one element of a vector register.
type Element struct {
	v    Vec
	size Size
	i    int
}

// At returns element i of the given size.
func (v Vec) At(s Size, i int) Element {
	must(s <= D && i >= 0 && i < 16>>s, "element %d of size %v", i, s)
	return Element{v, s, i}
}

func (e Element) String() string { return fmt.Sprintf("v%d.%v[%d]", uint8(e.v), e.size, e.i) }

// imm5 encodes size and index.
func (e Element) imm5() uint32 { return uint32(1<<e.size | e.i<<(e.size+1)) }

// Mem is a place in memory.
type Mem struct {
	base, index Reg
	offset      int
	kind        memKind
}

type memKind uint8

const (
	atOffset memKind = iota
	postIndex
	indexed
)

// Ptr is the place offset bytes from base.
func Ptr(base Reg, offset int) Mem { return Mem{base: base, offset: offset} }

// Post is the place at base, which is then moved by step bytes.
func Post(base Reg, step int) Mem { return Mem{base: base, offset: step, kind: postIndex} }

// Indexed is the place at the sum of two registers.
func Indexed(base, index Reg) Mem { return Mem{base: base, index: index, kind: indexed} }

func (m Mem) String() string {
	switch {
	case m.kind == postIndex:
		return fmt.Sprintf("[x%d], #%d", uint8(m.base), m.offset)
	case m.kind == indexed:
		return fmt.Sprintf("[x%d, x%d]", uint8(m.base), uint8(m.index))
	case m.offset == 0:
		return fmt.Sprintf("[x%d]", uint8(m.base))
	}
	return fmt.Sprintf("[x%d, #%d]", uint8(m.base), m.offset)
}

func must(ok bool, format string, args ...any) {
	if !ok {
		panic("arm64: " + fmt.Sprintf(format, args...))
	}
}

// word appends an instruction.
func (f *Func) word(w uint32, name string, operands ...any) {
	text := name
	for i, o := range operands {
		if i > 0 {
			text += ","
		}
		text += " " + fmt.Sprint(o)
	}
	f.Go("WORD $0x%08x // %s", w, text)
}

// inRow is a list of registers, as its text.
func inRow(list []Lanes) string {
	text := "{"
	for i, l := range list {
		must(i == 0 || l.v == (list[i-1].v+1)%32 && l.size == list[0].size && l.full == list[0].full, "%v are not in a row", list)
		if i > 0 {
			text += ", "
		}
		text += l.String()
	}
	return text + "}"
}

func oneOf(s Size, sizes ...Size) bool { return slices.Contains(sizes, s) }
