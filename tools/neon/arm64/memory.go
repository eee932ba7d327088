package arm64

import "fmt"

// LDR loads the lowest bits of a register, and clears those above.
func (f *Func) LDR(s Size, v Vec, m Mem) { f.single("ld", 1, s, v, m) }

// STR stores the lowest bits of a register.
func (f *Func) STR(s Size, v Vec, m Mem) { f.single("st", 0, s, v, m) }

func (f *Func) single(name string, load uint32, s Size, v Vec, m Mem) {
	w := uint32(s)<<30 | load<<22 | uint32(m.base)<<5 | uint32(v)
	if s == Q {
		w = 2<<22 | load<<22 | uint32(m.base)<<5 | uint32(v)
	}
	bytes := 1 << s
	switch {
	case m.kind == indexed:
		w |= 0x3c206800 | uint32(m.index)<<16
	case m.kind == postIndex:
		w |= 0x3c000400 | signed(m.offset, 9)<<12
	case m.offset >= 0 && m.offset%bytes == 0:
		must(m.offset/bytes < 1<<12, "offset %d", m.offset)
		w |= 0x3d000000 | uint32(m.offset/bytes)<<10
	default:
		name += "u"
		w |= 0x3c000000 | signed(m.offset, 9)<<12
	}
	f.word(w, name+"r", fmt.Sprintf("%v%d", s, uint8(v)), m)
}

// signed encodes a number in so many bits.
func signed(v, bits int) uint32 {
	must(v >= -1<<(bits-1) && v < 1<<(bits-1), "offset %d", v)
	return uint32(v) & (1<<bits - 1)
}

// LDP loads two registers of 128 bits.
func (f *Func) LDP(a, b Vec, m Mem) { f.pair("ldp", 1, a, b, m) }

func (f *Func) pair(name string, load uint32, a, b Vec, m Mem) {
	must(m.offset%16 == 0 && m.kind != indexed, "%s %v", name, m)
	w := 0xad000000 | load<<22 | signed(m.offset/16, 7)<<15 | uint32(b)<<10 | uint32(m.base)<<5 | uint32(a)
	if m.kind == postIndex {
		w ^= 3 << 23 // from 010 to 001
	}
	f.word(w, name, fmt.Sprintf("q%d", uint8(a)), fmt.Sprintf("q%d", uint8(b)), m)
}

// LD1 loads one to four registers in a row from bytes in a row. m is a base, or one that moves by the bytes loaded.
func (f *Func) LD1(list []Lanes, m Mem) { f.several("ld1", 1, multiple[len(list)-1], list, m) }

// ST1 stores them.
func (f *Func) ST1(list []Lanes, m Mem) { f.several("st1", 0, multiple[len(list)-1], list, m) }

var multiple = [4]uint32{7, 10, 6, 2}

// LD4 loads lanes in turn into four registers in a row.
func (f *Func) LD4(list []Lanes, m Mem) { f.structures("ld4", 1, 4, 0, list, m) }

// LD3 does the same with three.
func (f *Func) LD3(list []Lanes, m Mem) { f.structures("ld3", 1, 3, 4, list, m) }

// ST4 stores lanes of four registers in a row in turn.
func (f *Func) ST4(list []Lanes, m Mem) { f.structures("st4", 0, 4, 0, list, m) }

func (f *Func) structures(name string, load uint32, n int, op uint32, list []Lanes, m Mem) {
	must(len(list) == n, "%s of %d registers", name, len(list))
	f.several(name, load, op, list, m)
}

func (f *Func) several(name string, load, op uint32, list []Lanes, m Mem) {
	l := list[0]
	w := 0x0c000000 | l.q() | load<<22 | op<<12 | uint32(l.size)<<10 | uint32(m.base)<<5 | uint32(l.v)
	f.word(w|afterwards(m, len(list)*8<<(l.q()>>30)), name, inRow(list), m)
}

// afterwards encodes that the base moves by the size of what is loaded or stored.
func afterwards(m Mem, bytes int) uint32 {
	if m.kind == postIndex {
		must(m.offset == bytes, "a step of %d where %d bytes move", m.offset, bytes)
		return 1<<23 | 31<<16
	}
	must(m.kind == atOffset && m.offset == 0, "place %v", m)
	return 0
}

// LD1R loads one number into all lanes.
func (f *Func) LD1R(d Lanes, m Mem) {
	w := 0x0d40c000 | d.q() | uint32(d.size)<<10 | uint32(m.base)<<5 | uint32(d.v)
	f.word(w|afterwards(m, 1<<d.size), "ld1r", inRow([]Lanes{d}), m)
}

// LD1E loads one element; the others stay.
func (f *Func) LD1E(d Element, m Mem) { f.element("ld1", 1, d, m) }

// ST1E stores one element.
func (f *Func) ST1E(d Element, m Mem) { f.element("st1", 0, d, m) }

func (f *Func) element(name string, load uint32, e Element, m Mem) {
	// The index is the bits Q, S and size, of which the lowest are part of the size.
	place := uint32(e.i) << e.size
	if e.size == D {
		place |= 1
	}
	op := [...]uint32{0, 2, 4, 4}[e.size]
	w := 0x0d000000 | load<<22 | place>>3<<30 | place>>2&1<<12 | place&3<<10 | op<<13 | uint32(m.base)<<5 | uint32(e.v)
	f.word(w|afterwards(m, 1<<e.size), name, fmt.Sprintf("{v%d.%v}[%d]", uint8(e.v), e.size, e.i), m)
}
